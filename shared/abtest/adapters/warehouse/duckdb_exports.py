"""Export files, written by DuckDB on the worker's disk. Memory use depends neither on the ledger nor on the file."""

from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import duckdb

from abtest.adapters.warehouse import export_sql as sql
from abtest.adapters.warehouse.duckdb_settings import settings_of
from abtest.adapters.warehouse.raw_rows import SQL_TYPES, download, stage
from abtest.adapters.warehouse.raw_sections import batches
from abtest.domain.exports.columns import EVENTS, EXPOSURES
from abtest.domain.exports.order import BEFORE_MS, ExportOrder
from abtest.domain.ledger.columns import COLUMNS, ColumnType
from abtest.domain.ledger.objects import ShopFiles
from abtest.kit import canonical_json
from abtest.ports.blobs import Blobs
from abtest.ports.exports import ExportTooLargeError

MEMORY_LIMIT = "1GB"
HEARTBEAT_SECONDS = 15.0

Columns = Mapping[str, ColumnType]


class DuckDbExports:
    """ExportWorkshop over a ledger bucket."""

    def __init__(self, ledger: Blobs, *, memory_limit: str = MEMORY_LIMIT) -> None:
        self._ledger = ledger
        self._memory_limit = memory_limit

    @contextmanager
    def open(self, shop_id: str, order: ExportOrder) -> Iterator["DuckDbExportFile"]:
        """Open a file in a temporary directory."""
        with TemporaryDirectory(prefix="export-") as name:
            folder = Path(name)
            with duckdb.connect(folder / "taken.duckdb", config=settings_of(folder, self._memory_limit)) as database:
                database.execute(sql.CREATE_TAKEN)
                yield DuckDbExportFile(self._ledger, database, folder, shop_id, order)


class DuckDbExportFile:
    """Export file while it is written."""

    def __init__(self, ledger: Blobs, database: Any, folder: Path, shop_id: str, order: ExportOrder) -> None:
        self._ledger = ledger
        self._database = database
        self._folder = folder
        self._order = order
        self._rows = 0
        self._bounds = {
            "shop": shop_id,
            "received_since": order.since_ms - BEFORE_MS,
            "until": order.until_ms,
        }

    @property
    def path(self) -> Path:
        return self._folder / f"export.{self._order.format}"

    def take(self, files: ShopFiles) -> None:
        with _too_large_errors(), TemporaryDirectory(dir=self._folder) as name:
            folder = Path(name)
            if files.parquet:
                paths = [str(path) for path in download(self._ledger, files.parquet, folder).values()]
                bounds = {**self._bounds, "columns": list(COLUMNS), "files": paths}
                self._database.execute(sql.TAKE_PARQUET, bounds)
            if files.raw:
                stage(self._database, download(self._ledger, files.raw, folder))
                self._database.execute(sql.TAKE_RAW, self._bounds)
            for batch in batches(self._ledger, files.sections, folder):
                stage(self._database, batch)
                self._database.execute(sql.TAKE_RAW, self._bounds)

    def write(self) -> Generator[None, None, None]:
        columns = EVENTS if self._order.dataset == "events" else EXPOSURES

        def prepare() -> None:
            with _too_large_errors():
                self._database.execute(sql.REPEATED)
                self._database.execute(sql.VALID_ROWS)
                # COPY accepts no parameters, so the experiment is passed in a variable.
                self._database.execute("SET VARIABLE experiment = $id", {"id": self._order.experiment_id})

        yield from self._run_in_thread(prepare)
        query = sql.rows_of(
            self._order.dataset,
            self._order.since_ms,
            self._order.until_ms,
            of_experiment=self._order.experiment_id is not None,
        )
        yield from self._run_in_thread(lambda: self._copy(query, columns))

    def write_records(self, columns: Columns, records: Iterable[Mapping[str, Any]]) -> None:
        source = self._folder / "records.ndjson"
        with source.open("wb") as file:
            file.writelines(canonical_json.encode(dict(record)) + b"\n" for record in records)
        typed = {name: SQL_TYPES[kind] for name, kind in columns.items()}
        self._database.execute(
            "CREATE TABLE records AS SELECT * FROM read_json($file, format = 'newline_delimited', columns = $columns)",
            {"file": str(source), "columns": typed},
        )
        self._copy("SELECT * FROM records", columns)

    def rows(self) -> int:
        return self._rows

    def _copy(self, query: str, columns: Columns) -> None:
        with _too_large_errors():
            statement = sql.copy(query, dict(columns), self._order.format, str(self.path))
            (self._rows,) = self._database.execute(statement).fetchone()

    def _run_in_thread(self, run: Callable[[], None]) -> Generator[None, None, None]:
        """Call `run` in a thread and yield until it returns. Closing the generator interrupts the query."""
        with ThreadPoolExecutor(1) as pool:
            running = pool.submit(run)
            try:
                while wait([running], timeout=HEARTBEAT_SECONDS).not_done:
                    yield
            finally:
                if not running.done():
                    self._database.interrupt()
            running.result()


@contextmanager
def _too_large_errors() -> Iterator[None]:
    """Raise ExportTooLargeError for a full disk or memory; other errors pass unchanged."""
    try:
        yield
    except duckdb.OutOfMemoryException as error:
        raise ExportTooLargeError(str(error)) from error
    except (duckdb.IOException, OSError) as error:
        # DuckDB has no class for a full disk; its message and the one of ENOSPC have this word.
        if "space" in str(error).lower():
            raise ExportTooLargeError(str(error)) from error
        raise
