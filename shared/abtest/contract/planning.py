"""Test plans and sample sizes on the wire."""

from typing import Annotated, Literal

from pydantic import ConfigDict, Field

from abtest.contract.base import ABSENT, Input, Output, Uuid
from abtest.contract.consent import LiveEdit
from abtest.contract.overrides import Tail
from abtest.domain.experiments.limits import MAX_VARIATIONS

Rate = Annotated[float, Field(gt=0, lt=1)]
Mde = Annotated[float, Field(ge=0.001, le=1, description="Smallest change to detect, relative to the baseline.")]
Alpha = Annotated[float, Field(ge=0.001, le=0.2, description="The shop's default when absent.")]
Power = Annotated[float, Field(ge=0.5, le=0.99, description="The shop's default when absent.")]


class PlanInput(LiveEdit):
    """The effect a test must detect. Without `baseline_rate` it is measured; other absent fields are inherited.

    `alpha`, `power` and `tail` come from `fixed_horizon` of the experiment's, then of the shop's auto-stop, then, like
    `correction_method` and `covariate_adjustment`, from the shop's defaults. A goal with direction `decrease` is
    planned for the rate (1 - `mde`) times the baseline. While the experiment runs, a new plan needs
    `confirm_live_impact`.
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


class SampleSizeInput(Input):
    """A test to size: of a rate by `baseline_rate`, of money per visitor by `mean` and `sd`."""

    model_config = ConfigDict(
        json_schema_extra={
            "anyOf": [{"required": ["baseline_rate"]}, {"required": ["mean", "sd"]}],
            "examples": [{"baseline_rate": 0.03, "mde": 0.1, "daily_visitors": 4000}],
        }
    )

    baseline_rate: Rate = ABSENT
    mean: Annotated[float, Field(gt=0, description="Mean per visitor, including visitors who buy nothing.")] = ABSENT
    sd: Annotated[float, Field(gt=0, description="Standard deviation per visitor, in the unit of `mean`.")] = ABSENT
    mde: Mde
    alpha: Alpha = ABSENT
    power: Power = ABSENT
    tail: Tail = ABSENT
    treatments: Annotated[int, Field(ge=1, le=MAX_VARIATIONS - 1, description="Variations besides the control.")] = (
        ABSENT
    )
    daily_visitors: Annotated[float, Field(gt=0, description="Visitors per day who would take part.")] = ABSENT


class SampleSize(Output):
    """The size of the test; `estimated_days` is null without `daily_visitors`."""

    required_sample_per_variant: int
    required_total_visitors: int
    estimated_days: float | None
