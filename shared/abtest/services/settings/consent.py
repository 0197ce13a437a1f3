"""Consent mode: whether storefronts wait for consent, and which provider they use."""

from abtest.contract import runtime_settings as contract
from abtest.domain.settings import consent as domain
from abtest.domain.settings.runtime import CONSENT
from abtest.kit.clock import Timestamp
from abtest.services.context import Caller
from abtest.services.retries import Versions
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
        self, caller: Caller, given: contract.UpdateConsent, expected_version: Versions
    ) -> contract.ConsentSettings:
        """Merge the given fields in. Raises VersionConflictError, ValidationFailedError."""
        changes = given.consentMode.changes()
        return self.change(caller, lambda mode: domain.merged(mode, changes), expected_version=expected_version)
