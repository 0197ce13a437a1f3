"""Hours of a ledger in memory, made of rows or of whatever else may stand in a raw object; and back from Parquet."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import duckdb

from abtest.domain.ledger.columns import ABSENT
from abtest.domain.ledger.objects import raw_key
from abtest.kit import canonical_json
from abtest.kit.canonical_json import Json
from tests.support.members import in_members
from tests.support.memory import MemoryBlobs

HOUR = 3_600_000
NOON = 1_779_883_200_000  # 2026-05-27T12:00:00Z
SHOP = "0198a000-0000-7000-8000-000000000001"

Line = Mapping[str, Json] | bytes


def row(event_id: str, **changes: Json) -> dict[str, Json]:
    """A page view at noon, but for the changes."""
    least = {"event_id": event_id, "shop_id": SHOP, "type": "pageview", "visitor_id": f"v-{event_id}"}
    return {**ABSENT, **least, "ts": NOON, "received_at": NOON, **changes}


def put_raw(ledger: MemoryBlobs, name: str, lines: Iterable[Line], at: int = NOON) -> str:
    """A raw object of these rows or raw lines; its key."""
    key = raw_key([name], at)
    texts = [line if isinstance(line, bytes) else canonical_json.encode(line) for line in lines]
    ledger.put(key, in_members(texts), content_type="application/x-ndjson")
    return key


def keys_in(ledger: MemoryBlobs, zone: str) -> Sequence[str]:
    """What stands in a zone."""
    return [entry.key for entry in ledger.list(zone)]


def rows_of(*contents: bytes) -> list[dict[str, Json]]:
    """The rows of Parquet files, in the order in which they stand."""
    found: list[dict[str, Json]] = []
    with TemporaryDirectory() as folder, duckdb.connect() as database:
        for number, content in enumerate(contents):
            # The engine keeps blocks of a file by its name.
            path = Path(folder) / f"{number}.parquet"
            path.write_bytes(content)
            answer = database.execute("FROM read_parquet($file)", {"file": str(path)})
            names = [column[0] for column in answer.description or ()]
            found += [dict(zip(names, values, strict=True)) for values in answer.fetchall()]
    return found
