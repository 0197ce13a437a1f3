"""Visitors, goals and money by variation, out of the documents of a roll-up."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from operator import add
from typing import Any

from abtest.domain.ledger.cells import Covariate, GoalCount, Money, Step
from abtest.domain.ledger.daily_counts import QUARTERS_A_DAY
from abtest.domain.ledger.rollup_documents import covariate_steps_in, covariates_in, goal_count, spread_in
from abtest.domain.ledger.rows import LEFT_OUT
from abtest.services.results.curves import Curve, DayCurves, Document, Key, MoneyByKind, SegmentSums, Span

NO_HITS = GoalCount()


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """Sums of a population. `counted` are the goals that were counted at all, including those without a hit.

    `spread`, `covariates` and `covariate_steps` exist only for all visitors together; `money` is None in segments.
    """

    visitors: Mapping[str, int] = field(default_factory=dict)
    goals: Mapping[Key, GoalCount] = field(default_factory=dict)
    money: Mapping[Key, MoneyByKind] | None = field(default_factory=dict)
    spread: Mapping[str, Mapping[Step, GoalCount]] | None = None
    counted: frozenset[str] | None = None
    covariates: Mapping[Key, Covariate] = field(default_factory=dict)
    covariate_steps: Mapping[str, Mapping[Step, Covariate]] = field(default_factory=dict)

    def goal(self, goal_id: str, variation_id: str) -> GoalCount:
        """Return the goal's sums in a variation."""
        return self.goals.get((goal_id, variation_id), NO_HITS)

    def money_of(self, goal_id: str, variation_id: str) -> MoneyByKind | None:
        """Return the goal's money in other currencies; None in segments, which do not separate it."""
        return None if self.money is None else self.money.get((goal_id, variation_id), {})

    def covariate(self, goal_id: str, variation_id: str) -> Covariate | None:
        """Return the sums of the goal before exposure; None where they were not counted."""
        return self.covariates.get((goal_id, variation_id))

    def excluded(self, goal_id: str, variation_id: str) -> int | None:
        """Return how many orders are left out because of their currency."""
        money = self.money_of(goal_id, variation_id)
        return None if money is None else sum(part.orders for (kind, _), part in money.items() if kind in LEFT_OUT)

    def after(self, earlier: "Counts") -> "Counts":
        """Return these visitors and earlier ones together: visitors and goals only."""
        visitors, goals = dict(earlier.visitors), dict(earlier.goals)
        for variation_id, number in self.visitors.items():
            visitors[variation_id] = visitors.get(variation_id, 0) + number
        for key, count in self.goals.items():
            goals[key] = goals[key].plus(count) if key in goals else count
        return Counts(visitors=visitors, goals=goals, counted=self.counted)


def counts_of_totals(totals: Document) -> Counts:
    """Return the counts of all visitors since the measurement began."""
    return Counts(
        visitors={variation_id: entry["visitors"] for variation_id, entry in totals["variations"].items()},
        goals={
            (goal_id, variation_id): goal_count(entry)
            for goal_id, by_variation in totals["goals"].items()
            for variation_id, entry in by_variation.items()
        },
        money={
            (goal_id, variation_id): {(kind, currency): Money(orders, minor) for kind, currency, orders, minor in rows}
            for goal_id, by_variation in totals.get("money", {}).items()
            for variation_id, rows in by_variation.items()
        },
        spread=spread_in(totals),
        counted=counted_in(totals),
        covariates={
            (goal_id, variation_id): covariate
            for goal_id, by_variation in covariates_in(totals).items()
            for variation_id, covariate in by_variation.items()
        },
        covariate_steps=covariate_steps_in(totals),
    )


def counted_in(totals: Document) -> frozenset[str]:
    """Return the ids of the goals that were counted at all."""
    return frozenset(goal_id for goal_id, by_variation in totals["goals"].items() if by_variation)


def counts_in_spans(
    days: Mapping[int, DayCurves], spans: Iterable[Span], counted: frozenset[str], *, with_money: bool = True
) -> Counts:
    """Return the counts of visitors first exposed in these quarters.

    `days` are by UTC day since 1970. Spans must not overlap.
    """
    visitors: dict[str, list[int]] = {}
    goals: dict[Key, list[int]] = {}
    money: defaultdict[Key, dict[tuple[str, str], Money]] = defaultdict(dict)
    for span in spans:
        for number in range(span.start // QUARTERS_A_DAY, -(-span.end // QUARTERS_A_DAY)):
            if number not in days:
                continue
            day = days[number]
            _add(visitors, day.visitors, span)
            _add(goals, day.goals, span)
            for key, kind, part in day.money_within(span) if with_money else ():
                money[key][kind] = money[key].get(kind, Money()).plus(part)
    return Counts(
        visitors={variation_id: numbers[0] for variation_id, numbers in visitors.items()},
        goals={key: GoalCount(*numbers) for key, numbers in goals.items()},
        money=money if with_money else None,
        counted=counted,
    )


def _add(sums: dict[Any, list[int]], curves: Mapping[Any, Curve], span: Span) -> None:
    for key, curve in curves.items():
        numbers = curve.between(span)
        sums[key] = list(map(add, sums[key], numbers)) if key in sums else numbers


def counts_by_segment(items: Iterable[SegmentSums], dimension: str, counted: frozenset[str]) -> Mapping[str, Counts]:
    """Return counts by value of a dimension, or of two such as `device+country`, for visitors of all these days."""
    visitors: defaultdict[str, dict[str, int]] = defaultdict(dict)
    goals: defaultdict[str, dict[Key, list[int]]] = defaultdict(dict)
    for item in items:
        for (value, variation_id), number in item.visitors.get(dimension, {}).items():
            visitors[value][variation_id] = visitors[value].get(variation_id, 0) + number
        for (value, goal_id, variation_id), count in item.goals.get(dimension, {}).items():
            # Written out, because this runs for each value of each day.
            sums = goals[value].setdefault((goal_id, variation_id), [0, 0, 0, 0])
            sums[0] += count[0]
            sums[1] += count[1]
            sums[2] += count[2]
            sums[3] += count[3]
    return {
        value: Counts(
            visitors=by_variation,
            goals={key: GoalCount(*sums) for key, sums in goals.get(value, {}).items()},
            money=None,
            counted=counted,
        )
        for value, by_variation in visitors.items()
    }
