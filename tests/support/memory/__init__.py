"""The ports in memory: what tests of services run on, held to the same contract suites as the real stores."""

from tests.support.memory.asset_files import MemoryAssetFiles
from tests.support.memory.audit import MemoryAuditStore
from tests.support.memory.blobs import MemoryBlobs
from tests.support.memory.catalog import MemoryCatalog
from tests.support.memory.cdn import MemoryCdn
from tests.support.memory.deliveries import MemoryDeliveryStore
from tests.support.memory.limits import MemoryIdempotency, MemoryLeases, MemoryRateLimiter, MemorySessions
from tests.support.memory.looks import MemoryLookStore
from tests.support.memory.metrics import MemoryMetrics
from tests.support.memory.queue import MemoryQueue
from tests.support.memory.rollup_store import MemoryRollupStore

__all__ = [
    "MemoryAssetFiles",
    "MemoryAuditStore",
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
