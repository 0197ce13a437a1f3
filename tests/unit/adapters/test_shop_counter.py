"""The counter of a shop: whose copy it continues, what it stores, and what it does with a state in doubt."""

from __future__ import annotations

import gzip
import logging
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from abtest.adapters.warehouse import releases, rows_in_memory, shop_state
from abtest.adapters.warehouse.duckdb_ledger import DuckDbShopLedger
from abtest.adapters.warehouse.rows_in_memory import RowsInMemory
from abtest.adapters.warehouse.shop_counter import DuckDbShopCounter, Limits
from abtest.adapters.warehouse.shop_state import STATES
from abtest.domain.ledger.cells import Counts
from abtest.domain.ledger.events import DAY_MS, Row
from abtest.domain.ledger.feed import feed_key
from abtest.domain.ledger.manifests import manifest_key, sectioned
from abtest.domain.ledger.objects import raw_key
from abtest.domain.ledger.plans import CountingPlan
from abtest.domain.ledger.reference import count
from abtest.kit.clock import ManualClock, from_milliseconds, to_milliseconds
from abtest.ports.rollup_store import StoredState
from abtest.ports.warehouse import LedgerObjectError, OutOfTimeError, ShopCounted, ShopPlans
from abtest.services.ledger_feed import LedgerFeed
from tests.faults.faults import Fate, Fated, KilledError
from tests.support.ledgers import (
    BEGIN,
    GOALS,
    HOLDOUT_PLAN,
    OTHER_SHOP,
    SHOP,
    VARIATIONS,
    exposure,
    order,
    plan,
    random_ledger,
)
from tests.support.memory import MemoryBlobs
from tests.support.sizes import sized

CLICKS = plan(GOALS[0], GOALS[6])
ROWS = [each for each in random_ledger(2, 60) if each["shop_id"] == SHOP]
SMALL = Limits(part_bytes=200_000)


class World:
    """A ledger with its feed, and the progress that a worker stores."""

    def __init__(self, limits: Limits = Limits()) -> None:  # noqa: B008 - it is immutable
        self.clock = ManualClock(from_milliseconds(BEGIN + 10 * DAY_MS))
        self.ledger = MemoryBlobs(lambda: to_milliseconds(self.clock.now()))
        self.feed = LedgerFeed(self.ledger, self.clock)
        self.plans: tuple[CountingPlan, ...] = (CLICKS,)
        self.rows: list[Row] = []
        self.stored: StoredState | None = None
        self.days_until = 0
        self.read: list[str] = []
        self.written = ""
        self.counter = self.process(limits)

    def process(self, limits: Limits = Limits(), fate: Fate | None = None, **more: Any) -> DuckDbShopCounter:  # noqa: B008
        ledger: Any = Fated(Watched(self.ledger, self.read), fate or Fate())
        return DuckDbShopCounter(ledger, self.clock, LedgerFeed(ledger, self.clock), limits=limits, **more)

    def write(self, rows: list[Row]) -> int:
        """Deliver rows; return the shop's head."""
        self.clock.advance(minutes=1)
        key = raw_key([f"m-{len(self.rows)}"], to_milliseconds(self.clock.now()))
        content, manifest = sectioned(key, rows)
        self.ledger.put(key, content, content_type="application/x-ndjson")
        self.ledger.put(manifest_key(key), manifest.encoded(), content_type="application/json")
        self.rows += rows
        self.written = key
        return self.head

    @property
    def head(self) -> int:
        entry = self.feed.advance().entry
        return entry.heads.get(SHOP, 0) if entry else 0

    def count(self, counter: DuckDbShopCounter | None = None, until: timedelta | None = None) -> ShopCounted:
        shop = ShopPlans(shop_id=SHOP, currency="EUR", plans=self.plans, days_until=self.days_until)
        self.read.clear()
        latest = None if until is None else self.clock.now() + until
        return (counter or self.counter).count(shop, head=self.head, stored=self.stored, until=latest)

    def keep(self, counted: ShopCounted) -> ShopCounted:
        """Store the progress."""
        self.stored, self.days_until = counted.state, to_milliseconds(self.clock.now())
        return counted

    def check(self, counted: ShopCounted) -> ShopCounted:
        for each in self.plans:
            assert counted.counts[each.experiment_id].whole() == count(self.rows, each)
        return counted

    def states(self) -> list[str]:
        return [entry.key for entry in self.ledger.list(STATES) if "/parts/" not in entry.key]


class Watched:
    """A bucket that notes what was read."""

    def __init__(self, inner: MemoryBlobs, read: list[str]) -> None:
        self._inner = inner
        self._read = read

    def get(self, key: str) -> Any:
        self._read.append(key)
        return self._inner.get(key)

    def part(self, key: str, offset: int, length: int) -> bytes | None:
        self._read.append(key)
        return self._inner.part(key, offset, length)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)


def counted_once(limits: Limits = Limits()) -> World:  # noqa: B008
    world = World(limits)
    world.write(random_ledger(1, 60))
    world.keep(world.check(world.count()))
    return world


def of_state(world: World, change: Callable[[bytes], bytes]) -> None:
    assert world.stored is not None
    content = world.ledger.objects[world.stored.key].blob.content
    world.ledger.put(world.stored.key, change(content), content_type="application/octet-stream")


def truncate(world: World) -> None:
    of_state(world, lambda content: content[:-100])


def empty(world: World) -> None:
    of_state(world, lambda content: b"")


def change_a_byte(world: World) -> None:
    of_state(world, lambda content: content[:50] + b"?" + content[51:])


def remove(world: World) -> None:
    assert world.stored is not None
    world.ledger.delete(world.stored.key)


def remove_a_part(world: World) -> None:
    world.ledger.delete(next(entry.key for entry in world.ledger.list(f"{STATES}{SHOP}/parts/")))


def truncate_a_part(world: World) -> None:
    key = next(entry.key for entry in world.ledger.list(f"{STATES}{SHOP}/parts/"))
    content = world.ledger.objects[key].blob.content
    world.ledger.put(key, content[: len(content) // 2], content_type="application/octet-stream")


def name_a_later_offset(world: World) -> None:
    """The mark is newer than the state."""
    assert world.stored is not None
    world.stored = replace(world.stored, offset=world.stored.offset + 1)


def name_a_strange_key(world: World) -> None:
    assert world.stored is not None
    world.stored = replace(world.stored, key=f"raw/{SHOP}")


def name_that_of_another_shop(world: World) -> None:
    entry = world.feed.newest()
    assert entry is not None
    shop = ShopPlans(shop_id=OTHER_SHOP, currency="EUR", plans=())
    world.stored = world.process().count(shop, head=entry.heads[OTHER_SHOP], stored=None).state


@pytest.mark.parametrize(
    ("damage", "reason"),
    [
        (truncate, "not the one that was written"),
        (empty, "not the one that was written"),
        (change_a_byte, "not the one that was written"),
        (remove, "does not exist"),
        (remove_a_part, "does not exist"),
        (truncate_a_part, "cannot be read"),
        (name_a_later_offset, "its offset is"),
        (name_a_strange_key, "not one of a state"),
        (name_that_of_another_shop, "another shop's"),
    ],
)
def test_count__state_in_doubt__builds_from_the_ledger_and_stores_another(
    damage: Callable[[World], None], reason: str, caplog: pytest.LogCaptureFixture
) -> None:
    world = counted_once(SMALL)
    damage(world)
    world.write(random_ledger(2, 20))
    before = world.stored
    with caplog.at_level(logging.WARNING):
        world.keep(world.check(world.count(world.process(SMALL))))
    assert [
        str(record.exc_info[1]) for record in caplog.records if record.exc_info and reason in str(record.exc_info[1])
    ]
    assert world.stored not in (None, before)
    world.write(random_ledger(3, 20))
    assert not is_built(world, world.process(SMALL))


def is_built(world: World, counter: DuckDbShopCounter) -> bool:
    """Count in this process; whether all rows were read."""
    world.check(world.count(counter))
    first = next(entry.key for entry in world.ledger.list("raw/"))
    return first in world.read


def test_count__state_of_another_release_of_the_tables__is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    world = counted_once()
    monkeypatch.setattr(shop_state, "rows_release", lambda: "another")
    assert is_built(world, world.process())


def test_count__state_of_another_release_of_the_counting__gives_its_rows_only(monkeypatch: pytest.MonkeyPatch) -> None:
    world = counted_once()
    counted: list[str] = []
    monkeypatch.setattr(shop_state, "counting_release", lambda: "another")
    monkeypatch.setattr(rows_in_memory, "ROWS_A_PLAN", 0)

    def opened(*arguments: Any) -> DuckDbShopLedger:
        counted.append(arguments[1])
        return DuckDbShopLedger(*arguments)

    assert not is_built(world, world.process(opened=opened))
    assert "shop_rows" in counted


def test_releases__are_digests_that_stay() -> None:
    assert releases.rows_release() == releases.rows_release() != releases.counting_release()
    assert all(len(digest) == 64 for digest in (releases.rows_release(), releases.counting_release()))


def test_count__another_process__continues_with_the_state_and_reads_the_news_alone() -> None:
    world = counted_once(SMALL)
    world.write([exposure("v-new", VARIATIONS[0]), order("v-new", 900, order_id="o-new")])
    counted = world.check(world.count(world.process(SMALL)))
    assert sum(key.startswith("raw/") for key in world.read) == 1
    assert counted.rows == 2
    assert counted.oldest is not None
    assert counted.offset == world.head


def test_count__copy_here_newer_than_the_head__is_counted_as_it_is() -> None:
    world = counted_once()
    first = world.head
    world.write(random_ledger(2, 20))
    newest = world.count().offset
    shop = ShopPlans(shop_id=SHOP, currency="EUR", plans=world.plans)
    counted = world.check(world.counter.count(shop, head=first, stored=None))
    assert counted.offset == newest > first


def test_count__many_news__reads_so_many_rows_and_keeps_the_offset() -> None:
    world = counted_once()
    for key in range(4):
        world.write(random_ledger(10 + key, 40))
    counter, offsets = world.process(Limits(rows_a_call=50, state_rows=1)), list[int]()
    while not offsets or offsets[-1] < world.head:
        counted = world.keep(world.count(counter))
        offsets.append(counted.offset)
    world.check(counted)
    assert len(offsets) > 1
    assert offsets == sorted(set(offsets))


def test_count__little_new__stores_no_state() -> None:
    world = counted_once()
    before = world.states()
    world.write([exposure("v-new", VARIATIONS[0])])
    assert world.keep(world.count()).state is not None
    assert world.states() == before
    world.plans = (CLICKS, HOLDOUT_PLAN)
    world.keep(world.count())
    assert len(world.states()) == 2


def test_count__older_states__are_deleted_once_progress_names_a_newer_one() -> None:
    world = counted_once(Limits(state_rows=1, state_share=0.0, part_bytes=200_000))
    for key in range(5):
        world.clock.advance(hours=2)
        world.write(random_ledger(20 + key, 5))
        world.keep(world.check(world.count()))
    assert len(world.states()) == 2
    assert not is_built(world, world.process())


def test_count__entry_of_the_feed_gone__builds_from_the_ledger() -> None:
    world = counted_once()
    gone = world.write(random_ledger(2, 20))
    world.write(random_ledger(3, 20))
    world.ledger.delete(feed_key(gone))
    world.keep(world.check(world.count()))
    assert world.stored is not None
    assert world.stored.offset == world.head


def test_count__section_gone_from_the_news__raises_for_the_object_and_not_for_ever() -> None:
    world = counted_once()
    world.write(random_ledger(2, 20))
    key = world.written
    content = world.ledger.objects[key].blob.content
    world.ledger.put(key, content[:30], content_type="application/x-ndjson")
    with pytest.raises(LedgerObjectError, match=key):
        world.count()
    world.ledger.put(key, content, content_type="application/x-ndjson")
    world.check(world.count())


def test_count__plan_that_begins_before_the_rows__builds_from_the_ledger() -> None:
    world = counted_once()
    world.plans = (plan(GOALS[0], GOALS[6], begins_at=BEGIN - 60 * DAY_MS),)
    assert is_built(world, world.counter)


def test_count__time_over_between_plans__returns_those_and_the_next_call_counts_the_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    world = World()
    world.write(random_ledger(1, 60))
    world.plans = (CLICKS, HOLDOUT_PLAN, replace(CLICKS, experiment_id="exp-3"))

    at_once = RowsInMemory.count

    def slow(rows: RowsInMemory, chosen: CountingPlan) -> Counts:
        world.clock.advance(seconds=2)
        return at_once(rows, chosen)

    monkeypatch.setattr(RowsInMemory, "count", slow)
    counted = world.count(world.process(), timedelta(seconds=2))
    assert set(counted.counts) == {CLICKS.experiment_id}
    assert counted.offset < world.head
    assert counted.state is not None
    world.stored = counted.state
    counted = world.count(world.process(), timedelta(seconds=2))
    assert len(counted.counts) == 2
    world.stored = counted.state
    world.check(world.count(world.process()))


def test_count__time_over_at_once__raises() -> None:
    world = counted_once()
    with pytest.raises(OutOfTimeError):
        world.count(until=timedelta(0))
    world.check(world.count())


def test_count__process_killed_at_any_call__changes_no_number() -> None:
    """At each call of the bucket in a run with a state, and in one without; then another process counts."""
    world = counted_once(SMALL)
    world.write(random_ledger(2, 30))
    for stored in (world.stored, None):
        died, at = True, 1
        while died:
            fate = Fate(at=at, after=at % 2 == 0)
            world.stored, died = stored, False
            try:
                world.count(world.process(Limits(state_rows=1, part_bytes=200_000), fate))
            except KilledError:
                died = True
            at += sized(1, 5)
        world.check(world.count(world.process(SMALL)))
        assert at > 10


def test_count__rows_of_others_in_a_section__are_not_counted() -> None:
    world = counted_once()
    rows = [exposure("v-1", VARIATIONS[0]), exposure("v-2", VARIATIONS[0], shop_id=OTHER_SHOP)]
    key = raw_key(["old"], to_milliseconds(world.clock.now()))
    lines = b"".join(sectioned(key, [each])[0] for each in rows)
    world.ledger.put(key, gzip.compress(gzip.decompress(lines)), content_type="application/x-ndjson")
    world.clock.advance(minutes=3)
    world.rows += rows
    counted = world.check(world.count())
    assert counted.rows == 1


@pytest.mark.parametrize("is_in_process", [True, False])
def test_copy__that_reaches_back_twice_as_far_as_needed__is_built_without_the_old_rows(is_in_process: bool) -> None:
    limits = Limits(outgrown_rows=30)
    world = counted_once(limits)
    before, world.plans = len(world.rows), ()
    for month in range(1, 9):
        world.clock.advance(days=30)
        now = to_milliseconds(world.clock.now())
        news = {"ts": now, "received_at": now}
        world.write([{**each, **news, "event_id": f"{month}-{number}"} for number, each in enumerate(ROWS)])  # type: ignore[typeddict-item]
        counted = world.keep(world.count(None if is_in_process else world.process(limits)))
        assert counted.held <= max(before, len(ROWS) * 4)
        assert counted.held >= len(ROWS) * min(2, month), "the last 39 days are there"
