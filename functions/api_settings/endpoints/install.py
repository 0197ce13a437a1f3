"""Routes of installation: tags, the check of a page, the pixel of external domains."""

from typing import Annotated

from abtest.contract.installation import (
    ExternalPixelSnippet,
    Installation,
    InstallVerification,
    InstallVerificationInput,
)
from abtest.domain.egress.targets import UrlNotAllowedError
from abtest.domain.install.pixel import Provider
from abtest.http.deps import expensive, use
from abtest.http.openapi import errors
from abtest.http.route import Router
from abtest.services.settings.installation import Installations
from abtest.services.settings.pixel import Pixels
from api_settings.endpoints.vocabulary import SettingsReader, SettingsWriter

router = Router("/settings", tag="Installation")

InstallationUse = Annotated[Installations, use(Installations)]
PixelUse = Annotated[Pixels, use(Pixels)]


@router.get("/install", operation_id="getInstallation")
def get_installation(caller: SettingsReader, installations: InstallationUse) -> Installation:
    """The tags for the head of every page: the preconnect first, then the snippet.

    The asynchronous tag is for shops that hydrate their pages and hide nothing meanwhile: early interactions may be
    missed. `last_seen_at` is right to within ten minutes.
    """
    return installations.get(caller)


@router.post("/install/verify", operation_id="verifyInstallation", responses=errors(UrlNotAllowedError))
@expensive
def verify_installation(
    caller: SettingsWriter, body: InstallVerificationInput, installations: InstallationUse
) -> InstallVerification:
    """Fetch a page of one of the shop's domains and look for its snippet."""
    return installations.verify(caller, body.url)


@router.get("/external-pixel", operation_id="getExternalPixel")
def get_external_pixel(caller: SettingsReader, pixels: PixelUse, provider: Provider = "custom") -> ExternalPixelSnippet:
    """What to paste on an external domain, such as a checkout elsewhere.

    `custom` counts what the page tells it by `usage`; `data_layer` also takes purchases that are pushed to `dataLayer`;
    `digital_data` also takes the transaction of the page's `digitalData`.
    """
    return pixels.get(caller, provider)
