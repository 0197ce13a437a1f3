"""Routes that refresh results."""

from typing import Annotated

from abtest.contract import results as contract
from abtest.contract.base import Reference
from abtest.http.deps import PathId, expensive, use
from abtest.http.openapi import errors
from abtest.http.route import Router
from abtest.kit.errors import NotFoundError
from abtest.services.results import Refreshes
from api_analytics.endpoints.vocabulary import Analyst, ResultsReader

router = Router("/experiments", tag="Results")
UsesRefreshes = Annotated[Refreshes, use(Refreshes)]


@router.post(
    "/{experiment_id}/results/refresh",
    operation_id="refreshResults",
    status_code=202,
    responses=errors(NotFoundError),
)
@expensive
def post(experiment_id: Reference, caller: ResultsReader, refreshes: UsesRefreshes) -> contract.RefreshJob:
    """Count the experiment now. While such a job is waiting, further requests return the same job."""
    return refreshes.request(caller, experiment_id)


@router.get(
    "/{experiment_id}/results/refresh/{job_id}", operation_id="getResultsRefresh", responses=errors(NotFoundError)
)
def get(experiment_id: Reference, job_id: PathId, caller: Analyst, refreshes: UsesRefreshes) -> contract.ResultsRefresh:
    """Return the status of a refresh job, and the generation it produced."""
    return refreshes.get(caller, experiment_id, job_id)
