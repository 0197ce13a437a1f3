"""Which engine counts: the embedded one, or Athena where the template's parameter WarehouseEngine says so."""

from typing import TYPE_CHECKING

from abtest.kit.clock import Clock
from abtest.kit.ids import SystemRandomness
from abtest.ports.blobs import Blobs
from abtest.ports.warehouse import LedgerCounter, Warehouse
from abtest.wiring.settings import MissingSettingError, Settings

if TYPE_CHECKING:
    from abtest.adapters.warehouse.athena import AthenaWarehouse

# Each engine is imported where it is chosen: a deployment with Athena does not wait for DuckDB, nor the reverse.

DUCKDB, ATHENA = "duckdb", "athena"


def warehouse_of(config: Settings, ledger: Blobs) -> Warehouse:
    """The engine that answers questions about the ledger's bucket. Raises MissingSettingError."""
    if _engine(config) == ATHENA:
        return _athena(config, ledger)
    from abtest.adapters.warehouse.duckdb_ledger import DuckDbWarehouse

    return DuckDbWarehouse(ledger)


def counter_of(config: Settings, ledger: Blobs, clock: Clock) -> LedgerCounter:
    """What counts for roll-ups: a copy that the process keeps, or Athena anew each time. Raises MissingSettingError."""
    if _engine(config) == ATHENA:
        from abtest.adapters.warehouse.athena_counter import AthenaCounter
        from abtest.services.ledger_files import LedgerFiles

        return AthenaCounter(warehouse=_athena(config, ledger), files=LedgerFiles(ledger), clock=clock)
    from abtest.adapters.warehouse.running import RunningCounter

    return RunningCounter(ledger, clock)


def _engine(config: Settings) -> str:
    """An absent setting is the template's default; one that names no engine ends the function at its start."""
    engine = config.warehouse_engine or DUCKDB
    if engine not in (DUCKDB, ATHENA):
        raise MissingSettingError(f"WAREHOUSE_ENGINE is {DUCKDB} or {ATHENA}, not {engine[:50]!r}")
    return engine


def _athena(config: Settings, ledger: Blobs) -> "AthenaWarehouse":
    from abtest.adapters.warehouse.athena import AthenaWarehouse
    from abtest.adapters.warehouse.athena_client import AthenaQueries

    config.need("athena_database", "athena_workgroup", "ledger_bucket")
    queries = AthenaQueries(
        database=config.athena_database, workgroup=config.athena_workgroup, random=SystemRandomness()
    )
    return AthenaWarehouse(queries=queries, ledger=ledger, bucket=config.ledger_bucket)
