"""The feed of the ledger: nothing is lost or doubled by races, deaths and wrong clocks."""

from __future__ import annotations

import gzip
from datetime import timedelta
from typing import Any

import pytest

from abtest.domain.ledger.events import HOUR_MS
from abtest.domain.ledger.feed import encoded, feed_key, next_entry
from abtest.domain.ledger.manifests import manifest_key, read_manifest, sectioned
from abtest.domain.ledger.objects import hour_of, raw_key
from abtest.kit import canonical_json
from abtest.kit.clock import ManualClock
from abtest.ports.blobs import PreconditionFailedError
from abtest.services import ledger_feed
from abtest.services.ledger_feed import FeedContendedError, LedgerFeed
from tests.faults.faults import Fate, Fated, KilledError
from tests.support.memory import MemoryBlobs
from tests.unit.ledger.feed_world import MINE, OTHER, World, advanced, advanced_after
from tests.unit.ledger.streams import BEGIN, ledger_object


@pytest.fixture
def world() -> World:
    return World()


def test_advance__empty_ledger__stores_an_entry_from_which_later_ones_continue(world: World) -> None:
    advanced = world.feed.advance()
    assert advanced.entry is not None
    assert (advanced.entry.objects, advanced.entry.heads, advanced.listed_at) == ((), {}, BEGIN)
    assert world.feed.newest() == advanced.entry
    assert world.feed.advance().entry == advanced.entry, "once"


def test_advance__late_by_days_after_an_empty_ledger__has_all_that_came_since(world: World) -> None:
    world.feed.advance()
    world.write("ab")
    world.time.advance(days=5)
    entry = world.feed.advance().entry
    assert entry is not None
    assert sorted(entry.heads) == [MINE, OTHER]


def test_advance__new_objects__are_in_one_entry_by_shop(world: World) -> None:
    first = advanced_after(world, "aab", "b")
    assert first.heads == {MINE: first.offset, OTHER: first.offset}
    assert (first.shops[MINE].rows, first.shops[OTHER].rows) == (2, 2)
    world.time.advance(minutes=1)
    second = advanced_after(world, "b")
    assert second.offset == first.offset + 1
    assert second.heads == {MINE: first.offset, OTHER: second.offset}
    assert world.news(MINE) == ["e-0", "e-1"]
    assert world.news(OTHER) == ["e-2", "e-3", "e-4"]
    assert world.news(OTHER, after=first.offset) == ["e-4"]
    assert world.news(OTHER, after=second.offset) == []


def test_advance__nothing_new__stores_nothing(world: World) -> None:
    entry = advanced_after(world, "a")
    world.time.advance(minutes=5)
    second = world.feed.advance()
    assert (second.entry, second.listed_at) == (entry, world.now)
    assert len(world.entries()) == 1


def test_advance__nothing_new_for_days__repeats_the_heads_so_that_they_do_not_expire(world: World) -> None:
    entry = advanced_after(world, "a")
    world.time.advance(days=3)
    repeated = advanced(world.feed)
    assert (repeated.offset, repeated.heads, repeated.objects) == (entry.offset + 1, entry.heads, ())
    assert advanced(world.feed) == repeated


def test_advance__late_manifest_or_object__is_in_a_later_entry(world: World) -> None:
    world.write("a")
    advanced(world.feed)
    world.time.advance(hours=2, minutes=59)
    world.write("a", at=BEGIN)
    advanced(world.feed)
    assert world.news() == ["e-0", "e-1"]


def test_advance__after_a_long_pause__has_everything_since(world: World) -> None:
    world.write("a")
    advanced(world.feed)
    for _ in range(5):
        world.time.advance(hours=30)
        key = world.write("a")
        world.compact(hour_of(world.now), key)
    advanced(world.feed)
    assert sorted(world.news()) == [f"e-{number}" for number in range(6)]
    assert set(world.named().values()) == {1}


def test_advance__two_processes_at_once__have_each_object_once(world: World) -> None:
    other = LedgerFeed(world.ledger, world.time)

    def other_advances() -> None:
        """Between the listing of the one and its put, with an object that the one has not listed."""
        world.write("c")
        advanced(other)
        world.write("c")

    for _ in range(5):
        for shops in ("ab", "b", "ac"):
            world.write(shops)
        fated = LedgerFeed(Fated(world.ledger, Fate(at=1, of="put", happens=other_advances)), world.time)
        assert advanced(fated) == world.entries()[0]
        assert advanced(other).heads.keys() == {MINE, OTHER, "shop-c"}
        world.time.advance(minutes=1)
    assert set(world.named().values()) == {1}
    assert (len(world.news(MINE)), len(world.news(OTHER)), len(world.news("shop-c"))) == (10, 10, 15)


def test_advance__other_process_lacks_our_object__it_is_in_the_entry_behind(world: World) -> None:
    advanced_after(world, "a")

    def other_puts() -> None:
        before = world.entries()[0]
        world.put(feed_key(before.offset + 1), encoded(next_entry(before, world.now, [])))

    key = world.write("b")
    fated = LedgerFeed(Fated(world.ledger, Fate(at=1, of="put", happens=other_puts)), world.time)
    entry = advanced(fated)
    assert (entry.offset, entry.objects) == (world.entries()[-1].offset + 2, (key,))


def test_advance__store_refuses_each_entry__is_given_up(world: World) -> None:
    class Refusing(MemoryBlobs):
        def put(self, key: str, content: bytes, **how: Any) -> str:
            raise PreconditionFailedError(key)

    ledger = Refusing()
    world.write("a")
    ledger.objects = world.ledger.objects
    with pytest.raises(FeedContendedError):
        LedgerFeed(ledger, world.time).advance()


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
def test_advance__killed_at_each_call__is_made_good_by_the_next(after: bool) -> None:
    at = 0
    finished = False
    while not finished:
        at += 1
        world = World()
        advanced_after(world, "ab")
        world.time.advance(minutes=3)
        world.write("ab")
        world.write("b", manifest=False)
        world.write_as_before("aba")
        fate = Fate(at=at, after=after)
        try:
            LedgerFeed(Fated(world.ledger, fate), world.time).advance()
            finished = True
        except KilledError:
            pass
        advanced(world.feed)
        assert set(world.named().values()) == {1}
        assert sorted(world.news(MINE)) == ["e-0", "e-2", "e-5", "e-7"]
        assert sorted(world.news(OTHER)) == ["e-1", "e-3", "e-4", "e-6"]
    assert at > 8, "it died at every call"


def test_advance__object_without_manifest__gets_the_one_that_its_writer_lost(world: World) -> None:
    key = world.write("abab", manifest=False)
    world.write_as_before("abc")
    entry = advanced(world.feed)
    content = world.ledger.objects[key].blob.content
    rows = [canonical_json.loads(line) for line in gzip.decompress(content).splitlines()]
    stored = world.ledger.objects[manifest_key(key)].blob.content
    assert (content, read_manifest(stored)) == sectioned(key, rows)
    assert entry.shops[MINE].rows == 3
    assert sorted(world.news(MINE)) == ["e-0", "e-2", "e-4"]


def test_advance__lines_that_cannot_be_read__are_left_out(world: World) -> None:
    key = raw_key(["strange"], BEGIN)
    lines = [canonical_json.encode(dict(line)) for line in world.rows_of("ab")]
    world.put(key, gzip.compress(b"\n".join([b"{", lines[0], b'{"shop_id": "shop-a"}', lines[1]])))
    entry = advanced(world.feed)
    assert {shop_id: news.rows for shop_id, news in entry.shops.items()} == {MINE: 1, OTHER: 1}


@pytest.mark.parametrize("damage", [b"", b"not gzip", gzip.compress(b"{}" * 500)[:-9]], ids=["empty", "text", "cut"])
def test_advance__object_that_cannot_be_read__does_not_stop_the_others(world: World, damage: bytes) -> None:
    broken = raw_key(["broken"], BEGIN)
    world.put(broken, damage)
    good = world.write("a")
    entry = advanced(world.feed)
    assert (entry.objects, entry.unread) == ((good,), (broken,))
    assert advanced(LedgerFeed(world.ledger, world.time)) == entry
    world.time.advance(days=9)
    later = world.write("a")
    assert advanced(world.feed).unread == (broken,)
    world.put(broken, ledger_object(world.rows_of("a")))
    repaired = advanced(world.feed)
    assert (repaired.objects, repaired.unread) == ((broken,), ()), "it is new as soon as it is repaired"
    assert world.named() == {good: 1, later: 1, broken: 1}


def test_advance__object_that_cannot_be_read_is_deleted__is_forgotten(world: World) -> None:
    broken = raw_key(["broken"], BEGIN)
    world.put(broken, b"damaged")
    advanced_after(world, "a")
    world.ledger.delete(broken)
    assert advanced(world.feed).unread == ()


def test_advance__only_objects_that_cannot_be_read__remembers_them(world: World) -> None:
    broken = raw_key(["broken"], BEGIN)
    world.put(broken, b"damaged")
    assert advanced(world.feed).unread == (broken,)
    assert len(world.entries()) == 1
    world.time.advance(hours=9)
    world.feed.advance()
    assert len(world.entries()) == 1
    world.put(broken, ledger_object(world.rows_of("a")))
    assert advanced(world.feed).heads.keys() == {MINE}


@pytest.mark.parametrize(
    "damage", [b"", b"{}", b'{"object":"raw/other","shops":{}}'], ids=["empty", "strange", "other"]
)
def test_advance__damaged_manifest__is_made_again(world: World, damage: bytes) -> None:
    key = world.write("ab")
    right = world.ledger.objects[manifest_key(key)].blob.content
    world.put(manifest_key(key), damage)
    advanced(world.feed)
    assert world.ledger.objects[manifest_key(key)].blob.content == right
    assert world.news() == ["e-0"]


def test_advance__clock_that_jumps_back_and_forth__loses_and_doubles_nothing() -> None:
    world = World()
    jumps = [0, 10, -10, 400, -400, 3, -3, 0, 100_000, 0, -100_000, 0]
    for number, hours in enumerate(jumps):
        world.write("ab"[number % 2])
        moment = world.time.now() + timedelta(hours=hours)
        advanced(LedgerFeed(world.ledger, ManualClock(moment)))
        world.time.advance(hours=2 * (number % 5))
    advanced(world.feed)
    assert sorted(world.news(MINE) + world.news(OTHER)) == sorted(f"e-{number}" for number in range(len(jumps)))
    assert set(world.named().values()) == {1}


def test_advance__first_entry__has_what_is_not_compacted_of_two_days(world: World) -> None:
    compacted = world.write_as_before("a")
    world.compact(BEGIN - BEGIN % HOUR_MS, compacted)
    world.time.advance(hours=1)
    world.write_as_before("ab")
    recent = world.write("b")
    world.time.advance(hours=1)
    world.compact(hour_of(BEGIN + HOUR_MS), recent)
    entry = advanced(world.feed)
    assert (entry.shops[MINE].rows, entry.shops[OTHER].rows) == (1, 1)
    assert manifest_key(compacted) not in world.ledger.objects
    world.time.advance(minutes=1)
    assert advanced(world.feed) == entry, "what was compacted before the first entry is not news"


def test_advance__many_objects__are_several_entries(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ledger_feed, "OBJECTS_AN_ENTRY", 3)
    monkeypatch.setattr(ledger_feed, "SECTIONS_AN_ENTRY", 4)
    first = advanced_after(world, "a")
    world.time.advance(minutes=1)
    for shops in ("a", "b", "a", "b", "abc", "abc", "abcde", "a"):
        world.write(shops)
    dying = LedgerFeed(Fated(world.ledger, Fate(at=2, of="put", after=True)), world.time)
    with pytest.raises(KilledError):
        dying.advance()
    assert world.entries()[0].began_at == first.began_at, "the rest has to be listed again"
    entry = advanced(world.feed)
    assert entry.began_at == world.now
    assert all(len(one.objects) <= 3 for one in world.entries())
    assert set(world.named().values()) == {1}
    assert sorted(world.named()) == sorted(key for key in world.ledger.objects if key.startswith("raw/"))
