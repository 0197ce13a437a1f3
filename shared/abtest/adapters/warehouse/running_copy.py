"""One shop's rows in the process's database, and the counts that stand for them.

A cache: whoever is in doubt about it drops it. Copies of events are kept as they come, since which of them stands
depends on the moment from which somebody counts; visitors, events and orders are looked up by 64-bit hashes, and two
that share a hash are merely counted again together.
"""

import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import duckdb

from abtest.adapters.warehouse.raw_rows import NAMES, SQL_TYPES
from abtest.domain.ledger.columns import COLUMNS
from abtest.domain.ledger.daily_counts import DailyCounts, date_of
from abtest.domain.ledger.events import DAY_MS, Row
from abtest.domain.ledger.plans import CountingPlan
from abtest.domain.ledger.shop_days import OrderMoment, touched_days
from abtest.kit import canonical_json
from abtest.ports.counting import ShopLedger

_log = logging.getLogger(__name__)

Opened = Callable[[duckdb.DuckDBPyConnection, str, str], ShopLedger]
"""Opens a table or view that has the ledger's columns, and rows of the shop alone, for questions."""

_HASHES = "visitor_hash UBIGINT, event_hash UBIGINT, order_hash UBIGINT"
_COLUMNS = f"{', '.join(f'{name} {SQL_TYPES[kind]}' for name, kind in COLUMNS.items())}, {_HASHES}"
HASHED = f"""{NAMES}, hash(visitor_id) AS visitor_hash, hash(event_id) AS event_hash,
    CASE WHEN order_id <> '' THEN hash(order_id) END AS order_hash"""
"""The columns of a copy, out of a relation that has those of the ledger."""
CREATE_INBOX = f"CREATE OR REPLACE TABLE inbox ({_COLUMNS}, is_new BOOLEAN)"

_TIMES = ("received_at", "sent_at")
_KEYS = """
SELECT event_hash AS shared, visitor_hash FROM {rows} WHERE event_hash IN (SELECT event_hash FROM {wanted})
UNION ALL
SELECT order_hash AS shared, visitor_hash FROM {rows}
WHERE order_hash IN (SELECT order_hash FROM {wanted} WHERE order_hash IS NOT NULL)"""

_SHARED = """
SELECT DISTINCT shared, visitor_hash FROM met
WHERE shared IN (SELECT shared FROM met GROUP BY shared HAVING min(visitor_hash) <> max(visitor_hash))"""

_GROW = """
INSERT INTO touched
SELECT DISTINCT visitor_hash FROM bonds
WHERE shared IN (SELECT shared FROM bonds SEMI JOIN touched USING (visitor_hash))
    AND visitor_hash NOT IN (SELECT visitor_hash FROM touched)"""

_SAME = " AND ".join(f"old.{name} IS NOT DISTINCT FROM news.{name}" for name in COLUMNS if name not in _TIMES)

# Who received it first, and that it happened at the same moment, is the same from whatever moment somebody counts.
_DROP_ECHOES = f"""
DELETE FROM news WHERE rowid IN (
    SELECT news.rowid FROM news JOIN known AS old ON old.event_hash = news.event_hash
    WHERE {_SAME} AND old.received_at <= news.received_at AND news.ts <= old.received_at)"""  # noqa: S608 - names of columns alone

_CHANGING = """
SELECT type, qa_mode, visitor_id, order_id, ts, received_at FROM closure
WHERE event_hash IN (SELECT event_hash FROM news)"""

_ORDER_MOMENTS = """
SELECT order_id, visitor_id, least(ts, received_at) FROM closure WHERE type = 'order' OR (type = 'goal' AND
goal_id = '__revenue__')"""


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
        database.execute(f"CREATE TABLE {name}.history ({_COLUMNS})")
        database.execute(f"CREATE TABLE {name}.ties (shared UBIGINT, visitor_hash UBIGINT)")

    def append(self, files: Sequence[Path], *, is_new: bool) -> None:
        """Add the rows of these Parquet files while the copy is being built; what is new goes into the inbox."""
        into, flag = ("inbox", ", true") if is_new else (f"{self.name}.history", "")
        self._database.execute(
            f"INSERT INTO {into} SELECT {HASHED}{flag} FROM read_parquet($files) WHERE shop_id = $shop",  # noqa: S608 - names of our own
            {"shop": self._shop_id, "files": [str(path) for path in files]},
        )

    def built(self) -> None:
        """Add what is not new of the shop's rows in the inbox, then find what visitors share."""
        self._database.execute(
            f"""INSERT INTO {self.name}.history
            SELECT * EXCLUDE (is_new) FROM inbox WHERE shop_id = $shop AND NOT is_new""",  # noqa: S608 - names of our own
            {"shop": self._shop_id},
        )
        for column in ("event_hash", "order_hash"):
            self._database.execute(
                f"""INSERT INTO {self.name}.ties SELECT DISTINCT {column}, visitor_hash FROM {self.name}.history
                WHERE {column} IN (
                    SELECT {column} FROM {self.name}.history WHERE {column} IS NOT NULL
                    GROUP BY {column} HAVING min(visitor_hash) <> max(visitor_hash))"""  # noqa: S608 - names of our own
            )

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

    def ledger(self) -> ShopLedger:
        """All rows, open for questions."""
        return self._opened(self._database, f"{self.name}.history", self._shop_id)

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
            SELECT * EXCLUDE (is_new) FROM inbox WHERE shop_id = $shop AND is_new""",
            {"shop": self._shop_id},
        )
        ((number, oldest, newest),) = self._rows("SELECT count(*), min(received_at), max(received_at) FROM news")
        known = f"SELECT * FROM {self.name}.history WHERE event_hash IN (SELECT event_hash FROM news)"  # noqa: S608 - names of our own
        self._database.execute(f"CREATE OR REPLACE TEMP TABLE known AS {known}")
        self._database.execute(_DROP_ECHOES)
        return number, oldest, newest or 0

    def _note_seen(self, wanted: Mapping[str, tuple[str, CountingPlan]], newest: int) -> None:
        """Repetitions change nothing but up to when the ledger was looked at."""
        for experiment_id, standing in self._standing.items():
            if newest >= wanted[experiment_id][1].begins_at:
                self._standing[experiment_id] = replace(standing, counts=standing.counts.seen(newest))

    def _close(self) -> None:
        """All rows of all visitors who share anything with a new row, directly or through others."""
        history, run = f"{self.name}.history", self._database.execute
        both = f"{_KEYS.format(rows=history, wanted='news')} UNION ALL {_KEYS.format(rows='news', wanted='news')}"
        run(f"CREATE OR REPLACE TEMP TABLE met AS {both}")
        run(f"CREATE OR REPLACE TEMP TABLE new_ties AS {_SHARED}")
        run(f"CREATE OR REPLACE TEMP VIEW bonds AS FROM {self.name}.ties UNION ALL FROM new_ties")
        run("CREATE OR REPLACE TEMP TABLE touched AS SELECT DISTINCT visitor_hash FROM news")
        while self._number(_GROW):
            pass
        run(
            f"""CREATE OR REPLACE TEMP TABLE closure AS
            SELECT *, false AS is_new FROM {history} SEMI JOIN touched USING (visitor_hash)
            UNION ALL SELECT *, true FROM news"""  # noqa: S608 - names of our own
        )
        run("CREATE OR REPLACE TEMP VIEW closure_before AS SELECT * FROM closure WHERE NOT is_new")

    def _count_difference(self, wanted: Mapping[str, tuple[str, CountingPlan]], brought: Brought) -> None:
        before, after = (
            self._opened(self._database, relation, self._shop_id) for relation in ("closure_before", "closure")
        )
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
        orders = [OrderMoment(order_id or "", visitor, at) for order_id, visitor, at in self._rows(_ORDER_MOMENTS)]
        return touched_days(map(_as_row, self._rows(_CHANGING)), orders)

    def _keep_news(self) -> None:
        self._database.execute("BEGIN")
        self._database.execute(f"INSERT INTO {self.name}.history FROM news")
        self._database.execute(f"INSERT INTO {self.name}.ties FROM new_ties")
        self._database.execute("COMMIT")

    def _count_whole(self, wanted: Mapping[str, tuple[str, CountingPlan]], brought: Brought) -> None:
        """Plans that are new, or not what they were."""
        for experiment_id, (digest, plan) in wanted.items():
            if experiment_id in self._standing or experiment_id in brought.failed:
                continue
            try:
                counts = DailyCounts.of(self.ledger().count(plan))
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
