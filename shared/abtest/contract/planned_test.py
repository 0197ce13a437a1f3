"""The plan of a test as frozen at launch, with its final verdicts. Snapshots are returned as stored."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import Field

from abtest.contract.base import ABSENT, DateTime, Id, Output
from abtest.contract.guardrails import GuardrailFinding
from abtest.contract.overrides import Tail
from abtest.domain.planning.shapes import EndedBy, PlanEngine, PlanOutcome
from abtest.domain.stats.group_sequential.documents import Family


class PlanEvaluation(Output):
    """Decision of auto-stop at the end of the plan. `blocked_reason` is omitted when nothing is blocked.

    `continue_not_positive`: significant, and no treatment is better. `harm`: a guardrail is harmed, and no treatment
    that harms none is better.
    """

    evaluated_at: DateTime = ABSENT
    outcome: PlanOutcome = ABSENT
    total_visitors_at_evaluation: int = ABSENT
    winning_variation_id: Id | None = ABSENT
    blocked_reason: Literal["excluded_currency_residue", "measurement_quality_unavailable"] = ABSENT
    guardrails: Annotated[
        list[GuardrailFinding], Field(description="What each guardrail showed; absent without guardrails.")
    ] = ABSENT
    engine: Annotated[
        PlanEngine, Field(description="`group_sequential` where planned looks decided; absent after a single look.")
    ] = ABSENT
    ended_by: Annotated[
        EndedBy,
        Field(
            description=(
                "What ended the planned looks: a winner or the harm of a guardrail on the way, futility, or the plan's "
                "last look. Absent after a single look."
            )
        ),
    ] = ABSENT
    paused: Annotated[
        bool,
        Field(description="Whether this decision paused the experiment; absent from evaluations of older releases."),
    ] = ABSENT


class ConfidenceInterval(Output):
    """Bounds of an estimate."""

    lower: float
    upper: float


class RevenueComparison(Output):
    """One treatment compared with the control, in money per visitor."""

    treatment_variation_id: Id
    control_mean: float
    variation_mean: float
    relative_lift: float
    absolute_lift: float
    t_statistic: float
    degrees_of_freedom: float
    p_value: float
    confidence: float
    is_significant: bool
    confidence_interval: ConfidenceInterval | None


class RevenueEvaluation(Output):
    """The single look at revenue at the end of the sample, at the plan's alpha and correction.

    It uses the plan's goal if that counts money, else the first goal that does; without one it is null. A control
    without revenue has no relative lift and is left out. `excluded_currency_percentage` is of orders.
    """

    evaluated_at: DateTime
    basis: Literal["shop_money"]
    currency: str
    excluded_currency_percentage: float
    total_visitors_at_evaluation: int
    comparisons: list[RevenueComparison]
    multiplicity_adjustment: Literal["none", "holm", "sidak"] = ABSENT


class SpendingFunction(Output):
    """How a group-sequential test spends its error over its looks."""

    family: Family
    gamma: Annotated[float | None, Field(description="Of Hwang, Shih and DeCani's family; null for the others.")]


class PlannedTestSnapshot(Output):
    """A frozen plan. Its days are omitted when the shop's traffic has not been measured yet.

    The sizes are those with which its `engine` finds the planned effect with the planned power. `engine` is absent from
    plans of older releases, which are for one look; the three fields after it belong to group-sequential plans.

    A restart, new weights or another plan begin a new measurement: a new `epoch_started_at`, no evaluation, and sizes
    for the current weights.
    """

    computed_at: DateTime = ABSENT
    epoch_started_at: Annotated[DateTime, Field(description="Start of the measurement; absent before launch.")] = ABSENT
    endpoint_reached_at: Annotated[DateTime, Field(description="Absent until the plan has reached its end.")] = ABSENT
    goal_id: Id = ABSENT
    correction_method: Literal["none", "holm"] = ABSENT
    baseline_rate: float = ABSENT
    mde: float = ABSENT
    alpha: float = ABSENT
    power: float = ABSENT
    window_days: int = ABSENT
    tail: Tail = ABSENT
    covariate_adjustment: Annotated[
        Literal["none", "cuped"],
        Field(
            description="`cuped`: decisions take the adjusted estimate. Absent in plans of older releases: they do not."
        ),
    ] = ABSENT
    engine: PlanEngine = ABSENT
    spending: SpendingFunction = ABSENT
    futility: SpendingFunction = ABSENT
    looks: int = ABSENT
    required_sample_per_variant: int = ABSENT
    required_total_visitors: int = ABSENT
    estimated_days: float = ABSENT
    recommended_days: Annotated[
        int, Field(description="The days rounded up to whole weeks, which have every weekday alike; at least 7.")
    ] = ABSENT
    evaluation: PlanEvaluation | None = ABSENT
    revenue_evaluation: RevenueEvaluation | None = ABSENT


_NULLABLE = {"evaluation", "revenue_evaluation"}


def shown_plan(stored: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """Return a stored plan as the contract shows it: a field that may not be null is absent instead."""
    if stored is None:
        return None
    return {name: value for name, value in stored.items() if value is not None or name in _NULLABLE}
