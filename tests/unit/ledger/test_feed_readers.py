"""Readers of the feed: a shop's news since an offset, its sections of raw objects, and gaps that are noticed."""

from __future__ import annotations

from collections import Counter

import pytest

from abtest.domain.ledger.feed import FEED, encoded, feed_key, next_entry
from abtest.domain.ledger.manifests import MANIFESTS, manifest_key
from abtest.domain.ledger.objects import hour_of
from abtest.ports.blobs import Blob
from abtest.services import ledger_feed
from abtest.services.ledger_feed import FeedGapError, LedgerFeed
from tests.unit.ledger.feed_world import MINE, OTHER, World, advanced, advanced_after
from tests.unit.ledger.streams import BEGIN


@pytest.fixture
def world() -> World:
    return World()


def test_newest__damaged_entry__is_passed_over_and_its_objects_come_again(world: World) -> None:
    first = advanced_after(world, "ab")
    world.time.advance(minutes=1)
    second = advanced_after(world, "ab")
    world.put(feed_key(second.offset), b"damaged")
    reader = LedgerFeed(world.ledger, world.time)
    assert reader.newest() == first
    third = advanced(reader)
    assert (third.offset, third.objects, third.shops[MINE].before) == (second.offset + 1, second.objects, first.offset)
    world.feed = reader
    assert world.news(MINE) == ["e-0", "e-2"]
    assert world.news(MINE, after=second.offset) == ["e-2"], "rows that were counted are repeated, and none is lost"


def test_news__entry_is_gone__is_a_gap(world: World) -> None:
    first = advanced_after(world, "a")
    world.time.advance(minutes=1)
    second = advanced_after(world, "a")
    third = advanced_after(world, "a")
    world.ledger.delete(feed_key(second.offset))
    reader = LedgerFeed(world.ledger, world.time)
    assert [one.offset for one in reader.news(MINE, after=second.offset, head=third.offset)] == [third.offset]
    with pytest.raises(FeedGapError, match=str(second.offset)):
        reader.news(MINE, after=first.offset, head=third.offset)


def test_news__head_without_news_of_the_shop__is_a_gap(world: World) -> None:
    entry = advanced_after(world, "a")
    with pytest.raises(FeedGapError):
        world.feed.news(OTHER, after=0, head=entry.offset)


def test_news__of_a_feed_that_began_again__does_not_continue_an_older_state(world: World) -> None:
    before = advanced_after(world, "a")
    world.ledger.delete(feed_key(before.offset))
    world.time.advance(days=90)
    world.write("a")
    later = advanced(LedgerFeed(world.ledger, world.time))
    assert later.offset > before.offset
    with pytest.raises(FeedGapError):
        world.feed.news(MINE, after=before.offset, head=later.offset)


@pytest.mark.parametrize("many", [1, 100], ids=["by-entry", "by-manifest"])
def test_sections_of__named_by_an_entry_or_a_manifest__are_the_shops_alone(
    world: World, many: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ledger_feed, "MANY", many)
    old = world.write("ab")
    advanced(world.feed)
    world.time.advance(minutes=1)
    keys = [old, world.write("b"), world.write("ab")]
    advanced(world.feed)
    keys += [world.write("ba"), world.write("b")]
    sections = world.feed.sections_of(MINE, keys)
    assert world.read(sections) == world.read(sorted(sections, key=lambda one: one.key))
    assert sorted(world.read(sections)) == ["e-0", "e-3", "e-6"]
    assert all(one.rows == 1 for one in sections)
    assert world.feed.sections_of(MINE, []) == []
    assert world.feed.sections_of("shop-z", keys) == []


def test_sections_of__one_object_left_over_from_long_ago__reads_its_manifest_and_no_entry() -> None:
    world = World()
    old = world.write("ab")
    for _ in range(50):
        world.write("ab")
        advanced(world.feed)
        world.time.advance(hours=1)
    keys = [old, *(world.write("ab") for _ in range(20))]
    advanced(world.feed)
    read: list[str] = []
    get = world.ledger.get

    def noted(key: str) -> Blob | None:
        read.append(key.partition("/")[0])
        return get(key)

    world.ledger.get = noted  # type: ignore[method-assign]
    sections = LedgerFeed(world.ledger, world.time).sections_of(MINE, keys)
    assert Counter(read) == {"manifests": 1, "feed": 1}
    assert len(world.read(sections)) == 21


def test_sections_of__compacted_before_the_first_entry_and_then_not__are_read_all_the_same(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ledger_feed, "MANY", 1)
    key = world.write("ab")
    world.compact(hour_of(BEGIN), key)
    assert advanced(world.feed).shops == {}
    assert world.read(world.feed.sections_of(MINE, [key])) == ["e-0"]


def test_sections_of__object_without_manifest__is_a_section_as_a_whole(world: World) -> None:
    key = world.write_as_before("bab")
    (section,) = world.feed.sections_of(MINE, [key])
    assert (section.offset, section.rows) == (0, 0)
    assert world.read([section]) == ["e-1"]


@pytest.mark.parametrize("damage", ["gone", "damaged"])
def test_sections_of__manifest_lost_after_the_entry__are_those_of_the_entry(world: World, damage: str) -> None:
    """A whole object with unknown rows would be taken for one that will be news."""
    world.write("b")
    advanced(world.feed)
    world.time.advance(minutes=1)
    key, others = world.write("ab"), world.write("b")
    advanced(world.feed)
    for each in (key, others):
        world.ledger.delete(manifest_key(each))
        if damage == "damaged":
            world.put(manifest_key(each), b"?")
    world.time.advance(hours=30)
    (section,) = LedgerFeed(world.ledger, world.time).sections_of(MINE, [key, others])
    assert (section.key, section.rows) == (key, 1)
    assert world.read([section]) == ["e-1"]


def test_sections_of__damaged_entry__asks_the_manifests(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ledger_feed, "MANY", 1)
    key = world.write("ab")
    entry = advanced(world.feed)
    world.put(feed_key(entry.offset), encoded(next_entry(None, 0, [])))
    reader = LedgerFeed(world.ledger, world.time)
    assert world.read(reader.sections_of(MINE, [key])) == ["e-0"]
    world.ledger.delete(manifest_key(key))
    assert [one.rows for one in reader.sections_of(MINE, [key])] == [0]


def test_markers_of_browsing_tools__are_passed_over(world: World) -> None:
    world.put(FEED, b"")
    world.put(f"{FEED}notes.txt", b"")
    world.put(f"{MANIFESTS}notes.txt", b"")
    assert world.feed.newest() is None
    assert advanced_after(world, "a").shops[MINE].rows == 1
