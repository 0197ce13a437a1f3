"""Hours divided into groups of shops: each group by itself, and readers right for every shop at every moment."""

import gzip
from collections.abc import Iterable, Sequence
from itertools import permutations
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from abtest.domain.ledger.columns import COLUMNS, row_of_line
from abtest.domain.ledger.compacted_hours import CompactedHour, beginning, read_compacted_hour
from abtest.domain.ledger.manifests import Manifest, manifest_key, sectioned, whole_object
from abtest.domain.ledger.objects import compacted_key, raw_key
from abtest.domain.ledger.shop_groups import ShopGroup, division
from abtest.kit import canonical_json
from abtest.kit.clock import ManualClock, from_milliseconds
from abtest.services.compaction.unit import HourUnit
from abtest.services.compaction.worker import CompactionFailedError
from abtest.services.ledger_files import LedgerFiles
from tests.support.compaction import Compacting
from tests.support.memory import MemoryBlobs
from tests.support.sizes import sized
from tests.unit.ledger.raw_hours import HOUR, NOON, Line, keys_in, put_raw, row, rows_of

GROUPS = 4
SHOPS = [f"shop-{number}" for number in range(12)]
EVERY = {group: [shop_id for shop_id in SHOPS if group.has(shop_id)] for group in division(GROUPS)}


def apart(key: str, rows: Iterable[Any]) -> tuple[bytes, Manifest]:
    """An object with a member for each shop, however little it has, and its manifest."""
    with patch("abtest.domain.ledger.manifests.MEMBER_BYTES", 1):
        return sectioned(key, rows)


class Divided:
    """A closed hour of many shops."""

    def __init__(self) -> None:
        self.ledger = MemoryBlobs()
        clock = ManualClock(from_milliseconds(NOON + 2 * HOUR))
        self.compacting = Compacting(clock=clock, ledger=self.ledger)

    def put(self, name: str, rows: Iterable[Any], *, form: str = "apart") -> str:
        """An object with a member for each shop, with one that they share, a whole one, or one without manifest."""
        lines = list(rows)
        key = raw_key([name], NOON)
        if form == "bare":
            return put_raw(self.ledger, name, lines)
        if form == "whole":
            content = gzip.compress(b"".join(canonical_json.encode(line) + b"\n" for line in lines))
            manifest = whole_object(key, len(content), lines)
        else:
            content, manifest = sectioned(key, lines) if form == "shared" else apart(key, lines)
        self.ledger.put(key, content, content_type="application/x-ndjson")
        self.ledger.put(manifest_key(key), manifest.encoded(), content_type="application/json")
        return key

    def compact(self, *groups: ShopGroup) -> list[str]:
        """States of the units of these groups, or of the whole division."""
        units = [HourUnit(hour=NOON, group=group) for group in groups or division(GROUPS)]
        return [each.state for each in self.compacting.carried_out([unit.message().body for unit in units])]

    def events(self, shop_id: str) -> list[str]:
        """Ids of all events that a reader of the shop reads, each once."""
        files = LedgerFiles(self.ledger).of_shop(shop_id, 0)
        parquet = rows_of(*(self.ledger.objects[key].blob.content for key in files.parquet))
        lines = [
            line for key in files.raw for line in gzip.decompress(self.ledger.objects[key].blob.content).splitlines()
        ]
        raw = [each for line in lines if (each := row_of_line(line)) is not None and each["shop_id"] == shop_id]
        return sorted({str(each["event_id"]) for each in [*parquet, *raw]})

    def quarantined(self) -> list[tuple[str, int]]:
        """Event ids or shops, and indexes, of all lines in the quarantine."""
        contents = [self.ledger.objects[key].blob.content for key in keys_in(self.ledger, "quarantine/")]
        lines = [canonical_json.loads(line) for each in contents for line in gzip.decompress(each).splitlines()]
        return sorted((line["event_id"] or line["shop_id"], line["index"]) for line in lines)


def _one_of_each(name: str) -> list[Any]:
    return [row(f"{name}-{shop_id}", shop_id=shop_id) for shop_id in SHOPS]


@pytest.mark.parametrize("form", ["apart", "shared", "whole", "bare"])
def test_compact__group_after_group_in_any_order__every_shop_is_whole_at_every_moment(form: str) -> None:
    for order in list(permutations(division(GROUPS)))[:: sized(5, 11)]:
        hour = Divided()
        hour.put("1", _one_of_each("1"), form=form)
        hour.put("2", _one_of_each("2"))
        for group in order:
            assert hour.compact(group) == ["done"]
            for shop_id in SHOPS:
                assert hour.events(shop_id) == [f"1-{shop_id}", f"2-{shop_id}"]
        assert all(not LedgerFiles(hour.ledger).of_shop(shop_id, 0).raw for shop_id in SHOPS)
        assert LedgerFiles(hour.ledger).uncovered(0) == ()


def test_compact__in_groups__the_files_of_one_unit_for_all_shops() -> None:
    whole, divided = Divided(), Divided()
    for hour in (whole, divided):
        hour.put("1", _one_of_each("1"))
        hour.put("2", _one_of_each("2"), form="bare")

    whole.compact(ShopGroup(0, 1))
    divided.compact()

    assert {key: whole.ledger.objects[key].blob for key in keys_in(whole.ledger, "events/")} == {
        key: divided.ledger.objects[key].blob for key in keys_in(divided.ledger, "events/")
    }


def test_compact__object_that_came_late__is_uncovered_for_the_groups_that_lack_it() -> None:
    hour = Divided()
    hour.put("1", _one_of_each("1"))
    hour.compact()
    first, *others = division(GROUPS)
    late = hour.put("2", _one_of_each("2"))
    hour.compact(first)

    files = {shop_id: LedgerFiles(hour.ledger).of_shop(shop_id, 0) for shop_id in SHOPS}

    assert {shop_id for shop_id in SHOPS if files[shop_id].raw == (late,)} == {
        shop_id for group in others for shop_id in EVERY[group]
    }
    assert LedgerFiles(hour.ledger).uncovered(0) == (late,)


def test_compact__late_object_without_rows_of_the_group__changes_the_document_alone() -> None:
    hour = Divided()
    hour.put("1", _one_of_each("1"))
    hour.compact()
    before = {**hour.ledger.objects}
    first, *others = division(GROUPS)
    late = hour.put("2", [row("2", shop_id=EVERY[first][0])])

    assert hour.compact(*others) == ["done"] * 3

    assert {key for key in hour.ledger.objects if hour.ledger.objects[key] is not before.get(key)} == {
        late,
        manifest_key(late),
        *(compacted_key(NOON, group) for group in others),
    }
    assert LedgerFiles(hour.ledger).of_shop(EVERY[first][0], 0).raw == (late,)


def test_documents__of_two_divisions__are_all_read() -> None:
    hour = Divided()
    hour.put("1", _one_of_each("1"))
    hour.compact(ShopGroup(0, 1))
    hour.put("2", _one_of_each("2"))
    hour.compact(ShopGroup(1, 2))
    late = hour.put("3", _one_of_each("3"))
    hour.compact(ShopGroup(3, 4))

    for shop_id in SHOPS:
        raw = LedgerFiles(hour.ledger).of_shop(shop_id, 0).raw
        assert hour.events(shop_id) == [f"{number}-{shop_id}" for number in (1, 2, 3)]
        assert len(raw) == (0 if ShopGroup(3, 4).has(shop_id) else 1 if ShopGroup(1, 2).has(shop_id) else 2)
    assert late in LedgerFiles(hour.ledger).uncovered(0)


def _units(hour: Divided) -> list[tuple[int, int]]:
    documents = [canonical_json.loads(body) for body in hour.compacting.bodies()]
    return [(unit["group"], unit["groups"]) for unit in documents]


def test_dispatch__hour_by_its_bytes__as_many_groups_as_it_needs(monkeypatch: pytest.MonkeyPatch) -> None:
    hour = Divided()
    size = len(hour.ledger.objects[hour.put("1", _one_of_each("1"))].blob.content)
    assert _units(hour) == [(0, 1)]

    monkeypatch.setattr("abtest.domain.ledger.shop_groups.BYTES_OF_A_GROUP", size // 3)

    assert _units(hour) == [(0, 4), (1, 4), (2, 4), (3, 4)]


def test_dispatch__hour_with_documents__keeps_its_division_though_it_grew(monkeypatch: pytest.MonkeyPatch) -> None:
    hour = Divided()
    hour.put("1", _one_of_each("1"))
    hour.compact(ShopGroup(1, 4))
    monkeypatch.setattr("abtest.domain.ledger.shop_groups.BYTES_OF_A_GROUP", 1)

    assert _units(hour) == [(0, 4), (2, 4), (3, 4)]


def test_dispatch__document_of_an_older_release__is_read_and_keeps_its_division() -> None:
    hour = Divided()
    raw = hour.put("1", _one_of_each("1"))
    document = {"raw": [raw], "events": [], "rows": 0}
    hour.ledger.put(compacted_key(NOON), canonical_json.encode(document), content_type="application/json")
    assert _units(hour) == []

    hour.put("2", _one_of_each("2"))

    assert _units(hour) == [(0, 1)]
    assert hour.compact(ShopGroup(0, 1)) == ["done"]
    assert _units(hour) == []


def test_dispatch__raw_object_that_vanished__is_due_only_once_there_is_a_new_one() -> None:
    hour = Divided()
    hour.put("1", _one_of_each("1"))
    gone = hour.put("2", _one_of_each("2"))
    hour.compact(ShopGroup(0, 1))
    hour.ledger.delete(gone)
    assert _units(hour) == []

    hour.put("3", _one_of_each("3"))

    assert _units(hour) == [(0, 1)]


def test_compact__damaged_section__fails_its_group_alone_and_its_shops_are_read_from_raw() -> None:
    hour = Divided()
    hour.put("1", _one_of_each("1"))
    broken = hour.put("2", _one_of_each("2"))
    victim, *others = division(GROUPS)
    content = hour.ledger.objects[broken].blob.content
    _, manifest = apart(broken, _one_of_each("2"))
    begins = manifest.sections[EVERY[victim][0]].offset
    damaged = content[: begins + 20] + b"\0\0\0\0" + content[begins + 24 :]
    hour.ledger.put(broken, damaged, content_type="application/x-ndjson")

    with pytest.raises(CompactionFailedError, match=broken):
        hour.compact(victim)
    assert hour.compact(*others) == ["done"] * 3

    assert _units(hour) == [(victim.number, GROUPS)]
    assert all(not LedgerFiles(hour.ledger).of_shop(shop_id, 0).raw for group in others for shop_id in EVERY[group])
    assert all(broken in LedgerFiles(hour.ledger).of_shop(shop_id, 0).raw for shop_id in EVERY[victim])


@pytest.mark.parametrize("wrong", ["of another content", "unreadable", "of another object", "cut"])
def test_compact__wrong_manifest__the_whole_object_is_read(wrong: str) -> None:
    hour = Divided()
    key = hour.put("1", _one_of_each("1"), form="bare")
    size = len(hour.ledger.objects[key].blob.content)
    content, manifest = apart(key, _one_of_each("1"))
    if wrong == "of another content":
        # As long as the object, so that only the bytes show it.
        hour.ledger.put(key, gzip.compress(gzip.decompress(content), 0), content_type="application/x-ndjson")
        size = len(hour.ledger.objects[key].blob.content)
        last = max(manifest.sections, key=lambda shop_id: manifest.sections[shop_id].offset)
        longer = size - manifest.sections[last].offset
        stored = manifest.encoded().replace(b"%d" % manifest.sections[last].length, b"%d" % longer)
    elif wrong == "unreadable":
        stored = b"{}"
    elif wrong == "of another object":
        stored = sectioned(raw_key(["2"], NOON), _one_of_each("1"))[1].encoded()
    else:
        stored = manifest.encoded()
    hour.ledger.put(manifest_key(key), stored, content_type="application/json")

    assert hour.compact() == ["done"] * GROUPS

    for shop_id in SHOPS:
        assert hour.events(shop_id) == [f"1-{shop_id}"]
        assert LedgerFiles(hour.ledger).of_shop(shop_id, 0).raw == ()


STRANGE: list[Line] = [row("x", shop_id=SHOPS[3], ts="x"), row("y", shop_id=SHOPS[7], ts="y"), b"\x00"]


def test_quarantine__of_an_object_without_sections__has_each_line_once() -> None:
    for manifest in (False, True):
        hour = Divided()
        key = put_raw(hour.ledger, "1", [*_one_of_each("1"), *STRANGE])
        if manifest:
            size = len(hour.ledger.objects[key].blob.content)
            content = whole_object(key, size, _one_of_each("1")[:1]).encoded()
            # A shop of group 2 alone, so that the others know of no rows.
            hour.ledger.put(manifest_key(key), content, content_type="application/json")

        hour.compact()

        lines = {event_id for event_id, _ in hour.quarantined()}
        assert "unreadable" in lines
        assert len(hour.quarantined()) == len(lines)
        assert manifest or lines == {"x", "y", "unreadable"}


@pytest.mark.parametrize("form", ["apart", "shared"])
def test_quarantine__of_members__has_each_line_once_with_its_index_in_the_object(form: str) -> None:
    hour = Divided()
    rows = [*_one_of_each("1"), row("x", shop_id=SHOPS[3], ts="x"), row("y", shop_id=SHOPS[7], ts="y")]
    hour.put("1", rows, form=form)
    lines = sorted(rows, key=lambda each: str(each["shop_id"]))

    hour.compact()

    assert hour.quarantined() == [("x", _index(lines, "x")), ("y", _index(lines, "y"))]


def _index(lines: Sequence[Any], event_id: str) -> int:
    return next(number for number, line in enumerate(lines) if line["event_id"] == event_id)


def test_compact__group_without_shops__has_a_document_without_files() -> None:
    hour = Divided()
    hour.put("1", [row("a", shop_id=SHOPS[0])])

    assert hour.compact() == ["done"] * GROUPS

    documents = [hour.ledger.objects[key].blob.content for key in keys_in(hour.ledger, "compacted/")]
    assert sorted(read_compacted_hour(content).rows for content in documents) == [0, 0, 0, 1]


def test_encoded__document__begins_with_the_digest_that_the_dispatcher_compares() -> None:
    document = CompactedHour(raw=frozenset({"raw/b", "raw/a"}), events=(), rows=0)

    assert document.encoded().startswith(beginning(["raw/a", "raw/b"]))


@given(
    st.lists(st.tuples(st.integers(0, 11), st.integers(0, 30), st.integers(0, 4)), max_size=60),
    st.lists(st.sampled_from(["apart", "shared", "whole", "bare"]), min_size=5, max_size=5),
    st.lists(st.sampled_from([group for of in (1, 2, 4, 8) for group in division(of)]), max_size=8),
)
@settings(max_examples=sized(25, 10), deadline=None)
def test_compact__random_rows_forms_and_groups__no_event_of_any_shop_is_lost(
    rows: list[tuple[int, int, int]], forms: list[str], groups: list[ShopGroup]
) -> None:
    hour = Divided()
    expected: dict[str, set[str]] = {shop_id: set() for shop_id in SHOPS}
    for number, form in enumerate(forms):
        mine = [
            row(f"e{event}", shop_id=SHOPS[shop], visitor_id=f"v{event % 7}")
            for shop, event, each in rows
            if each == number
        ]
        if mine:
            hour.put(f"{number}", mine, form=form)
        for each in mine:
            expected[str(each["shop_id"])].add(str(each["event_id"]))
        for group in groups[number : number + 2]:
            hour.compact(group)
            assert {shop_id: set(hour.events(shop_id)) for shop_id in SHOPS} == expected


def test_rows__of_parquet__have_every_column() -> None:
    hour = Divided()
    hour.put("1", _one_of_each("1"))
    hour.compact()

    files = LedgerFiles(hour.ledger).of_shop(SHOPS[0], 0)
    (stored,) = rows_of(*(hour.ledger.objects[key].blob.content for key in files.parquet))

    assert {name: stored[name] for name in COLUMNS} == row(f"1-{SHOPS[0]}", shop_id=SHOPS[0])
