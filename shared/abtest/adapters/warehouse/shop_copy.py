"""Rows of one shop in the process's database, and their counts.

It is a cache, which is dropped after any error. Copies of events are all kept, because which one is valid depends on
the start of counting. Visitors, events and orders are found by 64-bit hashes; two that share a hash are counted again
together, which is harmless.

A run searches its event ids among all, in a scan of one column of numbers. Everything else is in small tables. Only
those pieces of the rows are read that contain visitors of the run. Rows are added in the order of time, so returning
visitors are in few pieces, near the end.
"""

import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any, Protocol, cast

import duckdb

from abtest.adapters.warehouse.brought import Brought
from abtest.adapters.warehouse.many_plans import counting_many
from abtest.adapters.warehouse.raw_rows import parquet_rows
from abtest.adapters.warehouse.rows_in_memory import RowsInMemory, before_and_after, in_memory, without_collection
from abtest.adapters.warehouse.shop_copy_sql import (
    APPEND_ORDERS,
    APPEND_VISITS,
    CHANGING,
    DROP_ECHOES,
    GROW,
    HASHED,
    MET,
    MET_EVENTS,
    ORDER_MOMENTS,
    PIECE,
    PIECE_ROWS,
    SHARED,
    TABLES,
    TIE_EVENTS,
    TIE_ORDERS,
    rows_of,
)
from abtest.adapters.warehouse.sql_texts import literal
from abtest.domain.ledger.cells import Counts
from abtest.domain.ledger.daily_counts import DailyCounts, date_of
from abtest.domain.ledger.events import DAY_MS, Row
from abtest.domain.ledger.partitions import Unit
from abtest.domain.ledger.plans import CountingPlan
from abtest.domain.ledger.shop_day_changes import changed
from abtest.domain.ledger.shop_days import OrderMoment, ShopDay, touched_days
from abtest.domain.ledger.shop_results import PlanCounts, Results, digest_of

_log = logging.getLogger(__name__)


class CopyLedger(Protocol):
    """Rows of a shop that can be counted."""

    def count(self, plan: CountingPlan) -> Counts:
        """Return the counts of a plan of the shop."""
        ...

    def days(self, dates: Sequence[str], currency: str) -> Mapping[str, ShopDay]:
        """Return the shop's days by date (`YYYY-MM-DD`, UTC)."""
        ...


Opened = Callable[[duckdb.DuckDBPyConnection, str, str], CopyLedger]
"""Function that opens a table or view with rows of the shop and the ledger's columns."""

_ROWS = "shop_rows"
"""Relation with all rows of the shop."""

_CLOSURES = ("closure_before", "closure")
"""Relations with all rows of the run's visitors, without and with the new ones."""


class ShopCopy:
    """Rows of a shop since a moment, in the database attached as `name`."""

    def __init__(
        self,
        database: duckdb.DuckDBPyConnection,
        name: str,
        shop_id: str,
        since: int,
        opened: Opened,
        results: Results | None = None,
        *,
        unit: Unit | None = None,
    ) -> None:
        """Open the copy in the attached database `name`: with `results`, one that was stored; else a new one.

        With a `unit`, it has the rows of that unit's visitors.
        """
        self.name = name
        self.since = since
        self.offset = 0
        """Everything up to this offset of the ledger's feed is in the copy."""
        self.covers = 0
        """All rows of the copy are in the feed up to this offset; 0: up to `offset`."""
        self._condition = rows_of(unit)
        self._shop_id = shop_id
        self._database = database
        self._opened = opened
        self._counted: dict[str, PlanCounts] = dict(results.counted) if results else {}
        self._days: dict[str, ShopDay] = dict(results.days) if results else {}
        self._outdated: frozenset[str] = frozenset()
        self._closures: tuple[CopyLedger, CopyLedger] | None = None
        """The closure of the last run before and after its news, until its days are counted."""
        self._whole: CopyLedger | None = None
        """All rows after the last run, until its days are counted."""
        for table, columns in {} if results else TABLES.items():
            database.execute(f"CREATE TABLE {name}.{table} ({columns})")

    @property
    def held(self) -> int:
        """Number of rows in the copy."""
        return self._number(f"SELECT count(*) FROM {self.name}.history")  # noqa: S608 - a name of our own

    @property
    def outdated(self) -> frozenset[str]:
        """Dates that the last `bring` changed and `days` has not updated since."""
        return self._outdated

    def results(self) -> Results:
        """Return what was counted so far and is up to date."""
        days = {date: day for date, day in self._days.items() if date not in self._outdated}
        return Results(counted=dict(self._counted), days=days)

    def append(self, files: Sequence[Path], *, is_new: bool) -> None:
        """Add the rows of Parquet files while the copy is built; new ones go to the inbox."""
        into, shop_column, flag = ("inbox", "shop_id, ", ", true") if is_new else (f"{self.name}.history", "", "")
        rows = f"{parquet_rows('$files')} WHERE shop_id = $shop AND {self._condition}"
        self._database.execute(
            f"INSERT INTO {into} SELECT {shop_column}{HASHED}{flag} FROM {rows}",  # noqa: S608 - names of our own
            {"shop": self._shop_id, "files": [str(path) for path in files]},
        )

    def built(self) -> None:
        """Complete the copy with old rows from the inbox, and fill the tables of pieces, orders and shared ids."""
        self._database.execute(
            f"""INSERT INTO {self.name}.history
            SELECT * EXCLUDE (shop_id, is_new) FROM inbox WHERE shop_id = $shop AND NOT is_new""",  # noqa: S608 - names of our own
            {"shop": self._shop_id},
        )
        for text in (APPEND_VISITS, APPEND_ORDERS, TIE_ORDERS, TIE_EVENTS):
            self._database.execute(text.format(name=self.name, rows=f"{self.name}.history"))

    def bring(
        self, plans: Iterable[CountingPlan], *, offset: int = 0, check: Callable[[], None] = lambda: None
    ) -> Brought:
        """Take the shop's new rows, up to `offset` of the feed, from the inbox; update the counts of each plan.

        `check` is called before a plan is counted as a whole, and may raise OutOfTimeError: then the new rows are in
        the copy, and the next call counts the plans that remain. After any other exception the copy is invalid and must
        be dropped.
        """
        digests = {plan.experiment_id: (digest_of(plan), plan) for plan in plans}
        brought = Brought()
        # Days that the last call changed and that were not updated since: they are counted again as a whole.
        self._days = {date: day for date, day in self._days.items() if date not in self._outdated}
        self._outdated = frozenset()
        self._counted = {
            experiment_id: stored
            for experiment_id, stored in self._counted.items()
            # A plan that has changed is counted again as a whole, by `_count_whole`.
            if experiment_id in digests and digests[experiment_id][0] == stored.plan
        }
        brought.rows, brought.oldest, newest = self._take_news()
        if brought.rows:
            self._close()
            self._count_difference(digests, brought)
            brought.dates = self._outdated = self._touched_days()
            self._keep_news()
        self.offset = max(self.offset, offset)
        self._count_whole(digests, brought, check)
        # Repeated rows change no counts, but they show up to when the ledger was read.
        for experiment_id, stored in self._counted.items():
            if newest >= digests[experiment_id][1].begins_at:
                self._counted[experiment_id] = replace(stored, counts=stored.counts.seen(newest))
        brought.counts = {experiment_id: stored.counts for experiment_id, stored in self._counted.items()}
        return brought

    def select_visitors(self, file: Path, into: str) -> None:
        """Make a temporary table of all rows of the visitors whose hashes are the lines of a file."""
        run = self._database.execute
        run(
            """CREATE OR REPLACE TEMP TABLE chosen AS
            SELECT visitor_hash FROM read_csv($file, header = false, columns = {'visitor_hash': 'UBIGINT'})""",
            {"file": str(file)},
        )
        pieces = f"SELECT DISTINCT piece FROM {self.name}.visits SEMI JOIN chosen USING (visitor_hash)"  # noqa: S608 - a name of our own
        rows = self._select(pieces, "visitor_hash IN (SELECT visitor_hash FROM chosen)")
        run(f"CREATE OR REPLACE TEMP TABLE {into} AS SELECT *, {literal(self._shop_id)} AS shop_id FROM ({rows})")  # noqa: S608 - escaped
        run("DROP TABLE chosen")

    def dates(self) -> frozenset[str]:
        """Return the dates (`YYYY-MM-DD`) with any event."""
        days = self._rows(f"SELECT DISTINCT least(ts, received_at) // {DAY_MS} FROM {self.name}.history")  # noqa: S608 - names of our own
        return frozenset(date_of(day) for (day,) in days)

    @without_collection()
    def days(self, dates: Sequence[str], kept: Sequence[str], currency: str) -> dict[str, ShopDay]:
        """Return the shop's days of `dates`, which must include all `kept` dates that the last `bring` changed.

        For a day that was returned before, only the difference is counted.
        """
        self._days = {date: day for date, day in self._days.items() if date in kept and day.currency == currency}
        missing = [date for date in dates if date not in self._days]
        known = [date for date in dates if date in self._days and date in self._outdated]
        days = {date: self._days[date] for date in dates if date in self._days}
        if missing:
            days |= self._ledger(len(missing)).days(missing, currency)
        if known:
            before, after = (ledger.days(known, currency) for ledger in self._closures or self._closed(len(known)))
            days |= {date: changed(self._days[date], before[date], after[date]) for date in known}
        self._days = {date: day for date, day in self._days.items() if date not in self._outdated} | days
        self._outdated = frozenset()
        self._closures = self._whole = None
        return days

    def _ledger(self, plans: int) -> CopyLedger:
        """Open all rows for a number of plans or days."""
        if self._whole is None:
            # A temporary view, because a stored one would contain the name of the database, which another process
            # chooses again.
            self._database.execute(
                f"""CREATE OR REPLACE TEMP VIEW {_ROWS} AS
                SELECT *, {literal(self._shop_id)} AS shop_id FROM {self.name}.history"""  # noqa: S608 - escaped
            )
            few = in_memory(self._database, _ROWS, self._shop_id, plans=plans)
            self._whole = few or self._opened(self._database, _ROWS, self._shop_id)
        return self._whole

    def _closed(self, plans: int) -> tuple[CopyLedger, CopyLedger]:
        """Open the closure for a number of plans or days, without the new rows and with them."""
        few = before_and_after(self._database, "closure", self._shop_id, plans=plans)
        if few is not None:
            return few
        before, after = (self._opened(self._database, relation, self._shop_id) for relation in _CLOSURES)
        return before, after

    def _take_news(self) -> tuple[int, int | None, int]:
        """Return the number of new rows, and when the first and the last were received; then drop repeated ones."""
        self._database.execute(
            """CREATE OR REPLACE TEMP TABLE news AS
            SELECT * EXCLUDE (shop_id, is_new) FROM inbox WHERE shop_id = $shop AND is_new""",
            {"shop": self._shop_id},
        )
        ((number, oldest, newest),) = self._rows("SELECT count(*), min(received_at), max(received_at) FROM news")
        if number:
            self._database.execute(MET_EVENTS.format(name=self.name))
            known = self._select("SELECT piece FROM met_events", "event_hash IN (SELECT shared FROM met_events)")
            self._database.execute(f"CREATE OR REPLACE TEMP TABLE known AS {known}")
            self._database.execute(DROP_ECHOES)
        return number, oldest, newest or 0

    def _select(self, pieces: str, condition: str) -> str:
        """Return the query for the rows that meet a condition, all of them in the pieces that another query returns."""
        pieces_read = sorted({piece for (piece,) in self._rows(pieces)})
        rows = f"SELECT * FROM {self.name}.history WHERE {condition}"  # noqa: S608 - names of our own
        if not pieces_read:
            return f"{rows} AND false"
        first, last, distinct = pieces_read[0], pieces_read[-1], set(pieces_read)
        # One bit for each piece between the first and the last.
        marks = "".join("1" if piece in distinct else "0" for piece in range(first, last + 1))
        within = f"rowid >= {first * PIECE_ROWS} AND rowid < {(last + 1) * PIECE_ROWS}"
        return f"{rows} AND {within} AND get_bit('{marks}'::BIT, ({PIECE} - {first})::INTEGER) = 1"

    def _close(self) -> None:
        """Collect all rows of visitors who share an id with a new row, directly or through other visitors."""
        run = self._database.execute
        run(MET.format(name=self.name))
        run(f"CREATE OR REPLACE TEMP TABLE new_ties AS {SHARED}")
        run(f"CREATE OR REPLACE TEMP VIEW bonds AS FROM {self.name}.ties UNION ALL FROM new_ties")
        run("CREATE OR REPLACE TEMP TABLE touched AS SELECT DISTINCT visitor_hash FROM news")
        # An INSERT returns its number of rows: 0 means that no further visitor is connected.
        while self._number(GROW):
            pass
        pieces = f"SELECT DISTINCT piece FROM {self.name}.visits SEMI JOIN touched USING (visitor_hash)"  # noqa: S608 - a name of our own
        rows = self._select(pieces, "visitor_hash IN (SELECT visitor_hash FROM touched)")
        run(
            f"""CREATE OR REPLACE TEMP TABLE closure AS
            SELECT *, {literal(self._shop_id)} AS shop_id
            FROM (SELECT *, false AS is_new FROM ({rows}) UNION ALL SELECT *, true FROM news)"""  # noqa: S608 - escaped
        )
        run("CREATE OR REPLACE TEMP VIEW closure_before AS SELECT * FROM closure WHERE NOT is_new")

    @without_collection()
    def _count_difference(self, digests: Mapping[str, tuple[str, CountingPlan]], brought: Brought) -> None:
        before, after = self._closures = self._closed(len(self._counted))
        for experiment_id, stored in list(self._counted.items()):
            plan = digests[experiment_id][1]
            try:
                counts = stored.counts.changed(before.count(plan), after.count(plan))
                self._counted[experiment_id] = PlanCounts(plan=stored.plan, counts=counts)
            except Exception as error:
                _log.exception("rollup.not_counted", extra={"experiment_id": experiment_id})
                # These counts would lack the new rows for ever, so the next run counts the whole plan.
                del self._counted[experiment_id]
                brought.failed[experiment_id] = str(error)

    def _touched_days(self) -> frozenset[str]:
        orders = [OrderMoment(order_id or "", visitor, at) for order_id, visitor, at in self._rows(ORDER_MOMENTS)]
        columns = ("type", "qa_mode", "visitor_id", "order_id", "ts", "received_at")
        rows = (cast(Row, dict(zip(columns, values, strict=True))) for values in self._rows(CHANGING))
        return touched_days(rows, orders)

    def _keep_news(self) -> None:
        """Move the new rows to the copy. An exception here invalidates the copy, see `bring`."""
        run, held = self._database.execute, self.held
        # One transaction for several tables, because each one waits for the disk.
        run("BEGIN")
        run(f"INSERT INTO {self.name}.history FROM news")
        run(f"INSERT INTO {self.name}.ties FROM new_ties")
        run(APPEND_ORDERS.format(name=self.name, rows="news"))
        run("COMMIT")
        # Rows are never deleted, so they are numbered from 0 without gaps, once they are committed.
        run(f"{APPEND_VISITS.format(name=self.name)} WHERE rowid >= {held}")

    @without_collection()
    def _count_whole(
        self, digests: Mapping[str, tuple[str, CountingPlan]], brought: Brought, check: Callable[[], None]
    ) -> None:
        """Count the plans that are new or have changed."""
        self._whole = None
        plans = [plan for each, (_, plan) in digests.items() if each not in {*self._counted, *brought.failed}]
        if not plans:
            return
        ledger = self._ledger(len(plans))
        counting: AbstractContextManager[Callable[[CountingPlan], Counts]] = nullcontext(ledger.count)
        if len(plans) > 1 and not isinstance(ledger, RowsInMemory):
            counting = counting_many(self._database, _ROWS, self._shop_id, plans)
        with counting as count:
            for plan in plans:
                check()
                try:
                    counts = PlanCounts(plan=digests[plan.experiment_id][0], counts=DailyCounts.of(count(plan)))
                    self._counted[plan.experiment_id] = counts
                except Exception as error:
                    _log.exception("rollup.not_counted", extra={"experiment_id": plan.experiment_id})
                    brought.failed[plan.experiment_id] = str(error)

    def _number(self, text: str) -> int:
        number: int = self._database.execute(text).fetchall()[0][0]
        return number

    def _rows(self, text: str) -> list[tuple[Any, ...]]:
        rows: list[tuple[Any, ...]] = self._database.execute(text).fetchall()
        return rows
