"""One store for every kind of aggregate: load, decide, commit with audit and outbox rows, publish.

A family declares what its aggregates have of their own as a `Resource`; `Aggregates` does the rest. A change is one
commit: the record, the unique names that it takes and gives back, its audit row, its outbox rows.

A request that is repeated because its outcome is unknown makes the same ids again. A new record under such an id, and
an audit row under such an id, were stored by an earlier run; the stored aggregate is then the result.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Generic, NamedTuple

from abtest.contract.base import PublicationWarning
from abtest.domain.changes.change import Change, Occasion
from abtest.kit.errors import ConflictError, NotFoundError
from abtest.ports.catalog import AuditRow, Commit, NameTakenError, OutboxRow, Remove, together
from abtest.services.context import Caller, World
from abtest.services.listing import Filters, Listing, Order
from abtest.services.names import Names, Renaming
from abtest.services.resources import A, Resource, loaded
from abtest.services.retries import ATTEMPTS, Versions, refuse_other_version, retried
from abtest.services.storefronts import Refreshes, warning_of


@dataclass(frozen=True, slots=True)
class Saved(Generic[A]):
    """A stored aggregate, and why storefronts may not have it yet: empty when they do.

    `changed` is False where nothing differed, so that nothing was stored.
    """

    value: A
    reasons: Sequence[str] = ()
    changed: bool = True

    @property
    def warning(self) -> PublicationWarning | None:
        """Warning that the response carries while the publication is incomplete."""
        return warning_of(self.reasons)


class Staged(NamedTuple, Generic[A]):
    """Changes that are ready to be committed: the aggregates at their new versions, and the commit."""

    values: Sequence[A]
    commit: Commit


Decide = Callable[[A, Occasion], Change[A]]
Admit = Callable[[A | None, A], None]
"""Refuses a write that could not be published, from the states before and after it."""

NOTHING = Commit()


class Aggregates(Generic[A]):
    """Aggregates of one kind. `storefronts` is None for a kind that shoppers never see."""

    def __init__(
        self,
        world: World,
        resource: Resource[A],
        storefronts: Refreshes | None = None,
        admit: Admit[A] | None = None,
    ) -> None:
        self.world = world
        self.resource = resource
        self.storefronts = storefronts
        self.admit = admit
        plural = resource.plural or f"{resource.noun}s"
        self._listing = Listing(world.catalog, resource.kind, resource.from_record, plural=plural)

    def get(self, shop_id: str, record_id: str) -> A:
        """One of the shop's. Raises NotFoundError, also for other shops' ids."""
        return loaded(self.world.catalog, self.resource, shop_id, record_id)

    def find(self, shop_id: str, name: str) -> A | None:
        """The one that holds a unique name."""
        target = self.world.catalog.resolve(shop_id, name)
        record = self.world.catalog.get(shop_id, self.resource.kind, target[1]) if target else None
        return self.resource.from_record(record) if record else None

    def get_many(self, shop_id: str, record_ids: Sequence[str]) -> list[A]:
        """Those that exist, in the order of the ids."""
        records = self.world.catalog.get_many(shop_id, self.resource.kind, record_ids)
        return [self.resource.from_record(record) for record in records]

    def page(
        self,
        shop_id: str,
        filters: Filters,
        *,
        limit: int,
        after: str | None,
        admits_whole: Callable[[A], bool] = lambda _: True,
        order: Order | None = None,
    ) -> tuple[list[A], str | None]:
        """Those that pass the filters, and the key that continues the list; see Listing.page."""
        return self._listing.page(shop_id, filters, limit=limit, after=after, admits_whole=admits_whole, order=order)

    def occasion(self, caller: Caller) -> Occasion:
        """This moment, this caller."""
        return Occasion(now=self.world.now(), user_id=caller.user_id, event_id=self.world.new_id())

    def add(
        self,
        caller: Caller,
        record_id: str,
        make: Callable[[Occasion], A],
        *,
        action: str | None = None,
        note: Mapping[str, Any] | None = None,
        extra: Commit = NOTHING,
        attempts: int = ATTEMPTS,
    ) -> Saved[A]:
        """Make an aggregate with this id and store it; `make` is called again when another writer was faster.

        Raises what `make` and `save` raise, and StaleVersionError when every attempt lost its race.
        """
        action = action or f"{self.resource.entity_type}.create"

        def attempt() -> Saved[A]:
            if earlier := self.earlier(caller.shop_id, record_id):
                return earlier
            made = make(self.occasion(caller))
            return self.save(caller.user_id, Change(before=None, after=made, action=action, note=note or {}), extra)

        return retried(attempt, attempts)

    def change(
        self,
        caller: Caller,
        which: str | Callable[[], A],
        decide: Decide[A],
        *,
        expected_version: Versions = None,
        extra: Commit = NOTHING,
        row_id: str | None = None,
        attempts: int = ATTEMPTS,
    ) -> Saved[A]:
        """Load, decide, commit, publish; decide again when another writer was faster.

        `which` is an id, or loads the aggregate. A change that changes nothing and notes nothing is not committed; one
        that only notes something is audited.
        `extra` is committed with the change or not at all. `row_id` is the new id of its audit row. When an earlier run
        of a repeated request committed the change, the stored aggregate is returned, whatever version is expected.

        Raises NotFoundError, VersionConflictError when the caller expects another version, StaleVersionError when every
        attempt lost its race, and whatever `decide` and `save` raise.
        """

        # Drawn once: attempts differ in how many ids they draw.
        mark = row_id or self.world.audit_row_id()

        def attempt() -> Saved[A]:
            before = self.get(caller.shop_id, which) if isinstance(which, str) else which()
            if self.world.is_stored(self.resource.shop_id(before), mark):
                return self._stored_earlier(before, before)
            refuse_other_version(expected_version, before.version)
            change = decide(before, self.occasion(caller))
            if change.is_empty:
                return Saved(before, changed=False)
            return self.save(caller.user_id, change, extra, row_id=mark)

        return retried(attempt, attempts)

    def remove(
        self,
        caller: Caller,
        which: str | Callable[[], A],
        *,
        expected_version: Versions,
        check: Callable[[A], None] = lambda _: None,
        extra: Commit = NOTHING,
        attempts: int = ATTEMPTS,
    ) -> Saved[A] | None:
        """Delete an aggregate and return its last state, None when an earlier run of this request deleted it.

        `extra` is committed with the deletion or not at all. Raises what `change` and `check` raise.
        """
        mark = self.world.audit_row_id()

        def decide(before: A, _occasion: Occasion) -> Change[A]:
            check(before)
            return Change(before=before, after=None, action=f"{self.resource.entity_type}.delete")

        try:
            return self.change(
                caller, which, decide, expected_version=expected_version, extra=extra, row_id=mark, attempts=attempts
            )
        except NotFoundError:
            if not self.world.is_stored(caller.shop_id, mark):
                raise
        return None

    def earlier(self, shop_id: str, record_id: str) -> Saved[A] | None:
        """Return the record that an earlier run of this request stored under its new id, if it did."""
        if not self.world.is_repeated:
            return None
        record = self.world.catalog.get(shop_id, self.resource.kind, record_id)
        return self._stored_earlier(None, self.resource.from_record(record)) if record else None

    def save(self, user_id: str, change: Change[A], extra: Commit = NOTHING, *, row_id: str | None = None) -> Saved[A]:
        """Commit one decided change and publish what shoppers see.

        Raises StaleVersionError, the resource's error for a name that is taken, and TooLargeError for what could not be
        published.
        """
        staged = self.stage([change], [self.audit_row(user_id, change, row_id)])
        reasons = self._commit(change, together(staged.commit, extra))
        return Saved(staged.values[0], reasons, changed=change.before != change.after)

    def save_many(self, changes: Sequence[Change[A]], audit: AuditRow) -> tuple[Sequence[A], Sequence[str]]:
        """Commit several changes as one, under one audit row: the stored aggregates, and why storefronts lack them.

        Raises what `save` raises.
        """
        staged = self.stage(changes, [audit])
        return staged.values, self._commit(changes[0], staged.commit)

    def stage(self, changes: Sequence[Change[A]], audit: Sequence[AuditRow]) -> Staged[A]:
        """Prepare the commit of the changes. Raises TooLargeError for a state that could not be published."""
        numbered = [(change, self._numbered(change)) for change in changes]
        # A change that only notes something writes its audit row and nothing else.
        differing = [(change, after) for change, after in numbered if change.before != after]
        pairs = [(change.before, after) for change, after in differing]
        writes = [self._writes(change, after) for change, after in differing]
        commit = together(Commit(audit=audit), *writes, self.companions(pairs) if pairs else NOTHING)
        if any(self.resource.reaches_shoppers(before, after) for before, after in pairs):
            publish = self.world.publish_row(self.resource.shop_id(changes[0].subject))
            commit = replace(commit, outbox=[*commit.outbox, publish])
        return Staged([change.subject if after is None else after for change, after in numbered], commit)

    def companions(self, pairs: Sequence[tuple[A | None, A | None]]) -> Commit:  # noqa: ARG002 - for overrides
        """Records that change together with the aggregates of these pairs (before, after), which all differ."""
        return NOTHING

    def _numbered(self, change: Change[A]) -> A | None:
        """The state after the change at its version: one more than before, unless nothing changes."""
        if change.after is None or change.before == change.after:
            return change.after
        after = replace(change.after, version=(change.before.version if change.before else 0) + 1)
        if self.admit is not None:
            self.admit(change.before, after)
        return after

    def _writes(self, change: Change[A], after: A | None) -> Commit:
        before, resource = change.before, self.resource
        renaming = Renaming(
            shop_id=resource.shop_id(change.subject),
            record_id=resource.record_id(change.subject),
            before=resource.names(before) if before else Names(),
            after=resource.names(after) if after else Names(),
        )
        return Commit(
            puts=[resource.put(after)] if after else [],
            removes=[Remove(head=resource.head(before))] if before and not after else [],
            claims=renaming.claims(),
            releases=renaming.releases(),
            outbox=self._events(change),
            inbox=[self.world.system_message(resource.shop_id(change.subject), text) for text in change.notices],
        )

    def _commit(self, change: Change[A], commit: Commit) -> Sequence[str]:
        """Commit what was staged, then publish if it promises that; why storefronts may not have it yet."""
        try:
            self.world.catalog.commit(commit)
        except NameTakenError as error:
            if self.resource.name_taken is None:
                raise ConflictError(f"another {self.resource.noun} of the shop has this name or key") from error
            raise self.resource.name_taken(change.subject, error) from error
        # Rows with a payload are promises of landing pages: to publish the shop does not keep them.
        row = next((row for row in commit.outbox if row.topic == "publish" and not row.payload), None)
        if row is None or self.storefronts is None:
            return ()
        return self.storefronts.refresh(row.shop_id, row)

    def _stored_earlier(self, before: A | None, value: A) -> Saved[A]:
        """The result of an earlier run, which may have ended before it published."""
        if self.storefronts is None or not self.resource.reaches_shoppers(before, value):
            return Saved(value)
        return Saved(value, self.storefronts.refresh(self.resource.shop_id(value)))

    def audit_row(self, user_id: str, change: Change[A], row_id: str | None = None) -> AuditRow:
        """Build the audit row of a change."""
        resource, subject = self.resource, change.subject
        return self.world.audit_row(
            user_id=user_id,
            shop_id=resource.shop_id(subject),
            action=change.action,
            entity=(resource.entity_type, subject.id, resource.summary(subject).name),
            diff=resource.diff(change),
            row_id=row_id,
        )

    def _events(self, change: Change[A]) -> list[OutboxRow]:
        shop_id = self.resource.shop_id(change.subject)
        facts = self.resource.event_facts(change.subject)
        payloads = [{"event": event.name, **facts, **event.facts} for event in change.events]
        return _in_order([self.world.outbox_row(shop_id, "webhook", payload) for payload in payloads])


def _in_order(rows: Sequence[OutboxRow]) -> list[OutboxRow]:
    """Rows of one change, with ids and moments that rise: the outbox is sorted by both."""
    ids, moment = sorted(row.id for row in rows), max((row.created_at for row in rows), default="")
    return [replace(row, id=row_id, created_at=moment) for row, row_id in zip(rows, ids, strict=True)]
