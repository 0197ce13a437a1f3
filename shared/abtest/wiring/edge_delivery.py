"""Composition of the routes that deliver publications: config and snippet."""

from abtest.adapters.dynamo.rate_limiter import DynamoRateLimiter
from abtest.adapters.s3 import S3Blobs
from abtest.edge.delivery import Delivery
from abtest.edge.publications import Publications
from abtest.kit.clock import SystemClock
from abtest.wiring.settings import settings


def delivery() -> Delivery:
    """Return the use case of both routes. Raises MissingSettingError."""
    config = settings()
    config.need("delivery_bucket", "ephemeral_table")
    clock = SystemClock()
    return Delivery(
        publications=Publications(S3Blobs(config.delivery_bucket), clock),
        limiter=DynamoRateLimiter(config.ephemeral_table),
        clock=clock,
    )
