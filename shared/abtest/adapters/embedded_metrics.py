"""Metrics as log lines in CloudWatch's embedded metric format, which needs no call and no permission."""

import sys
from collections.abc import Mapping
from typing import TextIO

from abtest.kit import canonical_json
from abtest.kit.clock import Clock, to_milliseconds

NAMESPACE = "abtest"


class EmbeddedMetrics:
    """Metrics of one Lambda function; its name is the only dimension."""

    def __init__(self, function_name: str, clock: Clock, out: TextIO | None = None) -> None:
        self._function_name = function_name or "local"
        self._clock = clock
        self._out = out

    def put(self, values: Mapping[str, float]) -> None:
        """Write one log line with all values."""
        directive = {
            "Namespace": NAMESPACE,
            "Dimensions": [["FunctionName"]],
            "Metrics": [{"Name": name} for name in values],
        }
        about = {"Timestamp": to_milliseconds(self._clock.now()), "CloudWatchMetrics": [directive]}
        line = {"_aws": about, "FunctionName": self._function_name, **values}
        # sys.stdout is read at each call, because tests replace it. Flushed, because Lambda freezes the process after
        # the response, with whatever is still in the buffer.
        print(canonical_json.dumps(line), file=self._out or sys.stdout, flush=True)
