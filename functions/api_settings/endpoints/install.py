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
    """Return the tags for the head of every page, and when to take which.

    Paste the `html` of one of `tags` as the first elements of the head; the first of them suits most shops.
    `last_seen_at` is accurate to ten minutes and is kept for 400 days; it is null where events go to the
    analytics store only. `verified_at` is the last check that saw the snippet running.
    """
    return installations.get(caller)


@router.post("/install/verify", operation_id="verifyInstallation", responses=errors(UrlNotAllowedError))
@expensive
def verify_installation(
    caller: SettingsWriter, body: InstallVerificationInput, installations: InstallationUse
) -> InstallVerification:
    """Fetch a page of the shop and check its snippet.

    The host must be an install or environment domain, or a subdomain of one; other hosts and private addresses are 422
    `url_not_allowed`. A page that cannot be fetched is 200 with `found: false`. `tag` is the first tag of the page.
    Each text in `errors` describes what to fix. At most 30 checks a minute.
    """
    return installations.verify(caller, body.url)


@router.get("/external-pixel", operation_id="getExternalPixel")
def get_external_pixel(caller: SettingsReader, pixels: PixelUse, provider: Provider = "custom") -> ExternalPixelSnippet:
    """Return the pixel for an external domain, such as a hosted checkout.

    `custom` counts the calls in `usage`. `data_layer` also counts purchases pushed to `dataLayer`, and `digital_data`
    the transaction in the page's `digitalData`.
    """
    return pixels.get(caller, provider)
