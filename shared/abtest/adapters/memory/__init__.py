"""The ports in memory: what tests of services run on, held to the same contract suites as the real stores."""

from abtest.adapters.memory.blobs import MemoryBlobs
from abtest.adapters.memory.catalog import MemoryCatalog
from abtest.adapters.memory.cdn import MemoryCdn
from abtest.adapters.memory.deliveries import MemoryDeliveryStore
from abtest.adapters.memory.limits import MemoryIdempotency, MemoryLeases, MemoryRateLimiter, MemorySessions
from abtest.adapters.memory.looks import MemoryLookStore
from abtest.adapters.memory.metrics import MemoryMetrics
from abtest.adapters.memory.queue import MemoryQueue
from abtest.adapters.memory.rollup_store import MemoryRollupStore

__all__ = [
    "MemoryBlobs",
    "MemoryCatalog",
    "MemoryCdn",
    "MemoryDeliveryStore",
    "MemoryIdempotency",
    "MemoryLeases",
    "MemoryLookStore",
    "MemoryMetrics",
    "MemoryQueue",
    "MemoryRateLimiter",
    "MemoryRollupStore",
    "MemorySessions",
]
