"""Outcomes of a decision, and their messages."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from abtest.domain.planning.shapes import EndedBy, GuardrailStatus, PlanOutcome, RevenueEvaluation

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
    "guardrail_harmed",
    "guardrail_not_counted",
    "no_planned_look",
    "planned_looks_taken",
    "no_variance",
    "futility",
    "covariate_not_counted",
]
Blocked = Literal["excluded_currency_residue", "measurement_quality_unavailable"]

MESSAGES: Mapping[WaitingFor, str] = {
    "off": "auto-stop is off",
    "not_counted_yet": "no events of this measurement have been counted yet",
    "no_control": "there is no control in use, or no other variation shares the traffic with it",
    "no_primary_goal": "there is no primary goal: choose the goal that decides",
    "no_plan": "auto-stop's mode needs a plan: create one with PUT .../plan",
    "plan_without_size": "the plan is from an older release and has no sample size: save it again with PUT .../plan",
    "planned_goal_not_in_use": "the goal of the plan was archived, deleted or made a ratio: plan another goal",
    "goal_not_counted": "the goal was added a moment ago and is not counted yet",
    "goal_redefined": "the goal or the weekdays that count were changed: waiting for the next count",
    "min_runtime": "the minimum runtime has not passed",
    "min_visitors": "the control or every treatment has fewer visitors than the minimum",
    "min_conversions": "the control or every treatment has fewer conversions than the minimum",
    "no_winner": "no treatment is significantly better yet",
    "planned_sample": "the planned number of visitors is not reached",
    "arm_without_visitors": "the planned number of visitors is reached, but no treatment can be compared",
    "already_evaluated": "the one planned look was taken; a measurement has no second one",
    "resumed_by_people": "auto-stop paused this measurement before and it was resumed: it is not paused again",
    "not_running": "the experiment is not running: late events are still counted, and nothing is decided",
    "sample_ratio_mismatch": "visitors are not split by the weights: find the cause, and restart the experiment",
    "excluded_currency_residue": "too much revenue is in other currencies to decide by money",
    "measurement_quality_unavailable": "visitors who do not consent, or orders of unseen visitors, are missing",
    "guardrail_harmed": "a treatment harms a guardrail, so no winner is declared; the settings let the test go on",
    "guardrail_not_counted": "a guardrail was added or redefined a moment ago: waiting for the next count",
    "no_planned_look": "the first planned look is not due",
    "planned_looks_taken": "planned looks of this measurement have spent error, so it has no single look: "
    "set the mode back to group_sequential, or start a new measurement",
    "no_variance": "all visitors of the control and of a treatment did the same, so nothing can be compared yet",
    "futility": "no treatment is likely to win any more; the settings let the test go on",
    "covariate_not_counted": "the adjusted estimate decides, and the time before exposures is not counted in this "
    "roll-up: waiting for the next count",
}


@dataclass(frozen=True, slots=True)
class Waiting:
    """No decision yet, and its reason."""

    reason: WaitingFor

    @property
    def message(self) -> str:
        """Reason as a sentence."""
        return MESSAGES[self.reason]


@dataclass(frozen=True, slots=True, kw_only=True)
class GuardrailFinding:
    """One guardrail in one treatment. `p` is the smallest one-sided p of all looks, corrected; None without a test.

    `difference` and `lift` are the current ones, treatment against control. `is_earlier`: the current difference is not
    against the goal's direction, so that an earlier look has the smallest p. `restarted_at`: the goal was redefined in
    this measurement, and only looks since then count.
    """

    goal_id: str
    variation_id: str
    status: GuardrailStatus
    p: float | None = None
    difference: float | None = None
    lift: float | None = None
    is_earlier: bool = False
    restarted_at: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Winner:
    """A treatment that is significantly better and harms no guardrail.

    `p` is corrected, `difference` is now's, of the goal's rate or mean. `guardrails`: what each shows in each
    treatment. `is_adjusted`: both are of the estimate adjusted for the time before exposures.
    """

    goal_id: str
    variation_id: str
    p: float
    difference: float
    guardrails: tuple[GuardrailFinding, ...] = ()
    is_adjusted: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Harm:
    """A guardrail is harmed, and no treatment that harms none is significantly better: no winner, and a pause."""

    guardrails: tuple[GuardrailFinding, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluated:
    """The end of a plan: the fields of the snapshot without its times, the winner, and the outcome.

    `ended_by`: of planned looks; None after a single one.
    """

    goal_id: str
    outcome: PlanOutcome
    winner: Winner | None
    total_visitors: int
    blocked: Blocked | None
    revenue: RevenueEvaluation | None = None
    adjusted: Mapping[str, float] = field(default_factory=dict)
    guardrails: tuple[GuardrailFinding, ...] = ()
    pauses_for_harm: bool = True
    ended_by: EndedBy | None = None

    @property
    def pauses(self) -> bool:
        """Return whether the experiment is paused."""
        is_harm = self.outcome == "harm" and self.pauses_for_harm
        return is_harm or self.outcome in ("significant_pause", "inconclusive_pause")


Verdict = Waiting | Winner | Harm | Evaluated
