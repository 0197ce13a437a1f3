"""Every engine that answers questions about the ledger, over rows that lie partly in Parquet and partly raw."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from abtest.adapters.warehouse.athena import AthenaLedger
from abtest.adapters.warehouse.duckdb_ledger import DuckDbWarehouse
from abtest.adapters.warehouse.parquet import DuckDbHours
from abtest.domain.ledger.events import Row
from abtest.domain.ledger.objects import EventsFile, ShopFiles, raw_key
from abtest.kit import canonical_json
from abtest.ports.blobs import Blobs
from abtest.ports.warehouse import ShopLedger
from tests.support.local_athena import LocalAthena, local_athena
from tests.support.members import in_members
from tests.support.memory import MemoryBlobs

SINCE = 0
HOUR = 1_770_000_000_000 // 3_600_000 * 3_600_000

Opened = Callable[[Sequence[Row], str], AbstractContextManager[ShopLedger]]
"""Opens rows, those of other shops among them, for questions about one shop."""


def stored(ledger: Blobs, rows: Sequence[Row], shop_id: str) -> ShopFiles:
    """Store rows: every third raw only, every third as Parquet only, the others in both."""
    compacted = _raw(ledger, [row for index, row in enumerate(rows) if index % 3 != 0], "compacted")
    raw = _raw(ledger, [row for index, row in enumerate(rows) if index % 3 != 1], "raw")
    parquet: list[str] = []
    with DuckDbHours(ledger).open([compacted]) as hour:
        for part in hour.parts():
            file = EventsFile(shop_id=part.shop_id, hour=HOUR, first=part.first, last=part.last, digest="d")
            ledger.put(file.key, part.content, content_type="application/vnd.apache.parquet")
            parquet += [file.key] if part.shop_id == shop_id else []
    return ShopFiles(parquet=tuple(parquet), raw=(raw,))


def _raw(ledger: Blobs, rows: Sequence[Row], name: str) -> str:
    key = raw_key([name], HOUR)
    lines = [canonical_json.encode(dict(row)) for row in rows]
    ledger.put(key, in_members(lines), content_type="application/x-ndjson")
    return key


@contextmanager
def duckdb_opened(rows: Sequence[Row], shop_id: str) -> Iterator[ShopLedger]:
    """The embedded engine."""
    ledger = MemoryBlobs()
    files = stored(ledger, rows, shop_id)
    with DuckDbWarehouse(ledger).open(shop_id, files, since=SINCE) as opened:
        yield opened


@contextmanager
def athena_opened(athena: LocalAthena, rows: Sequence[Row], shop_id: str) -> Iterator[AthenaLedger]:
    """Athena, over objects of these rows alone."""
    athena.empty()
    files = stored(athena.ledger, rows, shop_id)
    with athena.warehouse.open(shop_id, files, since=SINCE) as opened:
        yield opened


@contextmanager
def _embedded() -> Iterator[Opened]:
    yield duckdb_opened


@contextmanager
def _athena() -> Iterator[Opened]:
    with TemporaryDirectory() as state, local_athena(Path(state)) as running:
        yield partial(athena_opened, running)


ENGINES: Mapping[str, Callable[[], AbstractContextManager[Opened]]] = {"athena": _athena, "duckdb": _embedded}
"""Each is started once for many ledgers."""
