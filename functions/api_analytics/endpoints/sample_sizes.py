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
    """How many visitors a test takes, and how many days with so many visitors a day. Stores nothing."""
    size, days = sample_sizes.of(caller, body.stated())
    return contract.SampleSize(
        required_sample_per_variant=size.required_sample_per_variant,
        required_total_visitors=size.required_total_visitors,
        estimated_days=days,
    )
