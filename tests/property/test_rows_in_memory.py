"""Rows that many plans and days share: each answer is that of the rows alone, and that of the statements."""

import gc
import random
from contextlib import suppress
from typing import Any

import duckdb
from hypothesis import given, settings
from hypothesis import strategies as st

from abtest.adapters.warehouse.duckdb_ledger import DuckDbShopLedger
from abtest.adapters.warehouse.many_plans import counting_many
from abtest.adapters.warehouse.raw_rows import CREATE_RAW
from abtest.adapters.warehouse.rows_in_memory import MOST_ROWS, before_and_after, in_memory, without_collection
from abtest.domain.ledger.columns import COLUMNS
from abtest.domain.ledger.daily_counts import DailyCounts, date_of
from abtest.domain.ledger.events import DAY_MS, Row
from abtest.domain.ledger.plans import CountingPlan
from abtest.domain.ledger.reference import count
from abtest.domain.ledger.shop_days import shop_day
from tests.support.ledgers import BEGIN, GOALS, HOLDOUT_PLAN, PLAN, SHOP, plan, random_ledger
from tests.support.sizes import sized

PLANS: tuple[CountingPlan, ...] = (
    PLAN,
    HOLDOUT_PLAN,
    plan(*GOALS[4:], begins_at=BEGIN + 1_000, currency="USD"),
    plan(*GOALS[:7], begins_at=BEGIN - 20 * DAY_MS),
    plan(*GOALS, begins_at=BEGIN + 4_000),
    plan(*GOALS[:2], experiment_id="exp-2"),
    plan(),
)
DATES = [date_of(BEGIN // DAY_MS + offset) for offset in (1, -1, 0, 8)]
KEYS, NUMBERS = st.integers(0, 2**32), st.integers(0, 150)
bounded = settings(max_examples=sized(25, 8), deadline=None, database=None)


def opened(rows: list[Row], *further: str) -> duckdb.DuckDBPyConnection:
    database = duckdb.connect()
    database.execute(CREATE_RAW)
    for column in further:
        database.execute(f"ALTER TABLE raw ADD COLUMN {column} BOOLEAN")
    names = (*COLUMNS, *further)
    values: list[list[Any]] = [[dict(row)[name] for name in names] for row in rows if row["shop_id"] == SHOP]
    if values:
        database.executemany(f"INSERT INTO raw VALUES ({', '.join('?' * len(names))})", values)
    return database


@bounded
@given(KEYS, NUMBERS)
def test_in_memory__many_plans_and_days__equal_the_rows_alone_and_the_statements(key: int, number: int) -> None:
    rows = random_ledger(key, number)
    plans, dates = [*PLANS], [*DATES]
    random.Random(key).shuffle(plans)
    with opened(rows) as database:
        few, engine = in_memory(database, "raw", SHOP, plans=1), DuckDbShopLedger(database, "raw", SHOP)
        assert few is not None
        for requested in plans:
            counts = few.count(requested)
            assert counts == count(rows, requested)
            assert DailyCounts.of(counts) == DailyCounts.of(engine.count(requested))
        days = few.days(dates, "EUR")
        assert days == engine.days(dates, "EUR") == {date: shop_day(rows, SHOP, date, "EUR") for date in dates}


@bounded
@given(KEYS, NUMBERS, st.integers(2, len(PLANS)))
def test_counting_many__rows_that_any_plan_needs__equal_all_rows(key: int, number: int, size: int) -> None:
    rows = random_ledger(key, number)
    plans = random.Random(key).sample(PLANS, size)
    with opened(rows) as database, counting_many(database, "raw", SHOP, plans) as counted:
        for each in plans:
            assert counted(each) == count(rows, each)


@bounded
@given(KEYS, NUMBERS)
def test_before_and_after__new_rows__are_in_the_second_only(key: int, number: int) -> None:
    rows = random_ledger(key, number)
    chance = random.Random(key)
    marked: list[Any] = [{**row, "is_new": chance.random() < 0.3} for row in rows]
    old = [row for row in marked if not row["is_new"]]
    with opened(marked, "is_new") as database:
        both = before_and_after(database, "raw", SHOP, plans=1)
    assert both is not None
    for few, expected in zip(both, (old, marked), strict=True):
        assert few.count(PLAN) == count(expected, PLAN)
        assert few.days(DATES[:1], "EUR") == {DATES[0]: shop_day(expected, SHOP, DATES[0], "EUR")}


def test_in_memory__more_rows_than_a_number_of_plans_may_have__is_nothing() -> None:
    row = of_the_shop(random_ledger(1, 1)[0])
    with opened([row]) as database:
        database.execute("INSERT INTO raw SELECT raw.* FROM raw, range(15000)")
        assert in_memory(database, "raw", SHOP, plans=0) is None
        assert in_memory(database, "raw", SHOP, plans=1) is None
        assert in_memory(database, "raw", SHOP, plans=2) is not None
        database.execute(f"INSERT INTO raw SELECT raw.* FROM raw LIMIT {MOST_ROWS}")
        database.execute("INSERT INTO raw SELECT raw.* FROM raw, range(3)")
        assert in_memory(database, "raw", SHOP, plans=1_000) is None


def test_without_collection__nested_and_after_an_error__collects_again() -> None:
    with suppress(RuntimeError), without_collection():
        with without_collection():
            assert not gc.isenabled()
        assert not gc.isenabled()
        raise RuntimeError
    assert gc.isenabled()


def of_the_shop(row: Row) -> Row:
    return {**row, "shop_id": SHOP}
