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
    """Yield a row for each goal, day with visitors, and variation, from the quarters of an hour in the order."""
    counts = counted_from(days)
    visitors: defaultdict[Key, int] = defaultdict(int)
    for cell, number in counts.visitors.items():
        if _is_within(cell, order):
            visitors[_key(cell)] += number
    names = {variation.id: variation.name for variation in experiment.variations}
    for goal in experiment.goals:
        if goal.id not in totals["goals"]:
            continue
        by_day: defaultdict[Key, GoalCount] = defaultdict(GoalCount)
        for cell, counted in counts.goals.get(goal.id, {}).items():
            if _is_within(cell, order):
                by_day[_key(cell)] = by_day[_key(cell)].plus(counted)
        for date, variation_id in sorted(visitors):
            count = by_day[date, variation_id]
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


def _is_within(cell: Cell, order: ExportOrder) -> bool:
    return cell.dimension == QUARTER and order.since_ms <= cell.at * QUARTER_MS < order.until_ms


def _key(cell: Cell) -> Key:
    return quarter_date(cell.at), cell.variation_id
