"""Composition root of cron_rollup."""

from dataclasses import asdict
from datetime import timedelta
from typing import Any

from abtest.adapters import aws
from abtest.adapters.dynamo import DynamoLeases, DynamoRollupStore
from abtest.adapters.embedded_metrics import EmbeddedMetrics
from abtest.adapters.s3 import S3Blobs
from abtest.kit.clock import SystemClock
from abtest.ports.waits import CallerKind
from abtest.services.rollups import Refresh, RefreshMessage, RollupRun
from abtest.wiring.handler import Handler, deadline
from abtest.wiring.settings import settings
from abtest.wiring.warehouses import counter_of
from abtest.wiring.worlds import world_of

MARGIN = timedelta(minutes=1)
"""Time for the shop that is being counted when a run's time is over, and for storing how far the run came."""


def create_handler() -> Handler:
    """Return the handler of the schedule's event and of messages of RefreshQueue. Raises MissingSettingError."""
    aws.serve(CallerKind.SCHEDULE)
    config, clock = settings(), SystemClock()
    config.need("catalog_table", "ephemeral_table", "rollups_table", "blobs_bucket", "ledger_bucket")
    run = RollupRun(
        world=world_of(config),
        counter=counter_of(config, S3Blobs(config.ledger_bucket), clock),
        store=DynamoRollupStore(config.rollups_table),
        leases=DynamoLeases(config.ephemeral_table),
        metrics=EmbeddedMetrics(config.aws_lambda_function_name, clock),
    )
    refresh = Refresh(run.world, run)

    def handler(event: Any, context: Any) -> Any:
        until = deadline(context, clock, MARGIN)
        if "Records" in event:
            messages = [RefreshMessage(id=record["messageId"], body=record["body"]) for record in event["Records"]]
            failed = refresh.handle(messages, until)
            return {"batchItemFailures": [{"itemIdentifier": message_id} for message_id in failed]}
        summary = run.run(until=until)
        return {"skipped": "another run is at it"} if summary is None else asdict(summary)

    return handler
