"""The sample of a night: who is drawn, in what parts, and what a message may contain."""

from collections import Counter
from typing import Any

import pytest

from abtest.domain.ledger.shop_groups import ShopGroup, division
from abtest.kit import canonical_json
from abtest.ports.catalog import COUNTED_FOR_EVER, DueEntry, Kind
from abtest.services.audit.sample import HourPart, ShopPart, part_of, sampled, sampled_hours
from tests.unit.ledger.raw_hours import HOUR, NOON

NIGHT = "2026-05-27"
GOOD: dict[str, Any] = {"seed": NIGHT, "shop_id": "shop-1", "records": [["EXP", "e-1"]]}
GOOD_HOUR: dict[str, Any] = {"seed": NIGHT, "hour": NOON, "group": 1, "groups": 4, "share": 0, "shares": 4}


def entries(shop_id: str, experiments: int, *, kind: Kind = "EXP", has_shop: bool = True) -> list[DueEntry]:
    """The work index of a shop."""
    records: list[tuple[Kind, str]] = [(kind, f"{shop_id}-{number}") for number in range(experiments)]
    records += [("SHOP", "shop")] if has_shop else []
    return [DueEntry(shop_id=shop_id, kind=own, id=id_, due=COUNTED_FOR_EVER) for own, id_ in records]


def drawn_records(parts: list[ShopPart]) -> Counter[str]:
    return Counter(id_ for part in parts for _, id_ in part.records)


def test_sample__fewer_records_than_the_number__has_each_once() -> None:
    listed = entries("shop-1", 12) + entries("shop-2", 1) + entries("shop-3", 2, kind="PZN")

    parts = sampled(listed, NIGHT, 100)

    assert drawn_records(parts) == Counter(entry.id for entry in listed)
    assert sorted(len(part.records) for part in parts) == [2, 3, 3, 10]
    assert {part.shop_id for part in parts[:3]} == {"shop-1", "shop-2", "shop-3"}


def test_sample__many_shops__a_few_records_of_each_in_turn_up_to_the_number() -> None:
    listed = [entry for number in range(1_000) for entry in entries(f"shop-{number}", 20)]

    parts = sampled(listed, NIGHT, 203)

    assert [len(part.records) for part in parts] == [10] * 20 + [3]
    assert len({part.shop_id for part in parts}) == 21
    assert all(len(part.message(NIGHT).body) < 700 for part in parts)


def test_sample__shops_with_nothing_but_a_holdout__come_last() -> None:
    listed = [entry for number in range(50) for entry in entries(f"empty-{number}", 0)] + entries("shop-1", 12)

    parts = sampled(listed, NIGHT, 20)

    assert [part.shop_id for part in parts[:3]] == ["shop-1"] * 2 + [parts[2].shop_id]
    assert all(part.shop_id != "shop-1" for part in parts[2:])
    assert sum(len(part.records) for part in parts) == 20


def test_sample__of_another_night__is_another_one_and_of_the_same_night_the_same() -> None:
    listed = [entry for number in range(40) for entry in entries(f"shop-{number}", 7)]

    assert sampled(listed, NIGHT, 20) == sampled(reversed(listed), NIGHT, 20)
    assert sampled(listed, NIGHT, 20) != sampled(listed, "2026-05-28", 20)
    nights = [drawn_records(sampled(listed, f"2026-05-{day}", 20)) for day in range(10, 31)]
    assert len(set().union(*nights)) > 150


@pytest.mark.parametrize("most", [0, -1])
def test_sample__of_no_records_and_no_hours__is_empty(most: int) -> None:
    assert sampled(entries("shop-1", 3), NIGHT, most) == []
    assert sampled_hours({NOON: [ShopGroup(0, 1)]}, NIGHT, most) == []


def test_hours__of_groups__have_a_part_for_each_document_and_each_object_in_one_share() -> None:
    groups = {NOON: list(division(4)), NOON + HOUR: [ShopGroup(0, 1), ShopGroup(1, 2)], NOON + 2 * HOUR: []}

    parts = sampled_hours(groups, NIGHT, 168)

    assert {(part.unit.hour, part.unit.group) for part in parts} == {
        (hour, group) for hour, own in groups.items() for group in own
    }
    keys = [f"raw/dt=2026-05-27/hh=12/{number}.ndjson.gz" for number in range(50)]
    for hour in (NOON, NOON + HOUR):
        own = [part for part in parts if part.unit.hour == hour]
        assert [sum(part.has(key) for part in own) for key in keys] == [1] * 50
        assert all(any(part.has(key) for key in keys) for part in own)
    assert len(sampled_hours(groups, NIGHT, 1)) in (0, 2, 4)


def test_message__of_a_part__is_read_as_that_part() -> None:
    listed = entries("shop-1", 3) + entries("shop-2", 1, kind="PZN")
    parts: list[ShopPart | HourPart] = [*sampled(listed, NIGHT, 9), *sampled_hours({NOON: [*division(2)]}, NIGHT, 1)]

    assert [part_of(part.message(NIGHT).body) for part in parts] == [(NIGHT, part) for part in parts]
    assert len(parts) == 4


@pytest.mark.parametrize(
    "document",
    [
        "text",
        {**GOOD, "seed": 1},
        {"shop_id": "shop-1"},
        {**GOOD, "shop_id": ""},
        {**GOOD, "shop_id": None},
        {**GOOD, "records": []},
        {**GOOD, "records": None},
        {**GOOD, "records": [["EXP", "e"]] * 11},
        {**GOOD, "records": [["KEY", "k-1"]]},
        {**GOOD, "records": [["EXP"]]},
        {**GOOD, "records": [["EXP", 7]]},
        {**GOOD, "records": "EXP"},
        {**GOOD_HOUR, "hour": NOON + 1},
        {**GOOD_HOUR, "groups": 3},
        {**GOOD_HOUR, "group": 4},
        {**GOOD_HOUR, "share": 4},
        {**GOOD_HOUR, "share": True},
        {**GOOD_HOUR, "shares": 0},
        {"seed": NIGHT, "hour": NOON},
    ],
)
def test_message__that_is_not_a_part__is_refused(document: Any) -> None:
    with pytest.raises(ValueError, match=r"must|not a part"):
        part_of(canonical_json.dumps(document))


def test_message__that_is_not_json__is_refused() -> None:
    with pytest.raises(ValueError, match="not a part"):
        part_of("not a part")
