"""Composition roots of the queue workers."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from abtest.kit.clock import SystemClock
from abtest.wiring.batches import each_message
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
    from abtest.adapters.s3 import S3Blobs
    from abtest.adapters.scripts import QuickJsChecker
    from abtest.adapters.secrets import SecretRootKeys
    from abtest.services.publication import Publication
    from abtest.storefront import bundle
    from abtest.wiring.worlds import world_of

    found = settings()
    found.need("catalog_table", "blobs_bucket", "delivery_bucket", "signing_secret_arn", "worker_base_url")
    world = world_of(found)
    return Publication(
        world=world,
        blobs=S3Blobs(found.delivery_bucket),
        checker=QuickJsChecker(),
        roots=SecretRootKeys(found.signing_secret_arn, world.clock).current,
        bundle=bundle,
        worker_base_url=found.worker_base_url,
        cdn=cdn_of(found),
    )


def publish_worker() -> Callable[[Any, Any], Any]:
    """The handler of PublishQueue: messages that could not be published are reported and come again."""
    from abtest.services.sweep import publish_from_message

    publishes = publication()
    return each_message(lambda body: publish_from_message(publishes, body))


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
