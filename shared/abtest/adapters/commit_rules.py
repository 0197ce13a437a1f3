"""What every catalog asks of a commit before it writes: that it does not contradict itself and is not too large."""

from collections.abc import Iterable

from abtest.ports.catalog import (
    MAX_COMMIT_ITEMS,
    WORK_QUEUES,
    Commit,
    CommitTooLargeError,
    Head,
    Put,
)

RecordKey = tuple[str, str, str]
"""Shop id, kind, record id."""


def record_key(head: Head) -> RecordKey:
    """What names a record in the whole service."""
    return head.shop_id, head.kind, head.id


def check(change: Commit) -> None:
    """Raises CommitTooLargeError for more than 100 stored items, ValueError for a change that contradicts itself."""
    _refuse_doubles("record", [record_key(put.record.head) for put in change.puts] + _removed(change))
    _refuse_doubles("claim", [(claim.scope, claim.name) for claim in change.claims])
    _refuse_doubles("release", [(release.scope, release.name) for release in change.releases])
    for put in change.puts:
        _refuse_unknown_queues(put.record.head)
    items = count_items(change)
    if items > MAX_COMMIT_ITEMS:
        raise CommitTooLargeError(f"this change touches {items} stored items; {MAX_COMMIT_ITEMS} is the most at once")


def count_items(change: Commit) -> int:
    """How many stored items the change touches."""
    records = sum(_items_of(put) for put in change.puts) + sum(2 + len(queues_of(gone.head)) for gone in change.removes)
    names = {(claim.scope, claim.name) for claim in change.claims}
    names |= {(release.scope, release.name) for release in change.releases}
    return records + len(names) + 2 * len(change.audit) + len(change.outbox) + len(change.inbox)


def queues_of(head: Head) -> tuple[str, ...]:
    """The work queues that a head of this kind may stand in."""
    return WORK_QUEUES.get(head.kind, ())


def _items_of(put: Put) -> int:
    head = put.record.head
    # A new record has no entries to take back; a changed one may leave any queue that it does not name.
    entries = len(head.due) if put.expected_version == 0 else len(queues_of(head))
    return 2 + entries


def _removed(change: Commit) -> list[RecordKey]:
    return [record_key(remove.head) for remove in change.removes]


def _refuse_doubles(what: str, keys: Iterable[object]) -> None:
    seen = set()
    for key in keys:
        if key in seen:
            raise ValueError(f"one commit names the {what} {key} twice")
        seen.add(key)


def _refuse_unknown_queues(head: Head) -> None:
    unknown = set(head.due) - set(queues_of(head))
    if unknown:
        raise ValueError(f"a record of kind {head.kind} has no work queue {sorted(unknown)}")
