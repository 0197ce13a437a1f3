"""Composition root of edge_assign: assignments for servers."""

from abtest.adapters import aws
from abtest.adapters.dynamo import DynamoCatalog, DynamoRateLimiter, DynamoSessions
from abtest.adapters.s3 import S3Blobs
from abtest.adapters.secrets import SecretRootKeys
from abtest.edge.assign import AssignmentRoutes
from abtest.edge.assign_auth import AssignmentAuth
from abtest.edge.assign_configs import PreparedConfigs
from abtest.edge.cdn import Handler
from abtest.edge.ingest_auth import TrackingKeys
from abtest.edge.publications import Publications
from abtest.kit.clock import SystemClock
from abtest.ports.waits import CallerKind
from abtest.services.assignment import Assignments, PublishedConfig
from abtest.services.assignment_handoff import Handoffs
from abtest.services.rate_limits import FailedAuthentications
from abtest.wiring.edge import through_cdn
from abtest.wiring.settings import settings


def create_handler() -> Handler:
    """Return the handler of the route. Raises MissingSettingError."""
    aws.serve(CallerKind.SHOPPER)
    config = settings()
    config.need("catalog_table", "ephemeral_table", "delivery_bucket", "signing_secret_arn")
    clock, published = SystemClock(), S3Blobs(config.delivery_bucket)
    # Only claims are read of the catalog here, so no body ever comes from the bucket.
    catalog, limiter = DynamoCatalog(config.catalog_table, published), DynamoRateLimiter(config.ephemeral_table)
    keys = TrackingKeys(lambda name: catalog.claim_attributes(None, name), clock)
    handoffs = Handoffs(
        DynamoSessions(config.ephemeral_table), SecretRootKeys(config.signing_secret_arn, clock).current, clock
    )
    assignments = Assignments(PreparedConfigs(Publications(published, clock), PublishedConfig.of).read, handoffs, clock)
    auth = AssignmentAuth(keys, FailedAuthentications(limiter, clock))
    return through_cdn(AssignmentRoutes(auth, assignments, limiter, clock).assign)
