"""The catalog: aggregates stored whole, committed together with everything that must never part from them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from abtest.kit.clock import Timestamp
from abtest.kit.errors import ServiceError

Kind = Literal["EXP", "GOAL", "KEY", "SHOP", "SET", "FLAG", "PZN", "PAGE", "AUD", "GRP", "DLT", "JOB", "GUARD", "HOOK"]
"""What a record is. `FLAG`, `PZN`, `PAGE`, `AUD`, `GRP`, `DLT`, `JOB`: flags, personalizations, pages, audiences,
exclusion groups, data-layer triggers, jobs (exports and refreshes). `GUARD`: what Guardian remembers of the experiment
with that id. `HOOK`: webhooks.
`SHOP` and `SET` records have fixed ids (`SHOP`, `SET#DEFAULTS`) inside their shop."""

WORK_QUEUES: Mapping[Kind, tuple[str, ...]] = {
    "EXP": ("RUN", "LAUNCH", "END", "COUNT"),
    "PZN": ("COUNT",),
    "SHOP": ("COUNT",),
    "JOB": ("JOB",),
}
"""The queues of the work index that heads of a kind may name in `due`; a kind that is not here has none.

`COUNT` names what roll-ups count, and until when: a shop and a running or paused experiment for ever
(COUNTED_FOR_EVER), a completed one until seven days after the last attribution window of its visitors. `JOB`: when
somebody should look after a job, see `domain.jobs`.
"""

COUNTED_FOR_EVER: Timestamp = "9999-12-31T23:59:59.999Z"

MAX_COMMIT_ITEMS = 100
"""Stored items that one commit may touch, all counted: a record is a head, a body and its work index entries."""

Topic = Literal["publish", "webhook"]
"""Whom an outbox row waits for; rows of one topic never stand in the way of another's."""

InboxRole = Literal["client", "operator", "system"]
"""Who speaks in the inbox."""

Document = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Head:
    """What lists show and filters read, under 1 KB. `attributes` holds further filterable scalars of the kind."""

    shop_id: str
    kind: Kind
    id: str
    version: int
    created_at: Timestamp
    updated_at: Timestamp
    name: str | None = None
    status: str | None = None
    archived_at: Timestamp | None = None
    attributes: Mapping[str, str | int | bool | None] = field(default_factory=dict)
    due: Mapping[str, Timestamp] = field(default_factory=dict)
    """Work index entries: queue name (`RUN`, `LAUNCH`, `END`) to the moment it is due. `RUN` uses its start."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """A head with its whole document."""

    head: Head
    body: Document


@dataclass(frozen=True, slots=True, kw_only=True)
class Put:
    """Store a record. `expected_version` 0 means that it must not exist yet; the stored version is head.version."""

    record: Record
    expected_version: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Remove:
    """Delete a record that still has this version."""

    head: Head


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """Take a unique name (`EXP#SLUG#summer-sale`) for a record; `scope` is a shop id, or None for the whole service.

    Taking a name again for the record that holds it is fine, and replaces the attributes. A commit that also releases
    the name moves it. `attributes` stand in the claim itself, for readers that may read nothing else: the edge learns
    from them what it needs of a key.
    """

    scope: str | None
    name: str
    target_id: str
    target_shop_id: str
    attributes: Mapping[str, str | None] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Release:
    """Give a unique name back."""

    scope: str | None
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditRow:
    """Who did what to which thing; append-only. `diff` is `{field: [before, after]}`, code as hash + length.

    `id` is a uuid7: rows are kept and listed by it.
    """

    id: str
    shop_id: str
    user_id: str
    action: str
    entity_type: str
    entity_id: str
    entity_name: str | None
    diff: Any
    created_at: Timestamp


@dataclass(frozen=True, slots=True, kw_only=True)
class OutboxRow:
    """Something to do after the commit, repeated until done."""

    id: str
    shop_id: str
    topic: Topic
    payload: Document
    created_at: Timestamp


@dataclass(frozen=True, slots=True, kw_only=True)
class InboxRow:
    """A message to the shop; append-only. `id` is a uuid7: messages are kept and listed by it."""

    id: str
    shop_id: str
    role: InboxRole
    body: str
    sender_id: str | None
    created_at: Timestamp


@dataclass(frozen=True, slots=True, kw_only=True)
class Commit:
    """One atomic change: everything or nothing."""

    puts: Sequence[Put] = ()
    removes: Sequence[Remove] = ()
    claims: Sequence[Claim] = ()
    releases: Sequence[Release] = ()
    audit: Sequence[AuditRow] = ()
    outbox: Sequence[OutboxRow] = ()
    inbox: Sequence[InboxRow] = ()


def together(*commits: Commit) -> Commit:
    """One commit that does what all of these do."""
    return Commit(
        puts=[put for commit in commits for put in commit.puts],
        removes=[remove for commit in commits for remove in commit.removes],
        claims=[claim for commit in commits for claim in commit.claims],
        releases=[release for commit in commits for release in commit.releases],
        audit=[row for commit in commits for row in commit.audit],
        outbox=[row for commit in commits for row in commit.outbox],
        inbox=[row for commit in commits for row in commit.inbox],
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class HeadPage:
    """One page of heads, newest first. `last_id` continues the list; None when it ended."""

    heads: Sequence[Head]
    last_id: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class DueEntry:
    """A record that a queue of the work index names."""

    shop_id: str
    kind: Kind
    id: str
    due: Timestamp


Told = Callable[[Sequence[OutboxRow]], None]
"""Is given the outbox rows of a commit, if there are any, once it stands. It must not raise: the rows are safe."""


class StaleVersionError(ServiceError):
    """A record changed (or came or went) between reading and committing. Services retry or answer 409/412."""

    status = 409
    code = "version_conflict"


class NameTakenError(ServiceError):
    """A claimed name belongs to another record; `name` says which."""

    status = 409
    code = "key_taken"

    def __init__(self, name: str) -> None:
        super().__init__(f"{name} is taken")
        self.name = name


class CommitTooLargeError(ServiceError):
    """The change is more than the store can apply at once (100 items, 4 MB in all, 400 KB a row)."""

    status = 422
    code = "limit_reached"


class Catalog(Protocol):
    """Aggregates of shops. Every call is bound to one shop: another shop's id is simply not found.

    All calls may raise DatabaseBusyError when the store throttles.
    """

    def get(self, shop_id: str, kind: Kind, record_id: str) -> Record | None:
        """The record, read consistently, or None."""
        ...

    def get_many(self, shop_id: str, kind: Kind, record_ids: Sequence[str]) -> list[Record]:
        """The records that exist, in the order of the ids."""
        ...

    def list(self, shop_id: str, kind: Kind, *, limit: int, after_id: str | None = None) -> HeadPage:
        """Heads by descending id (newest first), at most `limit`, those below `after_id`."""
        ...

    def resolve(self, scope: str | None, name: str) -> tuple[str, str] | None:
        """(shop id, record id) that a claimed name points to."""
        ...

    def resolve_many(self, scope: str | None, names: Sequence[str]) -> Mapping[str, tuple[str, str]]:
        """(shop id, record id) of each of the names that is claimed, read consistently."""
        ...

    def claim_attributes(self, scope: str | None, name: str) -> Mapping[str, str | None] | None:
        """What stands in the claim of a name; None when nobody holds it."""
        ...

    def commit(self, change: Commit) -> None:
        """Apply all of it or none.

        Raises StaleVersionError before NameTakenError when both hold, CommitTooLargeError, and ValueError for a
        change that contradicts itself (one record or one name twice, a queue that the kind does not have).
        """
        ...

    def audit(
        self, shop_id: str, *, entity_id: str | None, limit: int, after_id: str | None = None
    ) -> tuple[Sequence[AuditRow], str | None]:
        """Audit rows newest first, of one entity or all, and the id that continues the list."""
        ...

    def inbox(self, shop_id: str, *, limit: int, after_id: str | None = None) -> tuple[Sequence[InboxRow], str | None]:
        """Messages newest first, those below `after_id`, and the id that continues the list."""
        ...

    def due(self, queue: str, until: Timestamp, *, limit: int) -> Sequence[DueEntry]:
        """Entries of a work queue that are due by then, oldest first over all shards (at most `limit`)."""
        ...

    def forget_due(self, queue: str, entry: DueEntry) -> None:
        """Take an entry out of a queue unless it is due at another moment by now. The record itself does not change.

        Doing it twice is harmless; a later commit of the record follows its head again.
        """
        ...

    def outbox(self, topic: Topic, *, created_before: Timestamp, limit: int) -> Sequence[OutboxRow]:
        """Outbox rows of the topic not yet done, oldest first."""
        ...

    def outbox_row(self, topic: Topic, created_at: Timestamp, row_id: str) -> OutboxRow | None:
        """The row, read consistently; None once it is done."""
        ...

    def outbox_done(self, row: OutboxRow) -> None:
        """Forget a row that was carried out. Doing it twice is harmless."""
        ...

    def next_revision(self, shop_id: str) -> int:
        """A number that rises with every call for the shop; publications carry it."""
        ...
