"""Items that a commit writes and deletes."""

from pynamodb.expressions.condition import Condition
from pynamodb.expressions.operand import Path

from abtest.adapters import catalog_documents as documents
from abtest.adapters.commit_rules import queues_of, record_key
from abtest.adapters.dynamo import keys
from abtest.adapters.dynamo.audit import entries_of
from abtest.adapters.dynamo.bodies import Bodies, compress
from abtest.adapters.dynamo.ephemeral import expires
from abtest.adapters.dynamo.table import Item, Table, absent
from abtest.adapters.dynamo.transaction import Transaction
from abtest.domain.inbox.messages import SYSTEM_MESSAGES_KEPT
from abtest.kit import canonical_json
from abtest.kit.clock import parse_timestamp
from abtest.ports.catalog import (
    Claim,
    Commit,
    Head,
    NameTakenError,
    Put,
    StaleVersionError,
)


def plan(table: Table, bodies: Bodies, change: Commit) -> Transaction:
    """Return the transaction that applies a change. Large bodies are in the blob store when this returns.

    Raises CommitTooLargeError, and ValueError for an id or a name that cannot be part of a key.
    """
    transaction = Transaction(table)
    for put in change.puts:
        _put_record(transaction, bodies, put)
    for remove in change.removes:
        head = remove.head
        pk = keys.record(*record_key(head))
        is_unchanged = Path("version") == head.version
        transaction.delete(keys.heads(head.shop_id, head.kind, head.parent_id), head.id, is_unchanged, _stale(head))
        transaction.delete(pk, keys.BODY)
        for queue in queues_of(head):
            transaction.delete(pk, keys.work_entry(queue))
    _write_names(transaction, change)
    _append_rows(transaction, change)
    return transaction


def _put_record(transaction: Transaction, bodies: Bodies, put: Put) -> None:
    head = put.record.head
    common = {"version": head.version, "head": documents.write_head(head).decode()}
    is_new = put.expected_version == 0
    condition = absent() if is_new else Path("version") == put.expected_version
    heads = keys.heads(head.shop_id, head.kind, head.parent_id and _usable(head.parent_id))
    pk = keys.record(*record_key(head))
    # Only the head's item has a condition: all writes of a record are in one transaction with it.
    what = f"the record {head.kind} {head.id}"
    transaction.put({"pk": heads, "sk": _usable(head.id), **common}, condition, _stale(head), what=what)
    transaction.put({"pk": pk, "sk": keys.BODY, **common, **bodies.pack(put.record.body)}, what=what)
    for queue in queues_of(head):
        if queue in head.due:
            entry = {
                "work": keys.work_shard(queue, head.id),
                "due": keys.due_version(head.due[queue], head.id, head.version),
            }
            transaction.put({"pk": pk, "sk": keys.work_entry(queue), **entry})
        elif not is_new:
            transaction.delete(pk, keys.work_entry(queue))


def _write_names(transaction: Transaction, change: Commit) -> None:
    """Add the claims, and those releases whose name is not claimed: a transaction may write an item only once."""
    released = {(release.scope, release.name) for release in change.releases}
    claimed = {(claim.scope, claim.name) for claim in change.claims}
    for claim in change.claims:
        pk, sk = keys.unique_name(claim.scope, _usable(claim.name))
        item = {"pk": pk, "sk": sk, "shop": claim.target_shop_id, "target": claim.target_id}
        if claim.attributes:
            item["attributes"] = canonical_json.dumps(dict(claim.attributes))
        # The commit itself releases the name, so it may still belong to another record at this moment.
        is_moved = (claim.scope, claim.name) in released
        condition = None if is_moved else _is_free_for(claim)
        transaction.put(item, condition, NameTakenError(claim.name), what=f"the name {claim.name}")
    for release in change.releases:
        if (release.scope, release.name) not in claimed:
            transaction.delete(*keys.unique_name(release.scope, _usable(release.name)))


def _is_free_for(claim: Claim) -> Condition:
    is_own = (Path("shop") == claim.target_shop_id) & (Path("target") == claim.target_id)
    free: Condition = absent() | is_own
    return free


def _append_rows(transaction: Transaction, change: Commit) -> None:
    for row in change.audit:
        pk = keys.audit_month(row.shop_id, keys.month_of(row.id))
        content = compress(documents.write_row(row))
        transaction.put({"pk": pk, "sk": row.id, "row": content}, what=f"the audit row of {row.action}")
        for entry in entries_of(row):
            transaction.put(entry)
    for outbox_row in change.outbox:
        pk, sk = keys.outbox(outbox_row)
        content = compress(documents.write_row(outbox_row))
        transaction.put({"pk": pk, "sk": sk, "row": content}, what=f"the {outbox_row.topic} event of the change")
    for message in change.inbox:
        content = compress(documents.write_row(message))
        item: Item = {"pk": keys.inbox(message.shop_id), "sk": message.id, "row": content}
        if message.role == "system":
            item = {**item, "expires": expires(parse_timestamp(message.created_at) + SYSTEM_MESSAGES_KEPT)}
        transaction.put(item, what="the message to the inbox")


def _usable(name: str) -> str:
    if not keys.is_usable(name):
        raise ValueError(f"an id or a name must have 1 to {keys.MAX_NAME_BYTES} bytes of UTF-8")
    return name


def _stale(head: Head) -> StaleVersionError:
    return StaleVersionError(f"{head.kind} {head.id} was changed by another request")
