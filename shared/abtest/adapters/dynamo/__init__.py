"""Stores on DynamoDB: catalog, short-lived state, roll-ups and deliveries. Only this package uses PynamoDB."""

from abtest.adapters.dynamo.audit import DynamoAuditStore
from abtest.adapters.dynamo.catalog import DynamoCatalog
from abtest.adapters.dynamo.deliveries import DynamoDeliveryStore
from abtest.adapters.dynamo.idempotency import DynamoIdempotency
from abtest.adapters.dynamo.leases import DynamoLeases
from abtest.adapters.dynamo.looks import DynamoLookStore
from abtest.adapters.dynamo.rate_limiter import DynamoRateLimiter
from abtest.adapters.dynamo.rollup_store import DynamoRollupStore
from abtest.adapters.dynamo.sessions import DynamoSessions

__all__ = [
    "DynamoAuditStore",
    "DynamoCatalog",
    "DynamoDeliveryStore",
    "DynamoIdempotency",
    "DynamoLeases",
    "DynamoLookStore",
    "DynamoRateLimiter",
    "DynamoRollupStore",
    "DynamoSessions",
]
