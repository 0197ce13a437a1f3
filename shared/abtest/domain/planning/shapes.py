"""Shapes of frozen plans; what an older release stored may lack any field."""

from typing import Literal, NotRequired, TypedDict

PlanOutcome = Literal[
    "significant_pause", "inconclusive_pause", "continue_inconclusive", "continue_not_positive", "harm"
]
GuardrailStatus = Literal[
    "harmed",
    "no_harm_shown",
    "too_little_data",
    "no_data",
    "not_counted",
    "redefined",
    "excluded_currency_residue",
    "measurement_quality_unavailable",
]


class GuardrailDocument(TypedDict):
    """One guardrail in one treatment, as it was when a decision was made."""

    goal_id: str
    variation_id: str
    status: GuardrailStatus
    p_value: float | None
    difference: float | None
    lift: float | None
    message: str


class PlanEvaluation(TypedDict, total=False):
    """Decision at the end of a plan."""

    evaluated_at: str
    outcome: PlanOutcome
    total_visitors_at_evaluation: int
    winning_variation_id: str | None
    blocked_reason: Literal["excluded_currency_residue", "measurement_quality_unavailable"]
    guardrails: list[GuardrailDocument]


class Bounds(TypedDict):
    """Bounds of an estimate."""

    lower: float
    upper: float


class RevenueComparison(TypedDict):
    """One treatment compared with the control, in money per visitor."""

    treatment_variation_id: str
    control_mean: float
    variation_mean: float
    relative_lift: float
    absolute_lift: float
    t_statistic: float
    degrees_of_freedom: float
    p_value: float
    confidence: float
    is_significant: bool
    confidence_interval: Bounds | None


class RevenueEvaluation(TypedDict):
    """The single look at revenue at the end of a plan."""

    evaluated_at: NotRequired[str]
    basis: Literal["shop_money"]
    currency: str
    excluded_currency_percentage: float
    total_visitors_at_evaluation: int
    comparisons: list[RevenueComparison]
    multiplicity_adjustment: NotRequired[Literal["none", "holm", "sidak"]]


class Snapshot(TypedDict, total=False):
    """A frozen plan, its sizes and its evaluation."""

    computed_at: str
    epoch_started_at: str | None
    endpoint_reached_at: str | None
    goal_id: str
    correction_method: Literal["none", "holm"]
    baseline_rate: float
    mde: float
    alpha: float
    power: float
    window_days: int
    tail: Literal["two-sided", "one-sided"]
    required_sample_per_variant: int
    required_total_visitors: int
    estimated_days: float
    evaluation: PlanEvaluation | None
    revenue_evaluation: RevenueEvaluation | None
