"""Results of an experiment on the wire: every figure names its goal, variation, engine and generation."""

from typing import Annotated, Literal

from pydantic import Field

from abtest.contract.base import ABSENT, DateTime, Id, Output
from abtest.contract.guardrails import GuardrailFinding as GuardrailFinding
from abtest.contract.planned_looks import PlannedLooksField as PlannedLooksField
from abtest.contract.result_rows import CovariateAdjustment as CovariateAdjustment
from abtest.contract.result_rows import Cuped as Cuped
from abtest.contract.result_rows import ForeignMoney as ForeignMoney
from abtest.contract.result_rows import Interval as Interval
from abtest.contract.result_rows import ResultRow as ResultRow
from abtest.contract.result_rows import RowState as RowState
from abtest.contract.trust import CheckedAt as CheckedAt
from abtest.contract.trust import Coverage as Coverage
from abtest.contract.trust import FindingKind as FindingKind
from abtest.contract.trust import HealthFinding as HealthFinding
from abtest.contract.trust import Measurement as Measurement
from abtest.contract.trust import PlanProgress as PlanProgress
from abtest.contract.trust import SampleRatio as SampleRatio
from abtest.domain.autostop.default_engine import Engine as Engine
from abtest.domain.autostop.default_engine import EngineReason as EngineReason
from abtest.domain.autostop.default_engine import EngineWarningCode
from abtest.domain.goals.model import Aggregation, Direction, GoalRole, GoalType
from abtest.domain.goals.shapes import Denominator, Numerator

SegmentEngine = Literal["frequentist", "sequential"]
Correction = Literal["none", "holm", "bh"]
CorrectionFamily = Literal["treatments", "goals", "goals_primary_apart"]
Dimension = Literal["device", "country", "new_returning", "source"]
Granularity = Literal["hour", "day", "week"]
Mode = Literal["cumulative", "per_bucket"]
Metric = Literal["rate", "mean", "ratio"]


class EngineWarning(Output):
    """A caution about a requested engine that keeps no error rate at this moment."""

    code: EngineWarningCode
    message: str


EngineReasonField = Annotated[
    EngineReason,
    Field(
        description=(
            "Reason of the engine. `requested`: by the request. All others follow the experiment; `sequential` holds "
            "at every look, `frequentist` is the default at a planned end (`planned_end_reached`) only."
        )
    ),
]
EngineMessageField = Annotated[str, Field(description="The reason in a sentence.")]
EngineWarningField = Annotated[
    EngineWarning | None,
    Field(description="Why the requested engine must not decide yet; null when its figures hold."),
]


CorrectionFamilyField = Annotated[
    CorrectionFamily,
    Field(
        description=(
            "Comparisons that are corrected together. `treatments`: those of one goal. `goals`: those of all goals in "
            "use. `goals_primary_apart`: the primary goal keeps its own alpha, all others are one family."
        )
    ),
]
CorrectionMessageField = Annotated[str, Field(description="Correction and family in words.")]


class GoalResult(Output):
    """A goal with one row per variation. `metric` is the compared quantity."""

    goal_id: Id
    name: str
    type: GoalType
    role: GoalRole
    direction: Direction
    aggregation: Aggregation
    numerator: Numerator | None
    denominator: Denominator | None
    metric: Metric
    engine: Annotated[
        Engine,
        Field(
            description=(
                "Engine of this goal's figures: that of the answer, but `sequential` instead of `group_sequential` for "
                "goals and segments that have no planned looks."
            )
        ),
    ]
    is_archived: Annotated[bool, Field(description="The goal is archived; it is returned when requested by id.")]
    not_evaluable: Annotated[
        Literal["not_counted_yet", "zero_denominator"] | None,
        Field(
            description=(
                "Why the goal has no figures: it is newer than the last count. Why a ratio is not compared: in each "
                "comparison a variation has nothing in its denominator."
            )
        ),
    ]
    adjustment: Annotated[
        CovariateAdjustment | None, Field(description="Null unless the plan chose `covariate_adjustment: cuped`.")
    ]
    rows: list[ResultRow]


class CountedWeekdays(Output):
    """The days of first exposure that count."""

    days: list[str]
    timezone: str
    is_exact: Annotated[bool, Field(description="False within a segment, which is counted by UTC day.")]


class Narrowing(Output):
    """The effective restriction of the figures: the period, segment or weekdays of first exposure."""

    from_: Annotated[DateTime | None, Field(alias="from", description="First quarter of an hour that counts.")]
    to: Annotated[DateTime | None, Field(description="End of the last quarter of an hour that counts.")]
    segment: Annotated[str | None, Field(description="`dimension:value`.")]
    weekdays: CountedWeekdays | None


class SegmentResults(Output):
    """Visitors with the same value at first exposure. `unknown` is a value too: no value was sent."""

    values: Annotated[dict[Dimension, str], Field(description="One value per dimension.")]
    visitors: Annotated[int, Field(description="Total of all variations in use.")]
    goals: list[GoalResult]


class SegmentWarning(Output):
    """A caution about many comparisons."""

    code: Literal["uncorrected_segments", "many_segments", "segments_left_out"]
    message: str


class Results(Output):
    """Results at `computed_at`; null before the first count, when all counts are zero."""

    experiment_id: Id
    measurement_epoch: int
    computed_at: DateTime | None
    through: Annotated[DateTime | None, Field(description="Arrival of the newest counted event.")]
    generation: Annotated[int | None, Field(description="Incremented by every count.")]
    engine: Engine
    engine_reason: EngineReasonField
    engine_message: EngineMessageField
    engine_warning: EngineWarningField
    correction: Correction
    correction_family: CorrectionFamilyField
    correction_message: CorrectionMessageField
    alpha: float
    min_visitors: Annotated[int, Field(description="Minimum per variation before anything is called significant.")]
    min_conversions: int
    measurement: Measurement
    plan: Annotated[PlanProgress | None, Field(description="Null without a plan.")]
    planned_looks: PlannedLooksField
    goals: list[GoalResult]
    guardrails: Annotated[
        list[GuardrailFinding],
        Field(
            description=(
                "Harm by each treatment in each guardrail, over the whole measurement whatever the request is narrowed "
                "to; empty without guardrails. Auto-stop declares no winner that harms one."
            )
        ),
    ]
    srm: SampleRatio
    multiple_exposure: Annotated[int, Field(description="Visitors seen in two variations, excluded from all figures.")]
    without_sticky: Annotated[
        int,
        Field(
            description="Sessions, or visitors where no session is sent, with an exposure that a server sent without "
            "`is_sticky: true`. A change of weights may move these visitors. Of the whole measurement."
        ),
    ] = ABSENT
    health: list[HealthFinding]
    checked_at: CheckedAt
    coverage: Coverage
    narrowed_to: Annotated[Narrowing | None, Field(description="Null: all visitors since the measurement began.")]
    segments: Annotated[
        list[SegmentResults] | None,
        Field(description="For `segment=<dimension>`: one entry per value, most visitors first."),
    ]


class ExperienceResults(Output):
    """One experience. In `results`, the personalization's id stands for eligible visitors outside the rollout."""

    experience_id: Id
    experience_key: str
    experience_name: str
    results: Results


class PersonalizationResults(Output):
    """Effect of a personalization on the visitors it reaches. Without visitors outside the rollout there is no
    comparison."""

    personalization_id: Id
    experiences: list[ExperienceResults]


class SeriesRow(Output):
    """A variation in one bucket: visitors first exposed in it, or until its end, and everything they did since."""

    variation_id: Id
    visitors: int
    conversions: int
    count: int
    rate: float | None
    mean: float | None
    ratio: float | None
    revenue: float | None


class SeriesGoal(Output):
    """A goal in one bucket. Values are neither capped nor compared."""

    goal_id: Id
    metric: Metric
    rows: list[SeriesRow]


class Bucket(Output):
    """From `start` (included) to `end` (excluded): an hour, a day or a week (from Monday) of the time zone."""

    start: DateTime
    end: DateTime
    date: Annotated[str, Field(description="Calendar day of `start` in the time zone.")]
    goals: list[SeriesGoal]


class Timeseries(Output):
    """Every bucket from the first possible exposure on, including buckets without visitors."""

    experiment_id: Id
    measurement_epoch: int
    computed_at: DateTime | None
    generation: int | None
    timezone: Annotated[str, Field(description="Canonical IANA name of the time zone.")]
    granularity: Granularity
    mode: Mode
    currency: Annotated[str, Field(description="Currency of revenue, and of the mean of revenue goals.")]
    narrowed_to: Narrowing | None
    data: list[Bucket]


class Segments(Output):
    """Visitors by one dimension or two, most visitors first."""

    experiment_id: Id
    measurement_epoch: int
    computed_at: DateTime | None
    generation: int | None
    dimensions: list[Dimension]
    engine: Engine
    engine_reason: EngineReasonField
    engine_message: EngineMessageField
    engine_warning: EngineWarningField
    alpha: float
    correction: Annotated[
        Correction,
        Field(description="Correction over all comparisons of a family in `data`: segments times treatments."),
    ]
    correction_family: CorrectionFamilyField
    correction_message: CorrectionMessageField
    narrowed_to: Narrowing | None
    warnings: list[SegmentWarning]
    left_out: Annotated[int, Field(description="Number of segments beyond the hundred largest.")]
    data: list[SegmentResults]


class RefreshJob(Output):
    """A refresh job."""

    job_id: Id


RefreshStatus = Literal["queued", "running", "completed", "failed", "cancelled"]


class ResultsRefresh(RefreshJob):
    """Status of a refresh job."""

    experiment_id: Id
    status: RefreshStatus
    created_at: DateTime
    updated_at: DateTime
    generation: Annotated[int | None, Field(description="Generation of the roll-up at the end of the job.")]
    error: Annotated[str | None, Field(description="Reason of the failure.")]
