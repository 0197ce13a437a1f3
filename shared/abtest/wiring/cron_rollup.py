"""Composition root of cron_rollup, which sends a message for each shop that is to be counted."""

from dataclasses import asdict
from datetime import timedelta
from typing import Any

from abtest.adapters import aws
from abtest.adapters.dynamo import DynamoLeases, DynamoRollupStore
from abtest.adapters.embedded_metrics import EmbeddedMetrics
from abtest.adapters.s3 import S3Blobs
from abtest.adapters.sqs import SqsQueue
from abtest.kit.clock import SystemClock
from abtest.ports.waits import CallerKind
from abtest.services.ledger_feed import LedgerFeed
from abtest.services.rollups import Backlogs, Dispatch, ShopReaches
from abtest.wiring.handler import Handler, deadline
from abtest.wiring.settings import settings
from abtest.wiring.worlds import world_of

MARGIN = timedelta(seconds=20)
"""Time for the messages that are being sent when a run's time is over, and for storing the listing."""


def create_handler() -> Handler:
    """Return the handler of the schedule. Raises MissingSettingError.

    An event may have `everything`: true, which sends all shops with uncounted rows, also those that might wait.
    """
    aws.serve(CallerKind.SCHEDULE)
    config, clock = settings(), SystemClock()
    config.need("catalog_table", "ephemeral_table", "rollups_table", "blobs_bucket", "ledger_bucket")
    config.need("rollup_queue_url")
    ledger, store = S3Blobs(config.ledger_bucket), DynamoRollupStore(config.rollups_table)
    dispatch = Dispatch(
        world=world_of(config),
        feed=LedgerFeed(ledger, clock),
        backlogs=Backlogs(ledger),
        store=store,
        queue=SqsQueue(config.rollup_queue_url),
        reaches=ShopReaches(store, ledger),
        leases=DynamoLeases(config.ephemeral_table),
        metrics=EmbeddedMetrics(config.aws_lambda_function_name, clock),
    )

    def handler(event: Any, context: Any) -> Any:
        done = dispatch.run(until=deadline(context, clock, MARGIN), everything=event.get("everything") is True)
        return {"skipped": "another run is at it"} if done is None else asdict(done)

    return handler
