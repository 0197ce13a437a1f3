"""The counter of a shop equals the reference after any history of news, deaths, other processes and damaged states."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any

import duckdb
import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, precondition, rule

from abtest.adapters.warehouse import rows_in_memory
from abtest.adapters.warehouse.duckdb_ledger import DuckDbShopLedger
from abtest.adapters.warehouse.shop_copy import CopyLedger
from abtest.adapters.warehouse.shop_counter import DuckDbShopCounter, Limits
from abtest.adapters.warehouse.shop_state import STATES
from abtest.domain.ledger.cells import Counts
from abtest.domain.ledger.daily_counts import date_of
from abtest.domain.ledger.events import DAY_MS, Row
from abtest.domain.ledger.feed import FEED
from abtest.domain.ledger.manifests import manifest_key, sectioned
from abtest.domain.ledger.objects import raw_key
from abtest.domain.ledger.plans import CountingPlan
from abtest.domain.ledger.reference import count
from abtest.domain.ledger.shop_days import ShopDay, shop_day
from abtest.kit.clock import ManualClock, from_milliseconds, to_milliseconds
from abtest.ports.rollup_store import StoredState
from abtest.ports.warehouse import DAYS_KEPT, OutOfTimeError, ShopCounted, ShopPlans
from abtest.services.ledger_feed import LedgerFeed
from tests.faults.faults import Fate, Fated, KilledError
from tests.support.compaction import Compacting
from tests.support.ledgers import BEGIN, GOALS, HOLDOUT_PLAN, OTHER_SHOP, PLAN, SHOP, plan, random_ledger
from tests.support.memory import MemoryBlobs
from tests.support.sizes import sized
from tests.unit.ledger.streams import ledger_object

SMALL_PARTS = 200_000
"""Bytes: the file of the smallest copy is a few of these."""

OTHER_PLAN = plan(*GOALS[:2], GOALS[6], experiment_id="exp-1", shop_id=OTHER_SHOP)
PLANS: tuple[tuple[CountingPlan, ...], ...] = (
    (PLAN, HOLDOUT_PLAN),
    (PLAN,),
    (plan(*GOALS, begins_at=BEGIN - 20 * DAY_MS), HOLDOUT_PLAN),
    (plan(*GOALS[4:], begins_at=BEGIN + 1_000, currency="USD"), HOLDOUT_PLAN),
)

LIMITS = (
    Limits(),
    Limits(rows_a_call=10, state_rows=1, state_share=0.0, part_bytes=SMALL_PARTS),
    Limits(shops=1, state_rows=20, part_bytes=SMALL_PARTS),
    Limits(disk_bytes=0, state_entries=2),
)
DAMAGES = ("truncated", "changed", "gone", "other shop", "other offset", "part gone", "part changed")


class ShopHistories(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.clock = ManualClock(from_milliseconds(BEGIN + 10 * DAY_MS))
        self.blobs = MemoryBlobs(lambda: to_milliseconds(self.clock.now()))
        self.fate = Fate()
        self.rows: list[Row] = []
        self.objects = 0
        self.plans = {SHOP: PLANS[0], OTHER_SHOP: (OTHER_PLAN,)}
        # Contents of documents and progress, by shop.
        self.days: dict[tuple[str, str], ShopDay] = {}
        self.days_until = {SHOP: 0, OTHER_SHOP: 0}
        self.stored: dict[str, StoredState | None] = {SHOP: None, OTHER_SHOP: None}
        self.start_process(Limits())

    @rule(limits=st.sampled_from(LIMITS), rows_a_plan=st.sampled_from([0, 0, 40, 10_000]))
    def start_process(self, limits: Limits, rows_a_plan: int = 0) -> None:
        # Statements count what is more than this number of rows, Python all else.
        rows_in_memory.ROWS_A_PLAN = rows_a_plan
        self.fate.at = None
        ledger: Any = Fated(self.blobs, self.fate)
        self.feed = LedgerFeed(self.blobs, self.clock)
        feed = LedgerFeed(ledger, self.clock)
        self.counter = DuckDbShopCounter(ledger, self.clock, feed, opened=self._opened, limits=limits)

    @rule(key=st.integers(0, 2**32), number=st.integers(1, 60), has_manifest=st.booleans())
    def deliver(self, key: int, number: int, has_manifest: bool) -> None:
        self._write(random_ledger(key, number), has_manifest=has_manifest)

    @precondition(lambda self: self.rows)
    @rule(key=st.integers(0, 2**32))
    def repeat(self, key: int) -> None:
        chance = random.Random(key)
        received = [row["received_at"] for row in self.rows]
        chosen = [chance.choice(self.rows) for _ in range(5)]
        self._write([{**row, "received_at": chance.choice(received)} for row in chosen])

    @rule(hours=st.integers(-1, 30))
    def wait(self, hours: int) -> None:
        self.clock.advance(hours=hours)

    @rule()
    def compact(self) -> None:
        Compacting(clock=self.clock, ledger=self.blobs).run()

    def plan_again(self, chosen: tuple[CountingPlan, ...]) -> None:
        self.plans[SHOP] = chosen

    @rule()
    def forget_progress(self) -> None:
        self.stored = dict.fromkeys(self.stored)

    @precondition(lambda self: self.stored[SHOP])
    @rule(damage=st.sampled_from(DAMAGES))
    def damage(self, damage: str) -> None:
        stored, objects = self.stored[SHOP], self.blobs.objects
        assert stored is not None
        parts = [key for key in objects if key.startswith(f"{STATES}{SHOP}/parts/")]
        key = parts[-1] if damage.startswith("part") and parts else stored.key
        if damage.endswith("gone"):
            objects.pop(key, None)
        elif damage == "other shop":
            self.stored[SHOP] = self.stored[OTHER_SHOP]
        elif damage == "other offset":
            self.stored[SHOP] = replace(stored, offset=stored.offset + 1)
        elif key in objects:
            blob = objects[key].blob
            middle = len(blob.content) // 2
            rest = b"" if damage == "truncated" else b"?" + blob.content[middle + 1 :]
            self.blobs.put(key, blob.content[:middle] + rest, content_type="application/octet-stream")

    @precondition(lambda self: self.rows)
    @rule(back=st.integers(1, 12))
    def lose_entry(self, back: int) -> None:
        """An entry of the feed may be gone, but not the newest, which shows where to continue."""
        keys = sorted(key for key in self.blobs.objects if key.startswith(FEED))
        if back < len(keys):
            self.blobs.delete(keys[back])

    @rule(at=st.integers(1, 40), after=st.booleans(), survives=st.booleans())
    def count_that_dies(self, at: int, after: bool, survives: bool) -> None:
        """The process dies at a call of a port; or the call fails, and the process survives."""
        self.fate.at, self.fate.after, self.fate.calls = at, after, 0
        self.fate.happens = self._fail if survives else None
        try:
            self._count(SHOP)
        except OSError:
            pass
        except KilledError:
            self.start_process(LIMITS[at % len(LIMITS)])
        self.fate.at = None

    @rule(documents=st.booleans())
    def count_without_progress(self, documents: bool) -> None:
        """The worker dies behind the counter: its state is stored, its documents perhaps, its progress not."""
        counted = self._call(SHOP)
        if documents:
            self.days |= {(SHOP, date): day for date, day in counted.days.items()}

    @rule(seconds=st.integers(0, 3))
    def count_in_little_time(self, seconds: int) -> None:
        self.little = seconds
        try:
            counted = self._call(SHOP, until=timedelta(seconds=seconds))
            assert set(counted.counts) <= {plan.experiment_id for plan in self.plans[SHOP]}
            self._note(counted, self._head(SHOP))
        except OutOfTimeError:
            pass
        self.little = None

    @rule(key=st.integers(0, 2**32), number=st.integers(1, 20))
    def deliver_and_count(self, key: int, number: int) -> None:
        self._write(random_ledger(key, number))
        self.count_all()

    @rule(key=st.integers(0, 2**32), number=st.integers(1, 20), limits=st.sampled_from(LIMITS))
    def count_in_another_process(self, key: int, number: int, limits: Limits) -> None:
        self._compare(self._count(SHOP))
        self.start_process(limits)
        self._write(random_ledger(key, number))
        self._compare(self._count(SHOP))

    @rule()
    def count_all(self) -> None:
        for shop_id in self.plans:
            self._compare(self._count(shop_id))

    def teardown(self) -> None:
        self.count_all()

    little: int | None = None

    def _write(self, rows: list[Row], *, has_manifest: bool = True) -> None:
        self.objects += 1
        key = raw_key([f"m-{self.objects}"], to_milliseconds(self.clock.now()))
        content, manifest = sectioned(key, rows)
        if has_manifest:
            self.blobs.put(key, content, content_type="application/x-ndjson")
            self.blobs.put(manifest_key(key), manifest.encoded(), content_type="application/json")
        else:
            self.blobs.put(key, ledger_object(rows), content_type="application/x-ndjson")
        self.rows += rows

    def _head(self, shop_id: str) -> int:
        self.clock.advance(seconds=1)
        entry = self.feed.advance().entry
        return entry.heads.get(shop_id, 0) if entry else 0

    def _call(self, shop_id: str, until: timedelta | None = None) -> ShopCounted:
        shop = ShopPlans(
            shop_id=shop_id, currency="EUR", plans=self.plans[shop_id], days_until=self.days_until[shop_id]
        )
        head = self._head(shop_id)
        latest = None if until is None else self.clock.now() + until
        return self.counter.count(shop, head=head, stored=self.stored[shop_id], until=latest)

    def _count(self, shop_id: str) -> ShopCounted:
        head = self._head(shop_id)
        for _ in range(200):
            counted = self._call(shop_id)
            self._note(counted, head)
            if counted.offset >= head:
                return counted
        raise AssertionError("the counter does not reach the head of the feed")

    def _note(self, counted: ShopCounted, head: int) -> None:
        """Write documents, then progress."""
        assert counted.failed == {}
        self.days |= {(counted.shop_id, date): day for date, day in counted.days.items()}
        self.stored[counted.shop_id] = counted.state
        if counted.offset >= head:
            self.days_until[counted.shop_id] = to_milliseconds(self.clock.now())

    def _compare(self, counted: ShopCounted) -> None:
        plans = self.plans[counted.shop_id]
        assert {each.experiment_id: counted.counts[each.experiment_id].whole() for each in plans} == {
            each.experiment_id: count(self.rows, each) for each in plans
        }
        today = to_milliseconds(self.clock.now()) // DAY_MS
        happened = {min(row["ts"], row["received_at"]) // DAY_MS for row in self.rows}
        for date in [date_of(day) for day in happened if today - DAYS_KEPT <= day <= today]:
            expected = shop_day(self.rows, counted.shop_id, date, "EUR")
            none = shop_day([], counted.shop_id, date, "EUR")
            assert self.days.get((counted.shop_id, date), none) == expected, date

    def _fail(self) -> None:
        raise OSError("the store fails")

    def _opened(self, database: duckdb.DuckDBPyConnection, relation: str, shop_id: str) -> CopyLedger:
        return Slow(Fated(DuckDbShopLedger(database, relation, shop_id), self.fate), self)


class Slow:
    """An engine that takes a second for a plan, while the time is short."""

    def __init__(self, inner: Any, history: ShopHistories) -> None:
        self._inner = inner
        self._history = history

    def count(self, chosen: CountingPlan) -> Counts:
        if self._history.little is not None:
            self._history.clock.advance(seconds=1)
        counts: Counts = self._inner.count(chosen)
        return counts

    def days(self, dates: Sequence[str], currency: str) -> Mapping[str, ShopDay]:
        days: Mapping[str, ShopDay] = self._inner.days(dates, currency)
        return days


@pytest.fixture(autouse=True)
def number_of_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    """Histories change it; the next test in this process has the deployed one."""
    monkeypatch.setattr(rows_in_memory, "ROWS_A_PLAN", rows_in_memory.ROWS_A_PLAN)


TestShopHistories = ShopHistories.TestCase
TestShopHistories.settings = settings(
    max_examples=sized(40, 6),
    stateful_step_count=14,
    database=None,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)


def test_stored_offset__beyond_the_feed__loses_no_later_news() -> None:
    few = Limits(disk_bytes=0, state_entries=2)
    history = ShopHistories()
    history.deliver(key=5726, number=24, has_manifest=True)
    history.count_in_another_process(key=31544, number=11, limits=Limits())
    history.count_in_another_process(key=549993634, number=11, limits=few)
    history.damage("other offset")
    history.count_all()
    history.deliver(key=0, number=48, has_manifest=False)
    history.count_all()
