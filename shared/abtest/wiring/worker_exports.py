"""Composition root of worker_exports."""

from abtest.adapters import aws
from abtest.adapters.dynamo import DynamoAuditStore, DynamoRollupStore
from abtest.adapters.s3 import S3Blobs
from abtest.adapters.s3.exports import S3ExportStore
from abtest.adapters.warehouse.duckdb_exports import DuckDbExports
from abtest.ports.waits import CallerKind
from abtest.services.exports.exporter import Exporter
from abtest.services.jobs import Workbench
from abtest.services.ledger_feed import LedgerFeed
from abtest.services.shop_objects import ShopObjects
from abtest.wiring.batches import each_message
from abtest.wiring.handler import Handler
from abtest.wiring.settings import settings
from abtest.wiring.worlds import world_of


def create_handler() -> Handler:
    """Return the handler of ExportQueue. Raises MissingSettingError.

    Messages whose export was not brought to an end are reported and come again.
    """
    aws.serve(CallerKind.WORKER)
    config = settings()
    config.need("catalog_table", "blobs_bucket", "ledger_bucket", "rollups_table")
    ledger = S3Blobs(config.ledger_bucket)
    world = world_of(config)
    exporter = Exporter(
        world=world,
        bench=Workbench(world),
        files=ShopObjects(ledger, LedgerFeed(ledger, world.clock), world.clock),
        workshop=DuckDbExports(ledger),
        store=S3ExportStore(config.ledger_bucket),
        rollups=DynamoRollupStore(config.rollups_table),
        audit=DynamoAuditStore(config.catalog_table),
    )
    return each_message(exporter.carry_out)
