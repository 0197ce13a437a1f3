"""Composition roots of exports: what their routes use, and the worker that makes them."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from abtest.wiring.batches import each_message
from abtest.wiring.settings import settings

if TYPE_CHECKING:
    from abtest.services.exports.carrying_out import Exporter
    from abtest.wiring.api import Management, Uses


def exports_uses(base: "Management") -> "Uses":
    """Use cases of the routes of exports. Raises MissingSettingError."""
    from abtest.adapters.s3.exports import S3ExportStore
    from abtest.adapters.sqs import SqsQueue
    from abtest.services.exports.asking import Exports
    from abtest.services.jobs import Jobs

    base.settings.need("ledger_bucket", "export_queue_url")
    jobs = Jobs(base.world, "export", SqsQueue(base.settings.export_queue_url))
    return {Exports: Exports(base.world, jobs, S3ExportStore(base.settings.ledger_bucket))}


def exporter() -> "Exporter":
    """What worker_exports calls. Raises MissingSettingError."""
    from abtest.adapters.dynamo import DynamoRollupStore
    from abtest.adapters.s3 import S3Blobs
    from abtest.adapters.s3.exports import S3ExportStore
    from abtest.adapters.warehouse.duckdb_exports import DuckDbExports
    from abtest.services.exports.carrying_out import Exporter
    from abtest.services.jobs import Workbench
    from abtest.services.ledger_files import LedgerFiles
    from abtest.wiring.worlds import world_of

    found = settings()
    found.need("catalog_table", "blobs_bucket", "ledger_bucket", "rollups_table")
    ledger = S3Blobs(found.ledger_bucket)
    world = world_of(found)
    return Exporter(
        world=world,
        bench=Workbench(world),
        files=LedgerFiles(ledger),
        workshop=DuckDbExports(ledger),
        store=S3ExportStore(found.ledger_bucket),
        rollups=DynamoRollupStore(found.rollups_table),
    )


def export_worker() -> Callable[[Any, Any], Any]:
    """The handler of ExportQueue: messages whose export was not brought to an end are reported and come again."""
    return each_message(exporter().carry_out)
