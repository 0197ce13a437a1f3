"""Routes of the lifecycle of flags."""

from typing import Annotated

from abtest.contract.errors import InvalidStateTransitionEnvelope
from abtest.contract.flags import FeatureFlag
from abtest.domain.changes.errors import InvalidStateTransitionError
from abtest.http.deps import IfMatch, use
from abtest.http.openapi import errors
from abtest.http.route import Router
from abtest.kit.errors import NotFoundError
from abtest.services.flags.editor import FlagEditor
from api_flags.endpoints.vocabulary import Activator, Named, Writer, flag

router = Router("/flags/{flag_id}", tag="Feature flags")

Authors = Annotated[FlagEditor, use(FlagEditor)]

MOVE = errors(NotFoundError, InvalidStateTransitionError, s409=InvalidStateTransitionEnvelope)


@router.post("/activate", operation_id="activateFlag", responses=MOVE)
def activate_flag(named: Named, caller: Activator, authoring: Authors, if_match: IfMatch) -> FeatureFlag:
    """Activate a draft or a paused flag.

    A failed publication returns 200 with `publication_warning`; repeat the action to publish again.
    """
    return flag(authoring.act(caller, named, "activate", expected_version=if_match))


@router.post("/pause", operation_id="pauseFlag", responses=MOVE)
def pause_flag(named: Named, caller: Activator, authoring: Authors, if_match: IfMatch) -> FeatureFlag:
    """Pause a flag: every visitor gets the off value.

    A failed publication returns 200 with `publication_warning`; repeat the action to publish again.
    """
    return flag(authoring.act(caller, named, "pause", expected_version=if_match))


@router.post("/archive", operation_id="archiveFlag", responses=MOVE)
def archive_flag(named: Named, caller: Writer, authoring: Authors, if_match: IfMatch) -> FeatureFlag:
    """Archive a flag: it is no longer evaluated. Its key stays taken.

    A failed publication returns 200 with `publication_warning`; repeat the action to publish again.
    """
    return flag(authoring.act(caller, named, "archive", expected_version=if_match))


@router.post("/unarchive", operation_id="unarchiveFlag", responses=MOVE)
def unarchive_flag(named: Named, caller: Writer, authoring: Authors, if_match: IfMatch) -> FeatureFlag:
    """Restore an archived flag as paused, or as a draft if it was never active.

    One that already is in that status stays as it is. An active one is 409, because it would be paused.
    """
    return flag(authoring.act(caller, named, "unarchive", expected_version=if_match))
