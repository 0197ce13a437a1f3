"""The ids of a shop's events and orders with their visitors, to find the visitors who share an id with another one.

It is filled and continued like a `ShopCopy`, but has 16 bytes of a row and no counts. Ids and visitors are 64-bit
hashes; visitors whose hashes collide are counted with the tied ones, which changes no count.
"""

from array import array
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import duckdb

from abtest.adapters.warehouse.brought import Brought
from abtest.adapters.warehouse.raw_rows import parquet_rows
from abtest.adapters.warehouse.shop_copy_sql import IDS_TABLES
from abtest.domain.ledger.partitions import Unit
from abtest.domain.ledger.plans import CountingPlan
from abtest.domain.ledger.shop_days import ShopDay
from abtest.domain.ledger.shop_results import Results

IDS_AT_ONCE = 2_000_000
"""Ids that are compared in memory together."""

VISITORS_AT_ONCE = 10_000

_PAIRS = """
SELECT DISTINCT shared, visitor_hash FROM (
    SELECT {event} AS shared, {visitor} AS visitor_hash FROM {rows} WHERE shop_id = $shop
    UNION ALL SELECT {order}, {visitor} FROM {rows} WHERE shop_id = $shop AND {order} IS NOT NULL)
WHERE shared % {of} = {number}"""

_TIED = """
SELECT DISTINCT visitor_hash FROM {pairs}
WHERE shared IN (SELECT shared FROM {pairs} GROUP BY shared HAVING min(visitor_hash) <> max(visitor_hash))"""

_RELEASE = "DROP VIEW temp.met_pairs; DROP TABLE temp.new_pairs; DROP TABLE temp.known_pairs"


class IdsCopy:
    """Ids of one unit, in the database attached as `name`. After any error but OutOfTimeError it must be dropped."""

    outdated: frozenset[str] = frozenset()

    def __init__(
        self, database: duckdb.DuckDBPyConnection, name: str, shop_id: str, unit: Unit, since: int, *, is_stored: bool
    ) -> None:
        """Open the copy in the attached database: one that was stored, or a new one."""
        self.name = name
        self.since = since
        self.offset = 0
        self.covers = 0
        self._database = database
        self._shop_id = shop_id
        self._unit = unit
        for table, columns in {} if is_stored else IDS_TABLES.items():
            database.execute(f"CREATE TABLE {name}.{table} ({columns})")

    @property
    def held(self) -> int:
        """Number of pairs of an id and a visitor."""
        return self._number(f"SELECT count(*) FROM {self.name}.pairs")  # noqa: S608 - a name of our own

    def results(self) -> Results:
        """Return no counts."""
        return Results()

    def append(self, files: Sequence[Path], *, is_new: bool) -> None:  # noqa: ARG002 - all rows are old here
        """Add the ids of Parquet files while the copy is built."""
        rows = parquet_rows("$files")
        self._add(rows, "hash(event_id)", "CASE WHEN order_id <> '' THEN hash(order_id) END", "hash(visitor_id)", files)

    def built(self) -> None:
        """Complete the copy with the inbox, and find who is tied, some ids after others."""
        self._add("inbox", "event_hash", "order_hash", "visitor_hash")
        self._database.execute("DELETE FROM inbox")
        portions = self.held // IDS_AT_ONCE + 1
        for portion in range(portions):
            # Other bits than those by which ids are divided among units.
            pairs = f"(SELECT * FROM {self.name}.pairs WHERE (shared >> 8) % {portions} = {portion})"  # noqa: S608 - names of our own
            self._database.execute(f"INSERT INTO {self.name}.tied {_TIED.format(pairs=pairs)}")

    def bring(
        self,
        plans: Iterable[CountingPlan],  # noqa: ARG002 - nothing is counted here
        *,
        offset: int = 0,
        check: Callable[[], None] = lambda: None,  # noqa: ARG002
    ) -> Brought:
        """Take the new ids, up to `offset` of the feed, from the inbox."""
        run = self._database.execute
        ((number, oldest),) = run("SELECT count(*), min(received_at) FROM inbox").fetchall()
        if number:
            pairs = self._pairs("inbox", "event_hash", "order_hash", "visitor_hash")
            run(f"CREATE OR REPLACE TEMP TABLE new_pairs AS {pairs}", {"shop": self._shop_id})
            run(
                f"""CREATE OR REPLACE TEMP TABLE known_pairs AS
                SELECT * FROM {self.name}.pairs WHERE shared IN (SELECT shared FROM new_pairs)"""  # noqa: S608 - a name of our own
            )
            run("CREATE OR REPLACE TEMP VIEW met_pairs AS FROM known_pairs UNION FROM new_pairs")
            # One transaction, because each one waits for the disk.
            run("BEGIN")
            run(f"INSERT INTO {self.name}.tied FROM ({_TIED.format(pairs='met_pairs')}) EXCEPT FROM {self.name}.tied")
            run(f"INSERT INTO {self.name}.pairs FROM new_pairs EXCEPT FROM known_pairs")
            run("COMMIT")
            run(_RELEASE)
        self.offset = max(self.offset, offset)
        return Brought(rows=number, oldest=oldest)

    def dates(self) -> frozenset[str]:
        """Return no date."""
        return frozenset()

    def days(self, dates: Sequence[str], kept: Sequence[str], currency: str) -> dict[str, ShopDay]:  # noqa: ARG002
        """Return no day."""
        return {}

    def tied(self) -> bytes:
        """Return the hashes of the tied visitors, 8 bytes each."""
        tied = array("Q")
        rows = self._database.execute(f"SELECT DISTINCT visitor_hash FROM {self.name}.tied ORDER BY 1")  # noqa: S608
        # All visitors of a shop may be tied, and as Python objects they would need twelve times the memory.
        while some := rows.fetchmany(VISITORS_AT_ONCE):
            tied.extend(visitor for (visitor,) in some)
        return tied.tobytes()

    def _add(self, rows: str, event: str, order: str, visitor: str, files: Sequence[Path] | None = None) -> None:
        given = {"shop": self._shop_id} | ({"files": [str(path) for path in files]} if files is not None else {})
        self._database.execute(f"INSERT INTO {self.name}.pairs {self._pairs(rows, event, order, visitor)}", given)

    def _pairs(self, rows: str, event: str, order: str, visitor: str) -> str:
        unit = self._unit
        return _PAIRS.format(rows=rows, event=event, order=order, visitor=visitor, of=unit.of, number=unit.number)

    def _number(self, text: str) -> int:
        number: int = self._database.execute(text).fetchall()[0][0]
        return number
