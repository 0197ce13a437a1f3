"""Routes of results."""

from typing import Annotated

from fastapi import Query

from abtest.contract import results as contract
from abtest.contract.base import Reference, Uuid
from abtest.http.deps import Caller, require, use
from abtest.http.openapi import errors
from abtest.http.route import Router
from abtest.kit.errors import NotFoundError
from abtest.services.results import Results

Analyst = Annotated[Caller, require("analytics:read")]
GoalIds = Annotated[
    list[Uuid], Query(max_length=50, description="Only these goals; repeat the parameter. All goals in use otherwise.")
]
Engine = Annotated[contract.Engine, Query(description="How variations are compared; others are not available yet.")]
Correction = Annotated[
    contract.Correction | None,
    Query(description="For several treatments; the shop's default (Holm, unless changed) when absent."),
]

results = Router("/experiments", tag="Results")
personalization_results = Router("/personalizations", tag="Results")


@results.get("/{experiment_id}/results", operation_id="getResults", responses=errors(NotFoundError))
def get(
    experiment_id: Reference,
    caller: Analyst,
    use_results: Annotated[Results, use(Results)],
    goal_id: GoalIds = [],  # noqa: B006 - FastAPI copies it
    engine: Engine = "frequentist",  # noqa: ARG001 - there is one, and its name is checked
    correction: Correction = None,
) -> contract.Results:
    """What the experiment says so far: each goal with a row a variation, compared with the control.

    Counts are as of `computed_at` and refreshed every five minutes. Null means not evaluable.
    """
    return use_results.read(caller, experiment_id, goal_ids=goal_id, correction=correction)


@personalization_results.get(
    "/{personalization_id}/results", operation_id="getPersonalizationResults", responses=errors(NotFoundError)
)
def get_of_personalization(
    personalization_id: Uuid,
    caller: Analyst,
    use_results: Annotated[Results, use(Results)],
    goal_id: GoalIds = [],  # noqa: B006 - FastAPI copies it
    correction: Correction = None,
) -> contract.PersonalizationResults:
    """What the personalization does: of each experience those who see it, beside those outside the rollout.

    A rollout below 1 is what makes a comparison possible. A change of the rollout begins to count anew.
    """
    return use_results.of_personalization(caller, personalization_id, goal_ids=goal_id, correction=correction)


ROUTERS = (results, personalization_results)
