"""Many plans and many days of a shop in one statement: each equals the reference, in DuckDB and in Athena."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Protocol

import duckdb
import pytest

from abtest.adapters.warehouse.judgements import verdicts
from abtest.adapters.warehouse.kept_rows_sql import Needed, kept_statement
from abtest.adapters.warehouse.plan_relations_sql import Numbered
from abtest.adapters.warehouse.plans_result import counts_of_plans
from abtest.adapters.warehouse.plans_sql import judged_statement, plans_statement
from abtest.adapters.warehouse.shop_days_sql import shop_days_of, shop_days_query
from abtest.adapters.warehouse.sql_texts import literal
from abtest.domain.ledger.cells import Counts
from abtest.domain.ledger.columns import COLUMNS
from abtest.domain.ledger.daily_counts import date_of
from abtest.domain.ledger.events import DAY_MS, Row
from abtest.domain.ledger.plans import CountingPlan
from abtest.domain.ledger.reference import count
from abtest.domain.ledger.shop_days import ShopDay, shop_day
from tests.contract.warehouses import athena_opened
from tests.support.ledgers import (
    BEGIN,
    GOALS,
    HOLDOUT_PLAN,
    PLAN,
    SHOP,
    delivery,
    exposure,
    goal,
    order,
    plan,
    random_ledger,
)
from tests.support.local_athena import local_athena

TODAY = BEGIN // DAY_MS
DATES = [date_of(day) for day in range(TODAY - 8, TODAY + 10)]
DAYS_FROM = (TODAY - 15) * DAY_MS
PLANS = (
    PLAN,
    HOLDOUT_PLAN,
    replace(PLAN, experiment_id="exp-2", begins_at=BEGIN + 3_000, goals=GOALS[:8]),
    replace(PLAN, experiment_id="exp-3", begins_at=BEGIN - DAY_MS, variation_ids=("blue",)),
    replace(PLAN, currency="USD"),
    replace(PLAN, goals=(), begins_at=BEGIN - DAY_MS),
    # Copies from before its begin do not count: other copies stand than for the first plan.
    replace(PLAN, begins_at=BEGIN + 500, goals=tuple(replace(each, looks_back=False) for each in GOALS)),
    replace(PLAN, assignment_epoch=1),
)


class Kept(Protocol):
    """Kept rows of a shop."""

    def counts(self, plans: Sequence[CountingPlan]) -> list[Counts]: ...

    def days(self, dates: Sequence[str], currency: str) -> dict[str, ShopDay]: ...


Keep = Callable[[Sequence[Row], Needed], AbstractContextManager[Kept]]


class InDuckDb:
    """The same statements in the embedded engine."""

    def __init__(self, database: duckdb.DuckDBPyConnection) -> None:
        self._database = database

    def counts(self, plans: Sequence[CountingPlan]) -> list[Counts]:
        """By the statement for many plans."""
        numbered = Numbered(plans)
        run = self._database.execute
        run("CREATE OR REPLACE TABLE taken (judgement BIGINT, event_id VARCHAR, received_at BIGINT, worth BIGINT)")
        listing = judged_statement(numbered, kept="kept_rows")
        if listing is not None:
            judged = verdicts(numbered.judgements.items(), numbered.judged(), run(listing).fetchall())
            if accepted := [list(verdict) for verdict in judged]:
                self._database.executemany("INSERT INTO taken VALUES (?, ?, ?, ?)", accepted)
        return counts_of_plans(numbered, run(plans_statement(numbered, kept="kept_rows", accepted="taken")).fetchall())

    def days(self, dates: Sequence[str], currency: str) -> dict[str, ShopDay]:
        """By the statement for many days."""
        rows = self._database.execute(shop_days_query(dates, currency, kept="kept_rows")).fetchall()
        return shop_days_of(SHOP, dates, currency, rows)


@contextmanager
def kept_in_duckdb(rows: Sequence[Row], needed: Needed) -> Iterator[Kept]:
    types = {"text": "VARCHAR", "integer": "BIGINT", "flag": "BOOLEAN"}
    columns = ", ".join(f"{name} {types[kind]}" for name, kind in COLUMNS.items())
    with duckdb.connect() as database:
        database.execute(f"CREATE TABLE ledger ({columns})")
        if rows:
            places = ", ".join("?" * len(COLUMNS))
            database.executemany(
                f"INSERT INTO ledger VALUES ({places})", [[*row.values()] for row in map(_columns_of, rows)]
            )
        mine = f"shop_id = {literal(SHOP)} AND received_at >= {literal(needed.since)}"
        events = f"(SELECT *, '2026-02-02' AS written FROM ledger WHERE {mine})"
        database.execute(f"CREATE TABLE kept_rows AS {kept_statement(needed, events=events)}")
        yield InDuckDb(database)


def _columns_of(row: Row) -> dict[str, object]:
    fields: dict[str, object] = dict(row)
    return {name: fields.get(name) for name in COLUMNS}


@contextmanager
def _duckdb() -> Iterator[Keep]:
    yield kept_in_duckdb


@contextmanager
def _athena() -> Iterator[Keep]:
    with TemporaryDirectory() as state, local_athena(Path(state)) as running:

        @contextmanager
        def keep(rows: Sequence[Row], needed: Needed) -> Iterator[Kept]:
            with athena_opened(running, rows, SHOP) as ledger, ledger.kept(needed) as kept:
                yield kept

        yield keep


@pytest.fixture(params=[_athena, _duckdb], ids=["athena", "duckdb"], scope="module")
def keep(request: pytest.FixtureRequest) -> Iterator[Keep]:
    """Keeps the rows that a question needs, in one engine."""
    with request.param() as engine:
        yield engine


@pytest.mark.parametrize(("key", "number"), [(1, 400), (2, 250), (3, 60), (4, 400)])
def test_plans_and_days__any_ledger__equal_the_reference(keep: Keep, key: int, number: int) -> None:
    rows = random_ledger(key, number)
    with keep(rows, Needed(plans=PLANS, days_from=DAYS_FROM)) as kept:
        assert kept.counts(PLANS) == [count(rows, each) for each in PLANS]
        assert kept.days(DATES, "EUR") == {date: shop_day(rows, SHOP, date, "EUR") for date in DATES}


def test_plans__without_days__need_fewer_rows_and_count_the_same(keep: Keep) -> None:
    rows = random_ledger(5, 300)
    for subject in ([PLAN], [HOLDOUT_PLAN], [plan(goal("click"))]):
        with keep(rows, Needed(plans=subject)) as kept:
            assert kept.counts(subject) == [count(rows, each) for each in subject]


def test_plans__no_rows__have_an_entry_for_each_goal(keep: Keep) -> None:
    with keep([], Needed(plans=PLANS, days_from=DAYS_FROM)) as kept:
        assert kept.counts(PLANS) == [count([], each) for each in PLANS]
        assert kept.days(DATES[:1], "EUR") == {DATES[0]: shop_day([], SHOP, DATES[0], "EUR")}


def test_plans__copies_on_both_sides_of_a_begin__stand_for_one_plan_each(keep: Keep) -> None:
    """A plan does not know the copies from before it began."""
    later = replace(PLAN, experiment_id="exp-1", begins_at=BEGIN + 10, goals=(goal("money", "revenue"),))
    plans = (replace(later, begins_at=BEGIN), later)
    rows = [
        exposure("a", "blue", BEGIN + 20),
        exposure("a", "blue", BEGIN + 20, event_id="x", received_at=BEGIN + 25),
        order("a", 700, BEGIN + 5, event_id="o", received_at=BEGIN + 5),
        order("a", 900, BEGIN + 30, event_id="o", received_at=BEGIN + 30),
        order("a", 900, BEGIN + 30, event_id="o", received_at=BEGIN + 30, currency="USD"),
    ]
    with keep(rows, Needed(plans=plans)) as kept:
        first, second = kept.counts(plans)
    assert (first, second) == tuple(count(rows, each) for each in plans)
    assert not first.goals["money"]
    assert second.goals["money"]


def test_plans__newest_row_of_no_use__is_where_they_are_counted_to(keep: Keep) -> None:
    newest = delivery("q", "blue", "sdk_perf", BEGIN + 9, qa_mode=True, event_id="q")
    rows = [exposure("a", "blue"), newest]
    ended = replace(PLAN, begins_at=BEGIN + 10)
    with keep(rows, Needed(plans=(PLAN, ended))) as kept:
        assert [counts.through for counts in kept.counts((PLAN, ended))] == [BEGIN + 9, None]


def test_plans__hostile_texts__are_texts(keep: Keep) -> None:
    name = 'it\'s; DROP TABLE "events" -- \\'
    subject = plan(
        goal(name, "custom", event_name=name), experiment_id=name, variation_ids=(name, "other"), currency="'"
    )
    rows = [
        exposure("a", name, experiment_id=name),
        order("a", 1, type="custom", event_name=name, event_id="c"),
        order("a", 1, type="goal", goal_id=name, event_id="g"),
    ]
    with keep(rows, Needed(plans=[subject])) as kept:
        (counts,) = kept.counts([subject])
    assert counts == count(rows, subject)
    assert counts.goals[name]
