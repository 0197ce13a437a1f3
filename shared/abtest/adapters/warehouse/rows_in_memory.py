"""Counts of few rows by the reference itself, where the statements of an engine cost more than they save.

Measured with three goals a plan: DuckDB takes 55 ms of a processor to plan and run the statements of one plan and 35 ms
for a day, however few the rows are, and 1.7 µs more for each row. Python takes 5 µs a row to read it once for all plans
and days, and 1.2 µs for each plan. So Python is faster up to 10,000 rows for each plan, and up to 20,000 where a change
needs two counts of each.
"""

import gc
from collections.abc import Generator, Iterable, Sequence
from contextlib import contextmanager
from typing import Any, cast

import duckdb

from abtest.domain.ledger.cells import Counts
from abtest.domain.ledger.columns import COLUMNS
from abtest.domain.ledger.events import Row
from abtest.domain.ledger.plans import CountingPlan
from abtest.domain.ledger.reference import count_plan
from abtest.domain.ledger.shop_days import ShopDay, count_day
from abtest.domain.ledger.shop_rows import ShopRows

ROWS_A_PLAN = 10_000
MOST_ROWS = 50_000
"""Number of rows that memory is meant for: a row takes about 2 KB."""

IS_NEW = "is_new"


class RowsInMemory:
    """Rows of one shop that are counted in Python. Equal to `DuckDbShopLedger` of the same rows."""

    def __init__(self, rows: Iterable[Row], shop_id: str) -> None:
        self._rows = ShopRows(rows)
        self._shop_id = shop_id

    def count(self, plan: CountingPlan) -> Counts:
        """Return the counts of a plan of the shop."""
        return count_plan(self._rows, plan)

    def days(self, dates: Sequence[str], currency: str) -> dict[str, ShopDay]:
        """Return the shop's days by date (`YYYY-MM-DD`, UTC)."""
        return {date: count_day(self._rows, self._shop_id, date, currency) for date in dates}


@contextmanager
def without_collection() -> Generator[None, None, None]:
    """Pause the search for cycles of objects: rows and counts have none, and it takes two fifths of the time."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def in_memory(database: duckdb.DuckDBPyConnection, relation: str, shop_id: str, *, plans: int) -> RowsInMemory | None:
    """Return the rows of a relation with the ledger's columns; None if they are too many for a number of plans."""
    rows = _rows(database, relation, plans, ())
    return None if rows is None else RowsInMemory((row for row, *_ in rows), shop_id)


def before_and_after(
    database: duckdb.DuckDBPyConnection, relation: str, shop_id: str, *, plans: int
) -> tuple[RowsInMemory, RowsInMemory] | None:
    """Return the rows of a relation without those with IS_NEW, and all of them; None if they are too many."""
    # Statements would count every plan twice.
    rows = _rows(database, relation, 2 * max(plans, 1), (IS_NEW,))
    if rows is None:
        return None
    before = RowsInMemory((row for row, is_new in rows if not is_new), shop_id)
    return before, RowsInMemory((row for row, _ in rows), shop_id)


def _rows(
    database: duckdb.DuckDBPyConnection, relation: str, plans: int, further: Sequence[str]
) -> list[tuple[Any, ...]] | None:
    """Return each row with the values of further columns."""
    most = min(ROWS_A_PLAN * max(plans, 1), MOST_ROWS)
    ((number,),) = database.execute(f"SELECT count(*) FROM (FROM {relation} LIMIT {most + 1})").fetchall()  # noqa: S608 - a name of our own
    if number > most:
        return None
    names = (*COLUMNS, *further)
    rows: list[tuple[Any, ...]] = database.execute(f"SELECT {', '.join(names)} FROM {relation}").fetchall()  # noqa: S608 - names of our own
    width = len(COLUMNS)
    return [(cast(Row, dict(zip(COLUMNS, row, strict=False))), *row[width:]) for row in rows]
