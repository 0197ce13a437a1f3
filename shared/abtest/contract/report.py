"""The report of an experiment on the wire: all facts that a page about it shows, computed and put into words."""

from typing import Annotated, Literal

from pydantic import Field

from abtest.contract.base import DateTime, Id, Output
from abtest.contract.planning import DetectableEffect
from abtest.contract.report_advice import EarlyStop, ImplausibleLift, MeasuredTime, NextStep, Worth
from abtest.contract.results import (
    Correction,
    CorrectionFamilyField,
    CorrectionMessageField,
    Dimension,
    Engine,
    EngineMessageField,
    EngineReasonField,
    GoalResult,
    GuardrailFinding,
    Metric,
    PlannedLooksField,
    SegmentResults,
    Timeseries,
)
from abtest.contract.screenshots import ScreenshotWindow
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
    "harm",
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
    """A variation. `weight` is its share of the traffic."""

    id: Id
    name: str
    is_control: bool
    weight: float
    visitors: int


class ReportExperiment(Output):
    """The experiment of the report."""

    id: Id
    public_id: str | None
    name: str
    description: str | None
    status: Status
    counting_type: CountingType
    started_at: DateTime | None
    scheduled_end_at: Annotated[DateTime | None, Field(description="Its end by schedule; null without one.")]
    ended_at: DateTime | None
    archived_at: DateTime | None
    outcome: Annotated[Outcome | None, Field(description="As entered when the experiment was completed.")]
    winning_variation_id: Annotated[Id | None, Field(description="As entered when the experiment was completed.")]
    learning: str | None
    variations: Annotated[list[ReportVariation], Field(description="Variations in use, the control first.")]


class Verdict(Output):
    """The conclusion so far. `sentence` can be read alone; `details` add the rest, most important first."""

    status: VerdictStatus
    sentence: str
    details: list[str]
    goal_id: Annotated[
        Id | None,
        Field(description="The deciding goal: the primary one, else the first; after the planned look, the plan's."),
    ]
    variation_id: Annotated[Id | None, Field(description="The winner, or the worse treatment.")]
    days_left: Annotated[
        float | None, Field(description="Days until the planned sample is reached; null when unknown.")
    ]


class IntervalPoint(Output):
    """A treatment at one look. Null bounds: no interval could be computed."""

    variation_id: Id
    difference: float
    lower: float | None
    upper: float | None
    always_valid_p: Annotated[float, Field(description="Smallest value so far.")]


class IntervalLook(Output):
    """One look at the counts of a generation."""

    moment: DateTime
    generation: int
    visitors: int
    treatments: list[IntervalPoint]


class IntervalCourse(Output):
    """The always-valid interval of the difference from the control, look by look, at 1 - alpha per treatment.

    It is that of the estimate that decides: the adjusted one where the plan adjusts for the time before.
    """

    goal_id: Id
    metric: Metric
    currency: Annotated[str | None, Field(description="Currency of a difference in money; null for rates and hits.")]
    alpha: float
    looks: Annotated[list[IntervalLook], Field(description="At most 240, evenly spaced, including the newest.")]


class AmountSetAside(Output):
    """Money excluded from every sum of a goal."""

    goal_id: Id
    goal_name: str
    kind: Literal["foreign", "unknown"]
    currency: Annotated[str | None, Field(description="Null when unknown.")]
    orders: int
    amount: Annotated[float, Field(description="Face value, in major units.")]
    by_variation: Annotated[dict[str, int], Field(description="Orders per variation.")]


class MoneySetAside(Output):
    """Orders in other currencies, or of unknown currency."""

    currency: Annotated[str, Field(description="Currency of the counts.")]
    share_of_orders: Annotated[
        float | None, Field(description="Excluded orders as a share of all orders of goals that count money.")
    ]
    amounts: Annotated[list[AmountSetAside], Field(description="Empty when nothing was excluded.")]
    message: str


class ReportSegments(Output):
    """Visitors by one dimension, in the deciding goal; at most twelve values, most visitors first."""

    dimension: Dimension
    segments: list[SegmentResults]
    left_out: int


class TimelineEntry(Output):
    """An event in the history of the experiment."""

    moment: DateTime
    kind: TimelineKind
    sentence: str
    by: TimelineBy
    user_id: Id | None
    measurement_epoch: Annotated[int | None, Field(description="Number of the measurement that began with this event.")]


class ReportPicture(Output):
    """A picture of the page in one variation, or without the experiment. Width and height are those of the picture."""

    variation_id: Annotated[Id | None, Field(description="The variation; null for the page without the experiment.")]
    page_url: Annotated[str, Field(description="The page.")]
    viewport: ScreenshotWindow
    taken_at: DateTime
    url: Annotated[str, Field(description="Address of the picture.")]
    width: int
    height: int


class Report(Output):
    """The whole report. `engine` and `generation` apply to every figure unless noted otherwise."""

    experiment: ReportExperiment
    generated_at: DateTime
    computed_at: DateTime | None
    through: DateTime | None
    generation: int | None
    engine: Annotated[
        Engine,
        Field(
            description=(
                "The default engine of results: `sequential`, as reports may be read at any time; `frequentist` at the "
                "end of a fixed plan; `group_sequential` once planned looks were taken."
            )
        ),
    ]
    engine_reason: EngineReasonField
    engine_message: EngineMessageField
    correction: Correction
    correction_family: CorrectionFamilyField
    correction_message: CorrectionMessageField
    alpha: float
    currency: str
    measurement: Measurement
    verdict: Verdict
    next_step: Annotated[NextStep, Field(description="The recommended next step.")]
    measured_time: Annotated[MeasuredTime | None, Field(description="Null before the measurement begins.")]
    worth: Annotated[Worth, Field(description="Worth of a month in the shop's money, or why it is not known.")]
    implausible_lifts: Annotated[
        list[ImplausibleLift],
        Field(description="Significant lifts of the deciding goal, and of goals that count money, that need a check."),
    ]
    early_stop: Annotated[
        EarlyStop | None,
        Field(description="About the winner or the loser; null unless engine `sequential` calls it significant."),
    ]
    goals: Annotated[list[GoalResult], Field(description="The deciding goal first.")]
    guardrails: Annotated[list[GuardrailFinding], Field(description="What each guardrail shows in each treatment.")]
    interval_over_time: Annotated[
        IntervalCourse | None, Field(description="Null before the first look, and where planned looks decide.")
    ]
    curves: Annotated[
        Timeseries | None,
        Field(
            description=(
                "Cumulative, by day (by week after 120 days, UTC), for the first five goals; null before "
                "the first count."
            )
        ),
    ]
    srm: SampleRatio
    multiple_exposure: Annotated[int, Field(description="Visitors seen in two variations, excluded from all figures.")]
    health: list[HealthFinding]
    checked_at: CheckedAt
    coverage: Coverage
    money_set_aside: MoneySetAside | None
    segments: list[ReportSegments]
    segment_note: Annotated[str, Field(description="Caution about segments.")]
    plan: PlanProgress | None
    planned_looks: PlannedLooksField
    detectable_effects: Annotated[
        list[DetectableEffect],
        Field(
            description="What tests like the plan, of other lengths, detect at the pace so far; empty without a plan or"
            " in its first hours."
        ),
    ]
    pictures: Annotated[
        list[ReportPicture],
        Field(description="Latest pictures of the variations in use, by window; none before a screenshot job."),
    ]
    timeline: Annotated[list[TimelineEntry], Field(description="Oldest first.")]
    timeline_left_out: Annotated[int, Field(description="Earlier entries that are not listed: the newest 100 are.")]
