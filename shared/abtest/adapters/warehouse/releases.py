"""Digests of what stored rows and stored counts depend on: another release's are recognised without a version number.

Rows depend on the columns, the tables, and the engine, whose hashes are in the tables. Counts depend on all code
that counts; the same rows give the counts of the new release.
"""

from collections.abc import Iterator
from functools import cache
from hashlib import sha256
from pathlib import Path

import duckdb

from abtest.adapters.warehouse.shop_copy_sql import HASHED, IDS_TABLES, PIECE, TABLES, VISITOR_OF
from abtest.domain.ledger.columns import COLUMNS
from abtest.kit import canonical_json

_PACKAGE = Path(__file__).parents[2]

COUNTING = ("adapters/warehouse", "domain/ledger", "domain/targeting", "domain/goals", "kit/money.py")
"""Sources that counts depend on, below the package's folder."""


@cache
def rows_release() -> str:
    """Return the digest of the form in which rows are stored."""
    return canonical_json.sha256([dict(COLUMNS), TABLES, IDS_TABLES, HASHED, VISITOR_OF, PIECE, duckdb.__version__])


@cache
def counting_release() -> str:
    """Return the digest of the sources that count, and of the form of rows."""
    digest = sha256(rows_release().encode())
    for path in _sources():
        digest.update(f"{path.name}\n".encode() + path.read_bytes())
    return digest.hexdigest()


def _sources() -> Iterator[Path]:
    for name in COUNTING:
        path = _PACKAGE / name
        yield from [path] if path.is_file() else sorted(path.rglob("*.py"))
