"""Units of a large shop in DuckDB: who is tied, the counts of a partition's other visitors, and those of all tied ones.

Each unit has a copy and a state of its own in `DuckDbShopCounter`.
"""

import logging
from array import array
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory

from abtest.adapters.warehouse.duckdb_ledger import DuckDbShopLedger
from abtest.adapters.warehouse.ids_copy import IdsCopy
from abtest.adapters.warehouse.raw_rows import NAMES, parquet_rows
from abtest.adapters.warehouse.releases import counting_release
from abtest.adapters.warehouse.rows_in_memory import in_memory, without_collection
from abtest.adapters.warehouse.shop_copy import CopyLedger, ShopCopy
from abtest.adapters.warehouse.shop_counter import DuckDbShopCounter
from abtest.adapters.warehouse.shop_intake import Task
from abtest.domain.ledger.cells import Counts
from abtest.domain.ledger.daily_counts import DailyCounts
from abtest.domain.ledger.partitions import Unit
from abtest.domain.ledger.plans import CountingPlan
from abtest.domain.ledger.shop_day_changes import minus
from abtest.domain.ledger.shop_results import PlanCounts, Results, digest_of
from abtest.kit.clock import Clock
from abtest.ports.rollup_store import StoredState
from abtest.ports.warehouse import OutOfTimeError, ShopCounted, ShopPlans, UnitCounted

_log = logging.getLogger(__name__)

_TIED_ROWS = "tied_rows"


class DuckDbShopUnits:
    """ShopUnits for one process and one thread."""

    def __init__(self, counter: DuckDbShopCounter, clock: Clock) -> None:
        self._counter = counter
        self._clock = clock

    @property
    def release(self) -> str:
        """Digest of all that counts, and of the form of rows: hashes that divide ids and visitors depend on the engine.

        So no outcome by former rules is added to others by the present ones, or is read by a release that changed it.
        """
        return counting_release()

    def count(
        self,
        unit: Unit,
        shop: ShopPlans,
        *,
        head: int,
        at: int,
        stored: StoredState | None,
        tied: Sequence[bytes] = (),
        until: datetime | None = None,
    ) -> UnitCounted:
        """Count one unit; see ShopUnits."""
        task = Task(self._clock, shop, head=head, stored=stored, until=until, unit=unit, at=at)
        with self._counter.counting(task) as (held, counted):
            if counted.offset < head:
                return _unit_counted(counted, held.copy.covers, Results(), b"")
            if isinstance(held.copy, IdsCopy):
                return _unit_counted(counted, held.copy.covers, Results(), held.copy.tied())
            results, rows = self._untied(held.copy, shop, counted, tied)
            return _unit_counted(counted, held.copy.covers, results, rows)

    def tied(
        self, shop: ShopPlans, rows: Sequence[bytes], dates: Sequence[str], *, until: datetime | None = None
    ) -> Results:
        """Count the tied visitors of all partitions together; see ShopUnits."""
        with self._folder() as folder:
            files = [folder / f"{number}.parquet" for number in range(len(rows))]
            for file, content in zip(files, rows, strict=True):
                file.write_bytes(content)
            self._counter.database.execute(
                f"CREATE OR REPLACE TEMP TABLE {_TIED_ROWS} AS SELECT {NAMES} FROM {parquet_rows('$files')}",  # noqa: S608 - names of our own
                {"files": [str(file) for file in files]},
            )
            return self._results(shop, shop.plans, dates, until)

    def _untied(
        self, copy: ShopCopy, shop: ShopPlans, counted: ShopCounted, tied: Sequence[bytes]
    ) -> tuple[Results, bytes]:
        """Return the counts without those of tied visitors, and the rows of these."""
        with self._folder() as folder:
            file = folder / "visitors.csv"
            with file.open("w") as lines:
                lines.writelines(f"{visitor}\n" for each in tied for visitor in array("Q", each))
            copy.select_visitors(file, _TIED_ROWS)
            plans = [plan for plan in shop.plans if plan.experiment_id in counted.counts]
            part = self._results(shop, plans, list(counted.days))
            results = Results(
                counted={
                    name: replace(each, counts=counted.counts[name].changed(each.counts.whole(), Counts()))
                    for name, each in part.counted.items()
                },
                days={date: minus(counted.days[date], day) for date, day in part.days.items()},
            )
            rows = folder / "rows.parquet"
            self._counter.database.execute(
                f"COPY (SELECT {NAMES} FROM {_TIED_ROWS}) TO '{rows}' (FORMAT parquet, COMPRESSION zstd)"  # noqa: S608 - names of our own
            )
            return results, rows.read_bytes()

    @without_collection()
    def _results(
        self, shop: ShopPlans, plans: Sequence[CountingPlan], dates: Sequence[str], until: datetime | None = None
    ) -> Results:
        """Count the selected rows of tied visitors."""
        database = self._counter.database
        few = in_memory(database, _TIED_ROWS, shop.shop_id, plans=len(plans))
        ledger: CopyLedger = few or DuckDbShopLedger(database, _TIED_ROWS, shop.shop_id)
        counted: dict[str, PlanCounts] = {}
        for plan in plans:
            if until is not None and self._clock.now() >= until:
                raise OutOfTimeError
            try:
                counts = DailyCounts.of(ledger.count(plan))
                counted[plan.experiment_id] = PlanCounts(plan=digest_of(plan), counts=counts)
            except Exception:
                # The sum reports a plan that is not in all results.
                _log.exception("rollup.not_counted", extra={"experiment_id": plan.experiment_id})
        return Results(counted=counted, days=ledger.days(dates, shop.currency))

    @contextmanager
    def _folder(self) -> Iterator[Path]:
        with TemporaryDirectory(prefix="tied-") as name:
            try:
                yield Path(name)
            finally:
                self._counter.database.execute(f"DROP TABLE IF EXISTS temp.{_TIED_ROWS}")


def _unit_counted(counted: ShopCounted, covers: int, results: Results, shared: bytes) -> UnitCounted:
    return UnitCounted(
        results=results,
        shared=shared,
        failed=counted.failed,
        rows=counted.rows,
        oldest=counted.oldest,
        offset=counted.offset,
        covers=covers,
        state=counted.state,
        held=counted.held,
    )
