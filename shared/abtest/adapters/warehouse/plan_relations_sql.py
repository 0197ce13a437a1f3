"""Many plans as small relations, which a statement joins with rows: its text does not repeat itself for each plan.

Plans, goals and variations have numbers here that are unique among all plans of a statement.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from abtest.adapters.warehouse.judgements import Judgement
from abtest.adapters.warehouse.sql_texts import Literal, Table, values
from abtest.domain.ledger.events import REVENUE_GOAL_ID
from abtest.domain.ledger.plans import CountingPlan, GoalPlan
from abtest.domain.ledger.reference import EXPOSED

_Examples = Mapping[str, Literal]
Signal = tuple[str, str]
"""Type of an event, and its goal id or event name."""


@dataclass(slots=True)
class Numbered:
    """Plans with the numbers of their goals and variations, as they are in a statement and in its result."""

    plans: Sequence[CountingPlan]
    goals: list[tuple[int, GoalPlan]] = field(default_factory=list)
    """By number: the plan's number, and the goal."""
    variations: list[tuple[int, str]] = field(default_factory=list)
    judgements: dict[Judgement, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for number, plan in enumerate(self.plans):
            self.goals += [(number, goal) for goal in plan.goals]
            self.variations += [(number, variation_id) for variation_id in plan.variation_ids]
            for goal in plan.goals:
                if goal.is_judged:
                    self.judgements.setdefault(Judgement.of(goal, plan.currency), len(self.judgements))

    def judged(self) -> Iterator[tuple[Signal, int]]:
        """Yield the events that are hits of judged goals, and the number of how they are judged."""
        for number, goal in self.goals:
            if goal.is_judged:
                judgement = self.judgements[Judgement.of(goal, self.plans[number].currency)]
                yield from ((signal, judgement) for signal in signals_of(goal))

    def tables(self) -> list[Table]:
        """Return the relations `plans`, `variations`, `goals` and `signals`."""
        return [
            ("plans", values(_PLANS, self._plan_rows())),
            ("variations", values(_VARIATIONS, self._variation_rows())),
            ("goals", values(_GOALS, self._goal_rows())),
            ("signals", values(_SIGNALS, self._signal_rows())),
        ]

    def _plan_rows(self) -> Iterator[Sequence[Literal]]:
        for number, plan in enumerate(self.plans):
            has_money = any(goal.counts_money for goal in plan.goals)
            yield number, plan.since, plan.begins_at, plan.currency, has_money

    def _variation_rows(self) -> Iterator[Sequence[Literal]]:
        for key, (number, variation_id) in enumerate(self.variations):
            plan = self.plans[number]
            is_cohort = plan.exposure == "cohort"
            subject, kind = (plan.shop_id, "pageview") if is_cohort else (plan.experiment_id, EXPOSED)
            yield str(key), number, kind, subject, variation_id, plan.assignment_epoch, is_cohort

    def _goal_rows(self) -> Iterator[Sequence[Literal]]:
        for key, (number, goal) in enumerate(self.goals):
            judgement = self.judgements[Judgement.of(goal, self.plans[number].currency)] if goal.is_judged else -1
            flags = (goal.takes_first_only, goal.takes_worth, goal.winsorize_pct is not None, goal.looks_back)
            is_unpriced = goal.counts_money and not goal.needs_money
            yield str(key), number, goal.window_ms, judgement, goal.counts_money, *flags, goal.takes_minor, is_unpriced

    def _signal_rows(self) -> Iterator[Sequence[Literal]]:
        for key, (number, goal) in enumerate(self.goals):
            yield from ((*signal, str(key), number, goal.counts_money) for signal in signals_of(goal))


def signals_of(goal: GoalPlan) -> list[Signal]:
    """Return the events that are hits of a goal, before its filter and scope."""
    signals = {("goal", goal.event_goal_id)}
    if goal.counts_money:
        signals |= {("goal", REVENUE_GOAL_ID), ("order", "")}
    elif goal.type == "custom" and goal.event_name is not None:
        signals.add(("custom", goal.event_name))
    return sorted(signals)


# Each column with a value of its type, which no row has, for plans without goals.
_PLANS: _Examples = {"plan": -1, "since": 0, "begins_at": 0, "plan_currency": "", "has_money": False}
_VARIATIONS: _Examples = {
    "variation_key": "", "of_plan": -1, "seen_type": "", "seen_subject": "", "seen_variation": "", "seen_epoch": 0,
    "is_cohort": False,
}  # fmt: skip
_GOALS: _Examples = {
    "goal_id": "", "goal_plan": -1, "window_ms": 0, "judgement": -1, "counts_money": False, "takes_first_only": False,
    "takes_worth": False, "has_spread": False, "looks_back": False, "takes_minor": False, "is_unpriced": False,
}  # fmt: skip
_SIGNALS: _Examples = {"signal_type": "", "signal_name": "", "hit_goal": "", "hit_plan": -1, "is_paid": False}
