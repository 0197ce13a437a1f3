"""The plan of an experiment."""

from typing import Annotated

from abtest.contract.errors import PlanConflictEnvelope
from abtest.contract.experiments import Experiment
from abtest.contract.planning import PlanInput
from abtest.domain.changes.errors import InvalidStateTransitionError, LiveImpactError
from abtest.domain.experiments.errors import WeightsSumError
from abtest.http.deps import IfMatch, use
from abtest.http.openapi import errors
from abtest.http.route import Router
from abtest.kit.errors import NotFoundError, ValidationFailedError
from abtest.services.experiments.plans import Plans
from api_experiments.endpoints.vocabulary import ExperimentId, Writer, experiment

router = Router("/experiments/{experiment_id}", tag="Experiments")


@router.put(
    "/plan",
    operation_id="setPlan",
    responses=errors(
        NotFoundError,
        InvalidStateTransitionError,
        LiveImpactError,
        ValidationFailedError,
        WeightsSumError,
        s409=PlanConflictEnvelope,
    ),
)
def set_plan(
    experiment_id: ExperimentId,
    body: PlanInput,
    caller: Writer,
    plans: Annotated[Plans, use(Plans)],
    if_match: IfMatch,
) -> Experiment:
    """Plan the test: the effect to detect, and thereby its size. `planned_test` returns visitors and days.

    `goal_id` (a goal in use) and `mde` are required. Without `baseline_rate` the rate is measured from the shop's own
    traffic, or 422 where that is not possible. Completed and archived experiments are 409 `invalid_state_transition`.

    In a started test a new plan begins a new measurement: results restart at `planned_test.epoch_started_at`, and
    visitors keep their variation. Sending the same plan again changes nothing.
    """
    plan, consent = body.provided(), body.consent()
    return experiment(plans.set_plan(caller, experiment_id, plan, consent=consent, expected_version=if_match))
