"""The health of experiments."""

from typing import Annotated

from abtest.contract import health as contract
from abtest.contract.base import Reference
from abtest.http.deps import use
from abtest.http.openapi import errors
from abtest.http.route import Router
from abtest.kit.errors import NotFoundError
from abtest.services.guardian import HealthReading
from api_analytics.endpoints.vocabulary import ResultsReader

router = Router("/experiments", tag="Results")


@router.get("/{experiment_id}/health", operation_id="getExperimentHealth", responses=errors(NotFoundError))
def get(
    experiment_id: Reference, caller: ResultsReader, health: Annotated[HealthReading, use(HealthReading)]
) -> contract.ExperimentHealth:
    """Return Guardian's findings: current and resolved ones, actions taken, and checks that could not run.

    At most 50 resolved findings are listed. `checked_at` and `generation` are null until Guardian has checked this
    measurement. `unseen` reports a running experiment without visitors.
    """
    return health.read(caller, experiment_id)
