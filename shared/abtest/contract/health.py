"""What Guardian found about an experiment, on the wire."""

from typing import Annotated

from pydantic import Field

from abtest.contract.base import DateTime, Id, Output
from abtest.domain.guardian.evidence import Unknown
from abtest.domain.guardian.kinds import Action, Kind, Severity


class FindingWindow(Output):
    """Whom the finding is about: what happened between these moments."""

    from_: Annotated[DateTime, Field(alias="from")]
    to: DateTime


class FindingDetails(Output):
    """The numbers of a finding, at the look at which it was found last."""

    metric: str
    observed: float | None
    expected: Annotated[float | None, Field(description="What the control has, or what would be right.")]
    threshold: Annotated[
        float | None,
        Field(description="The limit of `observed`, or of a test's finding the level at which it is one."),
    ]
    sample: Annotated[int | None, Field(description="Visitors, sessions or orders that it is about.")]
    window: FindingWindow
    consecutive_checks: int
    generation: int


class GuardianFinding(Output):
    """Something that is wrong, or was: `resolved_at` is null while it lasts."""

    kind: Kind
    severity: Severity
    action: Annotated[
        Action,
        Field(description="What was done; `pause_suppressed`: settings forbid the pause; `pause_failed`: tried again."),
    ]
    detected_at: DateTime
    resolved_at: DateTime | None
    variation_id: Id | None
    goal_id: Id | None
    measurement_epoch: int
    blocks_revenue_verdicts: bool
    message: Annotated[str, Field(description="The finding in a sentence.")]
    details: FindingDetails


class KindNotEvaluated(Output):
    """A kind that was not looked at, or not for one variation or goal, and why."""

    kind: Kind
    reason: Unknown
    message: str
    variation_id: Id | None
    goal_id: Id | None


class NobodySeen(Output):
    """Nobody is seen in the running experiment. No kind of finding: what would be right nobody knows beforehand."""

    since: DateTime
    shop_visitors: Annotated[int, Field(description="Visitors of the shop since then, in the last day at most.")]
    message: Annotated[str, Field(description="The same in a sentence, and what to check.")]


class ExperimentHealth(Output):
    """Findings, the newest first. `checked_at` null: Guardian has not looked at this measurement yet."""

    experiment_id: Id
    measurement_epoch: int
    checked_at: DateTime | None
    generation: Annotated[int | None, Field(description="Of the counts that were looked at last.")]
    data: list[GuardianFinding]
    not_evaluated: list[KindNotEvaluated]
    unseen: Annotated[NobodySeen | None, Field(description="Null where somebody was seen, or it is too early.")]
