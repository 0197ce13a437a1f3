"""Composition root of worker_compact."""

from datetime import timedelta

from abtest.adapters import aws
from abtest.adapters.dynamo import DynamoLeases
from abtest.adapters.embedded_metrics import EmbeddedMetrics
from abtest.adapters.s3 import S3Blobs
from abtest.adapters.warehouse.parquet import DuckDbHours
from abtest.kit.clock import SystemClock
from abtest.kit.ids import SystemRandomness
from abtest.ports.waits import CallerKind
from abtest.services.compaction.worker import Compaction
from abtest.wiring.batches import each_message
from abtest.wiring.handler import Handler
from abtest.wiring.settings import settings

COMPACTION_TIME = timedelta(minutes=14)
"""Nothing is written later: the function ends after 15 minutes."""


def create_handler() -> Handler:
    """Return the handler of CompactQueue. Raises MissingSettingError.

    Messages whose unit could not be compacted are reported and come again.
    """
    aws.serve(CallerKind.WORKER)
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
    return each_message(lambda body: use.carry_out(body, until=clock.now() + COMPACTION_TIME))
