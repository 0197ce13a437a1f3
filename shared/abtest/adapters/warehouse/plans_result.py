"""Counts of each plan from the rows of the statement for many plans."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from sys import intern
from typing import Any

from abtest.adapters.warehouse.cells_sql import THROUGH
from abtest.adapters.warehouse.counts_result import counts_of
from abtest.adapters.warehouse.plan_relations_sql import Numbered
from abtest.domain.ledger.cells import Counts

_NUMBERS = 6
"""Integers at the end of a row of the result."""


def counts_of_plans(numbered: Numbered, rows: Iterable[Sequence[Any]]) -> list[Counts]:
    """Return the counts of each plan, in the order of the plans, from rows whose numbers may be texts or decimals."""
    newest: int | None = None
    lines: defaultdict[int, list[Sequence[Any]]] = defaultdict(list)
    for part, goal, variation, dimension, moment, value, currency, *numbers in rows:
        if part == THROUGH:
            newest = None if moment is None or moment == "" else int(moment)
            continue
        plan, variation_id = numbered.variations[int(variation)]
        goal_id = numbered.goals[int(goal)][1].goal_id if goal else ""
        # A million rows have few different texts; each is held once.
        texts = (intern(part), goal_id, variation_id, intern(dimension))
        lines[plan].append((*texts, int(moment), intern(value), intern(currency), *map(int, numbers)))
    counted: list[Counts] = []
    for number, plan_of in enumerate(numbered.plans):
        # The shop's newest row is that of every plan that began before it.
        through = None if newest is None or newest < plan_of.begins_at else newest
        last = (THROUGH, "", "", "", through, "", "", *[0] * _NUMBERS)
        counted.append(counts_of(plan_of, [*lines[number], last]))
    return counted
