"""Runtime environments: read, and replaced as a whole."""

from collections.abc import Iterator, Set
from itertools import islice

from abtest.contract import runtime_settings as contract
from abtest.domain.settings import environments as domain
from abtest.domain.settings.runtime import ENVIRONMENTS
from abtest.kit.errors import ConflictError
from abtest.ports.catalog import Catalog, Document, Head, Kind
from abtest.services.context import Caller
from abtest.services.retrying import refuse_other_version
from abtest.services.settings.store import Kept, Setting, SettingsStore


def _shown(document: Document) -> contract.Environments:
    return contract.Environments.of(domain.from_document(document))


SETTING = Setting(
    record_id=ENVIRONMENTS,
    verb="update_environments",
    untouched=domain.to_document(domain.UNTOUCHED),
    shown=lambda document: _shown(document).model_dump(),
)
_USERS_TOLD = 5
_PAGE = 100
_KINDS: dict[Kind, tuple[str, frozenset[str]]] = {
    "FLAG": ("flag", frozenset({"active", "paused"})),
    "PZN": ("personalization", frozenset({"active"})),
}
"""What is delivered in environments: its name for people, and the statuses in which it is."""


class EnvironmentSettings:
    """The use cases."""

    def __init__(self, store: SettingsStore) -> None:
        self._store = store

    def get(self, caller: Caller) -> contract.EnvironmentsResponse:
        """The environments of the shop."""
        return _answer(self._store.read(caller.shop_id, SETTING))

    def update(
        self, caller: Caller, wish: contract.UpdateEnvironments, expected_version: int | None
    ) -> contract.EnvironmentsResponse:
        """Replace them all.

        Raises RevisionConflictError, VersionConflictError, ValidationFailedError, ConflictError when an environment
        that is in use were gone.
        """
        wanted = wish.environments.environments()

        def check(kept: Kept) -> None:
            refuse_other_version(expected_version, kept.version)
            kept.refuse_other(wish.expected_version)

        def decide(document: Document) -> Document:
            domain.refuse_contradictions(wanted)
            gone = set(domain.from_document(document).keys) - set(wanted.keys)
            _refuse_in_use(self._store.world.catalog, caller.shop_id, gone)
            return domain.to_document(wanted)

        kept, precompile = self._store.change(caller, SETTING, decide, check)
        answer = _answer(kept)
        if precompile is not None:
            answer.precompile = precompile
        return answer


def _answer(kept: Kept) -> contract.EnvironmentsResponse:
    return contract.EnvironmentsResponse(environments=_shown(kept.document), version=kept.revision).at(kept.version)


def _refuse_in_use(catalog: Catalog, shop_id: str, gone: Set[str]) -> None:
    """Raise ConflictError naming what is delivered in an environment that is to go."""
    if not gone:
        return
    users = list(islice(_users(catalog, shop_id, gone), _USERS_TOLD))
    if users:
        raise ConflictError(f"environments that are in use stay; pause or move first: {', '.join(users)}")


def _users(catalog: Catalog, shop_id: str, gone: Set[str]) -> Iterator[str]:
    for kind, (noun, statuses) in _KINDS.items():
        for head in _heads(catalog, shop_id, kind):
            environment = head.attributes.get("environment_key")
            if head.status in statuses and environment in gone:
                yield f"{noun} {head.name!r} in {environment}"


def _heads(catalog: Catalog, shop_id: str, kind: Kind) -> Iterator[Head]:
    after: str | None = None
    while True:
        page = catalog.list(shop_id, kind, limit=_PAGE, after_id=after)
        yield from page.heads
        after = page.last_id
        if after is None:
            return
