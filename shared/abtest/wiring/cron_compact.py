"""Composition root of cron_compact."""

from dataclasses import asdict
from typing import Any

from abtest.adapters import aws
from abtest.adapters.embedded_metrics import EmbeddedMetrics
from abtest.adapters.s3 import S3Blobs
from abtest.adapters.sqs import SqsQueue
from abtest.kit.clock import SystemClock, parse_milliseconds
from abtest.ports.waits import CallerKind
from abtest.services.compaction.dispatch import CompactionDispatch
from abtest.wiring.handler import Handler
from abtest.wiring.settings import settings


def create_handler() -> Handler:
    """Return the handler of the schedule. Raises MissingSettingError.

    An event may have `since`, the moment from which all hours are examined, and `open_hours`: true, which includes
    hours that are not over yet.
    """
    aws.serve(CallerKind.SCHEDULE)
    config, clock = settings(), SystemClock()
    config.need("ledger_bucket", "compact_queue_url")
    use = CompactionDispatch(
        clock=clock,
        ledger=S3Blobs(config.ledger_bucket),
        queue=SqsQueue(config.compact_queue_url),
        metrics=EmbeddedMetrics(config.aws_lambda_function_name, clock),
    )

    def handler(event: Any, _context: Any) -> Any:
        since = event.get("since")
        return asdict(
            use.run(
                since=None if since is None else parse_milliseconds(since), open_hours=event.get("open_hours") is True
            )
        )

    return handler
