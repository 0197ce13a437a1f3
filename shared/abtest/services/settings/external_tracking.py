"""External tracking: the domains to which identity is handed over."""

from abtest.contract import runtime_settings as contract
from abtest.domain.settings import external_tracking as domain
from abtest.domain.settings.runtime import EXTERNAL_TRACKING
from abtest.kit.clock import Timestamp
from abtest.services.context import Caller
from abtest.services.retries import Versions
from abtest.services.settings.setting import RuntimeSetting


class ExternalTrackingSettings(RuntimeSetting[domain.ExternalTracking, contract.ExternalTrackingResponse]):
    """The external domains of a shop."""

    record_id = EXTERNAL_TRACKING
    verb = "update_external_tracking"
    untouched = domain.UNTOUCHED

    def response(self, value: domain.ExternalTracking, revision: Timestamp | None) -> contract.ExternalTrackingResponse:
        shown = contract.ExternalTracking.of(value)
        return contract.ExternalTrackingResponse(externalTracking=shown, revision=revision)

    def audited(self, response: contract.ExternalTrackingResponse) -> contract.ExternalTracking:
        return response.externalTracking

    def update(
        self, caller: Caller, given: contract.UpdateExternalTracking, expected_version: Versions
    ) -> contract.ExternalTrackingResponse:
        """Merge the given fields in.

        Raises RevisionConflictError, VersionConflictError, SigningRequiredError, ValidationFailedError.
        """
        changes = given.externalTracking.changes()
        domain.refuse_unsigned(changes)
        return self.change(
            caller,
            lambda setting: domain.merged(setting, changes),
            expected_version=expected_version,
            check=lambda kept: kept.refuse_other(given.expected_revision, "expected_revision"),
        )

    def set_signing(self, caller: Caller, *, signed: bool) -> contract.ExternalTrackingResponse:
        """Set what only the platform's support may change, at any revision."""
        return self.change(caller, lambda setting: domain.merged(setting, {"signed": signed}))
