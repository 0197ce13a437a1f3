"""Plans of tests and sample sizes on the wire."""

from typing import Annotated, Literal

from pydantic import ConfigDict, Field

from abtest.contract.base import ABSENT, Input, Output, Uuid
from abtest.contract.consent import LiveEdit
from abtest.contract.overrides import Tail
from abtest.domain.experiments.limits import MAX_VARIATIONS

Rate = Annotated[float, Field(ge=0, le=1)]
Mde = Annotated[float, Field(ge=0.001, le=1, description="The smallest change to be found, as a part of the baseline.")]
Alpha = Annotated[float, Field(ge=0.001, le=0.2, description="The shop's default when absent.")]
Power = Annotated[float, Field(ge=0.5, le=0.99, description="The shop's default when absent.")]


class PlanInput(LiveEdit):
    """What a test is to find. Without `baseline_rate` it is what roll-ups say; what else is absent is inherited.

    While the experiment runs, a new plan needs `confirm_live_impact`.
    """

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [{"goal_id": "019c0000-0000-7000-8000-0000000000d0", "baseline_rate": 0.03, "mde": 0.1}]
        }
    )

    goal_id: Uuid
    mde: Mde
    baseline_rate: Rate = ABSENT
    alpha: Alpha = ABSENT
    power: Power = ABSENT
    tail: Tail = ABSENT
    correction_method: Literal["none", "holm"] = ABSENT


class SampleSizeInput(Input):
    """A test to be sized: of a rate by `baseline_rate`, of money a visitor by `mean` and `sd`."""

    model_config = ConfigDict(
        json_schema_extra={
            "anyOf": [{"required": ["baseline_rate"]}, {"required": ["mean", "sd"]}],
            "examples": [{"baseline_rate": 0.03, "mde": 0.1, "daily_visitors": 4000}],
        }
    )

    baseline_rate: Rate = ABSENT
    mean: Annotated[float, Field(gt=0, description="Mean a visitor, those who buy nothing included.")] = ABSENT
    sd: Annotated[float, Field(gt=0, description="Standard deviation of single visitors, in the unit of `mean`.")] = (
        ABSENT
    )
    mde: Mde
    alpha: Alpha = ABSENT
    power: Power = ABSENT
    tail: Tail = ABSENT
    treatments: Annotated[int, Field(ge=1, le=MAX_VARIATIONS - 1, description="Variations beside the control.")] = (
        ABSENT
    )
    daily_visitors: Annotated[float, Field(ge=0, description="Visitors a day who would take part.")] = ABSENT


class SampleSize(Output):
    """What the test takes; `estimated_days` is null without `daily_visitors`."""

    required_sample_per_variant: int
    required_total_visitors: int
    estimated_days: float | None
