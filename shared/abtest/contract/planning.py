"""Test plans and sample sizes on the wire."""

from typing import Annotated, Literal

from pydantic import ConfigDict, Field

from abtest.contract.base import ABSENT, Input, Output, Uuid
from abtest.contract.consent import LiveEdit
from abtest.contract.overrides import Tail
from abtest.contract.planned_test import SpendingFunction
from abtest.domain.experiments.limits import MAX_VARIATIONS
from abtest.domain.planning.planned_looks import MOST_PLANNED_LOOKS
from abtest.domain.planning.shapes import PlanEngine
from abtest.domain.stats.group_sequential.documents import Family
from abtest.domain.stats.group_sequential.spending import STEEPEST

Rate = Annotated[float, Field(gt=0, lt=1)]
Mde = Annotated[float, Field(ge=0.001, le=1, description="Smallest change to detect, relative to the baseline.")]
Alpha = Annotated[float, Field(ge=0.001, le=0.2, description="The shop's default when absent.")]
Power = Annotated[float, Field(ge=0.5, le=0.99, description="The shop's default when absent.")]
Looks = Annotated[
    int,
    Field(
        ge=1,
        le=MOST_PLANNED_LOOKS,
        description="Looks that a group-sequential test is sized for, at most one a day; by default one a day, 7 to 60"
        " of them, or 28 where the traffic is not known.",
    ),
]


class SpendingInput(Input):
    """A spending function. `gamma` must be sent with `hwang_shih_decani`, and with no other family."""

    family: Family
    gamma: Annotated[float | None, Field(ge=-STEEPEST, le=STEEPEST)] = ABSENT


class PlanInput(LiveEdit):
    """The effect a test must detect. Without `baseline_rate` it is measured; other absent fields are inherited.

    `alpha`, `power` and `tail` come from `fixed_horizon` of the experiment's, then of the shop's auto-stop, then, like
    `correction_method` and `covariate_adjustment`, from the shop's defaults. A goal with direction `decrease` is
    planned for the rate (1 - `mde`) times the baseline. While the experiment runs, a new plan needs
    `confirm_live_impact`.

    Without `engine` a plan is for the test of auto-stop's mode, and for one look (`fixed`) where the mode is `off`.
    `spending`, `futility` and `looks` belong to `group_sequential`.
    """

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [{"goal_id": "0192f3a0-1b5c-7d1e-8f00-3c5a7e9b1d31", "baseline_rate": 0.03, "mde": 0.1}]
        }
    )

    goal_id: Uuid
    mde: Mde
    baseline_rate: Rate = ABSENT
    alpha: Alpha = ABSENT
    power: Power = ABSENT
    tail: Tail = ABSENT
    correction_method: Literal["none", "holm"] = ABSENT
    covariate_adjustment: Annotated[
        Literal["none", "cuped"],
        Field(
            description=(
                "Whether decisions take the estimate that is adjusted for the 14 days before exposures. The shop's "
                "default when absent. `cuped` must be set before the test starts: a plan set later begins a "
                "measurement of visitors who may know their variation, and has `none`."
            )
        ),
    ] = ABSENT
    engine: PlanEngine = ABSENT
    spending: SpendingInput = ABSENT
    futility: SpendingInput | None = ABSENT
    looks: Looks = ABSENT


class SampleSizeInput(Input):
    """A test to size: of a rate by `baseline_rate`, of money per visitor or a ratio by `mean` and `sd`.

    `engine` is `fixed` by default; `spending`, `futility` and `looks` belong to `group_sequential`.
    """

    model_config = ConfigDict(
        json_schema_extra={
            "anyOf": [{"required": ["baseline_rate"]}, {"required": ["mean", "sd"]}],
            "examples": [{"baseline_rate": 0.03, "mde": 0.1, "daily_visitors": 4000}],
        }
    )

    baseline_rate: Rate = ABSENT
    mean: Annotated[
        float, Field(gt=0, description="Mean per visitor, including visitors who buy nothing; or a ratio.")
    ] = ABSENT
    sd: Annotated[
        float, Field(gt=0, description="Standard deviation per visitor, in the unit of `mean`: `sd` of results.")
    ] = ABSENT
    mde: Mde
    alpha: Alpha = ABSENT
    power: Power = ABSENT
    tail: Tail = ABSENT
    treatments: Annotated[int, Field(ge=1, le=MAX_VARIATIONS - 1, description="Variations besides the control.")] = (
        ABSENT
    )
    daily_visitors: Annotated[float, Field(gt=0, description="Visitors per day who would take part.")] = ABSENT
    engine: PlanEngine = ABSENT
    spending: SpendingInput = ABSENT
    futility: SpendingInput | None = ABSENT
    looks: Looks = ABSENT


class DetectableEffect(Output):
    """The end of a day of the test."""

    day: int
    visitors: Annotated[int, Field(description="Visitors of all variations by then.")]
    mde: Annotated[
        float,
        Field(
            description="Smallest change, relative to the baseline, that a test which takes so"
            " long detects with the power."
        ),
    ]


class SampleSize(Output):
    """The size of the test by its engine. Days and the curve follow from `daily_visitors`."""

    engine: PlanEngine
    spending: SpendingFunction | None
    futility: SpendingFunction | None
    looks: Annotated[int | None, Field(description="Looks that the size is for; null for other engines.")]
    required_sample_per_variant: int
    required_total_visitors: int
    estimated_days: float | None
    recommended_days: Annotated[
        int | None,
        Field(description="The days rounded up to whole weeks, at least one; null without `daily_visitors`."),
    ]
    message: Annotated[
        str | None, Field(description="The recommendation in a sentence; null without `daily_visitors`.")
    ]
    detectable_effects: Annotated[
        list[DetectableEffect],
        Field(
            description="What tests of other lengths detect, for at most 60 days; days on which only more than doubling"
            " the value is detected are left out. Empty without `daily_visitors`."
        ),
    ]
