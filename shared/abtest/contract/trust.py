"""How far results can be trusted, on the wire: since when is counted, how visitors are split, what Guardian found."""

from typing import Annotated, Literal

from pydantic import Field

from abtest.contract.base import DateTime, Id, Output
from abtest.domain.goals.coverage import Gap
from abtest.domain.guardian.kinds import Action, Kind, Severity

FindingKind = Kind | Literal["zero_weight_visitors", "no_visitors"]
CheckedAt = Annotated[
    DateTime | None,
    Field(
        description="When Guardian looked last at this measurement; null: not yet, and nothing it would find is told."
    ),
]
Because = Literal["launched", "restarted", "weights_changed", "plan_changed", "unknown"]


class Measurement(Output):
    """The window that everything is counted in. Visitors first exposed before it are not counted."""

    epoch: int
    began_at: Annotated[DateTime | None, Field(description="Null before the first start.")]
    because: Annotated[Because | None, Field(description="Why it began; null before the first start.")]
    message: Annotated[str, Field(description="The same in a sentence.")]


class SampleRatio(Output):
    """Whether visitors are split as the weights say: a mismatch is what either test is sure of.

    `sequential_p_value` is at most 0.01 then, however often one looks; it finds splits a percent or two off. `p_value`
    is below 0.001 then, for one look; it finds gross ones at once.
    """

    p_value: Annotated[float | None, Field(description="Pearson's chi-squared of the visitors as they are now.")]
    status: Literal["ok", "mismatch", "not_evaluable"]
    expected: dict[str, float]
    observed: dict[str, int]
    sequential_p_value: Annotated[
        float | None,
        Field(description="The smallest so far in this measurement; null where the numbers are narrowed."),
    ]


class HealthFinding(Output):
    """Something that makes the numbers doubtful, as it is now or as Guardian found it."""

    kind: FindingKind
    severity: Severity
    message: str
    action: Annotated[Action | None, Field(description="What Guardian did; null where this answer alone says it.")]
    detected_at: Annotated[DateTime | None, Field(description="When Guardian was sure of it.")]
    variation_id: Id | None
    goal_id: Id | None


class Coverage(Output):
    """Whether parts of the traffic are missing or mixed."""

    mixed_populations: bool
    reasons: list[Gap]


class PlanProgress(Output):
    """The frozen plan beside what was reached."""

    goal_id: Id | None
    goal_name: str | None
    goal_state: Annotated[
        Literal["in_use", "archived", "deleted"],
        Field(description="A plan whose goal is not in use decides nothing any more."),
    ]
    mode: Annotated[
        Literal["off", "fixed_horizon_planned_end", "sequential_significance"],
        Field(description="How the experiment stops by itself."),
    ]
    baseline_rate: float | None
    mde: Annotated[float | None, Field(description="The relative change that the plan is to find.")]
    power: float | None
    required_total_visitors: int | None
    required_sample_per_variant: int | None
    reached_visitors: Annotated[int, Field(description="Of all variations in use, in this measurement.")]
    reached: Annotated[float | None, Field(description="Share of the required visitors; may exceed 1.")]
    days_left: Annotated[
        float | None, Field(description="At the pace of this measurement so far; null where that says nothing yet.")
    ]
    endpoint_reached_at: DateTime | None
    outcome: Annotated[
        Literal["significant_pause", "inconclusive_pause", "continue_inconclusive", "continue_not_positive"] | None,
        Field(description="What the one look at the planned end came to."),
    ]
    blocked_reason: Annotated[
        Literal["excluded_currency_residue", "measurement_quality_unavailable"] | None,
        Field(description="Why that look said nothing about money."),
    ]
    message: str
