"""Composition root of cron_compact."""

from dataclasses import asdict
from datetime import timedelta
from typing import Any

from abtest.adapters import aws
from abtest.adapters.dynamo import DynamoLeases
from abtest.adapters.embedded_metrics import EmbeddedMetrics
from abtest.adapters.s3 import S3Blobs
from abtest.adapters.warehouse.parquet import DuckDbHours
from abtest.kit.clock import SystemClock, parse_milliseconds
from abtest.kit.ids import SystemRandomness
from abtest.ports.waits import CallerKind
from abtest.services.compaction import Compaction
from abtest.wiring.handler import Handler
from abtest.wiring.settings import settings

COMPACTION_TIME = timedelta(minutes=10)
"""No hour is begun later: the function ends after 15 minutes, and the largest hours take a few."""


def create_handler() -> Handler:
    """Return the handler of the schedule. Raises MissingSettingError.

    An event may have `since`, the moment from which all hours are examined, and `open_hours`: true, which includes
    hours that are not over yet.
    """
    aws.serve(CallerKind.SCHEDULE)
    config, clock = settings(), SystemClock()
    config.need("ephemeral_table", "ledger_bucket")
    ledger = S3Blobs(config.ledger_bucket)
    use = Compaction(
        clock=clock,
        random=SystemRandomness(),
        ledger=ledger,
        hours=DuckDbHours(ledger),
        leases=DynamoLeases(config.ephemeral_table),
        metrics=EmbeddedMetrics(config.aws_lambda_function_name, clock),
    )

    def handler(event: Any, _context: Any) -> Any:
        since = event.get("since")
        summary = use.run(
            until=clock.now() + COMPACTION_TIME,
            since=None if since is None else parse_milliseconds(since),
            open_hours=event.get("open_hours") is True,
        )
        return {"skipped": "another run is at it"} if summary is None else asdict(summary)

    return handler
