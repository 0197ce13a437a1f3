"""Composition roots of the edge routes: each loads what its own route needs and nothing else."""

from typing import TYPE_CHECKING

from abtest.kit.clock import SystemClock
from abtest.wiring.settings import settings

if TYPE_CHECKING:
    from abtest.edge.delivery import Delivery


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
