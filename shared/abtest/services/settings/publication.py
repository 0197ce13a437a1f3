"""Publication on demand, and whether webhooks are told of publications."""

from collections.abc import Mapping
from typing import Any

from abtest.contract import runtime_settings as contract
from abtest.domain.settings.runtime import PUBLICATION
from abtest.ports.catalog import Commit, Document
from abtest.services.context import Caller
from abtest.services.retrying import refuse_other_version
from abtest.services.settings.store import Kept, Setting, SettingsStore, precompile_of


def _shown(document: Document) -> contract.PublicationSettings:
    return contract.PublicationSettings(webhooks_enabled=document["webhooks_from"] is not None)


SETTING = Setting(
    record_id=PUBLICATION,
    verb="update_publication",
    untouched={"webhooks_from": None},
    shown=lambda document: _shown(document).model_dump(),
)


class PublicationControl:
    """The use cases."""

    def __init__(self, store: SettingsStore) -> None:
        self._store = store

    def get(self, caller: Caller) -> contract.PublicationSettings:
        """Whether webhooks are told of publications."""
        return _answer(self._store.read(caller.shop_id, SETTING))

    def update(
        self, caller: Caller, wish: contract.UpdatePublicationSettings, expected_version: int | None
    ) -> contract.PublicationSettings:
        """Merge the stated field in. Nothing is published by this. Raises VersionConflictError."""
        kept, _ = self._store.change(
            caller,
            SETTING,
            lambda document: self._merged(caller.shop_id, document, wish.stated()),
            lambda kept: refuse_other_version(expected_version, kept.version),
            publishes=False,
        )
        return _answer(kept)

    def publish(self, caller: Caller) -> contract.PublishResult:
        """Publish what stands. The promise is kept by the sweep where this fails."""
        world, shop_id = self._store.world, caller.shop_id
        row = world.publish_row(shop_id)
        world.catalog.commit(Commit(audit=[self._store.audit(caller, "publish", {}, {})], outbox=[row]))
        outcome = self._store.storefronts.publish(shop_id, row)
        return contract.PublishResult(
            revision=outcome.revision,
            status="published" if outcome.ok else "failed",
            precompile=precompile_of(outcome),
        )

    def _merged(self, shop_id: str, document: Document, stated: Mapping[str, Any]) -> Document:
        """Publications that began before webhooks were turned on are not told: only later revisions are."""
        is_on = document["webhooks_from"] is not None
        wanted = stated.get("webhooks_enabled", is_on)
        if wanted == is_on:
            return document
        return {"webhooks_from": self._store.world.catalog.next_revision(shop_id) if wanted else None}


def _answer(kept: Kept) -> contract.PublicationSettings:
    return _shown(kept.document).at(kept.version)
