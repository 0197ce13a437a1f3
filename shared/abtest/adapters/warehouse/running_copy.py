"""One shop's rows in the process's database, and the counts that stand for them.

A cache: whoever is in doubt about it drops it. Copies of events are kept as they come, since which of them stands
depends on the moment from which somebody counts; visitors, events and orders are looked up by 64-bit hashes, and two
that share a hash are merely counted again together.

A run looks for its event ids among all there are, which is a scan of one column of numbers. All else is looked up in
small tables beside it, and of the rows only those pieces are read in which somebody is whom the run is about. They
are added in the order of time, so visitors who come back lie in few pieces, near the end.
"""

import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Protocol

import duckdb

from abtest.adapters.warehouse.running_sql import (
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
)
from abtest.adapters.warehouse.sql_texts import literal
from abtest.domain.ledger.cells import Counts
from abtest.domain.ledger.daily_counts import DailyCounts, date_of
from abtest.domain.ledger.events import DAY_MS, Row
from abtest.domain.ledger.plans import CountingPlan
from abtest.domain.ledger.shop_day_changes import changed
from abtest.domain.ledger.shop_days import OrderMoment, ShopDay, touched_days
from abtest.kit import canonical_json

_log = logging.getLogger(__name__)


class CopyLedger(Protocol):
    """Rows of a shop, open for questions."""

    def count(self, plan: CountingPlan) -> Counts:
        """Counts of a plan of the shop."""
        ...

    def days(self, dates: Sequence[str], currency: str) -> Mapping[str, ShopDay]:
        """The shop's days by date (`YYYY-MM-DD`, UTC)."""
        ...


Opened = Callable[[duckdb.DuckDBPyConnection, str, str], CopyLedger]
"""Opens a table or view for questions: rows of the shop alone, with the columns of the ledger that they are about."""

_CLOSURES = ("closure_before", "closure")
"""The rows of all whom a run is about, without what is new and with it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """What was counted for a plan, which is named by its digest."""

    plan: str
    counts: DailyCounts


@dataclass(slots=True, kw_only=True)
class Brought:
    """What new rows changed: counts by experiment, dates of days, reasons of plans that could not be counted."""

    rows: int = 0
    oldest: int | None = None
    counts: dict[str, DailyCounts] = field(default_factory=dict)
    dates: frozenset[str] = frozenset()
    failed: dict[str, str] = field(default_factory=dict)


class ShopCopy:
    """A shop's rows since a moment, in the database attached under a name."""

    def __init__(
        self, database: duckdb.DuckDBPyConnection, name: str, shop_id: str, since: int, opened: Opened
    ) -> None:
        self.name = name
        self.since = since
        self.taken: frozenset[str] = frozenset()
        """Of the raw objects that were listed last, those whose rows are here."""
        self.listed_at = 0
        self._shop_id = shop_id
        self._database = database
        self._opened = opened
        self._standing: dict[str, Standing] = {}
        self._days: dict[str, ShopDay] = {}
        for table, columns in TABLES.items():
            database.execute(f"CREATE TABLE {name}.{table} ({columns})")
        database.execute(f"CREATE VIEW {name}.shop_rows AS SELECT *, {literal(shop_id)} AS shop_id FROM {name}.history")  # noqa: S608 - escaped

    def append(self, files: Sequence[Path], *, is_new: bool) -> None:
        """Add the rows of these Parquet files while the copy is being built; what is new goes into the inbox."""
        into, told, flag = ("inbox", "shop_id, ", ", true") if is_new else (f"{self.name}.history", "", "")
        self._database.execute(
            f"INSERT INTO {into} SELECT {told}{HASHED}{flag} FROM read_parquet($files) WHERE shop_id = $shop",  # noqa: S608 - names of our own
            {"shop": self._shop_id, "files": [str(path) for path in files]},
        )

    def built(self) -> None:
        """Add what is not new of the shop's rows in the inbox, then find where visitors are and what they share."""
        self._database.execute(
            f"""INSERT INTO {self.name}.history
            SELECT * EXCLUDE (shop_id, is_new) FROM inbox WHERE shop_id = $shop AND NOT is_new""",  # noqa: S608 - names of our own
            {"shop": self._shop_id},
        )
        for text in (APPEND_VISITS, APPEND_ORDERS, TIE_ORDERS, TIE_EVENTS):
            self._database.execute(text.format(name=self.name, rows=f"{self.name}.history"))

    def bring(self, plans: Iterable[CountingPlan]) -> Brought:
        """Take the shop's new rows out of the inbox, if there are any, and count for each plan what is new to it.

        After an exception nothing can be said of the copy: drop it.
        """
        wanted = {plan.experiment_id: (digest_of(plan), plan) for plan in plans}
        brought = Brought()
        self._forget_all_but(wanted)
        brought.rows, brought.oldest, newest = self._take_news()
        if brought.rows:
            self._close()
            self._count_difference(wanted, brought)
            brought.dates = self._touched_days()
            self._keep_news()
        self._count_whole(wanted, brought)
        self._note_seen(wanted, newest)
        brought.counts = {experiment_id: standing.counts for experiment_id, standing in self._standing.items()}
        return brought

    def dates(self) -> frozenset[str]:
        """Dates (`YYYY-MM-DD`) on which anything happened."""
        days = self._rows(f"SELECT DISTINCT least(ts, received_at) // {DAY_MS} FROM {self.name}.history")  # noqa: S608 - names of our own
        return frozenset(date_of(day) for (day,) in days)

    def days(self, dates: Sequence[str], kept: Sequence[str], currency: str) -> dict[str, ShopDay]:
        """The shop's days of some of the dates that are kept up to date: of those all that the last `bring` changed.

        Of a day that was told before, only what has changed is counted.
        """
        self._days = {date: day for date, day in self._days.items() if date in kept and day.currency == currency}
        told = [date for date in dates if date in self._days]
        days = {**self._ledger().days([date for date in dates if date not in self._days], currency)}
        if told:
            before, after = (self._closure(relation).days(told, currency) for relation in _CLOSURES)
            days |= {date: changed(self._days[date], before[date], after[date]) for date in told}
        self._days |= days
        return days

    def _ledger(self) -> CopyLedger:
        return self._opened(self._database, f"{self.name}.shop_rows", self._shop_id)

    def _closure(self, relation: str) -> CopyLedger:
        return self._opened(self._database, relation, self._shop_id)

    def _forget_all_but(self, wanted: Mapping[str, tuple[str, CountingPlan]]) -> None:
        self._standing = {
            experiment_id: standing
            for experiment_id, standing in self._standing.items()
            if experiment_id in wanted and wanted[experiment_id][0] == standing.plan
        }

    def _take_news(self) -> tuple[int, int | None, int]:
        """How many there are, when the first and the last of them were received; repetitions are then forgotten."""
        self._database.execute(
            """CREATE OR REPLACE TEMP TABLE news AS
            SELECT * EXCLUDE (shop_id, is_new) FROM inbox WHERE shop_id = $shop AND is_new""",
            {"shop": self._shop_id},
        )
        ((number, oldest, newest),) = self._rows("SELECT count(*), min(received_at), max(received_at) FROM news")
        if number:
            self._database.execute(MET_EVENTS.format(name=self.name))
            known = self._found("SELECT piece FROM met_events", "event_hash IN (SELECT shared FROM met_events)")
            self._database.execute(f"CREATE OR REPLACE TEMP TABLE known AS {known}")
            self._database.execute(DROP_ECHOES)
        return number, oldest, newest or 0

    def _found(self, pieces: str, condition: str) -> str:
        """The query for rows that meet a condition, all of which are in the pieces that another query lists."""
        found = sorted({piece for (piece,) in self._rows(pieces)})
        rows = f"SELECT * FROM {self.name}.history WHERE {condition}"  # noqa: S608 - names of our own
        if not found:
            return f"{rows} AND false"
        first, last = found[0], found[-1]
        wanted = set(found)
        marks = "".join("1" if piece in wanted else "0" for piece in range(first, last + 1))
        within = f"rowid >= {first * PIECE_ROWS} AND rowid < {(last + 1) * PIECE_ROWS}"
        return f"{rows} AND {within} AND get_bit('{marks}'::BIT, ({PIECE} - {first})::INTEGER) = 1"

    def _note_seen(self, wanted: Mapping[str, tuple[str, CountingPlan]], newest: int) -> None:
        """Repetitions change nothing but up to when the ledger was looked at."""
        for experiment_id, standing in self._standing.items():
            if newest >= wanted[experiment_id][1].begins_at:
                self._standing[experiment_id] = replace(standing, counts=standing.counts.seen(newest))

    def _close(self) -> None:
        """All rows of all visitors who share anything with a new row, directly or through others."""
        run = self._database.execute
        run(MET.format(name=self.name))
        run(f"CREATE OR REPLACE TEMP TABLE new_ties AS {SHARED}")
        run(f"CREATE OR REPLACE TEMP VIEW bonds AS FROM {self.name}.ties UNION ALL FROM new_ties")
        run("CREATE OR REPLACE TEMP TABLE touched AS SELECT DISTINCT visitor_hash FROM news")
        while self._number(GROW):
            pass
        pieces = f"SELECT DISTINCT piece FROM {self.name}.visits SEMI JOIN touched USING (visitor_hash)"  # noqa: S608 - a name of our own
        rows = self._found(pieces, "visitor_hash IN (SELECT visitor_hash FROM touched)")
        run(
            f"""CREATE OR REPLACE TEMP TABLE closure AS
            SELECT *, {literal(self._shop_id)} AS shop_id
            FROM (SELECT *, false AS is_new FROM ({rows}) UNION ALL SELECT *, true FROM news)"""  # noqa: S608 - escaped
        )
        run("CREATE OR REPLACE TEMP VIEW closure_before AS SELECT * FROM closure WHERE NOT is_new")

    def _count_difference(self, wanted: Mapping[str, tuple[str, CountingPlan]], brought: Brought) -> None:
        before, after = map(self._closure, _CLOSURES)
        for experiment_id, standing in list(self._standing.items()):
            plan = wanted[experiment_id][1]
            try:
                counts = standing.counts.changed(before.count(plan), after.count(plan))
                self._standing[experiment_id] = Standing(plan=standing.plan, counts=counts)
            except Exception as error:
                _log.exception("rollup.not_counted", extra={"experiment_id": experiment_id})
                del self._standing[experiment_id]
                brought.failed[experiment_id] = str(error)

    def _touched_days(self) -> frozenset[str]:
        orders = [OrderMoment(order_id or "", visitor, at) for order_id, visitor, at in self._rows(ORDER_MOMENTS)]
        return touched_days(map(_as_row, self._rows(CHANGING)), orders)

    def _keep_news(self) -> None:
        """Whoever dies in the middle loses the copy: see `bring`."""
        run, held = self._database.execute, self._number(f"SELECT count(*) FROM {self.name}.history")  # noqa: S608 - a name of our own
        run(f"INSERT INTO {self.name}.history FROM news")
        run(f"INSERT INTO {self.name}.ties FROM new_ties")
        run(APPEND_ORDERS.format(name=self.name, rows="news"))
        # Nothing is ever deleted, so rows are numbered from 0 without gaps.
        run(f"{APPEND_VISITS.format(name=self.name)} WHERE rowid >= {held}")

    def _count_whole(self, wanted: Mapping[str, tuple[str, CountingPlan]], brought: Brought) -> None:
        """Plans that are new, or not what they were."""
        for experiment_id, (digest, plan) in wanted.items():
            if experiment_id in self._standing or experiment_id in brought.failed:
                continue
            try:
                counts = DailyCounts.of(self._ledger().count(plan))
                self._standing[experiment_id] = Standing(plan=digest, counts=counts)
            except Exception as error:
                _log.exception("rollup.not_counted", extra={"experiment_id": experiment_id})
                brought.failed[experiment_id] = str(error)

    def _number(self, text: str) -> int:
        found: int = self._database.execute(text).fetchall()[0][0]
        return found

    def _rows(self, text: str) -> list[tuple[Any, ...]]:
        found: list[tuple[Any, ...]] = self._database.execute(text).fetchall()
        return found


def digest_of(plan: CountingPlan) -> str:
    """Names a plan by its content: plans hold documents, which have no hash."""
    return canonical_json.sha256(asdict(plan))


def _as_row(found: tuple[Any, ...]) -> Row:
    """As much of a row as the days it touches depend on."""
    names = ("type", "qa_mode", "visitor_id", "order_id", "ts", "received_at")
    return dict(zip(names, found, strict=True))  # type: ignore[return-value]
