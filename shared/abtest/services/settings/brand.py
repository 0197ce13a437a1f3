"""Brand context of a shop: read, and replaced part by part."""

from abtest.contract import brand as contract
from abtest.domain.brand import context as domain
from abtest.kit.clock import Timestamp
from abtest.services.context import Caller
from abtest.services.retries import Versions
from abtest.services.settings.setting import RuntimeSetting


class BrandContexts(RuntimeSetting[domain.BrandContext, contract.BrandContext]):
    """The brand context of a shop. Storefronts do not get it, so a change publishes nothing."""

    record_id = domain.RECORD_ID
    verb = "update_brand_context"
    untouched = domain.UNTOUCHED

    def response(self, value: domain.BrandContext, revision: Timestamp | None) -> contract.BrandContext:
        del revision  # the contract shows none
        return contract.BrandContext.of(value)

    def audited(self, response: contract.BrandContext) -> contract.BrandContext:
        return response

    def update(
        self, caller: Caller, given: contract.BrandContextInput, expected_version: Versions
    ) -> contract.BrandContext:
        """Put the given parts in place of the stored ones. Raises VersionConflictError, ValidationFailedError."""
        parts = given.provided()
        return self.change(
            caller,
            lambda context: domain.replaced(context, parts),
            expected_version=expected_version,
            publishes=False,
        )
