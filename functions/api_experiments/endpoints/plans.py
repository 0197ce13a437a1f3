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
    """State what the test is to find; `planned_test` then tells how many visitors and days it takes.

    In a started test a new plan opens a new measurement: results count from `planned_test.epoch_started_at` on, while
    nobody is assigned anew. The same plan again changes nothing. 409 once the experiment is completed.
    """
    wish, consent = body.stated(), body.consent()
    return experiment(plans.state(caller, experiment_id, wish, consent=consent, expected_version=if_match))
