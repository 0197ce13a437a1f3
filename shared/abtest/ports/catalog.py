"""Catalog of aggregates: each is stored whole and committed together with its audit rows, events and names."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from abtest.domain.inbox.messages import InboxRole
from abtest.kit.clock import Timestamp
from abtest.kit.errors import ItemTooLargeError, ServiceError

Kind = Literal[
    "EXP",
    "GOAL",
    "KEY",
    "SHOP",
    "SET",
    "FLAG",
    "PZN",
    "PAGE",
    "AUD",
    "GRP",
    "DLT",
    "JOB",
    "GUARD",
    "HOOK",
    "USED",
    "PUB",
    "BRIEF",
    "LP",
    "LPV",
    "LPP",
    "LPQ",
    "LPR",
    "ASSET",
    "QUOTA",
    "TRASH",
    "SHOT",
    "MARK",
    "SEAL",
    "PROF",
    "LINK",
    "BACKLOG",
    "FILE",
    "IDEA",
    "USER",
    "MEMBER",
    "INVITE",
]
"""Kind of a record: experiment, goal, API key, shop, settings, flag, personalization, page, audience, exclusion group,
data-layer trigger, job (an export, a refresh or a check), state of Guardian, webhook, last use of an API key, announced
publications, content brief, landing page, and its versions, publishes, QA runs and later reports, asset,
what a shop has used of a limit, files to be removed, the latest pictures of an experiment, how far a user has read the
inbox, seal of a day's audit rows, profile of a store, idea of the backlog, ideas of an experiment,
numbers and order of all ideas, file of the workspace, user, member of an organisation,
and invitation to one.

`USED` and `PUB` are written by functions that may write neither keys nor settings, because policies grant kinds.

`MEMBER` and `INVITE` records have the id of their organisation in place of a shop's.

A `GUARD`, `SHOT` or `LINK` record has the id of its experiment, a `MARK` that of its user, a `FILE` its path.
`SHOP`, `SET` and `PROF` records have fixed ids (`SHOP`, `SET#DEFAULTS`, `PROFILE`) in their shop."""

CHILD_KINDS: frozenset[Kind] = frozenset({"LPV", "LPP", "LPQ", "LPR"})
"""Kinds whose records belong to a record of another kind, their parent. Lists and reads name the parent, so the
children of another parent do not exist for them. Children are in no work queue."""

WORK_QUEUES: Mapping[Kind, tuple[str, ...]] = {
    "EXP": ("RUN", "LAUNCH", "END", "COUNT"),
    "PZN": ("COUNT",),
    "SHOP": ("COUNT",),
    "JOB": ("JOB",),
    "TRASH": ("TRASH",),
}
"""Queues of the work index that heads of a kind may name in `due`. A kind without a row has none.

`RUN`, `LAUNCH`, `END`: running, scheduled and ending experiments. `COUNT`: resources that roll-ups count, due when
counting ends. That is never (COUNTED_FOR_EVER) for a shop and for a running or paused experiment, and seven days after
the last attribution window for a completed one. `JOB`: when a job should be checked, see `domain.jobs`.
`TRASH`: when the files of an asset are removed.
"""

COUNTED_FOR_EVER: Timestamp = "9999-12-31T23:59:59.999Z"
"""End of counting for resources that are counted until further notice."""

MAX_COMMIT_ITEMS = 100
"""Stored items that one transaction may touch: DynamoDB's limit. A record has a head, a body and work index entries."""

Topic = Literal["publish", "webhook"]
"""Consumer of an outbox row. Topics are processed independently: a backlog of one does not delay the other."""

Document = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Head:
    """Fields of a record that lists show and filters read, under 1 KB.

    `attributes` holds more scalars to filter by, which depend on the kind.
    """

    shop_id: str
    kind: Kind
    id: str
    version: int
    created_at: Timestamp
    updated_at: Timestamp
    parent_id: str | None = None
    """Parent of a record of CHILD_KINDS; None for every other kind."""
    name: str | None = None
    status: str | None = None
    archived_at: Timestamp | None = None
    attributes: Mapping[str, str | int | bool | None] = field(default_factory=dict)
    due: Mapping[str, Timestamp] = field(default_factory=dict)
    """Work index entries: the queue's name (see WORK_QUEUES) to the moment the record is due; for `RUN`, its start."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """Head and document of an aggregate."""

    head: Head
    body: Document


@dataclass(frozen=True, slots=True, kw_only=True)
class Put:
    """Record to store. `expected_version` is the stored version, 0 for a record that must not exist yet."""

    record: Record
    expected_version: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Remove:
    """Record to delete; its stored version must still be that of the head."""

    head: Head


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """Unique name (`EXP#SLUG#summer-sale`) to claim for a record.

    `scope` is a shop id, or None for names that are unique in the whole service. Claiming a name for the record that
    holds it replaces the attributes. A commit that also releases the name moves it to the new record. `attributes` are
    stored in the claim, for readers without access to records: the edge reads an API key's properties from them.
    """

    scope: str | None
    name: str
    target_id: str
    target_shop_id: str
    attributes: Mapping[str, str | None] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Release:
    """Unique name to release. `scope` as in Claim."""

    scope: str | None
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditRow:
    """Audit entry: user, action and entity. Entries are never changed.

    `diff` is `{field: [before, after]}`, with code as hash and length. `id` is a UUID version 7, the order of lists.
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
    """Work to do after the commit, attempted until it succeeds."""

    id: str
    shop_id: str
    topic: Topic
    payload: Document
    created_at: Timestamp


@dataclass(frozen=True, slots=True, kw_only=True)
class InboxRow:
    """Message in a shop's inbox, never changed. `id` is a UUID version 7, the order of lists."""

    id: str
    shop_id: str
    role: InboxRole
    body: str
    sender_id: str | None
    created_at: Timestamp


@dataclass(frozen=True, slots=True, kw_only=True)
class Commit:
    """Atomic change: all of it is written or none."""

    puts: Sequence[Put] = ()
    removes: Sequence[Remove] = ()
    claims: Sequence[Claim] = ()
    releases: Sequence[Release] = ()
    audit: Sequence[AuditRow] = ()
    outbox: Sequence[OutboxRow] = ()
    inbox: Sequence[InboxRow] = ()


def together(*commits: Commit) -> Commit:
    """Return one commit with the contents of all."""
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
    """One page of heads, newest first. `last_id` continues the list; None at its end."""

    heads: Sequence[Head]
    last_id: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class DueEntry:
    """Entry of a work queue: a record, its version, and the moment it is due.

    `version` is 0 in entries that an older release wrote.
    """

    shop_id: str
    kind: Kind
    id: str
    due: Timestamp
    version: int = 0


OnCommitted = Callable[[Sequence[OutboxRow]], None]
"""Callback with the outbox rows of a successful commit, not called when there are none. It must not raise."""


class StaleVersionError(ServiceError):
    """Record that changed, appeared or vanished between reading and committing. Services retry or answer 409 or 412."""

    status = 409
    code = "version_conflict"


class NameTakenError(ServiceError):
    """Claim of a `name` that belongs to another record."""

    status = 409
    code = "key_taken"

    def __init__(self, name: str) -> None:
        super().__init__(f"{name} is taken")
        self.name = name


class CommitTooLargeError(ItemTooLargeError):
    """Commit that exceeds the store's limits for a transaction (100 items, 4 MB in all, 400 KB an item)."""


class Catalog(Protocol):
    """Aggregates of all shops. Reads name the shop; another shop's ids do not exist for them.

    Reads of CHILD_KINDS also name the parent with `parent_id`; they find nothing without it.
    All calls may raise DatabaseBusyError when the store throttles.
    """

    def get(self, shop_id: str, kind: Kind, record_id: str, *, parent_id: str | None = None) -> Record | None:
        """Return the record, read consistently, or None."""
        ...

    def get_many(
        self, shop_id: str, kind: Kind, record_ids: Sequence[str], *, parent_id: str | None = None
    ) -> list[Record]:
        """Return the records that exist, read consistently, in the order of the ids."""
        ...

    def list(
        self, shop_id: str, kind: Kind, *, limit: int, after_id: str | None = None, parent_id: str | None = None
    ) -> HeadPage:
        """Return at most `limit` heads by descending id (newest first); with `after_id`, only ids below it."""
        ...

    def resolve(self, scope: str | None, name: str) -> tuple[str, str] | None:
        """Return (shop id, record id) of a claimed name, read consistently, or None."""
        ...

    def resolve_many(self, scope: str | None, names: Sequence[str]) -> Mapping[str, tuple[str, str]]:
        """Return (shop id, record id) by name for the names that are claimed, read consistently."""
        ...

    def claim_attributes(self, scope: str | None, name: str) -> Mapping[str, str | None] | None:
        """Return the attributes of a name's claim, or None when the name is not claimed."""
        ...

    def commit(self, change: Commit) -> None:
        """Apply a change: all of it or none.

        Raises StaleVersionError, NameTakenError (the first where both apply), CommitTooLargeError, and ValueError for
        a change with one record or name twice, with a work queue that the kind does not have, or with a parent where
        the kind has none (or without one where it has).
        """
        ...

    def audit(
        self, shop_id: str, *, entity_id: str | None, limit: int, after_id: str | None = None
    ) -> tuple[Sequence[AuditRow], str | None]:
        """Return audit rows, newest first, of one entity or of all, and the id that continues the list, if any.

        `limit` and `after_id` as in `list`.
        """
        ...

    def inbox(
        self,
        shop_id: str,
        *,
        limit: int,
        after_id: str | None = None,
        from_id: str | None = None,
        oldest_first: bool = False,
    ) -> tuple[Sequence[InboxRow], str | None]:
        """Return messages, newest or oldest first, and the id that continues the list, if any.

        `limit` as in `list`. With `after_id`, only messages behind it in this order; with `from_id`, only messages of
        this id and higher ones.
        """
        ...

    def inbox_message(self, shop_id: str, message_id: str) -> InboxRow | None:
        """Return the message, read consistently, or None."""
        ...

    def due(self, queue: str, until: Timestamp, *, limit: int) -> Sequence[DueEntry]:
        """Return at most `limit` entries of a work queue that are due at `until` or before, earliest due first."""
        ...

    def forget_due(self, queue: str, entry: DueEntry) -> None:
        """Remove an entry from a queue, unless it is due at another moment by now. The record is not changed.

        Repeating the call is harmless. The next commit of the record writes the entries of its head again.
        """
        ...

    def outbox(self, topic: Topic, *, created_before: Timestamp, limit: int) -> Sequence[OutboxRow]:
        """Return at most `limit` pending rows of the topic that were created before a moment, oldest first."""
        ...

    def unpublished(self, shop_id: str, *, limit: int) -> Sequence[OutboxRow]:
        """Return pending rows of `publish`, at most `limit` and oldest first: those of a shop, among those of others.

        Shops share parts of the outbox. A shop that is not among fewer than `limit` rows has no pending one.
        """
        ...

    def event(self, created_at: Timestamp, row_id: str) -> OutboxRow | None:
        """Return the `webhook` row of a moment and an id, read consistently; None once it is done."""
        ...

    def outbox_done(self, row: OutboxRow) -> None:
        """Remove a row whose work is done. Repeating the call is harmless."""
        ...

    def next_revision(self, shop_id: str) -> int:
        """Return the shop's next revision number for a publication: higher at every call, with gaps."""
        ...
