"""Results of an experiment on the wire: every number names the goal, the variation, the engine and the generation."""

from typing import Annotated, Literal

from pydantic import Field

from abtest.contract.base import DateTime, Id, Output
from abtest.domain.experiments.model import Aggregation, Direction, GoalRole, GoalType

Engine = Literal["frequentist"]
Correction = Literal["none", "holm"]


class Interval(Output):
    """Both ends at the level 1 - alpha, corrected as the p-value is."""

    lower: float
    upper: float


class ResultRow(Output):
    """A variation in one goal. Comparisons are with the control, and null where they cannot be evaluated."""

    variation_id: Id
    variation_name: str
    is_control: bool
    visitors: int
    conversions: Annotated[int | None, Field(description="Visitors who converted.")]
    count: Annotated[int | None, Field(description="Hits; a goal that counts once counts visitors.")]
    rate: Annotated[float | None, Field(description="Conversions per visitor.")]
    mean: Annotated[float | None, Field(description="Hits per visitor, or major units per visitor for revenue.")]
    revenue: Annotated[float | None, Field(description="Major units of `currency`; null for goals without money.")]
    currency: str | None
    excluded: Annotated[int | None, Field(description="Orders left out: their money is not in the shop's currency.")]
    lift: Annotated[float | None, Field(description="Relative to the control: 0.1 is ten percent more.")]
    ci: Annotated[Interval | None, Field(description="Interval of `lift` (Fieller).")]
    difference: Annotated[float | None, Field(description="Of the rate or mean, absolute.")]
    difference_ci: Interval | None
    p_value: float | None
    adjusted_p_value: float | None
    always_valid_p: Annotated[float | None, Field(description="Sequential (mSPRT); null: not evaluated.")]
    prob_to_beat_control: Annotated[float | None, Field(description="Bayesian; null: not evaluated.")]
    is_significant: bool | None


class GoalResult(Output):
    """A goal with a row for each variation. `metric` is what is compared."""

    goal_id: Id
    name: str
    type: GoalType
    role: GoalRole
    direction: Direction
    aggregation: Aggregation
    metric: Literal["rate", "mean"]
    not_evaluable: Annotated[
        Literal["filter", "not_counted_yet"] | None,
        Field(description="Why the goal has no numbers: its filter is not evaluated yet, or it is newer than them."),
    ]
    rows: list[ResultRow]


class SampleRatio(Output):
    """Whether visitors are split as the weights say (chi-squared, one look, mismatch below 0.001)."""

    p_value: float | None
    status: Literal["ok", "mismatch", "not_evaluable"]
    expected: dict[str, float]
    observed: dict[str, int]


class HealthFinding(Output):
    """Something that makes the numbers doubtful."""

    kind: Literal["sample_ratio_mismatch", "multiple_exposure"]
    message: str


class Coverage(Output):
    """Whether parts of the traffic are missing or mixed."""

    mixed_populations: bool
    reasons: list[Literal["consent_gated_sdk", "low_order_stitch_rate"]]


class Results(Output):
    """What is known at `computed_at`; null before the first count, and then all counts are zero."""

    experiment_id: Id
    measurement_epoch: int
    computed_at: DateTime | None
    through: Annotated[DateTime | None, Field(description="The newest event that was counted came in then.")]
    generation: Annotated[int | None, Field(description="Rises with every count.")]
    engine: Engine
    correction: Correction
    alpha: float
    goals: list[GoalResult]
    srm: SampleRatio
    multiple_exposure: Annotated[int, Field(description="Visitors seen in two variations, left out of everything.")]
    health: list[HealthFinding]
    coverage: Annotated[Coverage | None, Field(description="Null: not evaluated.")]


class ExperienceResults(Output):
    """One experience. In `results` the personalization's id names those who would have got it and were not shown it."""

    experience_id: Id
    experience_key: str
    experience_name: str
    results: Results


class PersonalizationResults(Output):
    """What a personalization does to those whom it reaches. Without visitors outside the rollout nothing compares."""

    personalization_id: Id
    experiences: list[ExperienceResults]
