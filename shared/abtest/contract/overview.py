"""The overview of a shop on the wire: what runs now, what it shows so far, and what waits in the shop."""

from typing import Annotated, Literal

from pydantic import Field

from abtest.contract.base import ABSENT, DateTime, Id, Output, Pagination
from abtest.contract.inbox import InboxUnread
from abtest.contract.report import ReportVariation, TimelineBy, VerdictStatus
from abtest.contract.report_advice import MeasuredTime
from abtest.contract.results import (
    CheckedAt,
    Engine,
    EngineReasonField,
    Interval,
    Metric,
    PlanProgress,
    RowState,
    SampleRatio,
)
from abtest.domain.experiments.model import CountingType, Status
from abtest.domain.goals.model import Direction, GoalType
from abtest.domain.guardian.kinds import Severity

PublicationState = Literal["published", "pending", "failed"]


class OverviewPause(Output):
    """The pause that holds."""

    paused_at: DateTime
    by: TimelineBy
    user_id: Annotated[Id | None, Field(description="The person; null when no person paused it.")]
    sentence: Annotated[str, Field(description="Who paused the experiment, and why, as in the report's timeline.")]


class OverviewGoal(Output):
    """The deciding goal, as in the report: the primary one, else the first; at a planned look the plan's."""

    goal_id: Id
    name: str
    type: GoalType
    direction: Direction
    metric: Metric


class OverviewLead(Output):
    """The leading treatment in the deciding goal, with the figures of its row in results.

    It is the one of the verdict, else the one whose difference is the best for the goal. Where the estimate adjusted
    for the time before decides, the figures are the adjusted ones.
    """

    variation_id: Id
    variation_name: str
    engine: Engine
    lift: float | None
    ci: Annotated[Interval | None, Field(description="Interval of `lift`.")]
    difference: float | None
    difference_ci: Interval | None
    p_value: float | None
    adjusted_p_value: float | None
    always_valid_p: Annotated[float | None, Field(description="Engine sequential: the smallest value so far.")]
    is_significant: bool | None
    is_adjusted: Annotated[bool, Field(description="The figures are those of `cuped` in the row.")]
    state: RowState
    message: Annotated[str, Field(description="The state in words.")]


class OverviewVerdict(Output):
    """The verdict of the report, without its details."""

    status: VerdictStatus
    sentence: str
    variation_id: Annotated[Id | None, Field(description="The winner, or the worse treatment.")]
    days_left: Annotated[float | None, Field(description="Days until the planned sample; null when unknown.")]
    is_decided: Annotated[
        bool,
        Field(description="True for a winner, a loser, no winner, and harm: there is something to do now."),
    ]


class OverviewFindings(Output):
    """Open findings of Guardian, and those of the counts: the field `health` of results in short."""

    count: int
    worst: Annotated[Severity | None, Field(description="Severity of the worst one; null without any.")]
    first: Annotated[str | None, Field(description="Message of the worst one.")]


class OverviewExperiment(Output):
    """One running or paused experiment. Figures are those of its results and its report, by the default engine."""

    id: Id
    public_id: str | None
    name: str
    status: Literal["running", "paused"]
    counting_type: CountingType
    pause: Annotated[OverviewPause | None, Field(description="Null for a running experiment.")]
    started_at: DateTime | None
    scheduled_end_at: DateTime | None
    measurement_epoch: int
    measurement_began_at: DateTime | None
    measured_time: Annotated[MeasuredTime | None, Field(description="Null before the first count.")]
    computed_at: Annotated[DateTime | None, Field(description="When the figures were counted; null before.")]
    generation: Annotated[int | None, Field(description="Incremented by every count.")]
    engine: Engine
    engine_reason: EngineReasonField
    visitors: Annotated[int, Field(description="Total of all variations in use.")]
    variations: Annotated[list[ReportVariation], Field(description="Variations in use, the control first.")]
    goal: Annotated[OverviewGoal | None, Field(description="Null when no goal is in use.")]
    lead: Annotated[OverviewLead | None, Field(description="Null without a goal or without a treatment.")]
    verdict: OverviewVerdict
    plan: Annotated[PlanProgress | None, Field(description="Null without a plan.")]
    srm: SampleRatio
    findings: OverviewFindings
    checked_at: CheckedAt
    publication: Annotated[
        PublicationState | None,
        Field(description="That of the experiment's last change; null when the store of pending work cannot tell."),
    ]


class OverviewApproval(Output):
    """An experiment that waits for the approval of its design."""

    id: Id
    public_id: str | None
    name: str
    updated_at: DateTime


class OverviewApprovals(Output):
    """Experiments in the status `awaiting_client_approval`."""

    count: int
    data: Annotated[list[OverviewApproval], Field(description="At most twenty, the longest waiting first.")]


class OverviewPublication(Output):
    """State of the shop's publication: do storefronts have every change."""

    state: Annotated[
        PublicationState,
        Field(
            description="`pending`: a change is being published. `failed`: that has taken more than 90 seconds; it is "
            "repeated every minute, and `retry-publication` repeats it at once."
        ),
    ]
    since: Annotated[DateTime | None, Field(description="The first change that waits; null when none does.")]


class Overview(Output):
    """Running and paused experiments, newest first, and what waits in the shop."""

    data: list[OverviewExperiment]
    pagination: Pagination
    generated_at: DateTime
    currency: Annotated[str, Field(description="Currency of the shop.")]
    by_status: Annotated[
        dict[Status, int],
        Field(description="Number of experiments by status, without archived ones."),
    ]
    archived: Annotated[int, Field(description="Number of archived experiments.")]
    is_whole: Annotated[
        bool, Field(description="False for a shop with more than 10,000 experiments: only the newest are read.")
    ]
    approvals: OverviewApprovals
    publication: Annotated[
        OverviewPublication | None, Field(description="Null when the store of pending work cannot tell.")
    ]
    last_seen_at: Annotated[
        DateTime | None,
        Field(
            description="When events of the shop's storefront last arrived, to within ten minutes; null when none did."
        ),
    ]
    inbox: Annotated[InboxUnread, Field(description="Absent for callers without the scope `inbox:read`.")] = ABSENT
