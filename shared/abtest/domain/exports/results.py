"""Rows of a results export, out of the roll-up's documents. Pure."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from abtest.domain.experiments.model import Experiment
from abtest.domain.exports.order import ExportOrder
from abtest.domain.ledger.cells import QUARTER, QUARTER_MS, Cell, GoalCount
from abtest.domain.ledger.daily_counts import counted_from, quarter_date

Document = Mapping[str, Any]
Key = tuple[str, str]
"""Date and variation id."""


def result_rows(
    experiment: Experiment, totals: Document, days: Iterable[Document], order: ExportOrder
) -> Iterator[Mapping[str, Any]]:
    """A row for each goal, day with visitors, and variation, of quarters of an hour that the order spans."""
    counts = counted_from(days)
    visitors: defaultdict[Key, int] = defaultdict(int)
    for cell, number in counts.visitors.items():
        if _is_within(cell, order):
            visitors[_key(cell)] += number
    names = {variation.id: variation.name for variation in experiment.variations}
    for goal in experiment.goals:
        if goal.id not in totals["goals"]:
            continue
        found = _by_day(counts.goals.get(goal.id, {}), order)
        for date, variation_id in sorted(visitors):
            count = found[date, variation_id]
            yield {
                "experiment_id": experiment.id,
                "measurement_epoch": totals["measurement_epoch"],
                "date": date,
                "goal_id": goal.id,
                "goal_name": goal.name,
                "variation_id": variation_id,
                "variation_name": names.get(variation_id),
                "visitors": visitors[date, variation_id],
                "converters": count.converters,
                "count": count.hits,
                "sum": count.total,
                "sum_squares": str(count.squares),
                "currency": totals["currency"] if goal.type == "revenue" else None,
                "generation": totals["generation"],
            }


def _by_day(cells: Mapping[Cell, GoalCount], order: ExportOrder) -> Mapping[Key, GoalCount]:
    found: defaultdict[Key, GoalCount] = defaultdict(GoalCount)
    for cell, count in cells.items():
        if _is_within(cell, order):
            found[_key(cell)] = found[_key(cell)].plus(count)
    return found


def _is_within(cell: Cell, order: ExportOrder) -> bool:
    return cell.dimension == QUARTER and order.since_ms <= cell.at * QUARTER_MS < order.until_ms


def _key(cell: Cell) -> Key:
    return quarter_date(cell.at), cell.variation_id
