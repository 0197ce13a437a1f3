"""Selection of the counting engine by the template's parameter WarehouseEngine: DuckDB, or Athena."""

from typing import TYPE_CHECKING, NamedTuple

from abtest.kit.clock import Clock
from abtest.kit.ids import SystemRandomness
from abtest.ports.blobs import Blobs
from abtest.ports.queue import Queue
from abtest.ports.warehouse import ShopCounter, ShopUnits, Warehouse
from abtest.services.ledger_feed import LedgerFeed
from abtest.services.rollups import DividedCounter
from abtest.wiring.settings import MissingSettingError, Settings

if TYPE_CHECKING:
    from abtest.adapters.warehouse.athena import AthenaWarehouse

# Each engine is imported where it is selected, so that a cold start with Athena does not load DuckDB, nor the reverse.

DUCKDB, ATHENA = "duckdb", "athena"


def warehouse_of(config: Settings, ledger: Blobs) -> Warehouse:
    """Return the engine for queries of the ledger's bucket. Raises MissingSettingError."""
    if engine_of(config) == ATHENA:
        return athena(config, ledger)
    from abtest.adapters.warehouse.duckdb_ledger import DuckDbWarehouse

    return DuckDbWarehouse(ledger)


class Counters(NamedTuple):
    """Counter of shops, and the one of units of large shops, where the engine needs these."""

    shops: ShopCounter
    units: ShopUnits | None


def counters_of(config: Settings, ledger: Blobs, feed: LedgerFeed, clock: Clock, queue: Queue) -> Counters:
    """Return the counters of roll-ups: on copies of shops that processes and the bucket keep, or Athena's queries.

    `queue`: for messages of units. Raises MissingSettingError.
    """
    if engine_of(config) == ATHENA:
        from abtest.adapters.warehouse.athena_shop_counter import AthenaShopCounter
        from abtest.services.shop_objects import ShopObjects

        return Counters(AthenaShopCounter(athena(config, ledger), ShopObjects(ledger, feed, clock), clock), None)
    from abtest.adapters.warehouse.shop_counter import DuckDbShopCounter
    from abtest.adapters.warehouse.shop_units import DuckDbShopUnits

    whole = DuckDbShopCounter(ledger, clock, feed)
    units = DuckDbShopUnits(whole, clock)
    return Counters(DividedCounter(whole=whole, units=units, ledger=ledger, queue=queue, clock=clock), units)


def engine_of(config: Settings) -> str:
    """Return the name of the engine, by default the template's. Raises MissingSettingError for any other name."""
    engine = config.warehouse_engine or DUCKDB
    if engine not in (DUCKDB, ATHENA):
        raise MissingSettingError(f"WAREHOUSE_ENGINE must be {DUCKDB} or {ATHENA}, not {engine[:50]!r}")
    return engine


def athena(config: Settings, ledger: Blobs) -> "AthenaWarehouse":
    """Return the warehouse on Athena. Raises MissingSettingError."""
    from abtest.adapters.warehouse.athena import AthenaWarehouse
    from abtest.adapters.warehouse.athena_client import AthenaQueries

    config.need("athena_database", "athena_workgroup", "ledger_bucket")
    queries = AthenaQueries(
        database=config.athena_database, workgroup=config.athena_workgroup, random=SystemRandomness()
    )
    return AthenaWarehouse(queries=queries, ledger=ledger, bucket=config.ledger_bucket)
