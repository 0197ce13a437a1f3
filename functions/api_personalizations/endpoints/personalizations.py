"""Routes of personalizations: lists, creation, fields, order."""

from typing import Annotated

from fastapi import Query

from abtest.contract.base import ListOf
from abtest.contract.environments import EnvironmentKey
from abtest.contract.errors import InvalidStateTransitionEnvelope, PageLiveImpactEnvelope
from abtest.contract.personalizations import (
    Personalization,
    PersonalizationDuplication,
    PersonalizationInput,
    PersonalizationOrder,
    PersonalizationOrderInput,
    PersonalizationUpdateInput,
)
from abtest.domain.changes.errors import CodeBudgetExceededError, LiveImpactError, NotDeletableError
from abtest.domain.personalizations.model import DeliveryType, Status
from abtest.domain.rollouts.errors import KeyTakenError
from abtest.domain.targeting.admission import UnsafeRegexError
from abtest.http.deps import IfMatch, Page, carries_code, use
from abtest.http.listing import NarrowedOrArchived
from abtest.http.openapi import errors
from abtest.http.route import Router
from abtest.http.validation import InlineDataUriTooLargeError
from abtest.kit.errors import LimitReachedError, NotFoundError, ValidationFailedError
from abtest.services.experiments.scripts import InvalidScriptError
from abtest.services.personalizations.editor import PersonalizationEditor
from abtest.services.personalizations.priorities import Priorities
from abtest.services.personalizations.store import PersonalizationStore
from abtest.services.publication import TooLargeError
from abtest.services.scopes import FieldScopeRequiredError
from api_personalizations.endpoints.vocabulary import PersonalizationId, Reader, Writer, personalization

router = Router("/personalizations", tag="Personalizations")

Authors = Annotated[PersonalizationEditor, use(PersonalizationEditor)]
Orders = Annotated[Priorities, use(Priorities)]
Reads = Annotated[PersonalizationStore, use(PersonalizationStore)]

RULES = (CodeBudgetExceededError, KeyTakenError, LimitReachedError, UnsafeRegexError, ValidationFailedError)
CODE = (InlineDataUriTooLargeError, InvalidScriptError, TooLargeError)


@router.get("", operation_id="listPersonalizations", responses=errors(LimitReachedError))
def list_personalizations(
    caller: Reader,
    page: Page,
    reading: Reads,
    filters: NarrowedOrArchived,
    status: Status | None = None,
    environment_key: EnvironmentKey | None = None,
    delivery_type: DeliveryType | None = None,
    surface: Annotated[str | None, Query(min_length=1, max_length=80)] = None,
) -> ListOf[Personalization]:
    """List personalizations of all environments.

    A page may hold fewer than `limit` items and still have a next page.
    """
    filters = filters.where(
        status=status, environment_key=environment_key, delivery_type=delivery_type, surface=surface
    )
    items, last = reading.page(caller.shop_id, filters, limit=page.limit, after=page.after)
    return page.page([Personalization.of(item) for item in items], last)


@router.post(
    "",
    operation_id="createPersonalization",
    status_code=201,
    responses=errors(FieldScopeRequiredError, *RULES, *CODE),
)
@carries_code
def create_personalization(body: PersonalizationInput, caller: Writer, authoring: Authors) -> Personalization:
    """Create a draft with one experience.

    With `activate` it is active immediately, which also needs the scope `personalizations:activate`. The first of
    `goal_ids` is primary unless `primary_goal_id` names another of them.
    """
    return personalization(authoring.create(caller, body.provided()))


@router.put("/order", operation_id="orderPersonalizations", responses=errors(LimitReachedError, ValidationFailedError))
def order_personalizations(body: PersonalizationOrderInput, caller: Writer, ordering: Orders) -> PersonalizationOrder:
    """Give the personalizations the priorities 10, 20, 30 …, in this order. Others keep theirs.

    At most 31 in one request (422 `limit_reached`). No acknowledgement is needed. The change is part of the shop's
    history.
    """
    ordered = ordering.order(caller, body.ids)
    return PersonalizationOrder.of(ordered.personalizations, ordered.warning)


@router.get("/{personalization_id}", operation_id="getPersonalization", responses=errors(NotFoundError))
def get_personalization(personalization_id: PersonalizationId, caller: Reader, reading: Reads) -> Personalization:
    """Return one personalization."""
    return Personalization.of(reading.get(caller.shop_id, personalization_id))


@router.patch(
    "/{personalization_id}",
    operation_id="updatePersonalization",
    responses=errors(NotFoundError, LiveImpactError, *RULES, s409=PageLiveImpactEnvelope),
)
def update_personalization(
    personalization_id: PersonalizationId,
    body: PersonalizationUpdateInput,
    caller: Writer,
    authoring: Authors,
    if_match: IfMatch,
) -> Personalization:
    """Change fields of a personalization: targeting merges, everything else replaces, null clears.

    While it is active, edits that shoppers would notice need `confirm_live_impact`; name, description, `template_key`
    and goals do not. A new `rollout_percentage` of a personalization that was ever active begins a new measurement.
    """
    return personalization(
        authoring.update(caller, personalization_id, body.provided(), consent=body.consent(), expected_version=if_match)
    )


@router.delete(
    "/{personalization_id}",
    operation_id="deletePersonalization",
    status_code=204,
    responses=errors(NotFoundError, NotDeletableError, s409=InvalidStateTransitionEnvelope),
)
def delete_personalization(
    personalization_id: PersonalizationId, caller: Writer, authoring: Authors, if_match: IfMatch
) -> None:
    """Delete a draft. Any other personalization must be archived instead."""
    authoring.delete(caller, personalization_id, expected_version=if_match)


@router.post(
    "/{personalization_id}/duplicate",
    operation_id="duplicatePersonalization",
    status_code=201,
    responses=errors(NotFoundError, KeyTakenError),
)
def duplicate_personalization(
    personalization_id: PersonalizationId,
    caller: Writer,
    authoring: Authors,
    body: PersonalizationDuplication | None = None,
) -> Personalization:
    """Create a draft with the same content and new ids.

    Its key is `<key>-copy`, `<key>-copy-2` … unless `key` is given; a taken `key` is 409 `key_taken`.
    """
    fields = (body or PersonalizationDuplication()).provided()
    return personalization(
        authoring.duplicate(caller, personalization_id, name=fields.get("name"), key=fields.get("key"))
    )
