"""Composition root of edge_events: into the queue, or to the analytics store when there is none."""

from abtest.adapters import aws
from abtest.adapters.dynamo import DynamoCatalog, DynamoRateLimiter
from abtest.adapters.outbound_http import Limits, OutboundHttp
from abtest.adapters.s3 import S3Blobs
from abtest.adapters.secrets import SecretRootKeys
from abtest.adapters.sqs import SqsQueue
from abtest.edge.ingest_auth import IngestAuth, TrackingKeys
from abtest.edge.ingest_events import IngestRoutes
from abtest.kit.clock import SystemClock
from abtest.kit.ids import SystemRandomness
from abtest.ports.waits import EDGE, CallerKind
from abtest.services.event_limits import EventLimits
from abtest.services.ingest import AnalyticsStore, Ingest
from abtest.services.rate_limits import FailedAuthentications
from abtest.wiring.edge import through_cdn
from abtest.wiring.handler import Handler
from abtest.wiring.settings import settings


def create_handler() -> Handler:
    """Return the handler of event ingest. Raises MissingSettingError."""
    aws.serve(CallerKind.SHOPPER)
    config = settings()
    config.need("catalog_table", "ephemeral_table", "ledger_bucket", "signing_secret_arn")
    config.need("browser_events_per_minute", "server_events_per_minute")
    clock, ledger, limiter = SystemClock(), S3Blobs(config.ledger_bucket), DynamoRateLimiter(config.ephemeral_table)
    # Only claims are read of the catalog here, so no body ever comes from the bucket.
    catalog = DynamoCatalog(config.catalog_table, ledger)
    keys = TrackingKeys(lambda name: catalog.claim_attributes(None, name), clock)
    sender = OutboundHttp(limits=Limits(seconds=EDGE.analytics_store))
    store = AnalyticsStore(url=config.analytics_store_url, sender=sender) if config.analytics_store_url else None
    taken_in = Ingest(
        clock=clock,
        random=SystemRandomness(),
        limits=EventLimits(
            limiter=limiter,
            clock=clock,
            browser_events=int(config.browser_events_per_minute),
            server_events=int(config.server_events_per_minute),
        ),
        ledger=ledger,
        queue=SqsQueue(config.event_queue_url) if config.event_queue_url else None,
        store=store,
    )
    roots = SecretRootKeys(config.signing_secret_arn, clock).current
    auth = IngestAuth(roots, keys, FailedAuthentications(limiter, clock), clock)
    return through_cdn(IngestRoutes(auth, taken_in).events)
