"""Composition root of worker_audit."""

from datetime import timedelta

from abtest.adapters import aws
from abtest.adapters.dynamo import DynamoLeases, DynamoRollupStore
from abtest.adapters.embedded_metrics import EmbeddedMetrics
from abtest.adapters.s3 import S3Blobs
from abtest.adapters.warehouse.duckdb_ledger import DuckDbWarehouse
from abtest.adapters.warehouse.parquet import DuckDbHours
from abtest.ports.waits import CallerKind
from abtest.services.audit.hours import HourAudit
from abtest.services.audit.plans import PlanAudit
from abtest.services.audit.worker import AuditWorker
from abtest.wiring.batches import each_message
from abtest.wiring.handler import Handler
from abtest.wiring.settings import settings
from abtest.wiring.worlds import world_of

AUDIT_TIME = timedelta(minutes=12)
"""No count is begun later: the function ends after 15 minutes."""


def create_handler() -> Handler:
    """Return the handler of AuditQueue. Raises MissingSettingError.

    Messages whose part could not be compared are reported and come again.
    """
    aws.serve(CallerKind.WORKER)
    config = settings()
    config.need("catalog_table", "ephemeral_table", "rollups_table", "blobs_bucket", "ledger_bucket")
    ledger, world = S3Blobs(config.ledger_bucket), world_of(config)
    use = AuditWorker(
        world=world,
        ledger=ledger,
        plans=PlanAudit(world=world, warehouse=DuckDbWarehouse(ledger), store=DynamoRollupStore(config.rollups_table)),
        hours=HourAudit(ledger=ledger, hours=DuckDbHours(ledger)),
        leases=DynamoLeases(config.ephemeral_table),
        metrics=EmbeddedMetrics(config.aws_lambda_function_name, world.clock),
    )
    return each_message(lambda body: use.carry_out(body, until=world.clock.now() + AUDIT_TIME))
