"""Routes of the lifecycle of personalizations."""

from typing import Annotated

from abtest.contract.errors import InvalidStateTransitionEnvelope
from abtest.contract.personalizations import Personalization
from abtest.domain.changes.errors import InvalidStateTransitionError
from abtest.http.deps import IfMatch, use
from abtest.http.openapi import errors
from abtest.http.route import Router
from abtest.kit.errors import NotFoundError
from abtest.services.personalizations.editor import PersonalizationEditor
from api_personalizations.endpoints.vocabulary import Activator, PersonalizationId, Writer, personalization

router = Router("/personalizations/{personalization_id}", tag="Personalizations")

Authors = Annotated[PersonalizationEditor, use(PersonalizationEditor)]

MOVE = errors(NotFoundError, InvalidStateTransitionError, s409=InvalidStateTransitionEnvelope)


@router.post("/activate", operation_id="activatePersonalization", responses=MOVE)
def activate_personalization(
    personalization_id: PersonalizationId, caller: Activator, authoring: Authors, if_match: IfMatch
) -> Personalization:
    """Activate a draft or a paused personalization.

    A failed publication returns 200 with `publication_warning`; repeat the action to publish again.
    """
    return personalization(authoring.act(caller, personalization_id, "activate", expected_version=if_match))


@router.post("/pause", operation_id="pausePersonalization", responses=MOVE)
def pause_personalization(
    personalization_id: PersonalizationId, caller: Activator, authoring: Authors, if_match: IfMatch
) -> Personalization:
    """Stop showing the personalization until it is activated again.

    A failed publication returns 200 with `publication_warning`; repeat the action to publish again.
    """
    return personalization(authoring.act(caller, personalization_id, "pause", expected_version=if_match))


@router.post("/archive", operation_id="archivePersonalization", responses=MOVE)
def archive_personalization(
    personalization_id: PersonalizationId, caller: Writer, authoring: Authors, if_match: IfMatch
) -> Personalization:
    """Archive the personalization; an active one is no longer shown. Its key stays taken.

    A failed publication returns 200 with `publication_warning`; repeat the action to publish again.
    """
    return personalization(authoring.act(caller, personalization_id, "archive", expected_version=if_match))


@router.post("/unarchive", operation_id="unarchivePersonalization", responses=MOVE)
def unarchive_personalization(
    personalization_id: PersonalizationId, caller: Writer, authoring: Authors, if_match: IfMatch
) -> Personalization:
    """Restore an archived personalization as paused, or as a draft if it was never active.

    One that already is in that status stays as it is. An active one is 409, because it would be paused.
    """
    return personalization(authoring.act(caller, personalization_id, "unarchive", expected_version=if_match))
