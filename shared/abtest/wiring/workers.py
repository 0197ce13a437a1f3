"""Composition roots of the queue workers."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from abtest.kit.clock import SystemClock
from abtest.kit.ids import SystemRandomness
from abtest.wiring.settings import Settings, settings

if TYPE_CHECKING:
    from abtest.ports.cdn import Cdn
    from abtest.services.ledger import LedgerWriter
    from abtest.services.publication import Publication


def cdn_of(found: Settings) -> "Cdn":
    """The CDN that these settings name; without one, orders are recorded."""
    from abtest.adapters.cloudfront import CloudFrontCdn, RecordedCdn

    return CloudFrontCdn(found.distribution_id) if found.distribution_id else RecordedCdn()


def publication() -> "Publication":
    """What worker_publish calls. Raises MissingSettingError."""
    from abtest.adapters.dynamo import DynamoCatalog
    from abtest.adapters.s3 import S3Blobs
    from abtest.adapters.scripts import QuickJsChecker
    from abtest.adapters.secrets import SecretRootKeys
    from abtest.services.context import World
    from abtest.services.publication import Publication
    from abtest.storefront import bundle

    found = settings()
    found.need("catalog_table", "blobs_bucket", "delivery_bucket", "signing_secret_arn", "worker_base_url")
    clock = SystemClock()
    catalog = DynamoCatalog(found.catalog_table, S3Blobs(found.blobs_bucket))
    return Publication(
        world=World(catalog=catalog, clock=clock, random=SystemRandomness()),
        blobs=S3Blobs(found.delivery_bucket),
        checker=QuickJsChecker(),
        roots=SecretRootKeys(found.signing_secret_arn, clock).current,
        bundle=bundle,
        worker_base_url=found.worker_base_url,
        cdn=cdn_of(found),
    )


def publish_worker() -> Callable[[Any, Any], Any]:
    """The handler of PublishQueue: messages that could not be published are reported and come again."""
    from aws_lambda_powertools.utilities.batch import BatchProcessor, EventType, process_partial_response
    from aws_lambda_powertools.utilities.data_classes.sqs_event import SQSRecord

    from abtest.services.sweep import publish_from_message

    publishes = publication()

    def publish(record: SQSRecord) -> None:
        publish_from_message(publishes, record.body)

    def handler(event: Any, context: Any) -> Any:
        # A batch in which everything failed is a partial failure like any other, not an error of the function.
        processor = BatchProcessor(event_type=EventType.SQS, raise_on_entire_batch_failure=False)
        return process_partial_response(event, publish, processor, context)

    return handler


def ledger_writer() -> "LedgerWriter":
    """What worker_ingest calls. Raises MissingSettingError."""
    from abtest.adapters.dynamo import DynamoCatalog, DynamoSessions
    from abtest.adapters.s3 import S3Blobs
    from abtest.services.last_seen import LastSeen
    from abtest.services.ledger import KnownGoals, LedgerWriter

    found = settings()
    found.need("catalog_table", "ledger_bucket", "ephemeral_table")
    ledger = S3Blobs(found.ledger_bucket)
    # Goals are small: no body of the catalog that is read here lies in a bucket.
    clock, seen = SystemClock(), LastSeen(sessions=DynamoSessions(found.ephemeral_table))
    goals = KnownGoals(DynamoCatalog(found.catalog_table, ledger), clock)
    return LedgerWriter(ledger=ledger, goals=goals, clock=clock, seen=seen)
