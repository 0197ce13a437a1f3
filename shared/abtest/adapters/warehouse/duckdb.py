"""The embedded engine: ledger objects into a DuckDB of their own, counted by SQL, thrown away.

Downloads are parallel but bounded, and DuckDB moves what is above its memory limit to disk: memory does not grow with
history. Sums are exact: amounts are integers, and squares are summed in two limbs so that no total, however
absurd, overflows 128 bits.
"""

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import duckdb

from abtest.adapters.warehouse import sql
from abtest.domain.ledger.counting import CountingPlan, Counts, GoalCount, GoalPlan
from abtest.domain.ledger.events import Row
from abtest.domain.ledger.filters import accepts, is_evaluable
from abtest.ports.blobs import Blobs

DOWNLOADS = 16
OBJECTS_AT_ONCE = 256
ROWS_AT_ONCE = 10_000
MEMORY_LIMIT = "1500MB"


class MissingObjectError(Exception):
    """A ledger object was listed but is not there: the ledger is append-only, so somebody deleted it."""


class DuckDbWarehouse:
    """Counts what lies in a ledger bucket."""

    def __init__(self, ledger: Blobs, *, memory_limit: str = MEMORY_LIMIT) -> None:
        self._ledger = ledger
        self._memory_limit = memory_limit

    @contextmanager
    def load(self, keys: Sequence[str], plans: Sequence[CountingPlan]) -> Iterator["DuckDbLedger"]:
        """Bring the rows of the plans' shops into a temporary database."""
        with TemporaryDirectory(prefix="ledger-") as folder:
            limits: dict[str, Any] = {"memory_limit": self._memory_limit, "temp_directory": folder}
            with duckdb.connect(config=limits | {"preserve_insertion_order": False}) as database:
                database.execute(sql.CREATE_ROWS)
                for start in range(0, len(keys), OBJECTS_AT_ONCE):
                    self._append(database, keys[start : start + OBJECTS_AT_ONCE], plans, Path(folder))
                yield DuckDbLedger(database)

    def _append(self, database: Any, keys: Sequence[str], plans: Sequence[CountingPlan], folder: Path) -> None:
        def download(numbered: tuple[int, str]) -> Path:
            path = folder / f"{numbered[0]}.ndjson.gz"
            path.write_bytes(self._content(numbered[1]))
            return path

        with ThreadPoolExecutor(DOWNLOADS) as pool:
            paths = list(pool.map(download, enumerate(keys)))
        bounds = {
            "files": [str(path) for path in paths],
            "shops": sorted({plan.shop_id for plan in plans}),
            "begins_at": min(plan.begins_at for plan in plans),
        }
        database.execute(sql.APPEND_ROWS, bounds)
        for path in paths:
            path.unlink()

    def _content(self, key: str) -> bytes:
        found = self._ledger.get(key)
        if found is None:
            raise MissingObjectError(key)
        return found.content


class DuckDbLedger:
    """Rows in a database, counted plan by plan."""

    def __init__(self, database: Any) -> None:
        self._database = database

    def count(self, plan: CountingPlan) -> Counts:
        """Counts by the rules of `domain.ledger.counting`."""
        self._database.execute(sql.COUNTED, {"shop": plan.shop_id, "begins_at": plan.begins_at})
        self._database.execute(
            sql.EXPOSURES,
            {
                "experiment": plan.experiment_id,
                "variations": list(plan.variation_ids),
                "epoch": plan.assignment_epoch,
            },
        )
        self._database.execute(sql.REFUNDS, {"currency": plan.currency})
        visitors = dict(self._rows(sql.VISITORS, {}))
        (through,) = self._rows(sql.THROUGH, {"shop": plan.shop_id, "begins_at": plan.begins_at})[0]
        (multiple,) = self._rows(sql.MULTIPLE, {})[0]
        return Counts(
            visitors={variation_id: visitors.get(variation_id, 0) for variation_id in plan.variation_ids},
            goals={goal.goal_id: self._goal(goal, plan) for goal in plan.goals},
            multiple_exposure=multiple,
            through=through,
        )

    def _goal(self, goal: GoalPlan, plan: CountingPlan) -> Mapping[str, GoalCount]:
        if not is_evaluable(goal.filter):
            return {}
        self._database.execute(*_hits(goal))
        if goal.filter is not None:
            self._drop_refused(goal.filter)
        bounds = {
            "window": goal.window_ms,
            "money": goal.counts_money,
            "once": goal.count_once and not goal.counts_money,
            "currency": plan.currency,
        }
        found = {row[0]: _goal_count(row) for row in self._rows(sql.GOAL, bounds)}
        return {variation_id: found.get(variation_id, GoalCount()) for variation_id in plan.variation_ids}

    def _drop_refused(self, goal_filter: Mapping[str, Any]) -> None:
        """Filters are evaluated by the one function that knows how, on the goal's own hits only."""
        self._database.execute(sql.ACCEPTED)
        cursor = self._database.cursor().execute(sql.FILTERABLE)
        while batch := cursor.fetchmany(ROWS_AT_ONCE):
            kept = [row[0] for row in batch if accepts(goal_filter, _as_row(row))]
            self._database.execute(sql.ACCEPT, {"events": kept})
        self._database.execute(sql.DROP_REFUSED)

    def _rows(self, text: str, bounds: Mapping[str, Any]) -> list[tuple[Any, ...]]:
        found: list[tuple[Any, ...]] = self._database.execute(text, bounds).fetchall()
        return found


def _hits(goal: GoalPlan) -> tuple[str, Mapping[str, Any]]:
    bounds = {"goal": goal.goal_id}
    if goal.counts_money:
        return sql.ORDERS, bounds
    if goal.type == "custom":
        return sql.CUSTOM_HITS, bounds | {"event_name": goal.event_name}
    return sql.HITS, bounds


def _goal_count(row: tuple[Any, ...]) -> GoalCount:
    _, converters, count, total, high, middle, low, excluded = row
    return GoalCount(
        converters=converters,
        count=count,
        sum=total,
        sum_squares=high * sql.LIMB**2 + 2 * middle * sql.LIMB + low,
        excluded=excluded,
    )


def _as_row(found: tuple[Any, ...]) -> Row:
    """As much of a row as filters look at."""
    _, data, revenue_minor, currency = found
    return {"data": data, "revenue_minor": revenue_minor, "currency": currency}  # type: ignore[typeddict-item]
