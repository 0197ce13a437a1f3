"""What a decision can come to, and how it is said to people."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from abtest.domain.planning.shapes import RevenueEvaluation

WaitingFor = Literal[
    "off",
    "not_counted_yet",
    "no_control",
    "no_primary_goal",
    "no_plan",
    "plan_without_size",
    "planned_goal_not_in_use",
    "goal_not_counted",
    "goal_redefined",
    "min_runtime",
    "min_visitors",
    "min_conversions",
    "no_winner",
    "planned_sample",
    "arm_without_visitors",
    "already_evaluated",
    "resumed_by_people",
    "not_running",
    "sample_ratio_mismatch",
    "excluded_currency_residue",
    "measurement_quality_unavailable",
]
PlanOutcome = Literal["significant_pause", "inconclusive_pause", "continue_inconclusive", "continue_not_positive"]
Blocked = Literal["excluded_currency_residue", "measurement_quality_unavailable"]

SAYINGS: Mapping[WaitingFor, str] = {
    "off": "auto-stop is off",
    "not_counted_yet": "no events of this measurement have been counted yet",
    "no_control": "no variation in use is the control, or none shares the traffic with it",
    "no_primary_goal": "no goal in use is the primary one: choose the goal that decides",
    "no_plan": "a planned end needs a plan, and there is none: state one with PUT .../plan",
    "plan_without_size": "the plan is of an older release and names no sample size: state it again",
    "planned_goal_not_in_use": "the goal of the plan was archived or deleted: state a plan for another",
    "goal_not_counted": "the goal was added a moment ago and is not counted yet",
    "goal_redefined": "the goal or the weekdays that count were changed: waiting for the next count",
    "min_runtime": "the minimum runtime is not over",
    "min_visitors": "the control or every treatment has fewer visitors than the minimum",
    "min_conversions": "the control or every treatment has fewer conversions than the minimum",
    "no_winner": "no treatment is significantly better yet",
    "planned_sample": "the planned number of visitors is not reached",
    "arm_without_visitors": "the planned number of visitors is reached, but no treatment can be compared",
    "already_evaluated": "the one planned look was taken; it is not taken again in this measurement",
    "resumed_by_people": "auto-stop paused this measurement before and somebody resumed it: it is left alone",
    "not_running": "it does not run: its counts are looked at while events come late, and nothing is decided",
    "sample_ratio_mismatch": "visitors are not split as the weights say: find out why, and restart the test",
    "excluded_currency_residue": "too much revenue is in other currencies to decide by money",
    "measurement_quality_unavailable": "visitors who do not consent, or orders of unseen visitors, are missing",
}


@dataclass(frozen=True, slots=True)
class Waiting:
    """Nothing is done now, and why."""

    reason: WaitingFor

    @property
    def said(self) -> str:
        """The reason as a sentence."""
        return SAYINGS[self.reason]


@dataclass(frozen=True, slots=True, kw_only=True)
class Winner:
    """A treatment is significantly better: `p` is adjusted, `difference` as now, of the goal's rate or mean."""

    goal_id: str
    variation_id: str
    p: float
    difference: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluated:
    """The one planned look: what the snapshot gets (the moments apart), who won, whether the test pauses."""

    goal_id: str
    outcome: PlanOutcome
    winner: Winner | None
    total_visitors: int
    blocked: Blocked | None
    revenue: RevenueEvaluation | None = None
    adjusted: Mapping[str, float] = field(default_factory=dict)

    @property
    def pauses(self) -> bool:
        """Whether the experiment stops."""
        return self.outcome in ("significant_pause", "inconclusive_pause")


Verdict = Waiting | Winner | Evaluated
