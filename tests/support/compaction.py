"""Compaction from the schedule to the last unit, with the queue between them in memory."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from abtest.adapters.warehouse.parquet import DuckDbHours
from abtest.kit.clock import Clock
from abtest.kit.ids import Randomness, SystemRandomness
from abtest.ports.blobs import Blobs
from abtest.ports.limits import Leases
from abtest.ports.metrics import Metrics
from abtest.ports.queue import Queue
from abtest.services.compaction.dispatch import CompactionDispatch
from abtest.services.compaction.worker import Compacted, Compaction
from tests.support.memory import MemoryLeases, MemoryMetrics
from tests.support.memory.queue import MemoryQueue

WORK = timedelta(minutes=14)


@dataclass(frozen=True, kw_only=True)
class Compacting:
    """A dispatcher and a worker over one ledger."""

    clock: Clock
    ledger: Blobs
    random: Randomness = field(default_factory=SystemRandomness)
    leases: Leases | None = None
    metrics: Metrics | None = None

    def dispatcher(self, queue: Queue) -> CompactionDispatch:
        return CompactionDispatch(
            clock=self.clock, ledger=self.ledger, queue=queue, metrics=self.metrics or MemoryMetrics()
        )

    def worker(self) -> Compaction:
        return Compaction(
            clock=self.clock,
            random=self.random,
            ledger=self.ledger,
            hours=DuckDbHours(self.ledger),
            leases=self.leases or MemoryLeases(),
            metrics=self.metrics or MemoryMetrics(),
        )

    def bodies(self, *, since: int | None = None, open_hours: bool = False) -> list[str]:
        """Messages of what is due."""
        queue = MemoryQueue()
        self.dispatcher(queue).run(since=since, open_hours=open_hours)
        return queue.bodies

    def run(self, *, since: int | None = None, open_hours: bool = False) -> list[Compacted]:
        """Outcomes of all that is due."""
        return list(self.carried_out(self.bodies(since=since, open_hours=open_hours)))

    def carried_out(self, bodies: list[str], until: datetime | None = None) -> Iterator[Compacted]:
        worker = self.worker()
        for body in bodies:
            yield worker.carry_out(body, until=until or self.clock.now() + WORK)
