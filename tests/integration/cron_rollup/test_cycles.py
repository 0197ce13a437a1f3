"""Runs whose time is too short for all shops: each continues behind the one before, and what they store is exact."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

import pytest

from abtest.domain.ledger.daily_counts import DailyCounts
from abtest.domain.ledger.events import Row
from abtest.domain.ledger.reference import count
from abtest.kit.clock import ManualClock, from_milliseconds, timestamp
from abtest.kit.ids import SystemRandomness
from abtest.ports.catalog import Commit, Put
from abtest.ports.rollup_store import Reach
from abtest.ports.warehouse import OutOfTimeError, ShopCounted, ShopPlans
from abtest.services.context import World
from abtest.services.experiments.records import EXPERIMENTS
from abtest.services.rollups import LEASE, RollupFailedError, RollupRun, RunSummary, cycle
from abtest.services.shop_records import puts_of
from tests.faults.faults import Fate, Fated, KilledError
from tests.integration.cron_rollup.test_function import running
from tests.support.memory import MemoryCatalog, MemoryLeases, MemoryRollupStore
from tests.support.memory.metrics import MemoryMetrics
from tests.support.storefronts import shop, variation
from tests.unit.ledger.streams import BEGIN, row

SHOPS = [f"0192a3b4-0000-7000-8000-00000000a00{number}" for number in range(5)]
EXPERIMENTS_BY_SHOP = {shop_id: shop_id.replace("a00", "e00") for shop_id in SHOPS}


class Counter:
    """The counter of a process, without a database; `happens` runs before each shop is counted."""

    def __init__(self, bench: Bench) -> None:
        self._rows = bench.rows
        self.shops: list[str] = []
        self.happens: Callable[[str], object] = lambda _: None
        self.fails = False

    def refresh(
        self, shops: Sequence[ShopPlans], *, until: datetime | None = None
    ) -> Generator[ShopCounted, None, None]:
        for plans in shops:
            self.happens(plans.shop_id)
            self.shops.append(plans.shop_id)
            rows = [event for event in self._rows if event["shop_id"] == plans.shop_id]
            if self.fails:
                yield ShopCounted(shop_id=plans.shop_id, failed={plan.experiment_id: "broken" for plan in plans.plans})
                continue
            counts = {plan.experiment_id: DailyCounts.of(count(rows, plan)) for plan in plans.plans}
            yield ShopCounted(shop_id=plans.shop_id, counts=counts, rows=len(rows))


class Bench:
    """Five shops with an experiment each, and one process after the other that counts them."""

    def __init__(self) -> None:
        self.clock, self.catalog = ManualClock(from_milliseconds(BEGIN)), MemoryCatalog()
        self.store, self.leases, self.metrics = MemoryRollupStore(), MemoryLeases(), MemoryMetrics()
        self.rows: list[Row] = []
        for shop_id, experiment_id in EXPERIMENTS_BY_SHOP.items():
            self.catalog.commit(Commit(puts=puts_of(shop(id=shop_id))))
            experiment = replace(running(experiment_id), shop_id=shop_id)
            self.catalog.commit(Commit(puts=[Put(record=EXPERIMENTS.record(experiment), expected_version=0)]))
        self.process()

    def process(self, fate: Fate | None = None) -> RollupRun:
        """A new process; its calls of stores may kill it."""
        self.counter, fate = Counter(self), fate or Fate()
        self.run = RollupRun(
            world=World(catalog=Fated(self.catalog, fate), clock=self.clock, random=SystemRandomness()),
            counter=self.counter,
            store=Fated(self.store, fate),
            leases=self.leases,
            metrics=self.metrics,
        )
        return self.run

    def arrive(self, visitors: int) -> None:
        """So many new visitors in each shop."""
        first = len(self.rows)
        self.rows += [
            row(
                event_id=f"{shop_id}-{first + number}",
                shop_id=shop_id,
                visitor_id=f"v-{first + number}",
                experiment_id=experiment_id,
                variation_id=variation(0).id,
                assignment_epoch=1,
                ts=BEGIN + 1,
                received_at=BEGIN + 1,
            )
            for shop_id, experiment_id in EXPERIMENTS_BY_SHOP.items()
            for number in range(visitors)
        ]

    def visitors(self) -> list[int]:
        """How many the stored roll-ups count, shop by shop; -1 without one."""
        totals = [self.store.totals(experiment_id, 1) for experiment_id in EXPERIMENTS_BY_SHOP.values()]
        return [each["variations"][variation(0).id]["visitors"] if each else -1 for each in totals]

    def shop_takes(self, seconds: float) -> None:
        self.counter.happens = lambda _: self.clock.advance(seconds=seconds)

    def run_for(self, seconds: float) -> RunSummary:
        self.counter.shops.clear()
        summary = self.run.run(until=self.clock.now() + timedelta(seconds=seconds))
        assert summary is not None
        return summary


def test_runs__too_short_for_all_shops__give_each_its_turn() -> None:
    bench = Bench()
    bench.shop_takes(10)
    bench.arrive(3)
    counted = []
    for _ in range(5):
        summary = bench.run_for(15)
        assert (len(bench.counter.shops), summary.left) == (2, 3)
        counted += bench.counter.shops
    assert counted == SHOPS * 2
    assert bench.visitors() == [3] * 5


def test_run__that_is_out_of_time__records_how_far_it_came_and_reports_it() -> None:
    bench = Bench()
    bench.shop_takes(10)
    began = timestamp(bench.clock.now())
    bench.run_for(15)
    progress = bench.store.progress()
    assert (progress.shop_id, progress.counted, progress.left, progress.is_running) == (SHOPS[1], 2, 3, False)
    assert (progress.run_began_at, progress.cycle_began_at) == (began, began)
    assert bench.store.reach() is None
    assert (bench.metrics.sums["RollupUnfinished"], bench.metrics.sums["ShopsLeft"]) == (1, 3)


def test_cycle__of_several_runs__reaches_to_the_start_of_its_first() -> None:
    bench = Bench()
    bench.shop_takes(10)
    began = [timestamp(bench.clock.now())]
    bench.run_for(15)
    bench.run_for(15)
    assert bench.store.reach() is None
    began.append(timestamp(bench.clock.now()))
    bench.run_for(15)  # the last shop, then the first of the next cycle
    assert bench.store.reach() == Reach(until=began[0])
    bench.run_for(15)
    bench.run_for(15)
    bench.run_for(5)
    assert bench.store.reach() == Reach(until=began[1])


def test_cycle__with_too_many_failures__stores_few_of_them_and_reaches_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cycle, "MAX_MISSING", 2)
    bench = Bench()
    bench.shop_takes(10)
    bench.counter.fails = True
    with pytest.raises(RollupFailedError):
        bench.run_for(35)
    assert len(bench.store.progress().missing) == 3
    bench.counter.fails = False
    assert bench.run_for(35).left == 1
    assert bench.store.reach() is None


def test_run__with_time_for_all__reaches_to_its_own_start_wherever_it_began() -> None:
    bench = Bench()
    bench.shop_takes(10)
    bench.run_for(15)
    began = timestamp(bench.clock.now())
    assert bench.run_for(1000).left == 0
    assert bench.counter.shops == [*SHOPS[2:], *SHOPS[:2]]
    assert bench.store.reach() == Reach(until=began)
    bench.metrics.sums.clear()
    assert bench.run_for(1000).left == 0
    assert bench.counter.shops == SHOPS
    assert bench.metrics.sums["RollupUnfinished"] == 0


def test_shop__that_kills_each_process__keeps_no_other_from_being_counted() -> None:
    bench = Bench()
    bench.arrive(2)

    def kill(shop_id: str) -> None:
        if shop_id == SHOPS[1]:
            raise KilledError

    for _ in range(4):
        bench.process()
        bench.counter.happens = kill
        try:
            bench.run.run()
        except KilledError:
            bench.clock.advance(seconds=61)
    assert bench.visitors() == [2, -1, 2, 2, 2]
    reach = bench.store.reach()
    assert reach is not None
    assert SHOPS[1] in reach.missing
    assert bench.metrics.sums["RollupUnfinished"] >= 1


def test_shop__too_large_for_the_time_of_a_run__is_passed_over_and_named() -> None:
    bench = Bench()

    def grow(shop_id: str) -> None:
        if shop_id == SHOPS[1]:
            raise OutOfTimeError

    bench.counter.happens = grow
    assert [bench.run_for(1000).left for _ in range(2)] == [4, 1]
    assert bench.counter.shops == [SHOPS[2], SHOPS[3], SHOPS[4], SHOPS[0]]
    reach = bench.store.reach()
    assert reach is not None
    assert reach.missing == {SHOPS[1]}


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
def test_runs__killed_at_each_call_in_turn__lose_and_double_nothing(after: bool) -> None:
    """A reach that is stored claims no shop that is not counted, and three more runs make everything right."""
    call, died = 0, True
    while died:
        call, bench = call + 1, Bench()
        bench.arrive(2)
        bench.shop_takes(1)
        bench.run_for(2)
        bench.arrive(3)
        arrived = timestamp(bench.clock.now())
        bench.process(Fate(at=call, after=after))
        bench.shop_takes(1)
        try:
            bench.run_for(2.5)
            died = False
        except KilledError:
            bench.clock.advance(seconds=61)
        bench.process()
        bench.shop_takes(1)
        while (reach := bench.store.reach()) is None or reach.until < arrived:
            bench.run_for(2)
        counted = dict(zip(SHOPS, bench.visitors(), strict=True))
        assert all(counted[shop_id] == 5 for shop_id in SHOPS if shop_id not in reach.missing)
        bench.run_for(100)
        assert bench.visitors() == [5] * 5
        assert bench.store.reach() == Reach(until=bench.store.progress().run_began_at)
    assert call > 20, "every call was met, and in the last round none"


def test_run__whose_lease_another_took__writes_nothing_more() -> None:
    bench = Bench()
    bench.arrive(2)
    slow_run, slow = bench.run, bench.counter

    def meanwhile(shop_id: str) -> None:
        if shop_id == SHOPS[2]:
            bench.clock.advance(seconds=61)
            bench.process().run()
            bench.arrive(1)

    slow.happens = meanwhile
    assert slow_run.run() is None
    progress = bench.store.progress()
    assert (progress.counted, progress.is_running) == (5, False), "that of the run which took over"
    assert bench.visitors() == [2] * 5
    assert slow.shops == SHOPS[:3]
    assert not bench.leases.is_held(LEASE, now=bench.clock.now())
