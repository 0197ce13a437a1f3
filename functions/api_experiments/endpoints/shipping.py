"""The route that makes a winner what everybody gets."""

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
from abtest.services.personalizations.shipping import Shipping
from api_experiments.endpoints.vocabulary import ExperimentId, Launcher

router = Router("/experiments/{experiment_id}", tag="Experiments")

Ships = Annotated[Shipping, use(Shipping)]


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
    """An active personalization at 100 % that does what the variation did, on the same pages for the same people.

    The experiment must be paused or completed. URL blocks become experiences with rules; goals are carried over.
    """
    shipped = shipping.ship(caller, experiment_id, body.stated())
    made = Personalization.of(shipped.personalization, shipped.warning)
    return Shipped(personalization=made).at(shipped.personalization.version)
