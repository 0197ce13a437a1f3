"""The model of documents agrees with the store's own form of items."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

import pytest

from abtest.adapters.dynamo import keys
from abtest.adapters.dynamo.rollup_form import Held, Slice, formed
from abtest.adapters.dynamo.sizes import item_size
from abtest.adapters.dynamo.table import Item
from tools.cost.documents import Documents, units

KEY = keys.rollup("0192a3b4-0000-7000-8000-0000000000e1", 1)
SMALL = Documents(
    totals=650, totals_a_day=42, day=310, segments=310, first=290, following=230,
    changed=0.8, older=0.4, a_day=2, days=28, factor=2,
)  # fmt: skip


def content(chance: random.Random, size: float) -> str:
    """Text that takes so many bytes when it is compressed."""
    return chance.randbytes(int(size * 0.87)).hex()


def measured(given: Documents, seed: int) -> float:
    """Write units of a count, of the items that the store writes in an experiment's life."""
    chance, spent, counts, known = random.Random(seed), 0.0, 0, set[int]()
    item: Item | None = None
    for day in range(int(given.days)):
        for _ in range(int(given.a_day)):
            counts += 1
            changed: set[int] = set()
            if chance.random() < given.changed:
                earlier = sorted(known - {day})
                changed = {day} | (
                    {chance.choice(earlier)} if earlier and chance.random() < given.older else set[int]()
                )
            known |= changed
            slices: dict[Slice, Any] = {}
            for each in changed:
                date, stamp = f"2026-01-{each + 1:02}", {"generation": counts}
                slices[Slice("DAY", date)] = {**stamp, "text": content(chance, given.following / 2 - 40)}
                slices[Slice("SEG", date)] = {**stamp, "text": content(chance, given.following / 2 - 40)}
            totals = {"generation": counts, "text": content(chance, given.totals + day * given.totals_a_day - 160)}
            *own, whole = formed(Held(item), KEY, totals, slices)
            sizes = [units(item_size(each.item)) for each in (*own, whole)]
            spent += sum(sizes) * (given.factor if own else 1)
            item = whole.item
    return spent / counts


@pytest.mark.parametrize(("a_day", "changed"), [(1, 0.95), (2, 0.8), (6, 0.4)])
def test_together__is_what_the_stores_items_cost(a_day: float, changed: float) -> None:
    given = replace(SMALL, a_day=a_day, changed=changed)
    real = sum(measured(given, seed) for seed in range(4)) / 4
    written, read = given.together()
    assert written == pytest.approx(real, rel=0.15)
    assert read == 1
    assert written < 0.9 * given.apart()


def test_together__of_large_days__is_as_if_each_had_items_of_its_own() -> None:
    given = replace(SMALL, day=9_000, segments=15_000, first=24_000, following=24_000, older=0.0)
    assert given.together()[0] == pytest.approx(given.apart(), rel=0.15)
