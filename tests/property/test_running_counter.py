"""The counter that keeps a copy: after any history of batches, deaths and restarts it equals the reference."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import Any

import duckdb
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, precondition, rule

from abtest.adapters.warehouse import rows_in_memory
from abtest.adapters.warehouse.duckdb_ledger import DuckDbShopLedger
from abtest.adapters.warehouse.incremental_counter import IncrementalCounter
from abtest.adapters.warehouse.rows_in_memory import ROWS_A_PLAN
from abtest.adapters.warehouse.shop_copy import CopyLedger
from abtest.domain.ledger.cells import Counts, Covariate
from abtest.domain.ledger.daily_counts import date_of
from abtest.domain.ledger.events import DAY_MS, Row
from abtest.domain.ledger.objects import raw_key
from abtest.domain.ledger.plans import CountingPlan
from abtest.domain.ledger.reference import count
from abtest.domain.ledger.shop_days import ShopDay, shop_day
from abtest.kit.clock import ManualClock, from_milliseconds, to_milliseconds
from abtest.ports.blobs import Blob
from abtest.ports.warehouse import DAYS_KEPT, ShopCounted, ShopPlans
from tests.support.compaction import Compacting
from tests.support.ledgers import (
    BEGIN,
    GOALS,
    HOLDOUT_PLAN,
    OTHER_SHOP,
    PLAN,
    SHOP,
    VARIATIONS,
    exposure,
    order,
    plan,
    random_ledger,
)
from tests.support.memory import MemoryBlobs
from tests.support.sizes import sized
from tests.unit.ledger.streams import ledger_object

OTHER_PLAN = plan(*GOALS[:2], GOALS[6], experiment_id="exp-1", shop_id=OTHER_SHOP)
PLANS: tuple[tuple[CountingPlan, ...], ...] = (
    (PLAN, HOLDOUT_PLAN),
    (PLAN,),
    (plan(*GOALS, begins_at=BEGIN - 20 * DAY_MS), HOLDOUT_PLAN),
    (plan(*GOALS[4:], begins_at=BEGIN + 1_000, currency="USD"), HOLDOUT_PLAN),
)


class Killed(BaseException):
    """The process dies here."""


class Fragile:
    """A bucket that fails, or kills the reader, at one of its next reads."""

    def __init__(self, inner: MemoryBlobs) -> None:
        self._inner = inner
        self.fails_in: int | None = None
        self.error: type[BaseException] = OSError

    def get(self, key: str) -> Blob | None:
        self.tick()
        return self._inner.get(key)

    def tick(self) -> None:
        if self.fails_in is None:
            return
        self.fails_in -= 1
        if self.fails_in < 0:
            self.fails_in = None
            raise self.error

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)


class Histories(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.clock = ManualClock(from_milliseconds(BEGIN + 10 * DAY_MS))
        self.ledger = Fragile(MemoryBlobs())
        self.rows: list[Row] = []
        self.objects = 0
        self.plans = PLANS[0]
        self.days: dict[tuple[str, str], ShopDay] = {}
        self.days_until = {SHOP: 0, OTHER_SHOP: 0}
        self.restart(disk_bytes=10**9)

    @rule(disk_bytes=st.sampled_from([0, 10**9, 10**9, 10**9]), rows_a_plan=st.sampled_from([0, 0, 40, 10_000]))
    def restart(self, disk_bytes: int, rows_a_plan: int = 0) -> None:
        # Statements count what is more than this number of rows, Python all else.
        rows_in_memory.ROWS_A_PLAN = rows_a_plan
        self.counter = IncrementalCounter(self.ledger, self.clock, opened=self._opened, disk_bytes=disk_bytes)

    @rule(key=st.integers(0, 2**32), number=st.integers(1, 60))
    def deliver(self, key: int, number: int) -> None:
        self._write(random_ledger(key, number))

    @precondition(lambda self: self.rows)
    @rule(key=st.integers(0, 2**32))
    def repeat(self, key: int) -> None:
        chance = random.Random(key)
        received = [row["received_at"] for row in self.rows]
        chosen = [chance.choice(self.rows) for _ in range(5)]
        self._write([{**row, "received_at": chance.choice(received)} for row in chosen])

    @rule(hours=st.integers(1, 30))
    def wait(self, hours: int) -> None:
        self.clock.advance(hours=hours)

    @rule()
    def compact(self) -> None:
        Compacting(clock=self.clock, ledger=self.ledger).run()

    @rule(chosen=st.sampled_from(PLANS))
    def plan_anew(self, chosen: tuple[CountingPlan, ...]) -> None:
        self.plans = chosen

    @rule(fails_in=st.integers(0, 12), error=st.sampled_from([OSError, Killed]))
    def refresh_that_dies(self, fails_in: int, error: type[BaseException]) -> None:
        self.ledger.fails_in, self.ledger.error = fails_in, error
        try:
            for counted in self.counter.refresh(self._wanted()):
                self._note(counted)
        except (OSError, Killed):
            pass
        self.ledger.fails_in = None

    @rule()
    def refresh_of_one_shop(self) -> None:
        for counted in self.counter.refresh(self._wanted()[:1]):
            self._compare(counted)

    @rule(key=st.integers(0, 2**32), number=st.integers(1, 20))
    def deliver_and_refresh(self, key: int, number: int) -> None:
        self._write(random_ledger(key, number))
        self.refresh()

    @rule()
    def refresh(self) -> None:
        for counted in self.counter.refresh(self._wanted()):
            self._compare(counted)

    def teardown(self) -> None:
        try:
            self.refresh()
        finally:
            rows_in_memory.ROWS_A_PLAN = ROWS_A_PLAN

    def _write(self, rows: list[Row]) -> None:
        self.objects += 1
        now = to_milliseconds(self.clock.now())
        key = raw_key([f"m-{self.objects}"], now)
        self.ledger.put(key, ledger_object(rows), content_type="application/x-ndjson")
        self.rows += rows

    def _wanted(self) -> list[ShopPlans]:
        return [
            ShopPlans(shop_id=shop_id, currency="EUR", plans=plans, days_until=self.days_until[shop_id])
            for shop_id, plans in ((SHOP, self.plans), (OTHER_SHOP, (OTHER_PLAN,)))
        ]

    def _note(self, counted: ShopCounted) -> None:
        self.days |= {(counted.shop_id, date): day for date, day in counted.days.items()}
        if not counted.failed:
            self.days_until[counted.shop_id] = to_milliseconds(self.clock.now())

    def _compare(self, counted: ShopCounted) -> None:
        self._note(counted)
        assert counted.failed == {}
        plans = {shop.shop_id: shop.plans for shop in self._wanted()}[counted.shop_id]
        assert {each.experiment_id: counted.counts[each.experiment_id].whole() for each in plans} == {
            each.experiment_id: count(self.rows, each) for each in plans
        }
        self._compare_days(counted.shop_id)

    def _compare_days(self, shop_id: str) -> None:
        today = to_milliseconds(self.clock.now()) // DAY_MS
        happened = {min(row["ts"], row["received_at"]) // DAY_MS for row in self.rows}
        for date in [date_of(day) for day in happened if today - DAYS_KEPT <= day <= today]:
            expected = shop_day(self.rows, shop_id, date, "EUR")
            found = self.days.get((shop_id, date), shop_day([], shop_id, date, "EUR"))
            assert found == expected, date

    def _opened(self, database: duckdb.DuckDBPyConnection, relation: str, shop_id: str) -> CopyLedger:
        return Mortal(DuckDbShopLedger(database, relation, shop_id), self.ledger)


def test_refresh__order_and_event_told_again_of_another_visitor__are_counted_once() -> None:
    """Visitors who share an order, and one who shares an event with one of them: whoever was first keeps it."""
    story = Histories()
    first = order("v-2", 900, ts=BEGIN + 50, order_id="o-1")
    story._write([exposure(f"v-{number}", VARIATIONS[number % 3]) for number in range(4)] + [first])
    story.refresh()
    story._write([order("v-1", 700, ts=BEGIN + 20, order_id="o-1")])
    story.refresh()
    story._write([{**first, "visitor_id": "v-3", "received_at": BEGIN + 10}])
    story.refresh()
    story._write([order("v-0", 1, ts=BEGIN + 5, order_id="o-1")])
    story.refresh()


def test_refresh__new_process_long_after_the_last_run__tells_of_old_days_that_changed_meanwhile() -> None:
    story = Histories()
    story._write([exposure("v-1", VARIATIONS[0])])
    story.refresh()
    story._write([order("v-1", 900, ts=BEGIN + 20, order_id="o-1")])
    story.clock.advance(hours=12 * 24)
    story.compact()
    story.restart(disk_bytes=10**9)
    told: dict[str, ShopDay] = {}
    for counted in story.counter.refresh(story._wanted()):
        told |= counted.days if counted.shop_id == SHOP else {}
    first = date_of(BEGIN // DAY_MS)
    assert {date: day for date, day in told.items() if day.events} == {first: shop_day(story.rows, SHOP, first, "EUR")}


def test_refresh__new_process_of_an_old_measurement__knows_what_was_before_it() -> None:
    """More than two months ago: of the shop's days alone so much would not be read."""
    story = Histories()
    early = BEGIN - 13 * DAY_MS
    story._write([exposure("v-0", VARIATIONS[0]), order("v-0", 900, early, received_at=early)])
    story.clock.advance(hours=60 * 24)
    story.restart(disk_bytes=10**9)
    story.refresh()
    story._write([order("v-0", 40, BEGIN + 20), order("v-0", 7, early + 1, received_at=early + 1)])
    story.refresh()
    (counted,) = [each for each in story.counter.refresh(story._wanted()) if each.shop_id == SHOP]
    assert counted.counts[PLAN.experiment_id].whole().covariates["money"] == {
        VARIATIONS[0]: Covariate(907, 907**2, 907 * 40)
    }


class Mortal:
    """An engine that may die at each question."""

    def __init__(self, inner: DuckDbShopLedger, ledger: Fragile) -> None:
        self._inner = inner
        self._ledger = ledger

    def count(self, wanted: CountingPlan) -> Counts:
        self._ledger.tick()
        return self._inner.count(wanted)

    def days(self, dates: Sequence[str], currency: str) -> Mapping[str, ShopDay]:
        self._ledger.tick()
        return self._inner.days(dates, currency)


TestHistories = Histories.TestCase
TestHistories.settings = settings(
    max_examples=sized(15, 6),
    stateful_step_count=12,
    database=None,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)
