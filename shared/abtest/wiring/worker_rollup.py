"""Composition root of worker_rollup, which counts one shop for each message."""

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
from abtest.services.rollups import CountWorker, Refresh, ShopRun, unit_run
from abtest.wiring.handler import Handler, deadline
from abtest.wiring.settings import settings
from abtest.wiring.warehouses import counters_of
from abtest.wiring.worlds import world_of

MARGIN = timedelta(minutes=1)
"""Time for writing what was counted, and for storing the shop's state, when a run's time is over."""


def create_handler() -> Handler:
    """Return the handler of RollupQueue and RefreshQueue. Raises MissingSettingError."""
    aws.serve(CallerKind.SCHEDULE)
    config, clock = settings(), SystemClock()
    config.need("catalog_table", "ephemeral_table", "rollups_table", "blobs_bucket", "ledger_bucket")
    config.need("rollup_queue_url", "decide_queue_url")
    ledger, world = S3Blobs(config.ledger_bucket), world_of(config)
    feed, queue = LedgerFeed(ledger, clock), SqsQueue(config.rollup_queue_url)
    counters = counters_of(config, ledger, feed, clock, queue)
    run = ShopRun(
        world=world,
        counter=counters.shops,
        store=DynamoRollupStore(config.rollups_table),
        leases=DynamoLeases(config.ephemeral_table),
        metrics=EmbeddedMetrics(config.aws_lambda_function_name, clock),
    )
    worker = CountWorker(
        run=run,
        units=unit_run(run, counters.units, ledger, queue) if counters.units else None,
        refresh=Refresh(world=world, feed=feed, run=run),
        queue=queue,
        decisions=SqsQueue(config.decide_queue_url),
    )

    def handler(event: Any, context: Any) -> Any:
        until = deadline(context, clock, MARGIN)
        failed = [record["messageId"] for record in event["Records"] if not worker.handle(record["body"], until)]
        return {"batchItemFailures": [{"itemIdentifier": message_id} for message_id in failed]}

    return handler
