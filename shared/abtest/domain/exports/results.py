"""Rows of a results export, out of the roll-up's documents. Pure."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from abtest.domain.experiments.model import Experiment
from abtest.domain.exports.order import ExportOrder
from abtest.domain.ledger.cells import QUARTER, QUARTER_MS, Cell, Counts, GoalCount
from abtest.domain.ledger.daily_counts import counted_from, quarter_date
from abtest.domain.ledger.plans import both_of, denominator_of

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
        by_day = _by_day(counts, goal.id, order)
        parts = [_by_day(counts, part(goal.id), order) for part in (denominator_of, both_of)] if goal.is_ratio else []
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
                "currency": totals["currency"] if goal.depends_on_money else None,
                **_of_ratio(count, *(part[date, variation_id] for part in parts)),
                "generation": totals["generation"],
            }


def _by_day(counts: Counts, goal_id: str, order: ExportOrder) -> Mapping[Key, GoalCount]:
    by_day: defaultdict[Key, GoalCount] = defaultdict(GoalCount)
    for cell, counted in counts.goals.get(goal_id, {}).items():
        if _is_within(cell, order):
            by_day[_key(cell)] = by_day[_key(cell)].plus(counted)
    return by_day


def _of_ratio(numerator: GoalCount, *parts: GoalCount) -> Mapping[str, int | str | None]:
    """Return the sums that only a ratio has; `parts` are its denominator and both together."""
    names = ("denominator_sum", "denominator_sum_squares", "sum_products")
    if not parts:
        return dict.fromkeys(names)
    x, both = parts
    products = (both.squares - x.squares - numerator.squares) // 2
    return dict(zip(names, (x.total, str(x.squares), str(products)), strict=True))


def _is_within(cell: Cell, order: ExportOrder) -> bool:
    return cell.dimension == QUARTER and order.since_ms <= cell.at * QUARTER_MS < order.until_ms


def _key(cell: Cell) -> Key:
    return quarter_date(cell.at), cell.variation_id
