"""Shapes of looks at the evidence (section 5 of docs/data-model.md, Looks)."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Literal, NotRequired, TypedDict

if TYPE_CHECKING:
    # Nearly every function loads the store of looks, and few load statistics.
    from abtest.domain.stats.group_sequential.documents import FamilyState

FrozenMixture = Mapping[str, float]
"""`tau` of a plan, or `planned_visitors` and `alpha` of the first look."""


class Minimum(TypedDict):
    """The smallest always-valid p-value of a treatment, and the difference at that look."""

    p: float
    difference: float


class GoalState(TypedDict):
    """State of a goal after all looks. `source` is the digest of its definition.

    `harm` is the smallest one-sided p against the goal's direction, by treatment, of guardrails. `restarted_at`: the
    first look after the goal was redefined within the measurement. `adjusted`: the minima of the estimate adjusted for
    the time before exposures, which decides where it is present; the first look freezes whether it is.
    """

    source: str
    mixture: FrozenMixture
    treatments: dict[str, Minimum]
    adjusted: NotRequired[dict[str, Minimum]]
    harm: NotRequired[dict[str, float]]
    restarted_at: NotRequired[str]


LeftOut = Literal[
    "min_visitors",
    "min_conversions",
    "no_variance",
    "sample_ratio_mismatch",
    "step_not_reached",
    "less_information",
    "covariate_not_counted",
    "ended",
]
"""Why a treatment had no planned look at a count: nothing was tested, and no error was spent."""


class AdjustedControl(TypedDict):
    """The control's adjusted rate at a look, and its share, 0 to 1, of the variance of the adjusted difference."""

    rate: float
    share: float


class LookedAt(TypedDict):
    """Counts of one planned look at one treatment; arms are visitors and converters. `adjusted`: of adjusted rates."""

    computed_at: str
    generation: int
    control: list[int]
    treatment: list[int]
    adjusted: NotRequired[AdjustedControl]


class RepeatedP(TypedDict):
    """Repeated p-value over all planned looks. `towards`: 1 where the deciding look was for the better, else -1."""

    p: float
    towards: Literal[1, -1]


class PlannedLooks(TypedDict):
    """Planned looks of a measurement at the rate of the plan's goal. z is positive where the goal got better.

    `source` and `falls` are of the goal's definition; with others the looks start over. `counts` belong to the looks of
    `family`, one by one. `left_out`: treatments without a look at the newest count. `restarted_at` as of `GoalState`.
    `adjusted`: the looks are at rates adjusted for the time before exposures, as the first count froze it.
    """

    goal_id: str
    source: str
    falls: bool
    family: "FamilyState"
    counts: dict[str, list[LookedAt]]
    p_values: dict[str, RepeatedP]
    left_out: dict[str, LeftOut]
    adjusted: NotRequired[bool]
    restarted_at: NotRequired[str]


class Stamp(TypedDict):
    """Measurement, generation and moment of a look."""

    experiment_id: str
    measurement_epoch: int
    generation: int
    computed_at: str


class LookState(Stamp):
    """State of a measurement after all looks."""

    looks: int
    goals: dict[str, GoalState]
    minima: dict[str, dict[str, float]]
    srm_p: float | None
    planned_looks: NotRequired[PlannedLooks]


class ShownTest(TypedDict):
    """Always-valid test of one treatment in one look."""

    difference: float
    ci: list[float] | None
    p: float
    always_valid_p: float


class ShownTreatment(ShownTest):
    """A treatment in one look; `adjusted` where the adjusted estimate decides."""

    adjusted: NotRequired[ShownTest]
    harm_p: NotRequired[float]


class Ratio(TypedDict):
    """Test of the split of visitors."""

    p: float
    running_p: float


class PlannedLook(TypedDict, total=False):
    """A treatment at a planned look; only `left_out` where it had none. `spent` is the error of both sides so far."""

    fraction: float
    z: float
    upper: float | None
    futility: float | None
    spent: float
    p: float
    left_out: LeftOut


class Look(Stamp):
    """One look."""

    alpha: float
    visitors: dict[str, int]
    goals: dict[str, dict[str, ShownTreatment]]
    srm: Ratio | None
    planned: NotRequired[dict[str, PlannedLook]]
