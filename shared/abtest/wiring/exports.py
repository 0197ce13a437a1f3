"""Composition roots of exports: what their routes use, and the worker that makes them."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from abtest.kit.clock import SystemClock
from abtest.kit.ids import SystemRandomness
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
    from abtest.adapters.dynamo import DynamoCatalog, DynamoRollupStore
    from abtest.adapters.s3 import S3Blobs
    from abtest.adapters.s3.exports import S3ExportStore
    from abtest.adapters.warehouse.duckdb_exports import DuckDbExports
    from abtest.services.context import World
    from abtest.services.exports.carrying_out import Exporter
    from abtest.services.jobs import Workbench
    from abtest.services.ledger_files import LedgerFiles

    found = settings()
    found.need("catalog_table", "blobs_bucket", "ledger_bucket", "rollups_table")
    ledger = S3Blobs(found.ledger_bucket)
    catalog = DynamoCatalog(found.catalog_table, S3Blobs(found.blobs_bucket))
    world = World(catalog=catalog, clock=SystemClock(), random=SystemRandomness())
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
    from aws_lambda_powertools.utilities.batch import BatchProcessor, EventType, process_partial_response
    from aws_lambda_powertools.utilities.data_classes.sqs_event import SQSRecord

    use = exporter()

    def export(record: SQSRecord) -> None:
        use.carry_out(record.body)

    def handler(event: Any, context: Any) -> Any:
        processor = BatchProcessor(event_type=EventType.SQS, raise_on_entire_batch_failure=False)
        return process_partial_response(event, export, processor, context)

    return handler
