"""A shop that orders exports, and the worker that makes them, on memory adapters with the real DuckDB."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import duckdb

from abtest.adapters.warehouse.duckdb_exports import DuckDbExports
from abtest.contract.exports import Export, ExportInput
from abtest.domain.ledger.events import Row
from abtest.domain.ledger.objects import raw_key
from abtest.kit.clock import ManualClock, from_milliseconds, timestamp
from abtest.kit.ids import SystemRandomness
from abtest.services.context import Caller, World
from abtest.services.exports.exporter import Exporter
from abtest.services.exports.requests import Exports
from abtest.services.jobs import Jobs, Workbench
from abtest.services.ledger_feed import LedgerFeed
from abtest.services.shop_objects import ShopObjects
from tests.support.memory import MemoryAuditStore, MemoryBlobs, MemoryCatalog, MemoryQueue, MemoryRollupStore
from tests.support.memory.exports import MemoryExportStore
from tests.unit.ledger.streams import BEGIN, SHOP, ledger_object, row

HOUR = 3_600_000
CALLER = Caller(key_id="k", kind="shop", user_id="u", shop_id=SHOP, scopes=frozenset(), request_id="r")


def shop_objects(ledger: Any, clock: ManualClock) -> ShopObjects:
    """Return the listing that the worker has of the ledger."""
    return ShopObjects(ledger, LedgerFeed(ledger, clock), clock)


@dataclass
class Office:
    """Everything around exports of one shop."""

    clock: ManualClock = field(default_factory=lambda: ManualClock(datetime(2026, 3, 2, tzinfo=UTC)))
    catalog: MemoryCatalog = field(default_factory=MemoryCatalog)
    ledger: MemoryBlobs = field(default_factory=MemoryBlobs)
    queue: MemoryQueue = field(default_factory=MemoryQueue)
    rollups: MemoryRollupStore = field(default_factory=MemoryRollupStore)

    def __post_init__(self) -> None:
        self.world = World(catalog=self.catalog, clock=self.clock, random=SystemRandomness())
        self.store = MemoryExportStore(self.ledger)
        self.jobs = Jobs(self.world, "export", self.queue)
        self.exports = Exports(self.world, self.jobs, self.store)
        self.exporter = Exporter(
            world=self.world,
            bench=Workbench(self.world),
            files=shop_objects(self.ledger, self.clock),
            workshop=DuckDbExports(self.ledger),
            store=self.store,
            rollups=self.rollups,
            audit=MemoryAuditStore(self.catalog),
        )

    def written(self, *rows: Row, at: int = BEGIN, name: str = "batch") -> None:
        """A raw object of the hour."""
        self.ledger.put(raw_key([name], at), ledger_object(list(rows)), content_type="application/x-ndjson")

    def order(
        self, dataset: str, form: str = "ndjson", since: int = BEGIN, until: int = BEGIN + HOUR, **more: Any
    ) -> Export:
        """An export that is queued. Times are Unix milliseconds."""
        wish = {"dataset": dataset, "format": form, "from": moment(since), "to": moment(until), **more}
        return self.exports.create(CALLER, ExportInput.model_validate(wish))

    def made(self, dataset: str, form: str = "ndjson", **more: Any) -> tuple[Export, bytes]:
        """An export that was carried out, and its file."""
        ordered = self.order(dataset, form, **more)
        self.exporter.carry_out(self.queue.bodies[-1])
        made = self.exports.get(CALLER, ordered.id)
        assert made.status == "completed", made
        found = self.ledger.get(f"exports/{SHOP}/{made.id}.{form}")
        assert found is not None
        return made, found.content

    def records(self, dataset: str, **more: Any) -> list[dict[str, Any]]:
        """The rows of an export."""
        made, content = self.made(dataset, **more)
        found = [json.loads(line) for line in content.splitlines()]
        assert made.rows == len(found)
        return found


def moment(unix_ms: int) -> str:
    return timestamp(from_milliseconds(unix_ms))


def read_csv(content: bytes) -> list[dict[str, str]]:
    """The records of a CSV file with a header."""
    return list(csv.DictReader(io.StringIO(content.decode(), newline="")))


def read_parquet(content: bytes) -> Sequence[Mapping[str, Any]]:
    """The records of a Parquet file."""
    with TemporaryDirectory() as folder, duckdb.connect() as database:
        path = Path(folder) / "file.parquet"
        path.write_bytes(content)
        found = database.execute("SELECT * FROM read_parquet($path)", {"path": str(path)})
        names = [column[0] for column in found.description]
        return [dict(zip(names, values, strict=True)) for values in found.fetchall()]


__all__ = ["BEGIN", "CALLER", "HOUR", "SHOP", "Office", "moment", "read_csv", "read_parquet", "row"]
