"""Publication on demand, and whether webhooks receive publications."""

from dataclasses import dataclass

from abtest.contract import runtime_settings as contract
from abtest.domain.settings.runtime import PUBLICATION
from abtest.kit.clock import Timestamp
from abtest.ports.catalog import Commit, OutboxRow
from abtest.services.context import Caller
from abtest.services.retries import Versions
from abtest.services.settings.setting import RuntimeSetting
from abtest.services.settings.store import precompile_of

_VERB = "publish"


@dataclass(frozen=True, slots=True)
class Announcements:
    """`webhooks_from` is the revision after which webhooks receive publications; None when they receive none."""

    webhooks_from: int | None = None


class PublicationControl(RuntimeSetting[Announcements, contract.PublicationSettings]):
    """Use cases of publication, and of the setting that sends it to webhooks."""

    record_id = PUBLICATION
    verb = "update_publication"
    untouched = Announcements()

    def response(self, value: Announcements, revision: Timestamp | None) -> contract.PublicationSettings:
        del revision  # the contract shows none
        return contract.PublicationSettings(webhooks_enabled=value.webhooks_from is not None)

    def audited(self, response: contract.PublicationSettings) -> contract.PublicationSettings:
        return response

    def update(
        self, caller: Caller, given: contract.UpdatePublicationSettings, expected_version: Versions
    ) -> contract.PublicationSettings:
        """Merge the given field in. Nothing is published by this. Raises VersionConflictError."""

        def decide(before: Announcements) -> Announcements:
            is_enabled = given.provided().get("webhooks_enabled", before.webhooks_from is not None)
            if is_enabled == (before.webhooks_from is not None):
                return before
            # Publications that began before webhooks were enabled stay silent: only later revisions are announced.
            revision = self._store.world.catalog.next_revision(caller.shop_id) if is_enabled else None
            return Announcements(webhooks_from=revision)

        return self.change(caller, decide, expected_version=expected_version, publishes=False)

    def publish(self, caller: Caller) -> contract.PublishResult:
        """Publish the stored state, unless that has just been done. The sweep repeats it where this fails."""
        world, shop_id = self._store.world, caller.shop_id
        row_id = world.audit_row_id()

        def begin() -> OutboxRow:
            # Committed before the attempt, so that a process that dies in it leaves a repetition to the sweep.
            row = world.publish_row(shop_id)
            world.catalog.commit(Commit(audit=[self._store.audit(caller, _VERB, {}, {}, row_id)], outbox=[row]))
            return row

        outcome = self._store.republication.publish(shop_id, self._changed_at(shop_id), begin)
        return contract.PublishResult(
            revision=outcome.revision,
            status="published" if outcome.ok else "failed",
            precompile=precompile_of(outcome),
        )

    def _changed_at(self, shop_id: str) -> Timestamp:
        """Return a moment since which nothing of the shop has changed: every change has an audit row."""
        rows, _ = self._store.world.catalog.audit(shop_id, entity_id=None, limit=2)
        # A publication on demand changes nothing. Of two, the older one is at least as late as the change before it.
        changes = (row for row in rows if row.action != f"settings.{_VERB}")
        newest = next(changes, rows[-1] if rows else None)
        return newest.created_at if newest else ""
