"""Parquet files of older releases lack columns; everything that reads the ledger reads them as null."""

from datetime import timedelta
from pathlib import Path

import duckdb
import pytest

from abtest.adapters.warehouse.duckdb_ledger import DuckDbWarehouse
from abtest.adapters.warehouse.shop_counter import DuckDbShopCounter
from abtest.domain.ledger.columns import ADDED
from abtest.domain.ledger.compacted_hours import CompactedHour
from abtest.domain.ledger.objects import ShopFiles, compacted_key
from abtest.domain.ledger.reference import count
from abtest.kit.clock import ManualClock, from_milliseconds
from abtest.ports.warehouse import ShopPlans
from abtest.services.ledger_feed import LedgerFeed
from tests.contract.warehouses import HOUR, stored
from tests.support.ledgers import BEGIN, PLAN, SHOP, click, exposure
from tests.support.memory import MemoryBlobs

OLD = [exposure("v-1", "blue", BEGIN + 50, received_at=BEGIN + 20), click("v-1", BEGIN + 30)]
"""An exposure, and a click that is after it by our clock alone."""


@pytest.fixture
def older(tmp_path: Path) -> tuple[MemoryBlobs, ShopFiles]:
    """Return a ledger with one Parquet file as an older release wrote it."""
    ledger = MemoryBlobs()
    # Only the second of three rows is in Parquet alone.
    files = stored(ledger, [click("other"), *(row for row in OLD for _ in range(3))], SHOP)
    path = tmp_path / "old.parquet"
    for key in files.parquet:
        file = ledger.get(key)
        assert file is not None
        path.write_bytes(file.content)
        with duckdb.connect() as database:
            database.execute(f"CREATE TABLE rows AS SELECT * EXCLUDE ({', '.join(ADDED)}) FROM '{path}'")
            database.execute(f"COPY rows TO '{path}' (FORMAT parquet)")
        ledger.put(key, path.read_bytes(), content_type="application/vnd.apache.parquet")
    return ledger, ShopFiles(parquet=files.parquet, raw=())


def test_warehouse__counts_them(older: tuple[MemoryBlobs, ShopFiles]) -> None:
    ledger, files = older
    with DuckDbWarehouse(ledger).open(SHOP, files, since=0) as opened:
        assert opened.count(PLAN) == count(OLD, PLAN)
        assert opened.count(PLAN).goals["click"]


def test_running_counter__counts_them(older: tuple[MemoryBlobs, ShopFiles]) -> None:
    ledger, files = older
    raw = frozenset(entry.key for entry in ledger.list("raw/"))
    hour = CompactedHour(raw=raw, events=files.parquet, rows=2)
    ledger.put(compacted_key(HOUR), hour.encoded(), content_type="application/json")
    clock = ManualClock(from_milliseconds(BEGIN) + timedelta(hours=1))
    shop = ShopPlans(shop_id=SHOP, plans=(PLAN,), currency="EUR")
    counted = DuckDbShopCounter(ledger, clock, LedgerFeed(ledger, clock)).count(shop, head=0, stored=None)
    assert counted.failed == {}
    assert counted.counts[PLAN.experiment_id].whole() == count(OLD, PLAN)
