"""Totals of visitors capped, so that a few of them do not decide a mean: docs/data-model.md section 4, `spread`."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal

from abtest.domain.goals.model import Goal
from abtest.domain.ledger.cells import GoalCount, Step
from abtest.services.results.tallies import Tally


@dataclass(frozen=True, slots=True, kw_only=True)
class Capped:
    """`applied`: None when the goal does not ask for a cap, False when the numbers do not allow one.

    `ceiling` is None where nobody is above it; `counts` by variation, capped.
    """

    applied: bool | None
    ceiling: int | None = None
    counts: Mapping[str, GoalCount] = field(default_factory=dict)


def capped(goal: Goal, is_rate: bool, tally: Tally) -> Capped:
    """A goal's counts, capped as it asks. Rates have nothing to cap."""
    if goal.winsorize_pct is None or is_rate:
        return Capped(applied=None)
    steps = {} if tally.spread is None else tally.spread.get(goal.id, {})
    converters = sum(count.converters for (goal_id, _), count in tally.goals.items() if goal_id == goal.id)
    # The spread is that of everybody; one that does not add up was counted before the goal asked for a cap.
    if tally.spread is None or sum(count.converters for count in steps.values()) != converters:
        return Capped(applied=False)
    ceiling = ceiling_for(steps, goal.winsorize_pct)
    return Capped(applied=True, ceiling=ceiling, counts={} if ceiling is None else capped_at(steps, ceiling))


def ceiling_for(steps: Mapping[Step, GoalCount], share: float) -> int | None:
    """The smallest ceiling that at most this share of converters exceed; None when nobody exceeds it."""
    by_ceiling: defaultdict[int, int] = defaultdict(int)
    for step, count in steps.items():
        by_ceiling[step.ceiling] += count.converters
    allowed, above = Decimal(str(share)) * sum(by_ceiling.values()), 0
    ceilings = sorted(by_ceiling, reverse=True)
    for place, ceiling in enumerate(ceilings):
        above += by_ceiling[ceiling]
        if above > allowed:
            return ceiling if place else None
    return ceilings[-1] if len(ceilings) > 1 else None


def capped_at(steps: Mapping[Step, GoalCount], ceiling: int) -> Mapping[str, GoalCount]:
    """By variation: totals above the ceiling count as the ceiling, all others as they are."""
    found: defaultdict[str, GoalCount] = defaultdict(GoalCount)
    for step, count in steps.items():
        part = count
        if step.ceiling > ceiling:
            part = count._replace(total=count.converters * ceiling, squares=count.converters * ceiling**2)
        found[step.variation_id] = found[step.variation_id].plus(part)
    return found
