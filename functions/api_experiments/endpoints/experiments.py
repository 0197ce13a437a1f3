"""Routes of experiments: lists, creation, fields, history."""

from typing import Annotated

from fastapi import Query

from abtest.contract.audit import AuditLog
from abtest.contract.base import ListOf, Uuid
from abtest.contract.errors import InvalidStateTransitionEnvelope, PlanConflictEnvelope
from abtest.contract.experiments import (
    Duplication,
    Experiment,
    ExperimentCreate,
    ExperimentUpdate,
    UpdatedExperiment,
)
from abtest.contract.names import Slug
from abtest.domain.changes.errors import (
    InvalidStateTransitionError,
    LiveImpactError,
    NotDeletableError,
    SlugTakenError,
)
from abtest.domain.experiments.errors import RedirectMatchesSourceError, WeightsSumError
from abtest.domain.experiments.model import CountingType, DeliveryType, Status
from abtest.domain.targeting.admission import UnsafeRegexError
from abtest.http.deps import IfMatch, Page, carries_code, use
from abtest.http.listing import NarrowedOrArchived
from abtest.http.openapi import errors
from abtest.http.route import Router
from abtest.http.validation import InlineDataUriTooLargeError
from abtest.kit.errors import ConflictError, LimitReachedError, NotFoundError, ValidationFailedError
from abtest.services.aggregates import Saved
from abtest.services.audit_log.records import audit_log
from abtest.services.experiments.editor import ExperimentEditor
from abtest.services.experiments.scripts import InvalidScriptError
from abtest.services.experiments.shown import ShownExperiments
from abtest.services.experiments.store import ExperimentStore
from abtest.services.publication import TooLargeError
from abtest.services.scopes import FieldScopeRequiredError
from api_experiments.endpoints.vocabulary import (
    Auditor,
    ExperimentId,
    Reader,
    Writer,
)

router = Router("/experiments", tag="Experiments")

Authors = Annotated[ExperimentEditor, use(ExperimentEditor)]
Reads = Annotated[ExperimentStore, use(ExperimentStore)]
Shown = Annotated[ShownExperiments, use(ShownExperiments)]

RULES = (
    FieldScopeRequiredError,
    InlineDataUriTooLargeError,
    InvalidScriptError,
    TooLargeError,
    LimitReachedError,
    RedirectMatchesSourceError,
    SlugTakenError,
    UnsafeRegexError,
    ValidationFailedError,
)


@router.get("", operation_id="listExperiments", responses=errors(LimitReachedError))
def list_experiments(
    caller: Reader,
    page: Page,
    experiments: Reads,
    filters: NarrowedOrArchived,
    status: Status | None = None,
    counting_type: CountingType | None = None,
    delivery_type: DeliveryType | None = None,
    slug: Slug | None = None,
    goal_id: Annotated[Uuid | None, Query(description="Only experiments with this goal.")] = None,
) -> ListOf[Experiment]:
    """List experiments with their variations and goals.

    A page may hold fewer than `limit` items and still have a next page.
    """
    filters = filters.where(status=status, counting_type=counting_type, delivery_type=delivery_type, slug=slug)
    items, last = experiments.page_with_goal(caller.shop_id, filters, goal_id, limit=page.limit, after=page.after)
    return page.page([Experiment.listed(item) for item in items], last)


@router.post("", operation_id="createExperiment", status_code=201, responses=errors(*RULES))
@carries_code
def create_experiment(body: ExperimentCreate, caller: Writer, authoring: Authors, ideas: Shown) -> Experiment:
    """Create a draft.

    Without `variations` the draft gets Control and Variant at 0.5 each. When no weight is given, variations share the
    traffic equally; when none is marked, the first is the control. `scheduled_start_at` launches the experiment, so it
    also needs the scope `experiments:launch`.

    `idea_id` links an idea of the backlog (`backlog:write`): as its primary experiment, or as a follow-up of an idea
    that has one.
    """
    return ideas.shown(authoring.create(caller, body.provided()))


@router.get("/{experiment_id}", operation_id="getExperiment", responses=errors(NotFoundError))
def get_experiment(experiment_id: ExperimentId, caller: Reader, experiments: Reads, ideas: Shown) -> Experiment:
    """Return one experiment, by its UUID or its public id."""
    return ideas.shown(Saved(experiments.get(caller.shop_id, experiment_id)))


@router.patch(
    "/{experiment_id}",
    operation_id="updateExperiment",
    responses=errors(
        NotFoundError,
        ConflictError,
        InvalidStateTransitionError,
        LiveImpactError,
        WeightsSumError,
        *RULES,
        s409=PlanConflictEnvelope,
    ),
)
@carries_code
def update_experiment(
    experiment_id: ExperimentId, body: ExperimentUpdate, caller: Writer, authoring: Authors, if_match: IfMatch
) -> UpdatedExperiment:
    """Change fields of an experiment: objects merge, lists and scalars replace, null clears.

    `targeting`, `results_weekdays`, `auto_stop_override` and `guardian_override` merge; their required inner fields
    must be sent again. `variations` and `goals` replace the whole list. `delivery_type` and the type of a goal are
    fixed at the first start (409 `conflict`).

    While the experiment runs, edits of traffic, targeting or code need `confirm_live_impact`. Before launch, an edit of
    an approved design withdraws the approval and returns the experiment to draft; name and `traffic_allocation` are not
    part of the approved design. In a started test, other variations or weights begin a new measurement, shown in the
    response: results restart from there, and visitors keep their variation.
    """
    updated = authoring.update(
        caller, experiment_id, body.provided(), consent=body.consent(), expected_version=if_match
    )
    return UpdatedExperiment.after(updated.value, updated.warning)


@router.delete(
    "/{experiment_id}",
    operation_id="deleteExperiment",
    status_code=204,
    responses=errors(NotFoundError, NotDeletableError, s409=InvalidStateTransitionEnvelope),
)
def delete_experiment(experiment_id: ExperimentId, caller: Writer, authoring: Authors, if_match: IfMatch) -> None:
    """Delete a draft that never started. Any other experiment must be archived instead."""
    authoring.delete(caller, experiment_id, expected_version=if_match)


@router.post(
    "/{experiment_id}/duplicate",
    operation_id="duplicateExperiment",
    status_code=201,
    responses=errors(NotFoundError, LimitReachedError, TooLargeError),
)
def duplicate_experiment(
    experiment_id: ExperimentId, caller: Writer, authoring: Authors, ideas: Shown, body: Duplication | None = None
) -> Experiment:
    """Create a draft with the same design and no history. Archived variations and goals are not copied."""
    fields = (body or Duplication()).provided()
    copy = authoring.duplicate(
        caller, experiment_id, name=fields.get("name"), include_goals=fields.get("include_goals", True)
    )
    return ideas.shown(copy)


@router.get("/{experiment_id}/history", operation_id="listExperimentHistory", responses=errors(NotFoundError))
def history(experiment_id: ExperimentId, caller: Auditor, page: Page, experiments: Reads) -> ListOf[AuditLog]:
    """List changes to the experiment, its variations and its goals, newest first.

    `entity_type` is `experiment` for all of them; the action names the part, such as `variation.update`.
    """
    rows, last = experiments.history(caller.shop_id, experiment_id, limit=page.limit, after=page.after)
    return page.page([audit_log(row) for row in rows], last)
