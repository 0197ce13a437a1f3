"""Consent: whether storefronts wait for it, and whom they ask."""

from abtest.contract import runtime_settings as contract
from abtest.domain.settings import consent as domain
from abtest.domain.settings.runtime import CONSENT
from abtest.kit.documents import encode
from abtest.ports.catalog import Document
from abtest.services.context import Caller
from abtest.services.retrying import refuse_other_version
from abtest.services.settings.store import Kept, Setting, SettingsStore


def _shown(document: Document) -> contract.ConsentSettings:
    return contract.ConsentSettings.of(domain.from_document(document))


SETTING = Setting(
    record_id=CONSENT,
    verb="update_consent",
    untouched=encode(domain.UNTOUCHED),
    shown=lambda document: _shown(document).consentMode.model_dump(),
)


class Consents:
    """The use cases."""

    def __init__(self, store: SettingsStore) -> None:
        self._store = store

    def get(self, caller: Caller) -> contract.ConsentSettings:
        """The consent mode of the shop."""
        return _answer(self._store.read(caller.shop_id, SETTING))

    def update(
        self, caller: Caller, wish: contract.UpdateConsent, expected_version: int | None
    ) -> contract.ConsentSettings:
        """Merge the stated fields in. Raises VersionConflictError, ValidationFailedError."""
        changes = wish.consentMode.changes()
        kept, precompile = self._store.change(
            caller,
            SETTING,
            lambda document: encode(domain.merged(domain.from_document(document), changes)),
            lambda kept: refuse_other_version(expected_version, kept.version),
        )
        answer = _answer(kept)
        if precompile is not None:
            answer.precompile = precompile
        return answer


def _answer(kept: Kept) -> contract.ConsentSettings:
    return _shown(kept.document).at(kept.version)
