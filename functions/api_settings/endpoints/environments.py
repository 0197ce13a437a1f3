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
    """The runtime environments of the shop, and the version to state with the next write."""
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
    """Replace all environments, and publish. An environment in which something is delivered stays."""
    return settings.update(caller, body, if_match)
