"""Runtime settings in the catalog: one record each, replaced only by a caller who knows it, then published."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta

from abtest.contract.runtime_settings import PrecompileResult
from abtest.domain.changes.diff import differences
from abtest.kit.clock import Timestamp, parse_timestamp, timestamp
from abtest.kit.errors import FieldError, ServiceError
from abtest.ports.catalog import AuditRow, Catalog, Commit, Document, Head, OutboxRow, Put, Record, together
from abtest.services.context import Caller, World
from abtest.services.republication import Republication
from abtest.services.retries import retried
from abtest.services.storefronts import Outcome

_MAX_REASONS = 5


class RevisionConflictError(ServiceError):
    """The setting was written since the caller read it, or the caller does not name the revision that it replaces."""

    status = 409
    code = "version_conflict"


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """Stored setting. `document` is its value; version 0 and no revision mean that it was never written."""

    document: Document
    version: int = 0
    created_at: Timestamp = ""
    revision: Timestamp | None = None

    def written(self, document: Document, now: Timestamp) -> "Kept":
        """Return the setting at the next version."""
        revision = now
        if self.revision is not None and now <= self.revision:
            # Revisions rise even within one millisecond, or when the clock was set back.
            revision = timestamp(parse_timestamp(self.revision) + timedelta(milliseconds=1))
        return Kept(
            document=document, version=self.version + 1, created_at=self.created_at or revision, revision=revision
        )

    def refuse_other(self, expected: str | None, field: str) -> None:
        """Raise RevisionConflictError unless the caller expects the stored revision, which is None before any write.

        `field` is the caller's field that names the revision.
        """
        if expected == self.revision:
            return
        if expected is None:
            problem = FieldError(field, f"is required once the setting was written: read it, and send its {field[9:]}")
            raise RevisionConflictError("the request does not name what it replaces", fields=[problem])
        problem = FieldError(field, f"is not the present {field[9:]}: read the setting again")
        raise RevisionConflictError("the setting changed since you read it", fields=[problem])


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """One setting: its record's id, the verb of its audit rows, and its value before the first write.

    `shown` turns a stored form into the fields of the contract, which the audit compares.
    """

    record_id: str
    verb: str
    untouched: Document
    shown: Callable[[Document], Document] = dict


Check = Callable[[Kept], None]
Decision = Callable[[Document], Document]
Companions = Callable[[Document], Commit]
"""What is committed together with a document."""


class SettingsStore:
    """Store of settings. A change is decided again when another writer was faster."""

    def __init__(self, world: World, republication: Republication) -> None:
        self.world = world
        self.republication = republication

    def read(self, shop_id: str, setting: Setting) -> Kept:
        """Read the setting."""
        return stored_setting(self.world.catalog, shop_id, setting.record_id) or Kept(document=setting.untouched)

    def change(
        self,
        caller: Caller,
        setting: Setting,
        decide: Decision,
        check: Check,
        *,
        publishes: bool = True,
        companions: Companions = lambda _: Commit(),
    ) -> tuple[Kept, PrecompileResult | None]:
        """Check the stored setting, decide, commit; then publish, at most once a second where nothing differs.

        The first write is stored even when it changes nothing: from then on the setting has a revision.
        `companions` are committed with what is stored, or not at all.
        Raises what `check` and `decide` raise, and StaleVersionError when every attempt lost its race.
        """

        row_id = self.world.audit_row_id()

        def attempt() -> tuple[Kept, OutboxRow | None]:
            before = self.read(caller.shop_id, setting)
            # A repeated request whose first run was committed: the revision that it expects was the one before.
            if self.world.is_stored(caller.shop_id, row_id):
                return before, None
            check(before)
            document = decide(before.document)
            # Not stored, but published by the caller below: repeating a write is the way to repeat a failed
            # publication.
            if before.version and document == before.document:
                return before, None
            row = self.world.publish_row(caller.shop_id) if publishes else None
            commit = Commit(outbox=[row] if row else [])
            return self._write(caller, setting, before, document, row_id, together(commit, companions(document))), row

        after, row = retried(attempt)
        return after, self.publish(caller.shop_id, row, after.revision or "") if publishes else None

    def put(self, shop_id: str, setting: Setting, after: Kept) -> Put:
        """Build the conditional write of a setting at its next version."""
        return setting_put(shop_id, setting.record_id, after)

    def audit(
        self, caller: Caller, verb: str, before: Document, after: Document, row_id: str | None = None
    ) -> AuditRow:
        """Build the audit row of a change; code and long values appear as hash and length."""
        return self.world.audit_row(
            user_id=caller.user_id,
            shop_id=caller.shop_id,
            action=f"settings.{verb}",
            entity=("settings", caller.shop_id, None),
            diff=differences(dict(before), dict(after)),
            row_id=row_id,
        )

    def publish(self, shop_id: str, row: OutboxRow | None, changed_at: Timestamp) -> PrecompileResult:
        """Publish what a write committed with `row`, or what one that changed nothing found since `changed_at`."""
        if row is None:
            return precompile_of(self.republication.publish(shop_id, changed_at))
        return precompile_of(self.republication.storefronts.publish(shop_id, row))

    def _write(
        self, caller: Caller, setting: Setting, before: Kept, document: Document, row_id: str | None, companions: Commit
    ) -> Kept:
        after = before.written(document, self.world.now())
        audit = self.audit(caller, setting.verb, setting.shown(before.document), setting.shown(document), row_id)
        commit = Commit(puts=[self.put(caller.shop_id, setting, after)], audit=[audit])
        self.world.catalog.commit(together(commit, companions))
        return after


def stored_setting(catalog: Catalog, shop_id: str, record_id: str) -> Kept | None:
    """Return a setting of the shop; None before any write."""
    record = catalog.get(shop_id, "SET", record_id)
    if record is None:
        return None
    head = record.head
    return Kept(document=record.body, version=head.version, created_at=head.created_at, revision=head.updated_at)


def setting_put(shop_id: str, record_id: str, after: Kept) -> Put:
    """Build the conditional write of a setting at its next version."""
    head = Head(
        shop_id=shop_id,
        kind="SET",
        id=record_id,
        version=after.version,
        created_at=after.created_at,
        updated_at=after.revision or after.created_at,
    )
    return Put(record=Record(head=head, body=after.document), expected_version=after.version - 1)


def precompile_of(outcome: Outcome) -> PrecompileResult:
    """Return the result of a publication as the contract shows it."""
    if not outcome.ok:
        reasons = _listed(outcome.reasons) or "publication failed"
        return PrecompileResult(
            status="error", summary=f"The stored state could not be published yet; it will be retried: {reasons}"
        )
    if outcome.reasons:
        return PrecompileResult(status="warning", summary=f"Published, with parts left out: {_listed(outcome.reasons)}")
    return PrecompileResult(status="ok", summary="Published.")


def _listed(reasons: Sequence[str]) -> str:
    more = len(reasons) - _MAX_REASONS
    return "; ".join([*reasons[:_MAX_REASONS], *([f"and {more} more"] if more > 0 else [])])
