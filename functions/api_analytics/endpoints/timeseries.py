"""Results over time."""

from typing import Annotated

from fastapi import Query

from abtest.contract import results as contract
from abtest.contract.base import Reference
from abtest.http.deps import use
from abtest.http.openapi import errors
from abtest.http.route import Router
from abtest.kit.errors import NotFoundError, ValidationFailedError
from abtest.services.results import Range, SeriesQuery, SeriesReading
from api_analytics.endpoints.vocabulary import From, GoalIds, ResultsReader, TimeZone, To

router = Router("/experiments", tag="Results")


@router.get(
    "/{experiment_id}/results/timeseries",
    operation_id="getResultsTimeseries",
    responses=errors(NotFoundError, ValidationFailedError),
)
def get(
    experiment_id: Reference,
    caller: ResultsReader,
    series: Annotated[SeriesReading, use(SeriesReading)],
    goal_id: GoalIds = [],  # noqa: B006 - FastAPI copies it
    granularity: contract.Granularity = "day",
    mode: Annotated[
        contract.Mode,
        Query(
            description="`cumulative`: all visitors until the end of the bucket; `per_bucket`: visitors of the bucket."
        ),
    ] = "cumulative",
    timezone: TimeZone = "UTC",
    since: From = None,
    to: To = None,
) -> contract.Timeseries:
    """Return the results over time, by first exposure in the given time zone. Buckets without visitors are included.

    Dates in `from` and `to` are days of the time zone; an unknown zone is 422. More than 1,000 buckets or 20,000 rows
    is 422.
    """
    query = SeriesQuery(
        goal_ids=goal_id,
        granularity=granularity,
        mode=mode,
        timezone=timezone,
        range=Range(start=since, end=to),
    )
    return series.read(caller, experiment_id, query)
