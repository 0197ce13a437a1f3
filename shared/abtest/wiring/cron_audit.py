"""Composition root of cron_audit."""

from dataclasses import asdict
from datetime import timedelta
from typing import Any

from abtest.adapters import aws
from abtest.adapters.dynamo import DynamoRollupStore
from abtest.adapters.embedded_metrics import EmbeddedMetrics
from abtest.adapters.s3 import S3Blobs
from abtest.adapters.warehouse.duckdb_ledger import DuckDbWarehouse
from abtest.adapters.warehouse.parquet import DuckDbHours
from abtest.kit.clock import SystemClock
from abtest.ports.waits import CallerKind
from abtest.services.audit import Audit
from abtest.wiring.handler import Handler
from abtest.wiring.settings import settings
from abtest.wiring.worlds import world_of

AUDIT_TIME = timedelta(minutes=11)
"""No experiment is begun later; each night draws a new order."""


def create_handler() -> Handler:
    """Return the handler of the schedule. Raises MissingSettingError."""
    aws.serve(CallerKind.SCHEDULE)
    config, clock = settings(), SystemClock()
    config.need("catalog_table", "rollups_table", "blobs_bucket", "ledger_bucket")
    ledger = S3Blobs(config.ledger_bucket)
    use = Audit(
        world=world_of(config),
        ledger=ledger,
        warehouse=DuckDbWarehouse(ledger),
        hours=DuckDbHours(ledger),
        store=DynamoRollupStore(config.rollups_table),
        metrics=EmbeddedMetrics(config.aws_lambda_function_name, clock),
    )

    def handler(_event: Any, _context: Any) -> Any:
        return asdict(use.run(until=clock.now() + AUDIT_TIME))

    return handler
