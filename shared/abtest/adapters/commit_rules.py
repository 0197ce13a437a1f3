"""Rules that every catalog checks before it writes a commit: consistency and size."""

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence

from abtest.ports.catalog import CHILD_KINDS, MAX_COMMIT_ITEMS, WORK_QUEUES, Commit, CommitTooLargeError, Head

RecordKey = tuple[str, str, str, str | None]
"""Shop id, kind, record id, parent id."""


def record_key(head: Head) -> RecordKey:
    """Return the key that identifies a record in the whole service."""
    return head.shop_id, head.kind, head.id, head.parent_id


def check(change: Commit) -> None:
    """Raise CommitTooLargeError for more than 100 stored items, and ValueError for a change that contradicts itself."""
    named: Mapping[str, Sequence[Hashable]] = {
        "record": [record_key(put.record.head) for put in change.puts]
        + [record_key(remove.head) for remove in change.removes],
        "claim": [(claim.scope, claim.name) for claim in change.claims],
        "release": [(release.scope, release.name) for release in change.releases],
    }
    # DynamoDB refuses a transaction with two writes of one item, and its error does not name the item.
    for what, keys in named.items():
        for key, count in Counter(keys).items():
            if count > 1:
                raise ValueError(f"a commit must not have the {what} {key} twice")
    for head in [put.record.head for put in change.puts] + [remove.head for remove in change.removes]:
        if (head.kind in CHILD_KINDS) != (head.parent_id is not None):
            raise ValueError(
                f"a record of kind {head.kind} must{'' if head.kind in CHILD_KINDS else ' not'} have a parent"
            )
    for put in change.puts:
        head = put.record.head
        if unknown := set(head.due) - set(queues_of(head)):
            raise ValueError(f"records of kind {head.kind} have no work queue {sorted(unknown)}")
    check_items(count_items(change))


def check_items(items: int) -> None:
    """Raise CommitTooLargeError for more stored items than one transaction can write."""
    if items > MAX_COMMIT_ITEMS:
        raise CommitTooLargeError(
            f"this change writes {items} stored items, but at most {MAX_COMMIT_ITEMS} are allowed; split it"
        )


def count_items(change: Commit) -> int:
    """Return how many stored items the change writes or deletes."""
    # An audit row has four entries, by which lists find it (see dynamo/audit.py).
    items = 5 * len(change.audit) + len(change.outbox) + len(change.inbox)
    for put in change.puts:
        head = put.record.head
        # A new record has no work entries to delete; a changed one may leave every queue that it does not name.
        items += 2 + (len(head.due) if put.expected_version == 0 else len(queues_of(head)))
    for remove in change.removes:
        items += 2 + len(queues_of(remove.head))
    # A set, because a name that is released and claimed in one commit is written once.
    names = {(claim.scope, claim.name) for claim in change.claims}
    names |= {(release.scope, release.name) for release in change.releases}
    return items + len(names)


def queues_of(head: Head) -> tuple[str, ...]:
    """Return the work queues that a head of this kind may be in."""
    return WORK_QUEUES.get(head.kind, ())
