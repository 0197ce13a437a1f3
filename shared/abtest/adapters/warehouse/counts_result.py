"""Counts from the rows of the counting statement, for every engine."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple, Self

from abtest.adapters.warehouse.cells_sql import (
    AFTER,
    ASIDE,
    BEFORE,
    BOTH,
    GOAL,
    LIMB,
    MONEY,
    SESSIONS,
    SPREAD,
    STEPS,
    THROUGH,
    VISITORS,
)
from abtest.domain.ledger.cells import Cell, Counts, Covariate, GoalCount, Money, MoneyCell, SessionCount, Step
from abtest.domain.ledger.plans import CountingPlan


class _Line(NamedTuple):
    """Row of the result, with its numbers as integers."""

    part: str
    goal_id: str
    variation_id: str
    dimension: str
    moment: int
    value: str
    currency: str
    converters: int
    hits: int
    total: int
    squares: int

    @classmethod
    def of(cls, row: Sequence[Any]) -> Self:
        """Return the line of a row, whose numbers may be texts or decimals."""
        converters, hits, total, high, middle, low = (int(number) for number in row[7:])
        squares = high * LIMB**2 + 2 * middle * LIMB + low
        part, goal_id, variation_id, dimension, moment, value, currency = row[:7]
        return cls(
            part, goal_id, variation_id, dimension, int(moment), value, currency, converters, hits, total, squares
        )

    @property
    def cell(self) -> Cell:
        return Cell(self.variation_id, self.dimension, self.moment, self.value)

    @property
    def money_cell(self) -> MoneyCell:
        return MoneyCell(self.variation_id, self.moment, self.value, self.currency)

    @property
    def goal_count(self) -> GoalCount:
        return GoalCount(self.converters, self.hits, self.total, self.squares)


def counts_of(plan: CountingPlan, rows: Iterable[Sequence[Any]], *, looks_back: bool = True) -> Counts:
    """Return counts from rows with the columns `cells_sql.RESULT_COLUMNS`, whose numbers may be texts or decimals.

    Without `looks_back`, the rows do not include the time before exposures.
    """
    lines: dict[str, list[_Line]] = {}
    through: int | None = None
    for row in rows:
        if row[0] == THROUGH:
            through = None if row[4] is None or row[4] == "" else int(row[4])
        else:
            lines.setdefault(row[0], []).append(_Line.of(row))
    goals, money, spread = (defaultdict[str, list[_Line]](list) for _ in range(3))
    for part, by_goal in ((GOAL, goals), (MONEY, money), (SPREAD, spread)):
        for line in lines.get(part, ()):
            by_goal[line.goal_id].append(line)
    return Counts(
        visitors={line.cell: line.converters for line in lines.get(VISITORS, ())},
        goals={goal.goal_id: {line.cell: line.goal_count for line in goals[goal.goal_id]} for goal in plan.goals},
        money={
            goal.goal_id: {line.money_cell: Money(line.hits, line.total) for line in money[goal.goal_id]}
            for goal in plan.goals
            if goal.lists_money
        },
        spread={
            goal.goal_id: {Step(line.variation_id, int(line.value)): line.goal_count for line in spread[goal.goal_id]}
            for goal in plan.goals
            if goal.winsorize_pct is not None
        },
        covariates={
            goal.goal_id: _covariates(lines, goal.goal_id) for goal in plan.goals if looks_back and goal.looks_back
        },
        covariate_steps={
            goal.goal_id: _covariate_steps(lines, goal.goal_id)
            for goal in plan.goals
            if looks_back and goal.has_covariate_steps
        },
        sessions={
            line.variation_id: SessionCount(line.converters, line.hits, line.total, line.squares, line.moment)
            for line in lines.get(SESSIONS, ())
        },
        multiple_exposure=sum(line.converters for line in lines.get(ASIDE, ())),
        through=through,
    )


def _covariates(lines: Mapping[str, Sequence[_Line]], goal_id: str) -> dict[str, Covariate]:
    products = _products(lines, goal_id, {part: part for part in STEPS})
    return {variation_id: covariate for (variation_id, _), covariate in products.items()}


def _covariate_steps(lines: Mapping[str, Sequence[_Line]], goal_id: str) -> dict[Step, Covariate]:
    steps = _products(lines, goal_id, STEPS)
    # Visitors without a total after their exposure are in no step.
    return {
        Step(variation_id, int(step)): covariate for (variation_id, step), covariate in steps.items() if step != "0"
    }


def _products(
    lines: Mapping[str, Sequence[_Line]], goal_id: str, parts: Mapping[str, str]
) -> dict[tuple[str, str], Covariate]:
    # (x + y)² - x² - y² = 2xy. Visitors without activity before their exposure (x = 0) add nothing to the sums.
    before, after, both = (
        {(line.variation_id, line.value): line for line in lines.get(parts[part], ()) if line.goal_id == goal_id}
        for part in (BEFORE, AFTER, BOTH)
    )
    return {
        key: Covariate(line.total, line.squares, (both[key].squares - line.squares - after[key].squares) // 2)
        for key, line in before.items()
    }
