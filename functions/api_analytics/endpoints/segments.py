"""Results by segments."""

from typing import Annotated

from fastapi import Query

from abtest.contract import results as contract
from abtest.contract.base import Reference
from abtest.http.deps import use
from abtest.http.openapi import errors
from abtest.http.route import Router
from abtest.kit.errors import FieldError, NotFoundError, ValidationFailedError
from abtest.services.results import Range, SegmentReading
from api_analytics.endpoints.vocabulary import (
    Correction,
    CorrectionFamily,
    From,
    GoalIds,
    ResultsReader,
    SegmentEngine,
    To,
)

Dimensions = Annotated[
    list[contract.Dimension], Query(min_length=1, max_length=2, description="One dimension, or two different ones.")
]

router = Router("/experiments", tag="Results")


@router.get(
    "/{experiment_id}/results/segments",
    operation_id="getResultsSegments",
    responses=errors(NotFoundError, ValidationFailedError),
)
def get(
    experiment_id: Reference,
    caller: ResultsReader,
    segments: Annotated[SegmentReading, use(SegmentReading)],
    dimension: Dimensions,
    goal_id: GoalIds = [],  # noqa: B006 - FastAPI copies it
    since: From = None,
    to: To = None,
    engine: SegmentEngine = None,
    correction: Correction = None,
    correction_family: CorrectionFamily = "treatments",
) -> contract.Segments:
    """Return results by segment of first exposure: the hundred largest segments, by visitors.

    The comparisons of a family are corrected together, over all segments and treatments, unless `correction=none`.
    `from` and `to` must be whole UTC days.
    """
    if correction == "none" and correction_family != "treatments":
        message = "must be treatments, or left out, where nothing is corrected"
        raise ValidationFailedError("nothing is corrected", fields=[FieldError("correction_family", message)])
    if len(set(dimension)) != len(dimension):
        raise ValidationFailedError("a dimension is named twice", fields=[FieldError("dimension", "must differ")])
    range_ = Range(start=since, end=to)
    return segments.read(
        caller,
        experiment_id,
        dimension,
        goal_ids=goal_id,
        range_=range_,
        correction=correction,
        family=correction_family,
        engine=engine,
    )
