"""The embedded engine: a shop's rows out of Parquet and raw objects, in a DuckDB that lives as long as it is open.

Objects are downloaded a few at a time to disk, where Parquet stays as it is and raw rows become a table. DuckDB moves
what is above its memory limit to disk as well: memory does not grow with the shop.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeVar

import duckdb

from abtest.adapters.warehouse.counting_answer import counts_of
from abtest.adapters.warehouse.counting_sql import (
    CANDIDATE,
    candidates,
    counting,
    delivering,
    judged,
    received,
    sifting,
)
from abtest.adapters.warehouse.duckdb_days import DuckDbDays
from abtest.adapters.warehouse.raw_rows import APPEND, CREATE_RAW, NAMES, download, stage
from abtest.adapters.warehouse.sql_texts import literal
from abtest.adapters.warehouse.standing_sql import Suspects
from abtest.domain.ledger.cells import Counts
from abtest.domain.ledger.columns import COLUMNS
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

CREATE_ACCEPTED = "CREATE OR REPLACE TEMP TABLE accepted (goal_id VARCHAR, event_id VARCHAR, worth BIGINT)"
# One text: DuckDB looks for pandas on the disk for each value of a Python list.
ACCEPT = """INSERT INTO accepted
SELECT hit ->> 0, hit ->> 1, CAST(hit ->> 2 AS BIGINT)
FROM (SELECT unnest(from_json($hits, '["JSON"]')) AS hit)"""
SOME_CANDIDATES = f"SELECT {', '.join(CANDIDATE)} FROM candidates WHERE rowid >= $first AND rowid < $last"  # noqa: S608 - names of columns alone


# Ids are looked for by numbers of four bytes made of them: DuckDB sorts those in half the time that it takes to group
# ids, in a fraction of the memory. Some ids that are not the same have one number. Hardly any two rows share both
# moments, so that rows whose ids are suspect are known by them: then most of the ids, which are half of what a ledger
# weighs, are read but twice. Rows that share moments with a suspect are compared in vain.
SUSPECTS = Suspects("suspect_moments", "CAST(hash(ts, received_at) & 4294967295 AS UINTEGER)", "sifted")
CREATE_IDS = """CREATE OR REPLACE TEMP TABLE ids AS
SELECT CAST(hash(event_id) & 4294967295 AS UINTEGER) AS id, {tail} AS moment FROM {events} WHERE {received}"""
CREATE_SUSPECTS = f"""
CREATE OR REPLACE TEMP TABLE {SUSPECTS.relation} AS
SELECT DISTINCT moment AS tail FROM ids
WHERE id IN (SELECT id FROM (SELECT id, lag(id) OVER (ORDER BY id) AS before FROM ids) WHERE id = before)"""  # noqa: S608 - names of our own


class DuckDbShopLedger:
    """A shop's rows in a relation that has the ledger's columns, on a connection that is used for nothing meanwhile.

    `data` and `qa_mode` are never null in it, and no other shop's rows are in it where `shop_id` is not told.
    """

    def __init__(self, database: duckdb.DuckDBPyConnection, relation: str, shop_id: str | None = None) -> None:
        self._database = database
        self._relation = relation
        self._shop_id = shop_id

    def count(self, plan: CountingPlan, *, segments: bool = True) -> Counts:
        """Counts of the plan, by `counting_sql`.

        Without `segments` in cells of quarters alone, without sessions and without what was before exposures.
        """
        self._find_suspects(plan)
        self._sift(plan, segments=segments)
        listing = candidates(plan, events=self._relation, suspects=SUSPECTS, looks_back=segments)
        if listing is not None:
            self._judge(plan, listing)
        # One after the other: both sort the exposures, and there may be memory for one of them only.
        text = counting(plan, events=self._relation, suspects=SUSPECTS, segments=segments, sessions=False)
        found = self._rows(text)
        telling = delivering(plan, events=self._relation, suspects=SUSPECTS) if segments else None
        found += self._rows(telling) if telling is not None else []
        counts = counts_of(plan, found, looks_back=segments)
        self._database.execute(f"DROP TABLE {SUSPECTS.sifted}")
        return counts

    def day(self, date: str, currency: str) -> ShopDay:
        """The day, by `duckdb_days`. Raises LookupError where neither rows nor `shop_id` tell whose it is."""
        return self.days([date], currency)[date]

    def days(self, dates: Sequence[str], currency: str) -> dict[str, ShopDay]:
        """Several days, by date. Raises LookupError as `day` does."""
        return DuckDbDays(self._database, self._relation, self._shop_id or self._shop()).days(dates, currency)

    def _find_suspects(self, plan: CountingPlan) -> None:
        self._database.execute(CREATE_IDS.format(tail=SUSPECTS.tail, events=self._relation, received=received(plan)))
        self._database.execute(CREATE_SUSPECTS)
        self._database.execute("DROP TABLE ids")

    def _sift(self, plan: CountingPlan, *, segments: bool) -> None:
        found = sifting(plan, events=self._relation, suspects=SUSPECTS, segments=segments)
        self._database.execute(f"CREATE OR REPLACE TEMP TABLE {SUSPECTS.sifted} AS {found}")

    def _judge(self, plan: CountingPlan, listing: str) -> None:
        """Look at candidates a few at a time; they lie in a table that DuckDB may move to disk."""
        self._database.execute(CREATE_ACCEPTED)
        self._database.execute(f"CREATE OR REPLACE TEMP TABLE candidates AS {listing}")
        for first in count(step=ROWS_AT_ONCE):
            found = self._rows(SOME_CANDIDATES, {"first": first, "last": first + ROWS_AT_ONCE})
            if not found:
                break
            taken = [list(hit) for hit in judged(plan, found)]
            self._database.execute(ACCEPT, {"hits": canonical_json.encode(taken).decode()})
        self._database.execute("DROP TABLE candidates")

    def _shop(self) -> str:
        found = self._rows(f"SELECT shop_id FROM {self._relation} LIMIT 1")  # noqa: S608 - a name of our own
        if not found:
            raise LookupError("no row tells whose day it is")
        return str(found[0][0])

    def _rows(self, text: str, bounds: Mapping[str, Any] | None = None) -> list[tuple[Any, ...]]:
        found: list[tuple[Any, ...]] = self._database.execute(text, bounds).fetchall()
        return found


class DuckDbWarehouse:
    """Answers questions about what lies in a ledger bucket."""

    def __init__(self, ledger: Blobs, *, memory_limit: str = MEMORY_LIMIT) -> None:
        self._ledger = ledger
        self._memory_limit = memory_limit

    @contextmanager
    def open(self, shop_id: str, files: ShopFiles, *, since: int) -> Iterator["DuckDbOpened"]:
        """The shop's rows. Raises LedgerObjectError for an object that is missing or cannot be read."""
        with TemporaryDirectory(prefix="warehouse-") as name:
            folder = Path(name)
            limits: dict[str, Any] = {"memory_limit": self._memory_limit, "temp_directory": str(folder / "spilled")}
            settings = limits | {"preserve_insertion_order": False}
            with duckdb.connect(folder / "rows.duckdb", config=settings) as database:
                self._take_raw(database, folder, shop_id, files.raw, since)
                parquet = self._take_parquet(database, folder, files.parquet)
                database.execute(_view(parquet.values(), shop_id, since))
                yield DuckDbOpened(DuckDbShopLedger(database, "events", shop_id), parquet)

    def _take_raw(
        self, database: duckdb.DuckDBPyConnection, folder: Path, shop_id: str, keys: Sequence[str], since: int
    ) -> None:
        database.execute(CREATE_RAW)
        mine = f"{APPEND} WHERE shop_id = $shop AND received_at >= $since"
        for start in range(0, len(keys), OBJECTS_AT_ONCE):
            files = download(self._ledger, keys[start : start + OBJECTS_AT_ONCE], folder)
            stage(database, files)
            database.execute(mine, {"shop": shop_id, "since": since})
            for path in files.values():
                path.unlink()
        database.execute("DROP TABLE IF EXISTS staged")

    def _take_parquet(
        self, database: duckdb.DuckDBPyConnection, folder: Path, keys: Sequence[str]
    ) -> Mapping[str, Path]:
        found: dict[str, Path] = {}
        for start in range(0, len(keys), OBJECTS_AT_ONCE):
            batch = folder / str(start)
            batch.mkdir()
            found |= download(self._ledger, keys[start : start + OBJECTS_AT_ONCE], batch)
        for key, path in found.items():
            _check_columns(database, key, path)
        return found


class DuckDbOpened:
    """An open shop that says which object is at fault when a question cannot be answered."""

    def __init__(self, rows: DuckDbShopLedger, parquet: Mapping[str, Path]) -> None:
        self._shop = rows
        self._parquet = parquet

    def count(self, plan: CountingPlan, *, segments: bool = True) -> Counts:
        """Counts of the plan; without `segments` in cells of quarters alone, without sessions and covariates."""
        return self._asked(lambda: self._shop.count(plan, segments=segments))

    def day(self, date: str, currency: str) -> ShopDay:
        """The shop's day."""
        return self._asked(lambda: self._shop.day(date, currency))

    def _asked(self, question: Callable[[], Answer]) -> Answer:
        try:
            return question()
        except duckdb.Error as error:
            raise self._at_fault() or error from error

    def _at_fault(self) -> LedgerObjectError | None:
        """The first object that cannot be read to its end, if that is what went wrong."""
        for key, path in self._parquet.items():
            try:
                with duckdb.connect() as database:
                    database.execute(f"CREATE TABLE read AS SELECT count(COLUMNS(*)) FROM {_parquet([path])}")  # noqa: S608 - a path of our own
            except duckdb.Error as error:
                return LedgerObjectError(key, f"cannot be read: {error}")
        return None


def _check_columns(database: duckdb.DuckDBPyConnection, key: str, path: Path) -> None:
    try:
        found = database.execute("SELECT name FROM parquet_schema($file)", {"file": str(path)}).fetchall()
    except duckdb.Error as error:
        raise LedgerObjectError(key, f"cannot be read: {error}") from error
    if missing := set(COLUMNS) - {name for (name,) in found}:
        raise LedgerObjectError(key, f"lacks {', '.join(sorted(missing))}")


def _view(paths: Iterable[Path], shop_id: str, since: int) -> str:
    mine = f"shop_id = {literal(shop_id)} AND received_at >= {literal(since)}"
    files = list(paths)
    parquet = f" UNION ALL SELECT {NAMES} FROM {_parquet(files)} WHERE {mine}" if files else ""  # noqa: S608 - paths of our own
    return f"CREATE VIEW events AS SELECT {NAMES} FROM raw{parquet}"  # noqa: S608 - names of columns alone


def _parquet(paths: Iterable[Path]) -> str:
    return f"read_parquet([{', '.join(literal(str(path)) for path in paths)}])"
