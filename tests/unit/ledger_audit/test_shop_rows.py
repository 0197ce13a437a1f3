"""Rows of a shop for the audit: small ledgers as a whole, larger ones by manifests, and old hours of huge ones."""

from __future__ import annotations

from typing import Any

import pytest

from abtest.adapters.warehouse.duckdb_ledger import DuckDbWarehouse
from abtest.domain.ledger.cells import Counts
from abtest.domain.ledger.events import DAY_MS, HOUR_MS
from abtest.domain.ledger.manifests import manifest_key, read_manifest, sectioned
from abtest.domain.ledger.objects import Section, raw_key
from abtest.ports.warehouse import OutOfTimeError
from abtest.services.audit.shop_rows import ShopRows
from tests.support.compaction import Compacting
from tests.support.storefronts import shop
from tests.unit.ledger.raw_hours import NOON, put_raw, row
from tests.unit.ledger.rolled_up import EXPERIMENT, RolledUp, events

SHOP, OTHER = shop().id, "0192a3b4-0000-7000-8000-00000000a00f"


class Stored:
    """A ledger of several hours, with rows of the shop in some objects."""

    def __init__(self) -> None:
        self.bench = RolledUp()
        self.ledger, self.clock = self.bench.ledger, self.bench.clock
        self.own: list[str] = []

    def put(self, name: str, *visitors: int, manifest: bool = True, at: int | None = None) -> str:
        """An object of now with rows of these visitors of the shop, and a row of another shop."""
        now = self.bench.now()
        lines: list[Any] = [*events(visitors, EXPERIMENT, now), row(f"o-{name}", shop_id=OTHER, received_at=now)]
        hour = now if at is None else at
        if not manifest:
            key = put_raw(self.ledger, name, lines, at=hour)
        else:
            key = raw_key([name], hour)
            content, made = sectioned(key, lines)
            self.ledger.put(key, content, content_type="application/x-ndjson")
            self.ledger.put(manifest_key(key), made.encoded(), content_type="application/json")
        self.own += [key] if visitors else []
        return key

    def rows(self, **limits: int) -> ShopRows:
        return ShopRows(self.ledger, SHOP, since=NOON, seed="2026-05-27", **limits)

    def counted(self, **limits: int) -> Counts:
        plan = self.bench.plan()
        pieces = self.rows(**limits).pieces(since=plan.since, until=self.bench.now())
        files = pieces.files(len(pieces.raw))
        with DuckDbWarehouse(self.ledger).open(SHOP, files, since=plan.since) as opened:
            return opened.count(plan)


@pytest.fixture
def stored() -> Stored:
    """Five hours, each with an object of the shop and one without it; the third has no manifests."""
    made = Stored()
    for hour in range(5):
        made.put(f"own-{hour}", hour, 10 + hour, manifest=hour != 2)
        made.clock.advance(minutes=30)
        made.put(f"foreign-{hour}", manifest=hour != 2)
        made.clock.advance(minutes=30)
    return made


def test_rows__of_a_small_ledger__are_all_objects_as_a_whole(stored: Stored) -> None:
    pieces = stored.rows().pieces(since=NOON, until=stored.bench.now())

    assert len(pieces.raw) == 10
    assert all(isinstance(piece, str) for piece in pieces.raw)
    assert pieces.parquet == ()


def test_rows__of_a_larger_ledger__are_sections_and_objects_without_a_manifest(stored: Stored) -> None:
    pieces = stored.rows(whole_bytes=0).pieces(since=NOON, until=stored.bench.now())

    sections = [piece for piece in pieces.raw if isinstance(piece, Section)]
    assert [section.key for section in sections] == [key for number, key in enumerate(stored.own) if number != 2]
    assert len(pieces.raw) - len(sections) == 2


def test_rows__where_some_objects_are_drawn__are_others_the_next_night(stored: Stored) -> None:
    half = sum(entry.size for entry in stored.ledger.list("raw/")) // 2
    nights = [
        frozenset(
            piece
            for piece in ShopRows(stored.ledger, SHOP, since=NOON, seed=f"2026-05-{day}", whole_bytes=half)
            .pieces(since=NOON, until=stored.bench.now())
            .raw
            if isinstance(piece, str)
        )
        for day in range(10, 20)
    ]
    assert len(set(nights)) > 5
    assert all(3 <= len(night) < 9 for night in nights)


def test_rows__of_a_plan__are_those_since_its_begin_and_stored_until_its_count(stored: Stored) -> None:
    rows = stored.rows(whole_bytes=0)

    late = rows.pieces(since=NOON + 3 * HOUR_MS, until=stored.bench.now())
    early = rows.pieces(since=NOON, until=NOON + HOUR_MS)

    assert [piece.key for piece in late.raw if isinstance(piece, Section)] == stored.own[3:]
    assert [piece.key for piece in early.raw if isinstance(piece, Section)] == stored.own[:2]


@pytest.mark.parametrize(
    "limits",
    [{}, {"whole_bytes": 0}, {"whole_bytes": 700}, {"most_objects": 3}, {"most_objects": 3, "whole_bytes": 0}],
    ids=str,
)
@pytest.mark.parametrize("compacted", [False, True])
def test_counts__of_rows_read_in_any_way__are_equal(stored: Stored, limits: dict[str, int], compacted: bool) -> None:
    if compacted:
        Compacting(clock=stored.clock, ledger=stored.ledger).run()
        stored.clock.advance(days=2)
        stored.put("late", 90, at=NOON)
        stored.put("newest", 91)
    expected = stored.counted(whole_bytes=1 << 40, most_objects=1 << 40)

    assert stored.counted(**limits) == expected
    assert sum(expected.visitors.values()) > 9


def test_hours__of_a_huge_ledger__are_parquet_but_for_the_newest_and_those_stored_late(stored: Stored) -> None:
    Compacting(clock=stored.clock, ledger=stored.ledger).run()
    stored.clock.advance(days=2)
    late = stored.put("late", 90, at=NOON + HOUR_MS)
    newest = stored.put("newest", 91)

    pieces = stored.rows(whole_bytes=0, most_objects=3).pieces(since=NOON, until=stored.bench.now())

    # The hours 0, 2 and 3 are read from Parquet; 1 has a late object, and 4 is among the newest.
    keys = [piece if isinstance(piece, str) else piece.key for piece in pieces.raw]
    assert len(pieces.parquet) == 3
    assert set(keys) == {stored.own[1], stored.own[4], late, newest}
    assert stored.bench.now() - NOON > DAY_MS


def test_manifest__that_lacks_the_shop__changes_nothing_where_its_object_is_read_as_a_whole(stored: Stored) -> None:
    everything = stored.counted()
    manifest = read_manifest(stored.ledger.objects[manifest_key(stored.own[0])].blob.content)
    spoilt = type(manifest)(key=manifest.key, sections={OTHER: manifest.sections[OTHER]})
    stored.ledger.put(manifest_key(stored.own[0]), spoilt.encoded(), content_type="application/json")

    assert stored.counted() == everything
    assert stored.counted(whole_bytes=0) != everything


def test_rows__whose_manifests_are_not_read_in_time__stop_at_the_check(stored: Stored) -> None:
    def check() -> None:
        raise OutOfTimeError("later")

    with pytest.raises(OutOfTimeError):
        stored.rows(whole_bytes=0).pieces(since=NOON, until=stored.bench.now(), check=check)
    assert len(stored.rows().pieces(since=NOON, until=stored.bench.now(), check=check).raw) == 10
