"""Composition root of edge_handover: handovers between a shop's hosts."""

from abtest.adapters import aws
from abtest.adapters.dynamo.leases import DynamoLeases
from abtest.adapters.dynamo.rate_limiter import DynamoRateLimiter
from abtest.adapters.s3 import S3Blobs
from abtest.adapters.secrets import SecretRootKeys
from abtest.edge.cdn import Handler
from abtest.edge.handover import HandoverRoutes
from abtest.edge.handover_domains import HandoverDomains
from abtest.edge.publications import Publications
from abtest.kit.clock import SystemClock
from abtest.kit.ids import SystemRandomness
from abtest.ports.waits import CallerKind
from abtest.wiring.edge import through_cdn
from abtest.wiring.settings import settings


def create_handler() -> Handler:
    """Return the handler of the route. Raises MissingSettingError."""
    aws.serve(CallerKind.SHOPPER)
    config = settings()
    config.need("ephemeral_table", "delivery_bucket", "signing_secret_arn")
    clock = SystemClock()
    routes = HandoverRoutes(
        roots=SecretRootKeys(config.signing_secret_arn, clock).current,
        domains=HandoverDomains(Publications(S3Blobs(config.delivery_bucket), clock)),
        limiter=DynamoRateLimiter(config.ephemeral_table),
        leases=DynamoLeases(config.ephemeral_table),
        clock=clock,
        random=SystemRandomness(),
    )
    return through_cdn(routes.handover)
