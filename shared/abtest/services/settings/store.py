"""Runtime settings in the catalog: one record each, replaced only by who knows what stands there, then published."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta

from abtest.contract.runtime_settings import PrecompileResult
from abtest.domain.changes.diff import differences
from abtest.kit.clock import Timestamp, parse_timestamp, timestamp
from abtest.kit.errors import ServiceError
from abtest.ports.catalog import AuditRow, Commit, Document, Head, OutboxRow, Put, Record
from abtest.services.context import Caller, World
from abtest.services.retries import retried
from abtest.services.storefronts import Outcome, Storefronts

_REASONS_TOLD = 5


class RevisionConflictError(ServiceError):
    """The setting was written since the caller read it, or the caller does not say what it replaces."""

    status = 409
    code = "version_conflict"


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """A setting as it stands. `document` is what holds; version 0 and no revision mean that it never was written."""

    document: Document
    version: int = 0
    created_at: Timestamp = ""
    revision: Timestamp | None = None

    def written(self, document: Document, now: Timestamp) -> "Kept":
        """The setting one version on. Revisions rise even within one millisecond, or when the clock went back."""
        revision = now if self.revision is None or now > self.revision else _just_after(self.revision)
        return Kept(
            document=document, version=self.version + 1, created_at=self.created_at or revision, revision=revision
        )

    def refuse_other(self, stated: str | None) -> None:
        """Raise RevisionConflictError unless the caller states the revision that stands; nothing was none yet."""
        if stated != self.revision:
            raise RevisionConflictError(
                "the setting changed since you read it; read it again and state its version or revision"
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """One setting: its record's id, the verb of its audit rows, and what holds while nobody wrote it.

    `shown` makes of a stored form what callers know, so that the audit speaks of the contract's fields.
    """

    record_id: str
    verb: str
    untouched: Document
    shown: Callable[[Document], Document] = dict


Check = Callable[[Kept], None]
Decision = Callable[[Document], Document]


class SettingsStore:
    """Reads settings; decides again when somebody was faster, commits, publishes."""

    def __init__(self, world: World, storefronts: Storefronts) -> None:
        self.world = world
        self.storefronts = storefronts

    def read(self, shop_id: str, setting: Setting) -> Kept:
        """The setting as it stands."""
        record = self.world.catalog.get(shop_id, "SET", setting.record_id)
        if record is None:
            return Kept(document=setting.untouched)
        head = record.head
        return Kept(document=record.body, version=head.version, created_at=head.created_at, revision=head.updated_at)

    def change(
        self, caller: Caller, setting: Setting, decide: Decision, check: Check, *, publishes: bool = True
    ) -> tuple[Kept, PrecompileResult | None]:
        """Check what stands, decide, commit; then publish what stands, also when nothing differs.

        The first write is kept even when it says what held anyway: from then on it has a revision.
        Raises what `check` and `decide` raise, and StaleVersionError when races were lost again and again.
        """

        def attempt() -> tuple[Kept, OutboxRow | None]:
            before = self.read(caller.shop_id, setting)
            check(before)
            document = decide(before.document)
            if before.version and document == before.document:
                return before, None
            return self._write(caller, setting, before, document, publishes=publishes)

        after, row = retried(attempt)
        return after, self.publish(caller.shop_id, row) if publishes else None

    def put(self, shop_id: str, setting: Setting, after: Kept) -> Put:
        """The conditional write of a setting that is one version on."""
        head = Head(
            shop_id=shop_id,
            kind="SET",
            id=setting.record_id,
            version=after.version,
            created_at=after.created_at,
            updated_at=after.revision or after.created_at,
        )
        return Put(record=Record(head=head, body=after.document), expected_version=after.version - 1)

    def audit(self, caller: Caller, verb: str, before: Document, after: Document) -> AuditRow:
        """Who changed which setting; code and long values as hash and length."""
        return self.world.audit_row(
            user_id=caller.user_id,
            shop_id=caller.shop_id,
            action=f"settings.{verb}",
            entity=("settings", caller.shop_id, None),
            diff=differences(dict(before), dict(after)),
        )

    def publish(self, shop_id: str, row: OutboxRow | None) -> PrecompileResult:
        """Publish what stands, and say how that went."""
        return precompile_of(self.storefronts.publish(shop_id, row))

    def _write(
        self, caller: Caller, setting: Setting, before: Kept, document: Document, *, publishes: bool
    ) -> tuple[Kept, OutboxRow | None]:
        after = before.written(document, self.world.now())
        row = self.world.publish_row(caller.shop_id) if publishes else None
        self.world.catalog.commit(
            Commit(
                puts=[self.put(caller.shop_id, setting, after)],
                audit=[self.audit(caller, setting.verb, setting.shown(before.document), setting.shown(document))],
                outbox=[row] if row else [],
            )
        )
        return after, row


def precompile_of(outcome: Outcome) -> PrecompileResult:
    """What a publication came to."""
    if not outcome.ok:
        told = _listed(outcome.reasons) or "publication failed"
        return PrecompileResult(
            status="error", summary=f"What is stored could not be published yet; it will be retried: {told}"
        )
    if outcome.reasons:
        return PrecompileResult(status="warning", summary=f"Published, with parts left out: {_listed(outcome.reasons)}")
    return PrecompileResult(status="ok", summary="Published.")


def _listed(reasons: Sequence[str]) -> str:
    more = len(reasons) - _REASONS_TOLD
    return "; ".join([*reasons[:_REASONS_TOLD], *([f"and {more} more"] if more > 0 else [])])


def _just_after(moment: Timestamp) -> Timestamp:
    return timestamp(parse_timestamp(moment) + timedelta(milliseconds=1))
