"""External tracking: the domains to which identity is handed over."""

from collections.abc import Mapping
from typing import Any

from abtest.contract import runtime_settings as contract
from abtest.domain.settings import external_tracking as domain
from abtest.domain.settings.runtime import EXTERNAL_TRACKING
from abtest.kit.documents import encode
from abtest.ports.catalog import Document
from abtest.services.context import Caller
from abtest.services.retrying import refuse_other_version
from abtest.services.settings.store import Check, Kept, Setting, SettingsStore


def _shown(document: Document) -> contract.ExternalTracking:
    return contract.ExternalTracking.of(domain.from_document(document))


SETTING = Setting(
    record_id=EXTERNAL_TRACKING,
    verb="update_external_tracking",
    untouched=encode(domain.UNTOUCHED),
    shown=lambda document: _shown(document).model_dump(),
)


class ExternalTrackingSettings:
    """The use cases."""

    def __init__(self, store: SettingsStore) -> None:
        self._store = store

    def get(self, caller: Caller) -> contract.ExternalTrackingResponse:
        """The setting of the shop."""
        return _answer(self._store.read(caller.shop_id, SETTING))

    def update(
        self, caller: Caller, wish: contract.UpdateExternalTracking, expected_version: int | None
    ) -> contract.ExternalTrackingResponse:
        """Merge the stated fields in.

        Raises RevisionConflictError, VersionConflictError, SigningRequiredError, ValidationFailedError.
        """
        changes = wish.externalTracking.changes()

        def check(kept: Kept) -> None:
            domain.refuse_unsigned(changes)
            refuse_other_version(expected_version, kept.version)
            kept.refuse_other(wish.expected_revision)

        return self._change(caller, changes, check)

    def set_signing(self, caller: Caller, *, signed: bool) -> contract.ExternalTrackingResponse:
        """What the platform's support does, whatever stands there."""
        return self._change(caller, {"signed": signed}, lambda _: None)

    def _change(self, caller: Caller, changes: Mapping[str, Any], check: Check) -> contract.ExternalTrackingResponse:
        kept, precompile = self._store.change(
            caller,
            SETTING,
            lambda document: encode(domain.merged(domain.from_document(document), changes)),
            check,
        )
        answer = _answer(kept)
        if precompile is not None:
            answer.precompile = precompile
        return answer


def _answer(kept: Kept) -> contract.ExternalTrackingResponse:
    shown = _shown(kept.document)
    return contract.ExternalTrackingResponse(externalTracking=shown, revision=kept.revision).at(kept.version)
