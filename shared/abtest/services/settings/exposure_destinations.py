"""Exposure destinations: the tools of a shop that storefronts pass exposures on to."""

from abtest.contract import runtime_settings as contract
from abtest.domain.settings import exposure_destinations as domain
from abtest.domain.settings.runtime import EXPOSURE_DESTINATIONS
from abtest.kit.clock import Timestamp
from abtest.services.context import Caller
from abtest.services.retries import Versions
from abtest.services.settings.setting import RuntimeSetting


class ExposureDestinationSettings(RuntimeSetting[domain.ExposureDestinations, contract.ExposureDestinations]):
    """The exposure destinations of a shop."""

    record_id = EXPOSURE_DESTINATIONS
    verb = "update_exposure_destinations"
    untouched = domain.UNTOUCHED

    def response(self, value: domain.ExposureDestinations, revision: Timestamp | None) -> contract.ExposureDestinations:
        del revision  # the contract shows none
        return contract.ExposureDestinations.of(value)

    def audited(self, response: contract.ExposureDestinations) -> contract.ExposureDestinations:
        return response

    def update(
        self, caller: Caller, given: contract.UpdateExposureDestinations, expected_version: Versions
    ) -> contract.ExposureDestinations:
        """Merge the given fields in, and publish. Raises VersionConflictError."""
        changes = given.changes()
        return self.change(caller, lambda value: domain.merged(value, changes), expected_version=expected_version)
