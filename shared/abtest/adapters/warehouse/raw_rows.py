"""Strict loading of raw objects into a table of DuckDB, by `domain.ledger.columns`. Invalid lines are reported.

DuckDB by itself would convert "12" to a number and 12 to a text. So columns are read as JSON and checked first, which
takes about a sixth more time. If an object contains an invalid line, Python checks all its lines one by one.
"""

import gzip
import zlib
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path

import duckdb

from abtest.domain.ledger.columns import (
    ADDED,
    COLUMNS,
    ESSENTIAL,
    MAX_LINE_BYTES,
    MAX_TEXT_CHARS,
    SHOP_ID,
    ColumnType,
    is_shop_id,
    row_of_line,
)
from abtest.domain.ledger.events import MAX_SAMPLE_CHARS
from abtest.kit import canonical_json
from abtest.ports.blobs import Blobs
from abtest.ports.hours import UnreadableLine
from abtest.ports.warehouse import LedgerObjectError

DOWNLOADS = 16
_READ_AT_ONCE = 1 << 16
_BROKEN = (OSError, EOFError, zlib.error)
"""Errors of reading what is not a complete gzip file."""
SQL_TYPES: Mapping[ColumnType, str] = {"text": "VARCHAR", "integer": "BIGINT", "flag": "BOOLEAN"}
NAMES = ", ".join(COLUMNS)
_ADDED = ", ".join(f"NULL::{SQL_TYPES[COLUMNS[name]]} AS {name}" for name in sorted(ADDED))


def parquet_rows(files: str) -> str:
    """Return the relation of the rows of Parquet files, also of an older release. `files` is a list in SQL."""
    # The empty first part defines the columns that no file may have.
    return f"""(SELECT {_ADDED} WHERE false
    UNION ALL BY NAME SELECT * FROM read_parquet({files}, union_by_name = true))"""  # noqa: S608 - names of our own


def _value(name: str, kind: ColumnType) -> str:
    if name == "data":
        return "coalesce(data ->> '$', '{}') AS data"
    if kind == "flag":
        return f"coalesce(try_cast({name} AS BOOLEAN), false) AS {name}"
    return f"try_cast({name} AS BIGINT) AS {name}" if kind == "integer" else f"{name} ->> '$' AS {name}"


def _fits(name: str, kind: ColumnType) -> str:
    token = f"{name}::VARCHAR"
    fits = {
        "text": f"{token} LIKE '\"%' AND length({name} ->> '$') <= {MAX_TEXT_CHARS}",
        "flag": f"{token} IN ('true', 'false')",
        "integer": f"json_type({name}) IN ('BIGINT', 'UBIGINT') AND try_cast({name} AS BIGINT) IS NOT NULL",
    }[kind]
    absent = "false" if name in ESSENTIAL else f"{name} IS NULL OR {token} = 'null'"
    return f"({absent} OR coalesce({fits}, false))"


STAGE = f"""
CREATE OR REPLACE TEMP TABLE staged AS
SELECT {", ".join(_value(name, kind) for name, kind in COLUMNS.items())},
    {" AND ".join(_fits(name, kind) for name, kind in COLUMNS.items())}
    AND regexp_full_match(shop_id ->> '$', '{SHOP_ID}') AS is_row
FROM read_json($files, format = 'newline_delimited', compression = 'gzip', maximum_object_size = {MAX_LINE_BYTES},
    columns = {{{", ".join(f"{name}: 'JSON'" for name in COLUMNS)}}})"""  # noqa: S608 - names of columns alone

TYPED_NAMES = ", ".join(f"{name} {SQL_TYPES[kind]}" for name, kind in COLUMNS.items())
CREATE_RAW = f"CREATE TABLE raw ({TYPED_NAMES})"
APPEND = f"INSERT INTO raw SELECT {NAMES} FROM staged"  # noqa: S608 - names of columns alone
STRANGE = "SELECT count(*) FROM staged WHERE is_row IS NOT true"


@dataclass(slots=True)
class Appended:
    """Result of loading raw objects: the number of lines, and the invalid ones."""

    lines: int
    unreadable: list[UnreadableLine]


def stage(database: duckdb.DuckDBPyConnection, files: Mapping[str, Path]) -> Appended:
    """Load the rows of raw objects (files by key) into the temporary table `staged`. Raises LedgerObjectError."""
    unreadable: list[UnreadableLine] = []
    if not _staged(database, files.values()):
        unreadable = [line for key, path in files.items() for line in _sift(key, path)]
        if not _staged(database, files.values()):
            # Invalid lines were removed above, so a file itself is unreadable; it is not known which.
            raise LedgerObjectError(min(files), "cannot be read, or one of the objects with it cannot")
    (rows,) = database.execute("SELECT count(*) FROM staged").fetchall()[0]
    return Appended(lines=rows + len(unreadable), unreadable=unreadable)


def download(ledger: Blobs, keys: Sequence[str], folder: Path) -> dict[str, Path]:
    """Download objects to files in the folder; return them by key.

    Raises LedgerObjectError for an object that is missing or empty, and for a raw one that is not complete.
    """

    def one(numbered: tuple[int, str]) -> Path:
        number, key = numbered
        path = folder / f"{number}{''.join(Path(key).suffixes[-2:])}"
        blob = ledger.get(key)
        if blob is None or not blob.content:
            raise LedgerObjectError(key, "was listed, but does not exist" if blob is None else "is empty")
        if path.suffix == ".gz":
            check_complete(key, blob.content)
        path.write_bytes(blob.content)
        return path

    with ThreadPoolExecutor(DOWNLOADS) as pool:
        return dict(zip(keys, pool.map(one, enumerate(keys)), strict=True))


def check_complete(key: str, content: bytes) -> None:
    """Refuse an object that ends early or has a wrong checksum."""
    # DuckDB verifies neither: of an object that ends after a whole line it would return the rows before, without error.
    try:
        with gzip.open(BytesIO(content)) as lines:
            while lines.read(_READ_AT_ONCE):
                pass
    except _BROKEN as error:
        raise LedgerObjectError(key, f"cannot be read: {error}") from error


def _staged(database: duckdb.DuckDBPyConnection, paths: Iterable[Path]) -> bool:
    """Load the files. Return whether they were readable and have only valid rows."""
    try:
        database.execute(STAGE, {"files": [str(path) for path in paths]})
        (strange,) = database.execute(STRANGE).fetchall()[0]
    except (duckdb.InvalidInputException, duckdb.ConversionException, duckdb.IOException):
        return False
    return bool(strange == 0)


def _sift(key: str, path: Path) -> list[UnreadableLine]:
    """Rewrite the file with its valid rows only, and return the other lines."""
    unreadable: list[UnreadableLine] = []
    sifted = path.with_suffix(".sifted")
    try:
        # The lowest level, because the new file is read once and then deleted.
        with gzip.open(path) as lines, gzip.open(sifted, "wb", 1) as kept:
            for index, line in enumerate(lines):
                row = row_of_line(line)
                if row is not None:
                    kept.write(canonical_json.encode(row) + b"\n")
                elif line.strip():
                    unreadable.append(_unreadable(key, index, line))
    except _BROKEN as error:
        raise LedgerObjectError(key, f"cannot be read: {error}") from error
    sifted.replace(path)
    return unreadable


def _unreadable(key: str, index: int, line: bytes) -> UnreadableLine:
    try:
        document = canonical_json.loads(line[: MAX_LINE_BYTES + 1])
    except canonical_json.InvalidJsonError:
        document = None
    fields = document if isinstance(document, dict) else {}
    shop_id, event_id = fields.get("shop_id"), fields.get("event_id")
    return UnreadableLine(
        key=key,
        index=index,
        shop_id=shop_id if isinstance(shop_id, str) and is_shop_id(shop_id) else None,
        event_id=event_id if isinstance(event_id, str) and event_id.isascii() else None,
        sample=line[:MAX_SAMPLE_CHARS].decode("ascii", "backslashreplace").strip(),
    )
