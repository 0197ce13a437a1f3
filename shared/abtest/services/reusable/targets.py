"""Pages and audiences of a shop: made, listed, changed, deleted. What refers to them sees each change at once."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from abtest.contract.base import PublicationWarning
from abtest.domain.changes.consent import NO_CONSENT, Consent
from abtest.domain.changes.diff import Diff, differences
from abtest.domain.changes.errors import LiveImpactError
from abtest.domain.reusable.model import SAYS, Target, TargetKind, check, edited, target_document, target_from
from abtest.kit.errors import ConflictError, NotFoundError
from abtest.ports.catalog import AuditRow, Commit, Head, Put, Record, Remove
from abtest.services.context import Caller, World
from abtest.services.listing import Listing, Sort
from abtest.services.retrying import refuse_other_version, retried
from abtest.services.reusable.consumers import Consumer, consumers_of, live_among
from abtest.services.storefronts import Storefronts, warning_of

Stated = Mapping[str, Any]

_CALLED: Mapping[TargetKind, str] = {"PAGE": "page", "AUD": "audience"}
_NAMED_AT_MOST = 5


@dataclass(frozen=True, slots=True)
class NameContains:
    """The newest first, of those whose name contains `q` in any case."""

    q: str | None = None
    sort: Sort = "-created_at"

    def admits(self, head: Head) -> bool:
        """Whether the head passes."""
        return self.q is None or self.q.casefold() in (head.name or "").casefold()


@dataclass(frozen=True, slots=True)
class SavedTarget:
    """What is stored, and why storefronts may not know it yet: empty when they do."""

    target: Target
    reasons: Sequence[str] = ()

    @property
    def warning(self) -> PublicationWarning | None:
        """What the answer adds."""
        return warning_of(self.reasons)


class Targets:
    """Use cases of one of both kinds."""

    kind: TargetKind

    def __init__(self, world: World, storefronts: Storefronts) -> None:
        self._world = world
        self._storefronts = storefronts
        self._listing = Listing(world.catalog, self.kind, self._read, plural=f"{self._called}s")

    def page(self, shop_id: str, q: str | None, *, limit: int, after: str | None) -> tuple[list[Target], str | None]:
        """Newest first, and the key that continues the list."""
        return self._listing.page(shop_id, NameContains(q), limit=limit, after=after)

    def get(self, shop_id: str, target_id: str) -> Target:
        """One of the shop's. Raises NotFoundError."""
        record = self._world.catalog.get(shop_id, self.kind, target_id)
        if record is None:
            raise NotFoundError(f"no such {self._called}")
        return self._read(record)

    def consumers(self, shop_id: str, target_id: str) -> list[Consumer]:
        """Everything unarchived that refers to it. Raises NotFoundError."""
        self.get(shop_id, target_id)
        return consumers_of(self._world.catalog, shop_id, target_id)

    def create(self, caller: Caller, stated: Stated) -> SavedTarget:
        """A new one; nothing refers to it yet. Raises ValidationFailedError and UnsafeRegexError."""
        now = self._world.now()
        target = Target(
            kind=self.kind,
            id=self._world.new_id(),
            shop_id=caller.shop_id,
            name=stated["name"],
            says={name: stated.get(name, default) for name, default in SAYS[self.kind].items()},
            created_at=now,
            updated_at=now,
        )
        check(target)
        return self._save(caller, None, target)

    def update(
        self, caller: Caller, target_id: str, stated: Stated, *, consent: Consent, expected_version: int | None
    ) -> SavedTarget:
        """Replace the stated fields. Raises LiveImpactError unless `consent` names every live consumer."""

        def attempt() -> SavedTarget:
            before = self.get(caller.shop_id, target_id)
            refuse_other_version(expected_version, before.version)
            after = edited(before, stated, self._world.now())
            if after is before:
                return SavedTarget(before)
            if after.says != before.says:
                self._require_consent(before, consent)
            return self._save(caller, before, after)

        return retried(attempt)

    def delete(
        self, caller: Caller, target_id: str, *, consent: Consent = NO_CONSENT, expected_version: int | None
    ) -> None:
        """Remove what nothing refers to. Raises LiveImpactError, and ConflictError that names who refers to it."""

        def attempt() -> None:
            before = self.get(caller.shop_id, target_id)
            refuse_other_version(expected_version, before.version)
            if consumers := self._require_consent(before, consent):
                raise ConflictError(f"the {self._called} is used by {_said(consumers)}")
            diff = differences(_fields(before), {})
            commit = Commit(removes=[Remove(head=_head(before))], audit=[self._audit(caller, before, "delete", diff)])
            self._world.catalog.commit(commit)

        retried(attempt)

    @property
    def _called(self) -> str:
        return _CALLED[self.kind]

    def _read(self, record: Record) -> Target:
        return target_from(self.kind, record.body)

    def _require_consent(self, target: Target, consent: Consent) -> list[Consumer]:
        """Everything that refers to it; raises LiveImpactError when live ones were not all acknowledged."""
        consumers = consumers_of(self._world.catalog, target.shop_id, target.id)
        live = live_among(consumers)
        if not consent.names_all(live):
            raise LiveImpactError(live)
        return consumers

    def _save(self, caller: Caller, before: Target | None, after: Target) -> SavedTarget:
        version = before.version if before else 0
        stored = replace(after, version=version + 1)
        # Whoever began to use it since its consumers were read published what it said before: so publish in any case.
        row = self._world.publish_row(caller.shop_id) if before and before.says != after.says else None
        diff = differences(_fields(before) if before else {}, _fields(stored))
        record = Record(head=_head(stored), body=target_document(stored))
        self._world.catalog.commit(
            Commit(
                puts=[Put(record=record, expected_version=version)],
                audit=[self._audit(caller, stored, "update" if before else "create", diff)],
                outbox=[row] if row else [],
            )
        )
        return SavedTarget(stored, self._storefronts.refresh(caller.shop_id, row) if row else ())

    def _audit(self, caller: Caller, target: Target, verb: str, diff: Diff) -> AuditRow:
        return self._world.audit_row(
            user_id=caller.user_id,
            shop_id=target.shop_id,
            action=f"{self._called}.{verb}",
            entity=(self._called, target.id, target.name),
            diff=diff,
        )


class Pages(Targets):
    """Use cases of pages."""

    kind = "PAGE"


class Audiences(Targets):
    """Use cases of audiences."""

    kind = "AUD"


def _said(consumers: Sequence[Consumer]) -> str:
    named = ", ".join(f"{each.consumer} {each.name} ({each.id})" for each in consumers[:_NAMED_AT_MOST])
    more = len(consumers) - _NAMED_AT_MOST
    return f"{named} and {more} more" if more > 0 else named


def _fields(target: Target) -> dict[str, Any]:
    return {"name": target.name, **target.says}


def _head(target: Target) -> Head:
    return Head(
        shop_id=target.shop_id,
        kind=target.kind,
        id=target.id,
        version=target.version,
        created_at=target.created_at,
        updated_at=target.updated_at,
        name=target.name,
    )
