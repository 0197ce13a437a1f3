"""Routes of exposure destinations."""

from typing import Annotated

from abtest.contract.runtime_settings import ExposureDestinations, UpdateExposureDestinations
from abtest.http.deps import IfMatch, use, versioned
from abtest.http.route import Router
from abtest.services.settings.exposure_destinations import ExposureDestinationSettings
from api_settings.endpoints.vocabulary import SettingsReader, SettingsWriter

router = Router("/settings/exposure-destinations", tag="Runtime settings")

SettingsUse = Annotated[ExposureDestinationSettings, use(ExposureDestinationSettings)]


@router.get("", operation_id="getExposureDestinations")
@versioned
def get_exposure_destinations(caller: SettingsReader, settings: SettingsUse) -> ExposureDestinations:
    """Return the tools of the shop's own analytics that storefronts pass exposures on to."""
    return settings.get(caller)


@router.patch("", operation_id="updateExposureDestinations")
@versioned
def update_exposure_destinations(
    caller: SettingsWriter, body: UpdateExposureDestinations, if_match: IfMatch, settings: SettingsUse
) -> ExposureDestinations:
    """Change the exposure destinations (merge patch) and publish them."""
    return settings.update(caller, body, if_match)
