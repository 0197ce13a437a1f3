"""Counting by an embedded DuckDB: a shop's rows from Parquet and raw objects, in a database for one context.

Objects are downloaded to disk in batches. Parquet files stay as they are, and raw rows become a table. DuckDB moves
data above its memory limit to disk, so memory does not grow with the shop.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import chain, count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeVar

import duckdb

from abtest.adapters.warehouse.counts_result import counts_of
from abtest.adapters.warehouse.counts_sql import (
    CANDIDATE,
    accepted_rows,
    candidates,
    counts_statement,
    received,
    sessions_statement,
    sifted_statement,
)
from abtest.adapters.warehouse.duckdb_days import DuckDbDays
from abtest.adapters.warehouse.duckdb_settings import settings_of
from abtest.adapters.warehouse.raw_rows import APPEND, CREATE_RAW, NAMES, download, parquet_rows, stage
from abtest.adapters.warehouse.raw_sections import batches
from abtest.adapters.warehouse.sql_texts import literal
from abtest.adapters.warehouse.valid_rows_sql import Suspects
from abtest.domain.ledger.cells import Counts
from abtest.domain.ledger.columns import ADDED, COLUMNS
from abtest.domain.ledger.objects import ShopFiles
from abtest.domain.ledger.plans import CountingPlan
from abtest.domain.ledger.shop_days import ShopDay
from abtest.kit import canonical_json
from abtest.ports.blobs import Blobs
from abtest.ports.warehouse import LedgerObjectError

Answer = TypeVar("Answer")

MEMORY_LIMIT = "700MB"
OBJECTS_AT_ONCE = 64
ROWS_AT_ONCE = 10_000

APPEND_OWN = f"{APPEND} WHERE shop_id = $shop AND received_at >= $since"
CREATE_ACCEPTED = "CREATE OR REPLACE TEMP TABLE accepted (goal_id VARCHAR, event_id VARCHAR, worth BIGINT)"
# The hits are one JSON text, because DuckDB searches the disk for pandas at each value of a Python list.
ACCEPT = """INSERT INTO accepted
SELECT hit ->> 0, hit ->> 1, CAST(hit ->> 2 AS BIGINT)
FROM (SELECT unnest(from_json($hits, '["JSON"]')) AS hit)"""
SOME_CANDIDATES = f"SELECT {', '.join(CANDIDATE)} FROM candidates WHERE rowid >= $first AND rowid < $last"  # noqa: S608 - names of columns alone


# Repeated ids are searched by hashes of four bytes: DuckDB sorts those in half the time of grouping ids, in a fraction
# of the memory. Different ids may share a hash. Few rows share both moments, so suspects are identified by their
# moments. Most ids, which are half of a ledger's size, are then read only twice. A row that happens to share both
# moments with a suspect is compared without need.
SUSPECTS = Suspects("suspect_moments", "CAST(hash(ts, received_at) & 4294967295 AS UINTEGER)", "sifted")
CREATE_IDS = """CREATE OR REPLACE TEMP TABLE ids AS
SELECT CAST(hash(event_id) & 4294967295 AS UINTEGER) AS id, {tail} AS moment FROM {events} WHERE {received}"""
CREATE_SUSPECTS = f"""
CREATE OR REPLACE TEMP TABLE {SUSPECTS.relation} AS
SELECT DISTINCT moment AS tail FROM ids
WHERE id IN (SELECT id FROM (SELECT id, lag(id) OVER (ORDER BY id) AS before FROM ids) WHERE id = before)"""  # noqa: S608 - names of our own


class DuckDbShopLedger:
    """Rows of a shop in a relation with the ledger's columns, on a connection that has no other use meanwhile.

    `data` and `qa_mode` must not be null. Without `shop_id`, the relation must have rows of one shop only. `suspects`
    are those of all rows that plans may count, made before.
    """

    def __init__(
        self,
        database: duckdb.DuckDBPyConnection,
        relation: str,
        shop_id: str | None = None,
        *,
        suspects: Suspects | None = None,
    ) -> None:
        self._database = database
        self._relation = relation
        self.shop_id = shop_id
        self._suspects = suspects

    def count(self, plan: CountingPlan, *, segments: bool = True) -> Counts:
        """Return the counts of the plan, by `counts_sql`.

        Without `segments`, cells are quarters only, without sessions and without the time before exposures.
        """
        run, suspects = self._database.execute, self._suspects or self._search(plan)
        sifted = sifted_statement(plan, events=self._relation, suspects=suspects, segments=segments)
        run(f"CREATE OR REPLACE TEMP TABLE {suspects.sifted} AS {sifted}")
        listing = candidates(plan, events=self._relation, suspects=suspects, looks_back=segments)
        if listing is not None:
            self._judge(plan, listing)
        # Sessions are a second statement: both sort the exposures, and memory may suffice for only one at a time.
        rows = self._rows(
            counts_statement(plan, events=self._relation, suspects=suspects, segments=segments, sessions=False)
        )
        sessions = sessions_statement(plan, events=self._relation, suspects=suspects) if segments else None
        rows += self._rows(sessions) if sessions is not None else []
        counts = counts_of(plan, rows, looks_back=segments)
        run(f"DROP TABLE {suspects.sifted}")
        return counts

    def _search(self, plan: CountingPlan) -> Suspects:
        """Make the suspects of the plan's rows."""
        run = self._database.execute
        run(CREATE_IDS.format(tail=SUSPECTS.tail, events=self._relation, received=received(plan)))
        run(CREATE_SUSPECTS)
        run("DROP TABLE ids")
        return SUSPECTS

    def day(self, date: str, currency: str) -> ShopDay:
        """Return the day, by `duckdb_days`. Raises LookupError without `shop_id` and without any row."""
        return self.days([date], currency)[date]

    def days(self, dates: Sequence[str], currency: str) -> dict[str, ShopDay]:
        """Return several days by date. Raises LookupError as `day` does."""
        return DuckDbDays(self._database, self._relation, self.shop_id or self._shop()).days(dates, currency)

    def _judge(self, plan: CountingPlan, listing: str) -> None:
        """Judge the candidates in batches, from a table that DuckDB may move to disk."""
        self._database.execute(CREATE_ACCEPTED)
        self._database.execute(f"CREATE OR REPLACE TEMP TABLE candidates AS {listing}")
        for first in count(step=ROWS_AT_ONCE):
            batch = self._rows(SOME_CANDIDATES, {"first": first, "last": first + ROWS_AT_ONCE})
            if not batch:
                break
            taken = [list(hit) for hit in accepted_rows(plan, batch)]
            self._database.execute(ACCEPT, {"hits": canonical_json.encode(taken).decode()})
        self._database.execute("DROP TABLE candidates")

    def _shop(self) -> str:
        rows = self._rows(f"SELECT shop_id FROM {self._relation} LIMIT 1")  # noqa: S608 - a name of our own
        if not rows:
            raise LookupError("the shop is unknown, because there are no rows; pass shop_id")
        return str(rows[0][0])

    def _rows(self, text: str, bounds: Mapping[str, Any] | None = None) -> list[tuple[Any, ...]]:
        rows: list[tuple[Any, ...]] = self._database.execute(text, bounds).fetchall()
        return rows


class DuckDbWarehouse:
    """Warehouse over a ledger bucket."""

    def __init__(self, ledger: Blobs, *, memory_limit: str = MEMORY_LIMIT) -> None:
        self._ledger = ledger
        self._memory_limit = memory_limit

    @contextmanager
    def open(self, shop_id: str, files: ShopFiles, *, since: int) -> Iterator["DuckDbOpened"]:
        """Open the shop's rows. Raises LedgerObjectError for an object that is missing or cannot be read."""
        with TemporaryDirectory(prefix="warehouse-") as name:
            folder = Path(name)
            settings = settings_of(folder, self._memory_limit)
            with duckdb.connect(folder / "rows.duckdb", config=settings) as database:
                database.execute(CREATE_RAW)
                for batch in chain(self._downloaded(files.raw, folder), batches(self._ledger, files.sections, folder)):
                    stage(database, batch)
                    database.execute(APPEND_OWN, {"shop": shop_id, "since": since})
                database.execute("DROP TABLE IF EXISTS staged")
                parquet = self._take_parquet(database, folder, files.parquet)
                # Without Parquet files, the view has the rows of raw objects only.
                rows = [f"SELECT {NAMES} FROM raw"]  # noqa: S608 - names of columns alone
                rows += [_rows_of(parquet.values(), shop_id, since)] if parquet else []
                database.execute(f"CREATE VIEW events AS {' UNION ALL '.join(rows)}")
                yield DuckDbOpened(
                    DuckDbShopLedger(database, "events", shop_id),
                    {key: _rows_of([path], shop_id, since) for key, path in parquet.items()},
                    settings | {"temp_directory": str(folder / "spilled-alone")},
                )

    def _downloaded(self, keys: Sequence[str], folder: Path) -> Iterator[dict[str, Path]]:
        """Yield files of raw objects by key, some at a time, and remove them afterwards."""
        for start in range(0, len(keys), OBJECTS_AT_ONCE):
            files = download(self._ledger, keys[start : start + OBJECTS_AT_ONCE], folder)
            yield files
            for path in files.values():
                path.unlink()

    def _take_parquet(
        self, database: duckdb.DuckDBPyConnection, folder: Path, keys: Sequence[str]
    ) -> Mapping[str, Path]:
        files: dict[str, Path] = {}
        for start in range(0, len(keys), OBJECTS_AT_ONCE):
            batch = folder / str(start)
            batch.mkdir()
            files |= download(self._ledger, keys[start : start + OBJECTS_AT_ONCE], batch)
        for key, path in files.items():
            _check_columns(database, key, path)
        return files


class DuckDbOpened:
    """ShopLedger that reports the damaged object after a failed query. `parquet` has the rows of each file by key."""

    def __init__(self, rows: DuckDbShopLedger, parquet: Mapping[str, str], settings: dict[str, Any]) -> None:
        self._shop = rows
        self._parquet = parquet
        self._settings = settings

    def count(self, plan: CountingPlan, *, segments: bool = True) -> Counts:
        """Return counts of the plan; without `segments` for quarters only, without sessions and covariates."""
        return self._checked(lambda shop: shop.count(plan, segments=segments))

    def day(self, date: str, currency: str) -> ShopDay:
        """Return the shop's day."""
        return self._checked(lambda shop: shop.day(date, currency))

    def _checked(self, query: Callable[[DuckDbShopLedger], Answer]) -> Answer:
        try:
            return query(self._shop)
        except duckdb.Error as error:
            raise self._damaged_object(query) or error from error

    def _damaged_object(self, query: Callable[[DuckDbShopLedger], object]) -> LedgerObjectError | None:
        """Return the error for the first file on which the query fails, or None if it fails on none alone."""
        # The same query again: with other filters DuckDB skips other pages, and may read a damaged file without error.
        for key, rows in self._parquet.items():
            with duckdb.connect(config=self._settings) as database:
                try:
                    database.execute(f"CREATE VIEW events AS {rows}")
                    query(DuckDbShopLedger(database, "events", self._shop.shop_id))
                except duckdb.Error as error:
                    return LedgerObjectError(key, f"cannot be read: {error}")
        return None


def _check_columns(database: duckdb.DuckDBPyConnection, key: str, path: Path) -> None:
    try:
        columns = database.execute("SELECT name FROM parquet_schema($file)", {"file": str(path)}).fetchall()
    except duckdb.Error as error:
        raise LedgerObjectError(key, f"cannot be read: {error}") from error
    if missing := set(COLUMNS) - ADDED - {name for (name,) in columns}:
        raise LedgerObjectError(key, f"lacks {', '.join(sorted(missing))}")


def _rows_of(paths: Iterable[Path], shop_id: str, since: int) -> str:
    files = parquet_rows(f"[{', '.join(literal(str(path)) for path in paths)}]")
    mine = f"shop_id = {literal(shop_id)} AND received_at >= {literal(since)}"
    return f"SELECT {NAMES} FROM {files} WHERE {mine}"  # noqa: S608 - paths of our own and escaped literals
