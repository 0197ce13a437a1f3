"""The nightly audit from the schedule to the last part, with the queue between them in memory."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import timedelta

from abtest.adapters.warehouse.parquet import DuckDbHours
from abtest.ports.blobs import Blobs
from abtest.ports.limits import Leases
from abtest.ports.metrics import Metrics
from abtest.ports.queue import Queue
from abtest.ports.rollup_store import RollupStore
from abtest.ports.warehouse import Warehouse
from abtest.services.audit.dispatch import AuditDispatch
from abtest.services.audit.hours import HourAudit
from abtest.services.audit.outcome import Audited
from abtest.services.audit.plans import PlanAudit
from abtest.services.audit.shop_rows import WHOLE_BYTES
from abtest.services.audit.worker import AuditFailedError, AuditWorker
from abtest.services.context import World
from tests.support.memory import MemoryLeases, MemoryMetrics
from tests.support.memory.queue import MemoryQueue


@dataclass(frozen=True, kw_only=True)
class Auditing:
    """A dispatcher and a worker over one ledger and its roll-ups."""

    world: World
    ledger: Blobs
    warehouse: Warehouse
    store: RollupStore
    metrics: Metrics = field(default_factory=MemoryMetrics)
    leases: Leases = field(default_factory=MemoryLeases)
    whole_bytes: int = WHOLE_BYTES

    def dispatcher(self, queue: Queue, *, records: int = 100, hours: int = 24) -> AuditDispatch:
        return AuditDispatch(
            world=self.world, ledger=self.ledger, queue=queue, metrics=self.metrics, records=records, hours=hours
        )

    def worker(self) -> AuditWorker:
        return AuditWorker(
            world=self.world,
            ledger=self.ledger,
            plans=PlanAudit(world=self.world, warehouse=self.warehouse, store=self.store),
            hours=HourAudit(ledger=self.ledger, hours=DuckDbHours(self.ledger)),
            leases=self.leases,
            metrics=self.metrics,
            whole_bytes=self.whole_bytes,
        )

    def bodies(self, *, records: int = 100, hours: int = 24) -> list[str]:
        """Messages of the night."""
        queue = MemoryQueue()
        self.dispatcher(queue, records=records, hours=hours).run()
        return queue.bodies

    def carried_out(self, body: str, *, minutes: float = 12) -> Audited:
        """Outcome of one message. Raises AuditFailedError."""
        return self.worker().carry_out(body, until=self.world.clock.now() + timedelta(minutes=minutes))

    def run(self, *, minutes: float = 12) -> Audited:
        """Outcomes of all messages together. Raises AuditFailedError after all of them were tried."""
        outcomes, failures = list[Audited](), list[str]()
        for body in self.bodies():
            try:
                outcomes.append(self.carried_out(body, minutes=minutes))
            except AuditFailedError as error:
                failures.append(str(error))
        if failures:
            raise AuditFailedError("; ".join(failures))
        return together(outcomes)


def together(outcomes: Sequence[Audited]) -> Audited:
    """All outcomes as one, in the order of messages."""
    every = Audited()
    for outcome in outcomes:
        every.equal += outcome.equal
        every.different += outcome.different
        every.changed += outcome.changed
        every.differing += outcome.differing
        every.left += outcome.left
    return every
