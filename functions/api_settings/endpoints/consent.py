"""Routes of consent."""

from typing import Annotated

from abtest.contract.runtime_settings import ConsentSettings, UpdateConsent
from abtest.http.deps import IfMatch, use, versioned
from abtest.http.openapi import errors
from abtest.http.route import Router
from abtest.kit.errors import ValidationFailedError
from abtest.services.settings.consent import Consents
from api_settings.endpoints.vocabulary import SettingsReader, SettingsWriter

router = Router("/settings/consent", tag="Runtime settings")

ConsentUse = Annotated[Consents, use(Consents)]


@router.get("", operation_id="getConsent")
@versioned
def get_consent(caller: SettingsReader, consents: ConsentUse) -> ConsentSettings:
    """Return the consent settings: the provider, the required group, and what they mean for the storefront."""
    return consents.get(caller)


@router.patch("", operation_id="updateConsent", responses=errors(ValidationFailedError))
@versioned
def update_consent(
    caller: SettingsWriter, body: UpdateConsent, if_match: IfMatch, consents: ConsentUse
) -> ConsentSettings:
    """Change the consent settings (merge patch) and publish them."""
    return consents.update(caller, body, if_match)
