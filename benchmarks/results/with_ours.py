"""The embedded engine of this project: counts by quarters of an hour, with segments, or with covariates as well.

It prints their totals.
"""

import sys
from collections import defaultdict
from dataclasses import replace
from tempfile import TemporaryDirectory

import duckdb

from abtest.adapters.warehouse.duckdb_ledger import MEMORY_LIMIT, DuckDbShopLedger
from abtest.domain.ledger.cells import QUARTER, GoalCount
from abtest.domain.ledger.events import DAY_MS
from abtest.domain.ledger.plans import CountingPlan, GoalPlan
from benchmarks.results.cost import measured
from benchmarks.results.ledger import BEGINS

GOALS = (("cart", "custom", "add_to_cart"), ("click", "click", None), ("revenue", "revenue", None))
PLAN = CountingPlan(
    experiment_id="experiment",
    shop_id="shop",
    assignment_epoch=1,
    measurement_epoch=1,
    begins_at=BEGINS,
    currency="EUR",
    variation_ids=("variation-0", "variation-1"),
    goals=tuple(
        GoalPlan(goal_id=goal_id, type=kind, event_name=name, count_once=False, window_ms=7 * DAY_MS, filter=None)  # type: ignore[arg-type]
        for goal_id, kind, name in GOALS
    ),
)


LOOKING_BACK = replace(PLAN, goals=tuple(replace(goal, looks_back=True) for goal in PLAN.goals))


def counted(folder: str, spilled: str, mode: str) -> list[list[object]]:
    """Rows of the answer: what cells of quarters come to."""
    limits = {"memory_limit": MEMORY_LIMIT, "temp_directory": spilled, "preserve_insertion_order": False}
    with duckdb.connect(config=limits) as database:  # type: ignore[arg-type]
        database.execute(f"CREATE VIEW events AS SELECT * FROM read_parquet('{folder}/*.parquet')")
        plan = LOOKING_BACK if mode == "covariates" else PLAN
        counts = DuckDbShopLedger(database, "events").count(plan, segments=mode != "totals")
    totals: defaultdict[tuple[str, str], GoalCount] = defaultdict(GoalCount)
    for goal_id, cells in counts.goals.items():
        for cell, count in cells.items():
            if cell.dimension == QUARTER:
                totals[goal_id, cell.variation_id] = totals[goal_id, cell.variation_id].plus(count)
    visitors: defaultdict[str, int] = defaultdict(int)
    for cell, number in counts.visitors.items():
        visitors[cell.variation_id] += number if cell.dimension == QUARTER else 0
    answer: list[list[object]] = [["visitors", *each] for each in visitors.items()]
    return [*answer, ["aside", "", counts.multiple_exposure], *([*key, *count] for key, count in totals.items())]


def main(folder: str, mode: str) -> None:
    """Print the totals and their cost; `mode` is `totals`, `segments` or `covariates`."""
    with TemporaryDirectory() as spilled:
        print(measured(lambda: counted(folder, spilled, mode)))


if __name__ == "__main__":
    main(*sys.argv[1:])
