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


PlanEngine = Literal["fixed", "sequential", "group_sequential"]
"""Test that a plan is sized for: one look at the end, looks at any time, or looks that share the error."""


class PlannedSpending(TypedDict):
    """Spending function of a group-sequential plan; `gamma` is that of Hwang, Shih and DeCani, else null."""

    family: Literal["obrien_fleming", "pocock", "hwang_shih_decani"]
    gamma: float | None


EndedBy = Literal["winner", "harm", "futility", "planned_end"]
"""What ended a test with planned looks."""


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
    """Decision at the end of a plan. `engine` and `ended_by` are of a test with planned looks, else absent.

    `paused`: the decision paused the experiment; absent from evaluations of older releases.
    """

    evaluated_at: str
    outcome: PlanOutcome
    total_visitors_at_evaluation: int
    winning_variation_id: str | None
    blocked_reason: Literal["excluded_currency_residue", "measurement_quality_unavailable"]
    guardrails: list[GuardrailDocument]
    engine: PlanEngine
    ended_by: EndedBy
    paused: bool


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
    """A frozen plan, its sizes and its evaluation.

    `looks` is the number of looks that a group-sequential plan is sized for; others may be taken. `futility` spends
    1 - power on bounds below which such a test may be given up; null: none. `covariate_adjustment`: whether
    decisions take the estimate that is adjusted for the time before exposure.
    """

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
    engine: PlanEngine
    spending: PlannedSpending | None
    futility: PlannedSpending | None
    looks: int | None
    covariate_adjustment: Literal["none", "cuped"]
    required_sample_per_variant: int
    required_total_visitors: int
    estimated_days: float
    recommended_days: int
    evaluation: PlanEvaluation | None
    revenue_evaluation: RevenueEvaluation | None
