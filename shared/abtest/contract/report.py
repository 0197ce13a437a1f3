"""The report of an experiment on the wire: all facts that a page about it shows, worked out and put into words."""

from typing import Annotated, Literal

from pydantic import Field

from abtest.contract.base import DateTime, Id, Output
from abtest.contract.results import Correction, Dimension, Engine, GoalResult, SegmentResults, Timeseries
from abtest.contract.trust import CheckedAt, Coverage, HealthFinding, Measurement, PlanProgress, SampleRatio
from abtest.domain.experiments.model import CountingType, Outcome, Status

Format = Literal["json", "html"]
VerdictStatus = Literal[
    "not_started",
    "no_data",
    "too_early",
    "undecided",
    "winner",
    "loser",
    "no_winner",
    "not_trusted",
    "stopped_for_harm",
]
TimelineKind = Literal[
    "created",
    "approval",
    "launched",
    "paused",
    "resumed",
    "restarted",
    "completed",
    "archived",
    "shipped",
    "weights_changed",
    "plan_changed",
    "changed",
    "evaluated",
    "alert",
    "scheduled",
]
TimelineBy = Literal["person", "schedule", "auto_stop", "guardian", "system"]


class ReportVariation(Output):
    """An arm. `weight` is its share of the traffic."""

    id: Id
    name: str
    is_control: bool
    weight: float
    visitors: int


class ReportExperiment(Output):
    """What the report is about."""

    id: Id
    public_id: str | None
    name: str
    description: str | None
    status: Status
    counting_type: CountingType
    started_at: DateTime | None
    ended_at: DateTime | None
    archived_at: DateTime | None
    outcome: Annotated[Outcome | None, Field(description="As people stated it at the end.")]
    winning_variation_id: Annotated[Id | None, Field(description="As people stated it at the end.")]
    learning: str | None
    variations: Annotated[list[ReportVariation], Field(description="Those in use, the control first.")]


class Verdict(Output):
    """What one may say by now. `sentence` stands alone; `details` say the rest, most important first."""

    status: VerdictStatus
    sentence: str
    details: list[str]
    goal_id: Annotated[Id | None, Field(description="The goal that decides.")]
    variation_id: Annotated[Id | None, Field(description="The winner, or the treatment that is worse.")]
    days_left: Annotated[float | None, Field(description="Until the planned sample is reached; null: nobody knows.")]


class IntervalPoint(Output):
    """A treatment at one look. Null ends: no interval could be told."""

    variation_id: Id
    difference: float
    lower: float | None
    upper: float | None
    always_valid_p: Annotated[float, Field(description="The smallest so far.")]


class IntervalLook(Output):
    """One look at the counts of a generation."""

    moment: DateTime
    generation: int
    visitors: int
    treatments: list[IntervalPoint]


class IntervalCourse(Output):
    """The always-valid interval of the difference from the control, look by look, at 1 - alpha a treatment."""

    goal_id: Id
    metric: Literal["rate", "mean"]
    currency: Annotated[str | None, Field(description="Of money; else the difference is one of rates or of hits.")]
    alpha: float
    looks: Annotated[list[IntervalLook], Field(description="At most 240, evenly chosen, the newest among them.")]


class AmountSetAside(Output):
    """Money left out of every sum of a goal."""

    goal_id: Id
    goal_name: str
    kind: Literal["foreign", "unknown"]
    currency: Annotated[str | None, Field(description="Null where it is unknown.")]
    orders: int
    amount: Annotated[float, Field(description="Face value, in major units.")]
    by_variation: Annotated[dict[str, int], Field(description="Orders by variation.")]


class MoneySetAside(Output):
    """Orders whose money is in other currencies, or in one that nobody told."""

    currency: Annotated[str, Field(description="What is counted in.")]
    share_of_orders: Annotated[float | None, Field(description="Of all orders of the goals that count money.")]
    amounts: Annotated[list[AmountSetAside], Field(description="Empty: nothing was set aside.")]
    message: str


class ReportSegments(Output):
    """Visitors by one dimension, in the goal that decides; at most twelve values, most visitors first."""

    dimension: Dimension
    segments: list[SegmentResults]
    left_out: int


class TimelineEntry(Output):
    """Something that happened to the experiment."""

    moment: DateTime
    kind: TimelineKind
    sentence: str
    by: TimelineBy
    user_id: Id | None
    measurement_epoch: Annotated[int | None, Field(description="Of the measurement that began with it.")]


class Report(Output):
    """Everything at once. `engine` and `generation` are those of every number but where something else is said."""

    experiment: ReportExperiment
    generated_at: DateTime
    computed_at: DateTime | None
    through: DateTime | None
    generation: int | None
    engine: Annotated[
        Engine,
        Field(
            description="sequential, as a report may be read at any time; frequentist once the planned look stopped it."
        ),
    ]
    correction: Correction
    alpha: float
    currency: str
    measurement: Measurement
    verdict: Verdict
    goals: Annotated[list[GoalResult], Field(description="The one that decides first.")]
    interval_over_time: IntervalCourse | None
    curves: Annotated[
        Timeseries | None, Field(description="Cumulative, by day, of the first goals; null before the first count.")
    ]
    srm: SampleRatio
    multiple_exposure: Annotated[int, Field(description="Visitors seen in two variations, left out of everything.")]
    health: list[HealthFinding]
    checked_at: CheckedAt
    coverage: Coverage
    money_set_aside: MoneySetAside | None
    segments: list[ReportSegments]
    segment_note: Annotated[str, Field(description="What to keep in mind about segments.")]
    plan: PlanProgress | None
    timeline: Annotated[list[TimelineEntry], Field(description="Oldest first.")]
    timeline_left_out: Annotated[int, Field(description="Earlier entries that are not told.")]
