"""Numbers that alarms look at."""

from collections.abc import Mapping
from typing import Protocol


class Metrics(Protocol):
    """Where numbers are told; telling them never fails."""

    def put(self, values: Mapping[str, float]) -> None:
        """These numbers, by name, as of now. What happened is counted; names never hold data of shops."""
        ...
