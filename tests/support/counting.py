"""The roll-up schedule and its workers in one process, on whatever stores."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from abtest.domain.ledger.partitions import MOST_ROWS
from abtest.ports.warehouse import ShopCounter, ShopUnits
from abtest.services.context import World
from abtest.services.ledger_feed import LedgerFeed
from abtest.services.rollups import (
    Backlogs,
    CountWorker,
    Dispatch,
    Dispatched,
    DividedCounter,
    Refresh,
    ShopReaches,
    ShopRun,
    unit_run,
)
from tests.support.memory import MemoryQueue

ROUNDS = 20


class Counting:
    """A dispatcher, its queue, and a worker that keeps its process. Stores may be `Fated`."""

    def __init__(
        self,
        *,
        world: World,
        counter: ShopCounter,
        ledger: Any,
        store: Any,
        leases: Any,
        metrics: Any,
        units: ShopUnits | None = None,
        most_rows: int = MOST_ROWS,
    ) -> None:
        """With `units`, shops of more than `most_rows` are divided."""
        self.queue, self.decisions = MemoryQueue(), MemoryQueue()
        feed = LedgerFeed(ledger, world.clock)
        self.reaches = ShopReaches(store, ledger)
        self.dispatch = Dispatch(
            world=world,
            feed=feed,
            backlogs=Backlogs(ledger),
            store=store,
            queue=self.queue,
            reaches=self.reaches,
            leases=leases,
            metrics=metrics,
        )
        if units:
            counter = DividedCounter(
                whole=counter, units=units, ledger=ledger, queue=self.queue, clock=world.clock, most_rows=most_rows
            )
        self.run = ShopRun(world=world, counter=counter, store=store, leases=leases, metrics=metrics)
        refresh = Refresh(world=world, feed=feed, run=self.run, sleep=lambda _seconds: None)
        self.worker = CountWorker(
            run=self.run,
            units=unit_run(self.run, units, ledger, self.queue) if units else None,
            refresh=refresh,
            queue=self.queue,
            decisions=self.decisions,
        )

    def count(self, *, everything: bool = True, until: datetime | None = None) -> list[Dispatched | None]:
        """Dispatch and work until nothing is left; what each dispatch did. With `everything` no shop waits."""
        done: list[Dispatched | None] = []
        for _ in range(ROUNDS):
            done.append(self.dispatch.run(until=until, everything=everything))
            self.work(until)
            if not (done[-1] and done[-1].sent):
                return done
        raise AssertionError("shops are sent again and again")

    def work(self, until: datetime | None = None) -> None:
        """Carry out the messages that wait."""
        while self.queue.sent:
            body = self.queue.sent.pop(0).body
            assert self.worker.handle(body, until), body
