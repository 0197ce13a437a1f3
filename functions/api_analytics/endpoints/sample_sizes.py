"""The sample size calculator."""

from typing import Annotated

from abtest.contract import planning as contract
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
    """
    size, days = sample_sizes.of(caller, body.provided())
    return contract.SampleSize(
        required_sample_per_variant=size.required_sample_per_variant,
        required_total_visitors=size.required_total_visitors,
        estimated_days=days,
    )
