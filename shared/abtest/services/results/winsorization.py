"""Caps on visitors' totals, so that a few do not decide a mean: docs/data-model.md section 4, `spread`."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal

from abtest.domain.goals.model import Goal
from abtest.domain.ledger.cells import Covariate, GoalCount, Step
from abtest.services.results.counts import Counts


@dataclass(frozen=True, slots=True, kw_only=True)
class Capped:
    """Capped sums of a goal. `applied`: None without a cap on the goal, False when the numbers do not allow it.

    `ceiling` is None when no visitor is above it; `counts` by variation, capped. `excess` is by variation what the cap
    takes from Σxy, the products with what was before; None where that was not counted.
    """

    applied: bool | None
    ceiling: int | None = None
    counts: Mapping[str, GoalCount] = field(default_factory=dict)
    excess: Mapping[str, int] | None = None


def capped(goal: Goal, is_rate: bool, counts: Counts) -> Capped:
    """Return the goal's sums under its cap. Rates have nothing to cap."""
    if goal.winsorize_pct is None or is_rate:
        return Capped(applied=None)
    steps = {} if counts.spread is None else counts.spread.get(goal.id, {})
    converters = sum(count.converters for (goal_id, _), count in counts.goals.items() if goal_id == goal.id)
    # The spread covers all visitors. If it does not add up, it was counted before the goal had a cap.
    if counts.spread is None or sum(count.converters for count in steps.values()) != converters:
        return Capped(applied=False)
    ceiling = ceiling_for(steps, goal.winsorize_pct)
    if ceiling is None:
        return Capped(applied=True, excess={})
    products = counts.covariate_steps.get(goal.id)
    excess = None if products is None else excess_at(products, ceiling)
    return Capped(applied=True, ceiling=ceiling, counts=capped_at(steps, ceiling), excess=excess)


def ceiling_for(steps: Mapping[Step, GoalCount], share: float) -> int | None:
    """Return the smallest ceiling that at most this share of converters exceed; None when no one exceeds it."""
    by_ceiling: defaultdict[int, int] = defaultdict(int)
    for step, count in steps.items():
        by_ceiling[step.ceiling] += count.converters
    # Decimal: in floats, 0.29 of 100 converters is less than 29.
    allowed, above = Decimal(str(share)) * sum(by_ceiling.values()), 0
    ceilings = sorted(by_ceiling, reverse=True)
    for place, ceiling in enumerate(ceilings):
        above += by_ceiling[ceiling]
        if above > allowed:
            return ceiling if place else None
    return ceilings[-1] if len(ceilings) > 1 else None


def capped_at(steps: Mapping[Step, GoalCount], ceiling: int) -> Mapping[str, GoalCount]:
    """Return sums by variation; totals above the ceiling count as the ceiling, all others unchanged."""
    sums: defaultdict[str, GoalCount] = defaultdict(GoalCount)
    for step, count in steps.items():
        part = count
        if step.ceiling > ceiling:
            part = count._replace(total=count.converters * ceiling, squares=count.converters * ceiling**2)
        sums[step.variation_id] = sums[step.variation_id].plus(part)
    return sums


def excess_at(steps: Mapping[Step, Covariate], ceiling: int) -> Mapping[str, int]:
    """Return Σx(y - ceiling) by variation, over the visitors whose totals y are above the ceiling."""
    excess: defaultdict[str, int] = defaultdict(int)
    for step, before in steps.items():
        if step.ceiling > ceiling:
            excess[step.variation_id] += before.products - ceiling * before.total
    return excess
