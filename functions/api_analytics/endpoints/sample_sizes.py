"""The sample size calculator."""

from typing import Annotated

from abtest.contract import planning as contract
from abtest.contract.planned_test import SpendingFunction
from abtest.domain.planning.duration import advice, whole_weeks
from abtest.domain.planning.shapes import PlannedSpending
from abtest.http.deps import use
from abtest.http.openapi import errors
from abtest.http.route import Router
from abtest.kit.errors import ValidationFailedError
from abtest.services.planning import SampleSizes
from api_analytics.endpoints.vocabulary import Analyst

router = Router("/sample-size", tag="Analytics")


@router.post("", operation_id="computeSampleSize", responses=errors(ValidationFailedError))
def compute(
    body: contract.SampleSizeInput, caller: Analyst, sample_sizes: Annotated[SampleSizes, use(SampleSizes)]
) -> contract.SampleSize:
    """Compute the visitors a test needs, and its days for a given traffic. Nothing is stored.

    Send either `baseline_rate`, or `mean` and `sd`; both or neither is 422. `alpha`, `power` and the correction default
    to the shop's; `tail` is two-sided, `treatments` is 1 (at most 9). `daily_visitors` of 0 is 422.

    The size is the one with which the `engine` finds the effect with the power: `fixed` looks once, `sequential` at any
    time, `group_sequential` at `looks` that share the error by `spending`. More looks than days are 422, and so are
    `spending`, `futility` or `looks` with another engine.
    """
    result = sample_sizes.of(caller, body.provided())
    fields = result.engine.document()
    return contract.SampleSize(
        engine=result.engine.engine,
        spending=spending_function(fields["spending"]),
        futility=spending_function(fields["futility"]),
        looks=fields["looks"],
        required_sample_per_variant=result.size.required_sample_per_variant,
        required_total_visitors=result.size.required_total_visitors,
        estimated_days=result.days,
        recommended_days=None if result.days is None else whole_weeks(result.days),
        message=None if result.days is None else advice(result.days),
        detectable_effects=[contract.DetectableEffect(**point._asdict()) for point in result.detectable_effects],
    )


def spending_function(document: PlannedSpending | None) -> SpendingFunction | None:
    """Return the spending function as the contract has it; None for none."""
    return document and SpendingFunction(family=document["family"], gamma=document["gamma"])
