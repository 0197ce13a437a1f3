"""The route that ships a winner to everyone."""

from typing import Annotated

from abtest.contract.errors import InvalidStateTransitionEnvelope
from abtest.contract.personalizations import Personalization, ShipInput, Shipped
from abtest.domain.changes.errors import CodeBudgetExceededError, InvalidStateTransitionError
from abtest.domain.rollouts.errors import KeyTakenError
from abtest.domain.targeting.admission import UnsafeRegexError
from abtest.http.deps import use
from abtest.http.openapi import errors
from abtest.http.route import Router
from abtest.kit.errors import NotFoundError, ValidationFailedError
from abtest.services.personalizations.shipment import Shipment
from api_experiments.endpoints.vocabulary import ExperimentId, Launcher

router = Router("/experiments/{experiment_id}", tag="Experiments")

Ships = Annotated[Shipment, use(Shipment)]


@router.post(
    "/ship",
    operation_id="shipExperiment",
    status_code=201,
    responses=errors(
        NotFoundError,
        CodeBudgetExceededError,
        InvalidStateTransitionError,
        KeyTakenError,
        UnsafeRegexError,
        ValidationFailedError,
        s409=InvalidStateTransitionEnvelope,
    ),
)
def ship(experiment_id: ExperimentId, body: ShipInput, caller: Launcher, shipping: Ships) -> Shipped:
    """Turn the winner into an active personalization at 100 %, for the same pages and people.

    The experiment must be paused or completed, else 409 with the allowed actions. `variation_id` must name a variation
    in use that is not the control, does not redirect and does not run on the checkout, else 422. The personalization is
    for the environment `production`. A second call is 409 `key_taken` unless `key` differs.

    Code of the experiment and the variation is joined, each script in a function of its own; code over the limit of a
    field is 422 `code_budget_exceeded`. URL blocks become the experiences `block-1`, `block-2` … with a rule each. Up
    to 10 goals in use are copied, the primary goal first, without those limited by goal page rules; shop goals keep
    their ids.
    """
    shipped = shipping.ship(caller, experiment_id, body.provided())
    made = Personalization.of(shipped.value, shipped.warning)
    return Shipped(personalization=made).at(shipped.value.version)
