"""Ratios in counts: the sums over visitors are those of a plain list of orders, to the last digit, in every engine."""

from __future__ import annotations

import random
from collections import defaultdict
from typing import Any

import duckdb
import pytest
from hypothesis import given, seed, settings
from hypothesis import strategies as st

from abtest.adapters.warehouse.duckdb_ledger import DuckDbShopLedger
from abtest.adapters.warehouse.raw_rows import CREATE_RAW
from abtest.domain.goals.shapes import Quantity
from abtest.domain.ledger.cells import QUARTER, Counts, GoalCount
from abtest.domain.ledger.columns import COLUMNS
from abtest.domain.ledger.events import Row
from abtest.domain.ledger.plans import both_of, denominator_of, parts_of_ratio
from abtest.domain.ledger.reference import count
from abtest.domain.stats.ratios import RatioSums
from abtest.kit import canonical_json
from tests.support.ledgers import BEGIN, SHOP, VARIATIONS, exposure, goal, order, plan, row
from tests.support.sizes import sized

RATIOS: dict[tuple[Quantity, Quantity], str] = {
    ("value", "events"): "order value",
    ("items", "events"): "items per order",
    ("value", "items"): "unit price",
}
PLAN = plan(*(part for pair, name in RATIOS.items() for part in parts_of_ratio(goal(name, "revenue"), *pair)))

Orders = dict[str, list[dict[str, int]]]
"""By visitor: value in cents less refunds, items in hundredths, 1 for the order."""


def shop(key: int, visitors: int) -> tuple[list[Row], Orders]:
    """Visitors who order nothing, once or several times, in euros with refunds; and their orders as a plain list."""
    chance, rows = random.Random(key), []
    orders: Orders = {}
    for number in range(visitors):
        visitor, orders[f"v-{number}"] = f"v-{number}", []
        rows.append(exposure(visitor, VARIATIONS[number % 3]))
        for place in range(chance.choice([0, 0, 1, 1, 2, 5])):
            cents, quantities = chance.randrange(10**9), [chance.randrange(9) for _ in range(chance.randrange(1, 4))]
            name, refund = f"o-{number}-{place}", chance.choice([0, 0, chance.randrange(2 * 10**9)])
            data = canonical_json.encode({"items": [{"sku": "s", "quantity": each} for each in quantities]}).decode()
            rows.append(order(visitor, cents, ts=BEGIN + 1 + place, order_id=name, event_id=name, data=data))
            if refund:
                rows.append(_refund(name, refund))
            sold = {"value": max(0, cents - refund), "items": 100 * sum(quantities), "events": 1}
            orders[visitor].append(sold)
    return rows, orders


def _refund(name: str, minor: int) -> Row:
    fields: dict[str, Any] = {"type": "refund", "order_id": name, "revenue_minor": minor, "currency": "EUR"}
    return row(event_id=f"r-{name}", ts=BEGIN + 9, **fields)


def plain(orders: Orders, variation: str, numerator: str, denominator: str) -> RatioSums:
    """Visitor by visitor."""
    buyers = [bought for number, bought in enumerate(orders.values()) if bought and VARIATIONS[number % 3] == variation]
    pairs = [(sum(one[numerator] for one in each), sum(one[denominator] for one in each)) for each in buyers]
    return RatioSums(
        converters=len(pairs),
        y=sum(y for y, _ in pairs),
        yy=sum(y * y for y, _ in pairs),
        x=sum(x for _, x in pairs),
        xx=sum(x * x for _, x in pairs),
        xy=sum(x * y for y, x in pairs),
    )


def counted(counts: Counts, name: str, variation: str) -> RatioSums:
    """As results read it."""
    totals: defaultdict[str, GoalCount] = defaultdict(GoalCount)
    for part in (name, denominator_of(name), both_of(name)):
        for cell, of_cell in counts.goals[part].items():
            if (cell.variation_id, cell.dimension) == (variation, QUARTER):
                totals[part] = totals[part].plus(of_cell)
    y, x, both = (totals[part] for part in (name, denominator_of(name), both_of(name)))
    return RatioSums.from_squares(y.converters, y.total, y.squares, x.total, x.squares, both.squares)


def in_duckdb(rows: list[Row]) -> Counts:
    """The same rows counted by SQL."""
    with duckdb.connect() as database:
        database.execute(CREATE_RAW)
        fields: list[Any] = [[dict(each)[name] for name in COLUMNS] for each in rows]
        places = ", ".join("?" * len(COLUMNS))
        database.executemany(f"INSERT INTO raw ({', '.join(COLUMNS)}) VALUES ({places})", fields)
        return DuckDbShopLedger(database, "raw", SHOP).count(PLAN)


@seed(20_261_128)
@settings(max_examples=sized(60, 15), deadline=None, database=None)
@given(key=st.integers(0, 2**32), visitors=st.integers(0, 40))
def test_ratio__of_any_orders__has_the_sums_of_a_plain_list(key: int, visitors: int) -> None:
    rows, orders = shop(key, visitors)
    counts = count(rows, PLAN)
    for (numerator, denominator), name in RATIOS.items():
        for variation in VARIATIONS:
            assert counted(counts, name, variation) == plain(orders, variation, numerator, denominator)


@pytest.mark.parametrize("key", range(3))
def test_ratio__counted_by_sql__has_the_sums_of_a_plain_list(key: int) -> None:
    rows, orders = shop(key, 60)
    counts = in_duckdb(rows)
    assert counts == count(rows, PLAN)
    for (numerator, denominator), name in RATIOS.items():
        for variation in VARIATIONS:
            assert counted(counts, name, variation) == plain(orders, variation, numerator, denominator)
