"""Routes of external tracking."""

from typing import Annotated

from abtest.contract.runtime_settings import ExternalTrackingResponse, UpdateExternalTracking
from abtest.domain.settings.external_tracking import SigningRequiredError
from abtest.http.deps import IfMatch, use, versioned
from abtest.http.openapi import errors
from abtest.http.route import Router
from abtest.kit.errors import ValidationFailedError
from abtest.services.settings.external_tracking import ExternalTrackingSettings
from abtest.services.settings.store import RevisionConflictError
from api_settings.endpoints.vocabulary import SettingsReader, SettingsWriter

router = Router("/settings/external-tracking", tag="Runtime settings")

TrackingUse = Annotated[ExternalTrackingSettings, use(ExternalTrackingSettings)]


@router.get("", operation_id="getExternalTracking")
@versioned
def get_external_tracking(caller: SettingsReader, settings: TrackingUse) -> ExternalTrackingResponse:
    """Return the domains that visitors are handed over to, and the revision to send with the next write."""
    return settings.get(caller)


@router.patch(
    "",
    operation_id="updateExternalTracking",
    responses=errors(SigningRequiredError, RevisionConflictError, ValidationFailedError),
)
@versioned
def update_external_tracking(
    caller: SettingsWriter, body: UpdateExternalTracking, if_match: IfMatch, settings: TrackingUse
) -> ExternalTrackingResponse:
    """Change external tracking (merge patch) and publish it.

    `signed: true` turns signing on. Only the operator can turn it off: `signed: false` is 403, before any other check.
    """
    return settings.update(caller, body, if_match)
