"""Hours of the raw ledger as Parquet, by an embedded DuckDB on disk, in bounded memory.

A copy within the hour is dropped only if it is equal to another one except for the moments of sending and receiving,
and happened at the same moment. The copy that was received first then gives the same counts from any start of counting.
Copies that differ are kept, and counting selects the valid one. The last row of a shop is kept too, because it defines
how far its roll-ups reach.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import groupby
from pathlib import Path
from tempfile import TemporaryDirectory

import duckdb

from abtest.adapters.warehouse.duckdb_settings import settings_of
from abtest.adapters.warehouse.raw_blocks import download_blocks, own_lines
from abtest.adapters.warehouse.raw_rows import CREATE_RAW, NAMES, download, stage
from abtest.domain.ledger.blocks import Block
from abtest.domain.ledger.columns import COLUMNS
from abtest.domain.ledger.objects import BUCKETS
from abtest.domain.ledger.shop_groups import ALL_SHOPS, ShopGroup
from abtest.ports.blobs import Blobs
from abtest.ports.hours import NONE, Compared, EventsPart, UnreadableLine

MEMORY_LIMIT = "1200MB"
OBJECTS_AT_ONCE = 32
ROWS_OF_A_FILE = 20_000
"""Number of rows from which a shop's hour becomes one file per bucket."""
ROW_GROUP = 2048
"""Small, so that a reader of one bucket skips most of a file with all buckets."""
BIG_ROW_GROUP = 65_536

SHOPS = "SELECT DISTINCT shop_id FROM staged"
APPEND = f"INSERT INTO raw SELECT {NAMES} FROM staged WHERE list_contains($shops, shop_id)"  # noqa: S608 - names alone

_TIMES = {"received_at", "sent_at"}
_CONTENT = ", ".join(name for name in COLUMNS if name not in _TIMES)

KEEP = f"""
CREATE TABLE kept AS
WITH repeated AS (SELECT shop_id, event_id FROM raw GROUP BY ALL HAVING count(*) > 1),
newest AS (SELECT shop_id, max(received_at) AS newest FROM raw GROUP BY shop_id),
once AS (
    SELECT raw.* FROM raw ANTI JOIN repeated USING (shop_id, event_id)
    UNION ALL
    SELECT raw.* FROM raw SEMI JOIN repeated USING (shop_id, event_id) JOIN newest USING (shop_id)
    QUALIFY row_number() OVER (
        PARTITION BY {_CONTENT}, CASE WHEN ts > received_at OR received_at = newest THEN received_at END
        ORDER BY received_at, sent_at NULLS FIRST
    ) = 1
)
SELECT {NAMES}, ('0x' || left(sha256(visitor_id), 1))::BIGINT AS bucket FROM once ORDER BY shop_id, bucket"""  # noqa: S608 - names of columns alone

SIZES = "SELECT shop_id, bucket, count(*) FROM kept GROUP BY ALL ORDER BY ALL"

# Ordered by every column, so that equal rows give equal files.
PART = f"""
SELECT {NAMES}, bucket FROM kept WHERE shop_id = $shop AND bucket BETWEEN $first AND $last
ORDER BY bucket, visitor_id, event_id, received_at, {_CONTENT}, sent_at"""  # noqa: S608 - names of columns alone

CREATE_KEPT_EVENTS = "CREATE TABLE kept_events (shop_id VARCHAR, event_id VARCHAR)"
APPEND_KEPT_EVENTS = "INSERT INTO kept_events SELECT shop_id, event_id FROM read_parquet($files)"
DIFFERING = """
CREATE TABLE differing AS
WITH raw_events AS (SELECT DISTINCT shop_id, event_id, true AS is_present FROM raw),
kept AS (SELECT DISTINCT shop_id, event_id, true AS is_present FROM kept_events)
SELECT shop_id, event_id, raw_events.is_present IS NULL AS is_foreign
FROM raw_events FULL JOIN kept USING (shop_id, event_id)
WHERE raw_events.is_present IS NULL OR kept.is_present IS NULL"""
VERDICT = """
SELECT (SELECT count(*) FROM (SELECT DISTINCT shop_id, event_id FROM raw)),
    count(*) FILTER (NOT is_foreign), count(*) FILTER (is_foreign)
FROM differing"""
EXAMPLES = "SELECT shop_id, event_id, is_foreign FROM differing ORDER BY ALL LIMIT 10"


class DuckDbHours:
    """Reader of the hours in a ledger bucket."""

    def __init__(self, ledger: Blobs, *, memory_limit: str = MEMORY_LIMIT) -> None:
        self._ledger = ledger
        self._memory_limit = memory_limit

    @contextmanager
    def open(
        self, raw: Sequence[str], *, group: ShopGroup = ALL_SHOPS, blocks: Mapping[str, Sequence[Block]] = NONE
    ) -> Iterator["DuckDbHourRows"]:
        """Open the rows of these raw objects, which are on disk until the context ends."""
        with self._database() as (database, folder):
            read, unreadable = self._load(database, folder, raw, group, blocks)
            database.execute(KEEP)
            database.execute("DROP TABLE raw")
            yield DuckDbHourRows(database, folder, read, unreadable)

    def compared(
        self,
        raw: Sequence[str],
        events: Sequence[str],
        *,
        group: ShopGroup = ALL_SHOPS,
        blocks: Mapping[str, Sequence[Block]] = NONE,
    ) -> Compared:
        """Compare the events of raw objects with those of Parquet files."""
        with self._database() as (database, folder):
            self._load(database, folder, raw, group, blocks)
            database.execute(CREATE_KEPT_EVENTS)
            for start in range(0, len(events), OBJECTS_AT_ONCE):
                files = download(self._ledger, events[start : start + OBJECTS_AT_ONCE], folder)
                database.execute(APPEND_KEPT_EVENTS, {"files": [str(path) for path in files.values()]})
                _delete(files.values())
            database.execute(DIFFERING)
            ((distinct, missing, foreign),) = database.execute(VERDICT).fetchall()
            examples = [
                f"{'only in Parquet' if is_foreign else 'only in raw'}: shop {shop_id}, event {event_id}"
                for shop_id, event_id, is_foreign in database.execute(EXAMPLES).fetchall()
            ]
        return Compared(events=distinct, missing=missing, foreign=foreign, examples=examples)

    @contextmanager
    def _database(self) -> Iterator[tuple[duckdb.DuckDBPyConnection, Path]]:
        with TemporaryDirectory(prefix="hour-") as name:
            folder = Path(name)
            with duckdb.connect(folder / "hour.duckdb", config=settings_of(folder, self._memory_limit)) as database:
                yield database, folder

    def _load(
        self,
        database: duckdb.DuckDBPyConnection,
        folder: Path,
        raw: Sequence[str],
        group: ShopGroup,
        blocks: Mapping[str, Sequence[Block]],
    ) -> tuple[int, list[UnreadableLine]]:
        read, unreadable = 0, list[UnreadableLine]()
        database.execute(CREATE_RAW)
        keys = sorted(raw)
        for start in range(0, len(keys), OBJECTS_AT_ONCE):
            some = keys[start : start + OBJECTS_AT_ONCE]
            # Blocks that do not contain what they should are read with their whole object: others may be right.
            files = download_blocks(self._ledger, {key: blocks[key] for key in some if key in blocks}, folder)
            apart = {key: blocks[key] for key in files}
            files |= download(self._ledger, [key for key in some if key not in files], folder)
            staged = stage(database, files)
            shops = [shop_id for (shop_id,) in database.execute(SHOPS).fetchall() if group.has(shop_id)]
            ((rows,),) = database.execute(APPEND, {"shops": shops}).fetchall()
            own = own_lines(self._ledger, apart, staged.unreadable, group)
            read += rows + len(own)
            unreadable += own
            _delete(files.values())
        return read, unreadable


def _delete(paths: Iterable[Path]) -> None:
    for path in paths:
        path.unlink()


class DuckDbHourRows:
    """Rows of an hour in a database."""

    def __init__(
        self, database: duckdb.DuckDBPyConnection, folder: Path, read: int, unreadable: Sequence[UnreadableLine]
    ) -> None:
        self._database = database
        self._folder = folder
        self.read = read
        self.unreadable = unreadable

    def parts(self) -> Iterator[EventsPart]:
        """Yield parts by shop: one with all buckets, or for many rows one for each bucket that has any."""
        sizes = self._database.execute(SIZES).fetchall()
        for shop_id, buckets in groupby(sizes, key=lambda size: str(size[0])):
            rows = {int(bucket): int(number) for _, bucket, number in buckets}
            if sum(rows.values()) < ROWS_OF_A_FILE:
                yield self._part(shop_id, 0, BUCKETS - 1, sum(rows.values()), ROW_GROUP)
                continue
            for bucket, number in rows.items():
                yield self._part(shop_id, bucket, bucket, number, BIG_ROW_GROUP)

    def _part(self, shop_id: str, first: int, last: int, rows: int, row_group: int) -> EventsPart:
        path = self._folder / "part.parquet"
        bounds = {"shop": shop_id, "first": first, "last": last}
        self._database.execute(f"CREATE OR REPLACE TEMP TABLE part AS {PART}", bounds)
        form = f"FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE {row_group}"
        # Without preserve_insertion_order, only an explicit order gives equal files for equal rows.
        self._database.execute(f"COPY (FROM part ORDER BY rowid) TO '{path}' ({form})")
        return EventsPart(shop_id=shop_id, first=first, last=last, rows=rows, content=path.read_bytes())
