"""Trust in results, on the wire: the measurement, the split of visitors, Guardian's findings."""

from typing import Annotated, Literal

from pydantic import Field

from abtest.contract.base import DateTime, Id, Output
from abtest.domain.autostop.settings import Mode
from abtest.domain.goals.coverage import Gap
from abtest.domain.guardian.kinds import Action, Kind, Severity
from abtest.domain.planning.shapes import PlanEngine, PlanOutcome

FindingKind = Kind | Literal["zero_weight_visitors", "no_visitors"]
CheckedAt = Annotated[
    DateTime | None,
    Field(
        description="Last check of this measurement by Guardian; null before the first, when no findings are available."
    ),
]
Because = Literal["launched", "restarted", "weights_changed", "plan_changed", "unknown"]


class Measurement(Output):
    """The window in which everything is counted. Visitors first exposed before it are not counted."""

    epoch: int
    began_at: Annotated[DateTime | None, Field(description="Null before the first start.")]
    because: Annotated[Because | None, Field(description="Reason of its start; null before the first start.")]
    message: Annotated[str, Field(description="The same in one sentence.")]


class SampleRatio(Output):
    """The split of visitors compared with the weights. `mismatch` when either test is certain.

    `sequential_p_value` at most 0.01 holds however often one looks, and detects shifts of a percent or two. `p_value`
    below 0.001 is for a single look, and detects gross ones at once.
    """

    p_value: Annotated[float | None, Field(description="Pearson's chi-squared test of the current visitors.")]
    status: Literal["ok", "mismatch", "not_evaluable"]
    expected: dict[str, float]
    observed: dict[str, int]
    sequential_p_value: Annotated[
        float | None,
        Field(description="Smallest value so far in this measurement; null when the figures are restricted."),
    ]


class HealthFinding(Output):
    """A problem that makes the figures doubtful, seen in them or found by Guardian. Each kind appears once."""

    kind: FindingKind
    severity: Severity
    message: str
    action: Annotated[
        Action | None, Field(description="Guardian's action; null when only this response reports the problem.")
    ]
    detected_at: Annotated[DateTime | None, Field(description="When Guardian confirmed it.")]
    variation_id: Id | None
    goal_id: Id | None


class Coverage(Output):
    """Missing or mixed parts of the traffic.

    `mixed_populations` is true when there is a reason: `consent_gated_sdk` (consent mode is on) or
    `low_order_stitch_rate` (under 0.8 of at least 20 orders of the newest 28 days).
    """

    mixed_populations: bool
    reasons: list[Gap]


class PlanProgress(Output):
    """The frozen plan compared with the current state."""

    goal_id: Id | None
    goal_name: str | None
    goal_state: Annotated[
        Literal["in_use", "archived", "deleted", "ratio"],
        Field(
            description=(
                "State of the plan's goal; `ratio` if it was made one since, as plans are of rates. While it is not "
                "in use, the plan decides nothing."
            )
        ),
    ]
    mode: Annotated[
        Mode,
        Field(description="Auto-stop mode of the experiment."),
    ]
    engine: Annotated[PlanEngine, Field(description="Test that the planned sample is for.")]
    baseline_rate: float | None
    mde: Annotated[float | None, Field(description="Relative change that the plan is to detect.")]
    power: float | None
    required_total_visitors: int | None
    required_sample_per_variant: int | None
    reached_visitors: Annotated[int, Field(description="Visitors of all variations in use, in this measurement.")]
    reached: Annotated[float | None, Field(description="Share of the required visitors; may exceed 1.")]
    days_left: Annotated[float | None, Field(description="Estimate from the pace so far; null when it is too early.")]
    endpoint_reached_at: DateTime | None
    outcome: Annotated[
        PlanOutcome | None,
        Field(description="Result of the single look at the planned end."),
    ]
    blocked_reason: Annotated[
        Literal["excluded_currency_residue", "measurement_quality_unavailable"] | None,
        Field(description="Why that look has no verdict on revenue."),
    ]
    message: str
