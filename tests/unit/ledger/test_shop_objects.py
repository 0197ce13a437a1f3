"""Objects of one shop: the same as of all, without reading what others have."""

from __future__ import annotations

import tracemalloc
from random import Random
from typing import Any

import pytest

from abtest.domain.ledger.compacted_hours import CompactedHour
from abtest.domain.ledger.events import DAY_MS, HOUR_MS
from abtest.domain.ledger.objects import EventsFile, compacted_key, hour_of, hour_of_key
from abtest.kit.clock import ManualClock, from_milliseconds
from abtest.services.ledger_feed import LedgerFeed
from abtest.services.ledger_files import LedgerFiles
from abtest.services.shop_objects import KEPT_BYTES, ShopObjects
from tests.support.memory import MemoryBlobs
from tests.unit.ledger.feed_world import MINE, OTHER, World
from tests.unit.ledger.streams import BEGIN


def compact(world: World, hour: int, raw: list[str], *shops: str) -> None:
    keys = [EventsFile(shop_id=shop, hour=hour, first=0, last=15, digest=f"{len(raw)}").key for shop in shops]
    document = CompactedHour(raw=frozenset(raw), events=tuple(keys), rows=1)
    world.put(compacted_key(hour), document.encoded())


def check(world: World, objects: ShopObjects, since: int, shop_id: str = MINE) -> None:
    """Check that the shop's objects have the rows that all objects have."""
    expected = LedgerFiles(world.ledger).of_shop(shop_id, since)
    files = objects.of_shop(shop_id, since)
    assert sorted(files.parquet) == sorted(expected.parquet)
    assert files.raw == ()
    rows = [world.read(world.feed.sections_of(shop_id, [key]), shop_id) for key in expected.raw]
    assert sorted(world.read(list(files.sections), shop_id)) == sorted(event_id for ids in rows for event_id in ids)


@pytest.mark.parametrize("kept_bytes", [0, 4_000, KEPT_BYTES])
@pytest.mark.parametrize("seed", range(8))
def test_of_shop__hours_of_all_kinds__are_those_of_the_whole_ledger(seed: int, kept_bytes: int) -> None:
    chance = Random(seed)
    world = World()
    objects = ShopObjects(world.ledger, world.feed, world.time, kept_bytes=kept_bytes)
    written: dict[int, list[str]] = {}
    for _ in range(40):
        world.time.advance(minutes=chance.choice([1, 20, 50, 180, 900]))
        for _ in range(chance.randrange(3)):
            key = world.write(chance.choice(["a", "b", "ab"]), manifest=chance.random() < 0.8)
            written.setdefault(hour_of_key(key), []).append(key)
        if chance.random() < 0.5:
            world.feed.advance()
        for hour, keys in written.items():
            # Late objects are compacted within the six hours in which they may come.
            if hour < world.now - 4 * HOUR_MS or (hour < world.now - HOUR_MS and chance.random() < 0.5):
                compact(world, hour, keys, MINE, OTHER)
        if chance.random() < 0.5:
            since = chance.choice([0, BEGIN + DAY_MS, world.now - 5 * HOUR_MS])
            check(world, objects, since, chance.choice([MINE, OTHER, "shop-z"]))
            check(world, ShopObjects(world.ledger, world.feed, world.time), since)


def test_of_shop__hour_without_a_readable_document__is_read_from_its_objects() -> None:
    world = World()
    key = world.write("ab")
    compact(world, hour_of(BEGIN), [key], MINE)
    world.put(compacted_key(hour_of(BEGIN)), b"damaged")
    world.time.advance(days=3)
    objects = ShopObjects(world.ledger, world.feed, world.time)
    for _ in range(2):
        assert world.read(list(objects.of_shop(MINE, 0).sections)) == ["e-0"]


def test_of_shop__raw_objects_are_gone__has_the_parquet_of_their_hour() -> None:
    world = World()
    compact(world, hour_of(BEGIN), [], MINE)
    world.time.advance(days=3)
    check(world, ShopObjects(world.ledger, world.feed, world.time), 0)


@pytest.mark.parametrize("hours", [-100, 100])
def test_of_shop__clock_is_wrong__misses_nothing(hours: int) -> None:
    world = World()
    compact(world, hour_of(BEGIN), [world.write("a")], MINE)
    world.time.advance(days=1)
    world.write("ab")
    world.feed.advance()
    wrong = ManualClock(from_milliseconds(world.now + hours * HOUR_MS))
    check(world, ShopObjects(world.ledger, LedgerFeed(world.ledger, wrong), wrong), 0)


class Counting(MemoryBlobs):
    """A store that counts what is read."""

    calls = 0

    def get(self, key: str) -> Any:
        self.calls += 1
        return super().get(key)

    def list(self, prefix: str, *, after: str | None = None) -> Any:
        self.calls += 1
        return super().list(prefix, after=after)


def test_of_shop__second_shop__reads_the_last_hours_only() -> None:
    world = World()
    for hour in range(24 * 28):
        if hour % 24 > 8:
            compact(world, hour_of(world.now), [world.write("ab")], MINE, OTHER)
        world.time.advance(hours=1)
    world.feed.advance()
    ledger = Counting()
    ledger.objects = world.ledger.objects
    objects = ShopObjects(ledger, LedgerFeed(ledger, world.time), world.time)
    assert len(objects.of_shop(MINE, BEGIN).parquet) == 28 * 15
    first, ledger.calls = ledger.calls, 0
    assert len(objects.of_shop(OTHER, BEGIN).parquet) == 28 * 15
    assert first > 400
    assert ledger.calls < 50
    world.time.advance(hours=2)
    objects.of_shop(OTHER, BEGIN)
    assert ledger.calls > 400, "after an hour documents are read again"


def test_of_shop__shop_without_rows_after_another__keeps_what_is_known() -> None:
    world = World()
    compact(world, hour_of(BEGIN), [world.write("a")], MINE)
    world.time.advance(days=3)
    objects = ShopObjects(world.ledger, world.feed, world.time)
    for shop in (MINE, "shop-z", MINE):
        check(world, objects, 0, shop)


def test_of_shop__document_replaced_and_forgotten__has_the_new_files() -> None:
    world = World()
    key = world.write("a")
    compact(world, hour_of(BEGIN), [key], OTHER)
    world.time.advance(days=3)
    objects = ShopObjects(world.ledger, world.feed, world.time)
    assert objects.of_shop(MINE, 0).parquet == ()
    compact(world, hour_of(BEGIN), [key], MINE, OTHER)
    objects.forget()
    check(world, objects, 0)


def test_of_shop__names_of_many_shops__stay_under_the_limit() -> None:
    world = World()
    shops = [f"shop-{number}" for number in range(1_000)]
    for number in range(20):
        hour = hour_of(BEGIN) + number * HOUR_MS
        keys = (EventsFile(shop_id=shop, hour=hour, first=0, last=15, digest="1" * 64).key for shop in shops)
        document = CompactedHour(raw=frozenset(), events=tuple(keys), rows=1)
        world.put(compacted_key(hour), document.encoded())
    world.time.advance(days=4)
    tracemalloc.start()
    for kept_bytes, limit in ((KEPT_BYTES, 420_000), (200_000, 200_000)):
        before, _ = tracemalloc.get_traced_memory()
        objects = ShopObjects(world.ledger, world.feed, world.time, kept_bytes=kept_bytes)
        for shop in shops[:2]:
            assert len(objects.of_shop(shop, 0).parquet) == 20
        held, _ = tracemalloc.get_traced_memory()
        assert held - before < limit
    tracemalloc.stop()
