"""Runtime environments: read, and replaced as a whole."""

from collections.abc import Iterator, Set
from itertools import islice

from abtest.contract import runtime_settings as contract
from abtest.domain.settings import environments as domain
from abtest.domain.settings.runtime import ENVIRONMENTS
from abtest.kit.clock import Timestamp
from abtest.kit.errors import ConflictError
from abtest.ports.catalog import Catalog, Kind
from abtest.services.context import Caller
from abtest.services.listing import every_head
from abtest.services.retries import Versions
from abtest.services.settings.setting import RuntimeSetting

_MAX_USERS = 5
_KINDS: dict[Kind, tuple[str, frozenset[str]]] = {
    "FLAG": ("flag", frozenset({"active", "paused"})),
    "PZN": ("personalization", frozenset({"active"})),
}
"""Kinds that are delivered in environments: name in messages, and statuses in which they are delivered."""


class EnvironmentSettings(RuntimeSetting[domain.Environments, contract.EnvironmentsResponse]):
    """The environments of a shop."""

    record_id = ENVIRONMENTS
    verb = "update_environments"
    untouched = domain.UNTOUCHED

    def response(self, value: domain.Environments, revision: Timestamp | None) -> contract.EnvironmentsResponse:
        return contract.EnvironmentsResponse(environments=contract.Environments.of(value), version=revision)

    def audited(self, response: contract.EnvironmentsResponse) -> contract.Environments:
        return response.environments

    def update(
        self, caller: Caller, given: contract.UpdateEnvironments, expected_version: Versions
    ) -> contract.EnvironmentsResponse:
        """Replace them all.

        Raises RevisionConflictError, VersionConflictError, ValidationFailedError, and ConflictError for removing an
        environment that is in use.
        """
        after = given.environments.environments()

        def decide(before: domain.Environments) -> domain.Environments:
            # Checked inside of the decision, so that a stale revision is reported before a wrong value.
            domain.refuse_contradictions(after)
            _refuse_in_use(self._store.world.catalog, caller.shop_id, set(before.keys) - set(after.keys))
            return after

        return self.change(
            caller,
            decide,
            expected_version=expected_version,
            check=lambda kept: kept.refuse_other(given.expected_version, "expected_version"),
        )


def _refuse_in_use(catalog: Catalog, shop_id: str, gone: Set[str]) -> None:
    """Raise ConflictError that names what is delivered in an environment that would be removed."""
    if not gone:
        return
    users = list(islice(_users(catalog, shop_id, gone), _MAX_USERS))
    if users:
        raise ConflictError(f"environments that are in use stay; pause or move first: {', '.join(users)}")


def _users(catalog: Catalog, shop_id: str, gone: Set[str]) -> Iterator[str]:
    for kind, (noun, statuses) in _KINDS.items():
        for head in every_head(catalog, shop_id, kind):
            environment = head.attributes.get("environment_key")
            if head.status in statuses and environment in gone:
                yield f"{noun} {head.name!r} in {environment}"
