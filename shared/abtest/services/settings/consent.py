"""Consent: whether storefronts wait for it, and whom they ask."""

from abtest.contract import runtime_settings as contract
from abtest.domain.settings import consent as domain
from abtest.domain.settings.runtime import CONSENT
from abtest.kit.clock import Timestamp
from abtest.services.context import Caller
from abtest.services.settings.setting import RuntimeSetting


class Consents(RuntimeSetting[domain.ConsentMode, contract.ConsentSettings]):
    """The consent mode of a shop."""

    record_id = CONSENT
    verb = "update_consent"
    untouched = domain.UNTOUCHED

    def response(self, value: domain.ConsentMode, revision: Timestamp | None) -> contract.ConsentSettings:
        del revision  # the contract shows none
        return contract.ConsentSettings.of(value)

    def audited(self, response: contract.ConsentSettings) -> contract.ConsentModeOutput:
        return response.consentMode

    def update(
        self, caller: Caller, wish: contract.UpdateConsent, expected_version: int | None
    ) -> contract.ConsentSettings:
        """Merge the given fields in. Raises VersionConflictError, ValidationFailedError."""
        changes = wish.consentMode.changes()
        return self.change(caller, lambda mode: domain.merged(mode, changes), expected_version=expected_version)
