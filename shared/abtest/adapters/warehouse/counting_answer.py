"""Reading the answer of the counting statement, whichever engine gave it."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

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
    THROUGH,
    VISITORS,
)
from abtest.domain.ledger.cells import Cell, Counts, Covariate, GoalCount, Money, MoneyCell, SessionCount, Step
from abtest.domain.ledger.plans import CountingPlan


class _Line(NamedTuple):
    """A row of the answer."""

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

    @property
    def cell(self) -> Cell:
        return Cell(self.variation_id, self.dimension, self.moment, self.value)

    @property
    def found(self) -> GoalCount:
        return GoalCount(self.converters, self.hits, self.total, self.squares)


def counts_of(plan: CountingPlan, rows: Iterable[Sequence[Any]], *, looks_back: bool = True) -> Counts:
    """Counts out of rows with the columns `cells_sql.ANSWER`; numbers may be texts or decimals.

    Without `looks_back` it was not asked what was before exposures.
    """
    lines: dict[str, list[_Line]] = {}
    through: int | None = None
    for row in rows:
        if row[0] == THROUGH:
            through = None if row[4] is None or row[4] == "" else int(row[4])
        else:
            lines.setdefault(row[0], []).append(_line(row))
    goals, money, spread = (_by_goal(lines.get(part, ())) for part in (GOAL, MONEY, SPREAD))
    return Counts(
        visitors={line.cell: line.converters for line in lines.get(VISITORS, ())},
        goals={goal.goal_id: {line.cell: line.found for line in goals.get(goal.goal_id, ())} for goal in plan.goals},
        money={
            goal.goal_id: {_money_cell(line): Money(line.hits, line.total) for line in money.get(goal.goal_id, ())}
            for goal in plan.goals
            if goal.counts_money
        },
        spread={
            goal.goal_id: {
                Step(line.variation_id, int(line.value)): line.found for line in spread.get(goal.goal_id, ())
            }
            for goal in plan.goals
            if goal.winsorize_pct is not None
        },
        covariates={
            goal.goal_id: _covariates(lines, goal.goal_id) for goal in plan.goals if looks_back and goal.looks_back
        },
        sessions={
            line.variation_id: SessionCount(line.converters, line.hits, line.total) for line in lines.get(SESSIONS, ())
        },
        multiple_exposure=sum(line.converters for line in lines.get(ASIDE, ())),
        through=through,
    )


def _covariates(lines: Mapping[str, Sequence[_Line]], goal_id: str) -> dict[str, Covariate]:
    """(x + y)² less x² and y² is twice x * y; who did nothing before adds nothing to either."""
    before, after, both = (
        {line.variation_id: line for line in lines.get(part, ()) if line.goal_id == goal_id}
        for part in (BEFORE, AFTER, BOTH)
    )
    return {
        variation_id: Covariate(
            line.total, line.squares, (both[variation_id].squares - line.squares - after[variation_id].squares) // 2
        )
        for variation_id, line in before.items()
    }


def _line(row: Sequence[Any]) -> _Line:
    converters, hits, total, high, middle, low = (int(number) for number in row[7:])
    squares = high * LIMB**2 + 2 * middle * LIMB + low
    part, goal_id, variation_id, dimension, moment, value, currency = row[:7]
    return _Line(part, goal_id, variation_id, dimension, int(moment), value, currency, converters, hits, total, squares)


def _money_cell(line: _Line) -> MoneyCell:
    return MoneyCell(line.variation_id, line.moment, line.value, line.currency)


def _by_goal(lines: Iterable[_Line]) -> Mapping[str, Sequence[_Line]]:
    found: dict[str, list[_Line]] = {}
    for line in lines:
        found.setdefault(line.goal_id, []).append(line)
    return found
