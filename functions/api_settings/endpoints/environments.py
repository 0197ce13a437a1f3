"""Routes of runtime environments."""

from typing import Annotated

from abtest.contract.runtime_settings import EnvironmentsResponse, UpdateEnvironments
from abtest.http.deps import IfMatch, use, versioned
from abtest.http.openapi import errors
from abtest.http.route import Router
from abtest.kit.errors import ConflictError, ValidationFailedError
from abtest.services.settings.environments import EnvironmentSettings
from abtest.services.settings.store import RevisionConflictError
from api_settings.endpoints.vocabulary import SettingsReader, SettingsWriter

router = Router("/settings/environments", tag="Runtime settings")

EnvironmentUse = Annotated[EnvironmentSettings, use(EnvironmentSettings)]


@router.get("", operation_id="getEnvironments")
@versioned
def get_environments(caller: SettingsReader, settings: EnvironmentUse) -> EnvironmentsResponse:
    """Return the environments of the shop, and the version to send with the next write."""
    return settings.get(caller)


@router.patch(
    "",
    operation_id="updateEnvironments",
    responses=errors(RevisionConflictError, ConflictError, ValidationFailedError),
)
@versioned
def update_environments(
    caller: SettingsWriter, body: UpdateEnvironments, if_match: IfMatch, settings: EnvironmentUse
) -> EnvironmentsResponse:
    """Replace all environments and publish them.

    Exactly one is `isDefault`, `activeKey` names one of them, keys are unique, and a domain appears in one only (422).
    An environment with active or paused flags or active personalizations cannot be removed: 409 `conflict` names up to
    five of them. A write without changes keeps the version and publishes again, at most once a
    second.
    """
    return settings.update(caller, body, if_match)
