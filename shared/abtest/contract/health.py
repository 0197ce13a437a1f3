"""Guardian's findings on the wire."""

from typing import Annotated

from pydantic import Field

from abtest.contract.base import DateTime, Id, Output
from abtest.domain.guardian.evidence import Unknown
from abtest.domain.guardian.kinds import Action, Kind, Severity


class FindingWindow(Output):
    """The period that the finding covers."""

    from_: Annotated[DateTime, Field(alias="from")]
    to: DateTime


class FindingDetails(Output):
    """The figures of a finding at the last check that confirmed it. `threshold` has the unit of `observed`, or is the
    level of the test."""

    metric: str
    observed: float | None
    expected: Annotated[float | None, Field(description="Value of the control, or the expected value.")]
    threshold: Annotated[
        float | None,
        Field(description="Limit of `observed`, or the level of the test."),
    ]
    sample: Annotated[int | None, Field(description="Visitors, sessions or orders of the sample.")]
    window: FindingWindow
    changed_at: Annotated[
        DateTime | None,
        Field(description="About when it began, where it is a change during the test; the figures are those since."),
    ] = None
    consecutive_checks: int
    generation: int


class GuardianFinding(Output):
    """A problem that Guardian found: `resolved_at` is null while it lasts."""

    kind: Kind
    severity: Severity
    action: Annotated[
        Action,
        Field(
            description="Action taken; `pause_suppressed`: settings forbid the pause; `pause_failed`: it is retried."
        ),
    ]
    detected_at: DateTime
    resolved_at: DateTime | None
    variation_id: Id | None
    goal_id: Id | None
    measurement_epoch: int
    blocks_revenue_verdicts: bool
    message: Annotated[str, Field(description="The finding in one sentence.")]
    details: FindingDetails


class KindNotEvaluated(Output):
    """A kind of finding that was not checked, or not for one variation or goal, and the reason."""

    kind: Kind
    reason: Unknown
    message: str
    variation_id: Id | None
    goal_id: Id | None


class NobodySeen(Output):
    """A running experiment has no visitors. This is not a finding: the expected number is unknown."""

    since: DateTime
    shop_visitors: Annotated[int, Field(description="Visitors of the shop since then, at most in the last day.")]
    message: Annotated[str, Field(description="The same in one sentence, and what to check.")]


class ExperimentHealth(Output):
    """Findings, newest first. `checked_at` is null until Guardian has checked this measurement."""

    experiment_id: Id
    measurement_epoch: int
    checked_at: DateTime | None
    generation: Annotated[int | None, Field(description="Generation of the counts at the last check.")]
    data: list[GuardianFinding]
    not_evaluated: list[KindNotEvaluated]
    unseen: Annotated[
        NobodySeen | None, Field(description="Null when there were visitors, or when it is too early to tell.")
    ]
