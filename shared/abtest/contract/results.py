"""Results of an experiment on the wire: every number names the goal, the variation, the engine and the generation."""

from typing import Annotated, Literal

from pydantic import Field

from abtest.contract.base import DateTime, Id, Output
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
from abtest.domain.goals.model import Aggregation, Direction, GoalRole, GoalType

Engine = Literal["frequentist", "sequential", "bayesian"]
SegmentEngine = Literal["frequentist", "sequential"]
Correction = Literal["none", "holm"]
Dimension = Literal["device", "country", "new_returning", "source"]
Granularity = Literal["hour", "day", "week"]
Mode = Literal["cumulative", "per_bucket"]


class GoalResult(Output):
    """A goal with a row for each variation. `metric` is what is compared."""

    goal_id: Id
    name: str
    type: GoalType
    role: GoalRole
    direction: Direction
    aggregation: Aggregation
    metric: Literal["rate", "mean"]
    is_archived: Annotated[bool, Field(description="Out of use; served when it is named.")]
    not_evaluable: Annotated[
        Literal["not_counted_yet"] | None,
        Field(description="Why the goal has no numbers: it is newer than the last count."),
    ]
    rows: list[ResultRow]


class ResultsWeekdays(Output):
    """The days of first exposure that count."""

    days: list[str]
    timezone: str
    is_exact: Annotated[bool, Field(description="False within a segment, whose days are those of UTC.")]


class Narrowing(Output):
    """What the numbers are narrowed to, as it was understood: visitors first exposed then, there, or like that."""

    from_: Annotated[DateTime | None, Field(alias="from", description="The first quarter of an hour that counts.")]
    to: Annotated[DateTime | None, Field(description="The end of the last one.")]
    segment: Annotated[str | None, Field(description="`dimension:value`.")]
    weekdays: ResultsWeekdays | None


class SegmentResults(Output):
    """Visitors who are alike when first exposed. `unknown` is a value: nobody told."""

    values: Annotated[dict[Dimension, str], Field(description="A value of each dimension.")]
    visitors: Annotated[int, Field(description="Of all variations in use.")]
    goals: list[GoalResult]


class SegmentWarning(Output):
    """What to keep in mind with many comparisons."""

    code: Literal["uncorrected_segments", "many_segments", "segments_left_out"]
    message: str


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
    min_visitors: Annotated[int, Field(description="Of each arm, before anything is called significant.")]
    min_conversions: int
    measurement: Measurement
    plan: Annotated[PlanProgress | None, Field(description="Null without a plan.")]
    goals: list[GoalResult]
    srm: SampleRatio
    multiple_exposure: Annotated[int, Field(description="Visitors seen in two variations, left out of everything.")]
    health: list[HealthFinding]
    checked_at: CheckedAt
    coverage: Coverage
    narrowed_to: Annotated[Narrowing | None, Field(description="Null: everybody since the measurement began.")]
    segments: Annotated[
        list[SegmentResults] | None,
        Field(description="For `segment=<dimension>`: each of its values, most visitors first, each on its own."),
    ]


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


class SeriesRow(Output):
    """A variation in one bucket: visitors first exposed then, or up to its end, and all that they did since."""

    variation_id: Id
    visitors: int
    conversions: int
    count: int
    rate: float | None
    mean: float | None
    revenue: float | None


class SeriesGoal(Output):
    """A goal in one bucket. Nothing is capped or compared here."""

    goal_id: Id
    metric: Literal["rate", "mean"]
    rows: list[SeriesRow]


class Bucket(Output):
    """From `start` on, before `end`: an hour, a day or a week (from Monday) of the time zone."""

    start: DateTime
    end: DateTime
    date: Annotated[str, Field(description="The calendar day of `start` in the time zone.")]
    goals: list[SeriesGoal]


class Timeseries(Output):
    """Every bucket from the first exposure that could count on; those without visitors too."""

    experiment_id: Id
    measurement_epoch: int
    computed_at: DateTime | None
    generation: int | None
    timezone: Annotated[str, Field(description="The IANA name, as the database of time zones spells it.")]
    granularity: Granularity
    mode: Mode
    currency: Annotated[str, Field(description="Of every revenue, and of the mean of revenue goals.")]
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
    alpha: float
    correction: Annotated[
        Correction, Field(description="Of all comparisons of a goal in `data`: segments times treatments.")
    ]
    narrowed_to: Narrowing | None
    warnings: list[SegmentWarning]
    left_out: Annotated[int, Field(description="Segments beyond the hundred with most visitors.")]
    data: list[SegmentResults]


class RefreshJob(Output):
    """A count that was asked for."""

    job_id: Id


RefreshStatus = Literal["queued", "running", "completed", "failed", "cancelled"]


class Refresh(RefreshJob):
    """How it stands with it."""

    experiment_id: Id
    status: RefreshStatus
    created_at: DateTime
    updated_at: DateTime
    generation: Annotated[int | None, Field(description="Of the roll-up when the job had ended.")]
    error: Annotated[str | None, Field(description="Why it failed.")]
