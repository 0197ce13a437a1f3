"""Which objects hold a shop's rows: Parquet where hours are compacted, raw for the rest, never neither."""

from abtest.domain.ledger.compacted_hours import CompactedHour
from abtest.domain.ledger.objects import EventsFile, ShopFiles, compacted_key, raw_key
from abtest.services.ledger_files import LedgerFiles
from tests.support.memory import MemoryBlobs

HOUR, DAY = 3_600_000, 86_400_000
NOON = 1_779_883_200_000  # 2026-05-27T12:00:00Z


def _raw(ledger: MemoryBlobs, hour: int, name: str) -> str:
    key = raw_key([name], hour)
    ledger.put(key, b"rows", content_type="application/x-ndjson")
    return key


def _compact(ledger: MemoryBlobs, hour: int, raw: list[str], *shops: str) -> list[str]:
    keys = [EventsFile(shop_id=shop, hour=hour, first=0, last=15, digest="d").key for shop in shops]
    document = CompactedHour(raw=frozenset(raw), events=tuple(keys), rows=1)
    ledger.put(compacted_key(hour), document.encoded(), content_type="application/json")
    return keys


def test_of_shop__compacted_and_younger_hours__parquet_of_the_shop_and_raw_of_all() -> None:
    ledger = MemoryBlobs()
    old = _raw(ledger, NOON, "old")
    mine, _ = _compact(ledger, NOON, [old], "mine", "other")
    young = _raw(ledger, NOON + HOUR, "young")

    assert LedgerFiles(ledger).of_shop("mine", NOON) == ShopFiles(parquet=(mine,), raw=(young,))


def test_of_shop__raw_object_that_the_document_does_not_name__is_read_beside_it() -> None:
    ledger = MemoryBlobs()
    old = _raw(ledger, NOON, "old")
    _compact(ledger, NOON, [old], "mine")
    late = _raw(ledger, NOON, "late")

    assert LedgerFiles(ledger).of_shop("mine", NOON).raw == (late,)


def test_of_shop__hours_on_both_sides_of_compacted_days__are_all_found() -> None:
    ledger = MemoryBlobs()
    compacted = _raw(ledger, NOON, "compacted")
    _compact(ledger, NOON, [compacted], "mine")
    others = [_raw(ledger, NOON + days * DAY, f"{days}") for days in (-40, -1, 1, 40)]

    assert LedgerFiles(ledger).of_shop("mine", 0).raw == tuple(others)


def test_of_shop__since_a_moment__older_hours_are_left_out_but_for_one_of_margin() -> None:
    ledger = MemoryBlobs()
    for hours in (-3, -2):
        _compact(ledger, NOON + hours * HOUR, [_raw(ledger, NOON + hours * HOUR, f"{hours}")], "mine")
    margin = _compact(ledger, NOON - HOUR, [_raw(ledger, NOON - HOUR, "margin")], "mine")

    assert LedgerFiles(ledger).of_shop("mine", NOON + 1) == ShopFiles(parquet=tuple(margin), raw=())


def test_of_shop__document_whose_raw_objects_are_gone__still_counts() -> None:
    ledger = MemoryBlobs()
    keys = _compact(ledger, NOON, [raw_key(["gone"], NOON)], "mine")

    assert LedgerFiles(ledger).of_shop("mine", NOON) == ShopFiles(parquet=tuple(keys))


def test_of_shop__document_that_cannot_be_read__the_hour_is_read_from_raw() -> None:
    ledger = MemoryBlobs()
    raw = _raw(ledger, NOON, "one")
    for content in (b"", b"[]", b"{}", b'{"raw":[],"events":["raw/x"],"rows":0}', b'{"raw":1,"events":[],"rows":0}'):
        ledger.put(compacted_key(NOON), content, content_type="application/json")

        assert LedgerFiles(ledger).of_shop("mine", NOON) == ShopFiles(raw=(raw,))


def test_raw_since__markers_of_folders__are_no_objects() -> None:
    ledger = MemoryBlobs()
    for key in ("raw/", "raw/dt=2026-05-27/", "raw/dt=2026-05-27/hh=12/"):
        ledger.put(key, b"", content_type="application/x-directory")
    raw = _raw(ledger, NOON, "one")

    assert LedgerFiles(ledger).raw_since(NOON) == [raw]
    assert LedgerFiles(ledger).of_shop("mine", 0).raw == (raw,)


def test_hours__range__those_with_raw_objects_with_what_stands() -> None:
    ledger = MemoryBlobs()
    before, first, last, after = (_raw(ledger, NOON + hours * HOUR, f"{hours}") for hours in (-1, 0, 20, 21))
    _compact(ledger, NOON, [first], "mine")

    found = LedgerFiles(ledger).hours(NOON, NOON + 20 * HOUR)

    assert [(hour.hour, hour.raw, hour.uncovered) for hour in found] == [
        (NOON, (first,), ()),
        (NOON + 20 * HOUR, (last,), (last,)),
    ]
    assert {before, after}.isdisjoint({key for hour in found for key in hour.raw})
