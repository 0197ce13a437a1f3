"""Which days of a roll-up are in the item of its totals, and what the items weigh."""

from __future__ import annotations

import random
from typing import Any

from abtest.adapters.dynamo import keys
from abtest.adapters.dynamo.rollup_form import NEWEST_BYTES, NO_DATE, SMALL_BYTES, Held, Slice, formed
from abtest.adapters.dynamo.sizes import MAX_ITEM_BYTES, item_size
from abtest.adapters.dynamo.table import Item

KEY = keys.rollup("e", 1)


def document(generation: int, size: int, **extra: Any) -> dict[str, Any]:
    """A document of about so many bytes when it is compressed."""
    return {
        "generation": generation,
        "text": random.Random(f"{generation} {size}").randbytes(size * 6 // 7).hex(),
        **extra,
    }


def day(number: int) -> Slice:
    return Slice("DAY", f"2026-{number // 28 + 1:02}-{number % 28 + 1:02}")


def written(held: Item | None, generation: int, totals: int = 900, **given: int) -> tuple[list[Item], Item]:
    """Items of their own, and the item of the totals, after a write of days `d<number>` of so many bytes."""
    slices = {day(int(name[1:])): document(generation, size) for name, size in given.items()}
    *own, whole = formed(Held(held), KEY, document(generation, totals), slices)
    return [each.item for each in own], whole.item


def test_days__of_a_small_experiment__leave_the_totals_by_halves_and_never_come_back() -> None:
    held: Item | None = None
    moves, until = 0, NO_DATE
    for number in range(60):
        own, held = written(held, number + 1, **{f"d{number}": 300})
        assert item_size(held) <= SMALL_BYTES
        assert held["own_until"] >= until
        assert [item["sk"] for item in own] == sorted(item["sk"] for item in own)
        assert {item["generation"] for item in own} <= {number + 1}, "no slower writer of an older one replaces them"
        moves, until = moves + bool(own), held["own_until"]
        inside = Held(held).slices()
        assert max(inside) == day(number)
        assert len(inside) == number + 1 - sum(1 for each in range(number + 1) if day(each).date <= until)
    assert 8 <= moves <= 15


def test_earlier_day__that_left_the_totals__stays_an_item_of_its_own() -> None:
    _, held = written(None, 1, d0=300, d1=300, d9=3_500)
    assert held["own_until"] == day(1).date
    own, whole = written(held, 2, d1=30)
    assert [item["sk"] for item in own] == [keys.rollup_slice(KEY, *day(1))[1]]
    assert Held(whole).slices() == Held(held).slices()


def test_newest_day__alone__may_be_larger_than_several_but_not_large() -> None:
    own, held = written(None, 1, d0=9_000, d1=9_000)
    assert [item["sk"] for item in own] == [keys.rollup_slice(KEY, *day(0))[1]]
    assert list(Held(held).slices()) == [day(1)]
    own, grown = written(held, 2, d1=NEWEST_BYTES + 3_000)
    assert [item["sk"] for item in own] == [keys.rollup_slice(KEY, *day(1))[1]]
    assert "days" not in grown
    assert "claimed" not in grown
    _, small = written(grown, 3, d1=30)
    assert "days" not in small, "one item may not be in both places"
    _, following = written(small, 4, d2=30)
    assert list(Held(following).slices()) == [day(2)]


def test_totals__as_large_as_an_item_may_be__leave_room_for_the_newest_day() -> None:
    for totals in (250_000, 290_000, 900_000):
        _, held = written(None, 1, totals=totals, d0=300, d1=14_000)
        assert item_size(held) < MAX_ITEM_BYTES * 4 // 5
        assert list(Held(held).slices()) == [day(1)]


def test_days__of_a_former_release__stay_where_they_are_until_a_new_one_begins() -> None:
    totals = document(3, 900, digests={f"{each.kind}#{each.date}": "" for each in (day(0), day(5), day(6))})
    former = {"pk": KEY[0], "sk": KEY[1], "generation": 2, "document": b""}
    *own, whole = formed(Held(former), KEY, totals, {day(5): document(3, 30)})
    assert [each.item["sk"] for each in own] == [keys.rollup_slice(KEY, *day(5))[1]]
    assert whole.item["own_until"] == day(6).date
    own_items, held = written(whole.item, 4, d6=30, d7=30)
    assert [item["sk"] for item in own_items] == [keys.rollup_slice(KEY, *day(6))[1]]
    assert list(Held(held).slices()) == [day(7)]


def test_claims__of_both_releases__differ_from_the_sign_for_the_former_one() -> None:
    _, held = written(None, 4, d0=30)
    assert (held["claimed"], Held(held).claim, Held(held).is_whole) == (5, 0, True)
    own, former = {**held, "claimed": 5, "begun": 5}, {**held, "claimed": 6}
    assert [(Held(each).claim, Held(each).is_whole) for each in (own, former)] == [(5, False), (6, False)]
    items, whole = written(former, 7, d3=30)
    assert {item["sk"] for item in items} == {keys.rollup_slice(KEY, *day(number))[1] for number in (0, 3)}
    assert "days" not in whole
    assert Held(whole).is_whole
