"""Composition roots of the edge routes: each loads what its own route needs and nothing else."""

from typing import TYPE_CHECKING

from abtest.kit.clock import SystemClock
from abtest.wiring.settings import settings

if TYPE_CHECKING:
    from abtest.edge.assign import AssignmentRoutes
    from abtest.edge.cdn import Handler
    from abtest.edge.delivery import Delivery
    from abtest.edge.handover import HandoverRoutes
    from abtest.edge.ingest_events import IngestRoutes
    from abtest.edge.ingest_health import Health


def through_cdn(handler: "Handler") -> "Handler":
    """The handler for requests that may come through this deployment's CDN."""
    from abtest.edge.cdn import behind_cdn

    return behind_cdn(settings().cdn_secret, handler)


def delivery() -> "Delivery":
    """Config and snippet. Raises MissingSettingError."""
    from abtest.adapters.dynamo.rate_limiter import DynamoRateLimiter
    from abtest.adapters.s3 import S3Blobs
    from abtest.edge.delivery import Delivery
    from abtest.edge.publications import Publications

    found = settings()
    found.need("delivery_bucket", "ephemeral_table")
    clock = SystemClock()
    return Delivery(
        publications=Publications(S3Blobs(found.delivery_bucket), clock),
        limiter=DynamoRateLimiter(found.ephemeral_table),
        clock=clock,
    )


def ingest() -> "IngestRoutes":
    """Event ingest: into the queue, or to the analytics store when there is none. Raises MissingSettingError."""
    from abtest.adapters.dynamo import DynamoCatalog, DynamoRateLimiter
    from abtest.adapters.outbound_http import OutboundHttp
    from abtest.adapters.s3 import S3Blobs
    from abtest.adapters.secrets import SecretRootKeys
    from abtest.adapters.sqs import SqsQueue
    from abtest.edge.ingest_auth import IngestAuth, TrackingKeys
    from abtest.edge.ingest_events import IngestRoutes
    from abtest.kit.ids import SystemRandomness
    from abtest.services.ingest import AnalyticsStore, Ingest

    found = settings()
    found.need("catalog_table", "ephemeral_table", "ledger_bucket", "signing_secret_arn")
    clock, ledger = SystemClock(), S3Blobs(found.ledger_bucket)
    # Only claims are read of the catalog here, so no body ever comes from the bucket.
    catalog = DynamoCatalog(found.catalog_table, ledger)
    keys = TrackingKeys(lambda name: catalog.claim_attributes(None, name), clock)
    store = AnalyticsStore(url=found.analytics_store_url, sender=OutboundHttp()) if found.analytics_store_url else None
    taken_in = Ingest(
        clock=clock,
        random=SystemRandomness(),
        limiter=DynamoRateLimiter(found.ephemeral_table),
        ledger=ledger,
        queue=SqsQueue(found.event_queue_url) if found.event_queue_url else None,
        store=store,
    )
    return IngestRoutes(IngestAuth(SecretRootKeys(found.signing_secret_arn, clock).current, keys, clock), taken_in)


def assign() -> "AssignmentRoutes":
    """Assignments for servers. Raises MissingSettingError."""
    from abtest.adapters.dynamo import DynamoCatalog, DynamoRateLimiter, DynamoSessions
    from abtest.adapters.s3 import S3Blobs
    from abtest.adapters.secrets import SecretRootKeys
    from abtest.edge.assign import AssignmentRoutes
    from abtest.edge.assign_auth import AssignmentAuth
    from abtest.edge.assign_configs import PreparedConfigs
    from abtest.edge.ingest_auth import TrackingKeys
    from abtest.edge.publications import Publications
    from abtest.services.assignment import Assignments
    from abtest.services.assignment_handoff import Handoffs
    from abtest.services.throttling import FailedAuthentications

    found = settings()
    found.need("catalog_table", "ephemeral_table", "delivery_bucket", "signing_secret_arn")
    clock, published = SystemClock(), S3Blobs(found.delivery_bucket)
    # Only claims are read of the catalog here, so no body ever comes from the bucket.
    catalog, limiter = DynamoCatalog(found.catalog_table, published), DynamoRateLimiter(found.ephemeral_table)
    keys = TrackingKeys(lambda name: catalog.claim_attributes(None, name), clock)
    handoffs = Handoffs(
        DynamoSessions(found.ephemeral_table), SecretRootKeys(found.signing_secret_arn, clock).current, clock
    )
    assignments = Assignments(PreparedConfigs(Publications(published, clock)).read, handoffs, clock)
    return AssignmentRoutes(AssignmentAuth(keys, FailedAuthentications(limiter, clock)), assignments, limiter, clock)


def handover() -> "HandoverRoutes":
    """Handovers between a shop's hosts. Raises MissingSettingError."""
    from abtest.adapters.dynamo.rate_limiter import DynamoRateLimiter
    from abtest.adapters.s3 import S3Blobs
    from abtest.adapters.secrets import SecretRootKeys
    from abtest.edge.handover import HandoverRoutes
    from abtest.edge.handover_domains import HandoverDomains
    from abtest.edge.publications import Publications

    found = settings()
    found.need("ephemeral_table", "delivery_bucket", "signing_secret_arn")
    clock = SystemClock()
    return HandoverRoutes(
        roots=SecretRootKeys(found.signing_secret_arn, clock).current,
        domains=HandoverDomains(Publications(S3Blobs(found.delivery_bucket), clock)),
        limiter=DynamoRateLimiter(found.ephemeral_table),
        clock=clock,
    )


def health() -> "Health":
    """Health, and every address that is no route. Raises MissingSettingError."""
    from abtest.adapters.dynamo import DynamoSessions
    from abtest.adapters.sqs import SqsQueue
    from abtest.edge.ingest_health import Health

    found = settings()
    found.need("ephemeral_table", "event_dlq_url")
    return Health(
        environment=found.stage,
        release=found.release,
        queue_name=found.event_queue_name,
        queue=SqsQueue(found.event_queue_url) if found.event_queue_url else None,
        dead_letters=SqsQueue(found.event_dlq_url),
        limits_store=DynamoSessions(found.ephemeral_table),
        clock=SystemClock(),
    )
