"""What results are worked out from: visitors, goals and money by variation, out of the documents of a roll-up."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from operator import add
from typing import Any

from abtest.domain.ledger.cells import Covariate, GoalCount, Money, Step
from abtest.domain.ledger.daily_counts import QUARTERS_A_DAY
from abtest.domain.ledger.rollup_documents import covariates_in, goal_count, spread_in
from abtest.domain.ledger.rows import LEFT_OUT
from abtest.services.results.curves import Curve, DayCurves, Document, Key, SegmentSums, Span

MoneyByKind = Mapping[tuple[str, str], Money]
"""By kind (`converted`, `foreign`, `unknown`) and currency."""

NO_HITS = GoalCount()


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """Sums of some visitors. `counted` are the goals that were counted at all, those without a hit included.

    `spread` and `covariates` are there for everybody together only; `money` is not there in segments (None: not told
    apart).
    """

    visitors: Mapping[str, int] = field(default_factory=dict)
    goals: Mapping[Key, GoalCount] = field(default_factory=dict)
    money: Mapping[Key, MoneyByKind] | None = field(default_factory=dict)
    spread: Mapping[str, Mapping[Step, GoalCount]] | None = None
    counted: frozenset[str] | None = None
    covariates: Mapping[Key, Covariate] = field(default_factory=dict)

    def goal(self, goal_id: str, variation_id: str) -> GoalCount:
        """The goal's sums in a variation."""
        return self.goals.get((goal_id, variation_id), NO_HITS)

    def money_of(self, goal_id: str, variation_id: str) -> MoneyByKind | None:
        """The goal's money that is not simply the shop's own; None where it is not told apart."""
        return None if self.money is None else self.money.get((goal_id, variation_id), {})

    def covariate(self, goal_id: str, variation_id: str) -> Covariate | None:
        """Of the goal before exposure; None where that was not counted."""
        return self.covariates.get((goal_id, variation_id))

    def excluded(self, goal_id: str, variation_id: str) -> int | None:
        """Hits left out for their money."""
        found = self.money_of(goal_id, variation_id)
        return None if found is None else sum(money.orders for (kind, _), money in found.items() if kind in LEFT_OUT)

    def after(self, earlier: "Tally") -> "Tally":
        """These visitors and earlier ones together, as far as visitors and goals go."""
        return Tally(
            visitors=_summed(earlier.visitors, self.visitors),
            goals=_summed(earlier.goals, self.goals),
            counted=self.counted,
        )


def of_totals(totals: Document) -> Tally:
    """Everybody since the measurement began."""
    goals = totals["goals"]
    return Tally(
        visitors={variation_id: entry["visitors"] for variation_id, entry in totals["variations"].items()},
        goals={
            (goal_id, variation_id): goal_count(entry)
            for goal_id, by_variation in goals.items()
            for variation_id, entry in by_variation.items()
        },
        money={
            (goal_id, variation_id): {(kind, currency): Money(orders, minor) for kind, currency, orders, minor in found}
            for goal_id, by_variation in totals.get("money", {}).items()
            for variation_id, found in by_variation.items()
        },
        spread=spread_in(totals),
        counted=counted_in(totals),
        covariates={
            (goal_id, variation_id): covariate
            for goal_id, by_variation in covariates_in(totals).items()
            for variation_id, covariate in by_variation.items()
        },
    )


def counted_in(totals: Document) -> frozenset[str]:
    """The goals that were counted at all."""
    return frozenset(goal_id for goal_id, by_variation in totals["goals"].items() if by_variation)


def of_spans(
    days: Mapping[int, DayCurves], spans: Iterable[Span], counted: frozenset[str], *, with_money: bool = True
) -> Tally:
    """Who was first exposed in these quarters. `days` by UTC day since 1970; spans do not overlap."""
    visitors: dict[str, list[int]] = {}
    goals: dict[Key, list[int]] = {}
    money: defaultdict[Key, dict[tuple[str, str], Money]] = defaultdict(dict)
    for span in spans:
        for day in range(span.start // QUARTERS_A_DAY, -(-span.end // QUARTERS_A_DAY)):
            if day in days:
                _add(visitors, days[day].visitors, span)
                _add(goals, days[day].goals, span)
                _add_money(money, days[day].money if with_money else {}, span)
    return Tally(
        visitors={variation_id: numbers[0] for variation_id, numbers in visitors.items()},
        goals={key: GoalCount(*numbers) for key, numbers in goals.items()},
        money=money if with_money else None,
        counted=counted,
    )


def _add(sums: dict[Any, list[int]], curves: Mapping[Any, Curve], span: Span) -> None:
    for key, curve in curves.items():
        numbers = curve.between(span)
        sums[key] = list(map(add, sums[key], numbers)) if key in sums else numbers


def _add_money(
    sums: defaultdict[Key, dict[tuple[str, str], Money]],
    days: Mapping[Key, Iterable[tuple[int, str, str, Money]]],
    span: Span,
) -> None:
    for key, entries in days.items():
        for quarter, kind, currency, money in entries:
            if span.start <= quarter < span.end:
                sums[key][kind, currency] = sums[key].get((kind, currency), Money()).plus(money)


def _summed(left: Mapping[Any, Any], right: Mapping[Any, Any]) -> dict[Any, Any]:
    """Numbers, or goals' counts, key by key."""
    found = dict(left)
    for key, value in right.items():
        found[key] = _together(found[key], value) if key in found else value
    return found


def _together(left: Any, right: Any) -> Any:
    return left.plus(right) if isinstance(left, GoalCount) else left + right


def of_segments(items: Iterable[SegmentSums], dimension: str, counted: frozenset[str]) -> Mapping[str, Tally]:
    """By value of a dimension (or of two: `device+country`), visitors of all these days."""
    visitors: defaultdict[str, dict[str, int]] = defaultdict(dict)
    goals: defaultdict[str, dict[Key, list[int]]] = defaultdict(dict)
    for item in items:
        for (value, variation_id), number in item.visitors.get(dimension, {}).items():
            visitors[value][variation_id] = visitors[value].get(variation_id, 0) + number
        for (value, goal_id, variation_id), count in item.goals.get(dimension, {}).items():
            sums = goals[value].setdefault((goal_id, variation_id), [0, 0, 0, 0])
            sums[0] += count[0]
            sums[1] += count[1]
            sums[2] += count[2]
            sums[3] += count[3]
    return {
        value: Tally(
            visitors=by_variation,
            goals={key: GoalCount(*sums) for key, sums in goals.get(value, {}).items()},
            money=None,
            counted=counted,
        )
        for value, by_variation in visitors.items()
    }
