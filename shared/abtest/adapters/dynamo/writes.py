"""What a commit writes, item by item."""

from pynamodb.expressions.condition import Condition
from pynamodb.expressions.operand import Path

from abtest.adapters import catalog_documents as documents
from abtest.adapters.commit_rules import queues_of
from abtest.adapters.dynamo import keys
from abtest.adapters.dynamo.bodies import Bodies, compress
from abtest.adapters.dynamo.table import Table, absent
from abtest.adapters.dynamo.transaction import Transaction
from abtest.kit import canonical_json
from abtest.ports.catalog import (
    AuditRow,
    Claim,
    Commit,
    Head,
    InboxRow,
    NameTakenError,
    OutboxRow,
    Put,
    Release,
    StaleVersionError,
)


def plan(table: Table, bodies: Bodies, change: Commit) -> Transaction:
    """The transaction that applies the change. Large bodies are already in the blob store when this returns.

    Raises CommitTooLargeError, and ValueError for a name that no key can hold.
    """
    transaction = Transaction(table)
    for put in change.puts:
        _put_record(transaction, bodies, put)
    for remove in change.removes:
        _remove_record(transaction, remove.head)
    _take_names(transaction, change)
    for row in change.audit:
        _put_audit(transaction, row)
    for promise in change.outbox:
        _put_outbox(transaction, promise)
    for message in change.inbox:
        _put_message(transaction, message)
    return transaction


def _put_record(transaction: Transaction, bodies: Bodies, put: Put) -> None:
    head = put.record.head
    head_text = documents.write_head(head).decode()
    common = {"version": head.version, "head": head_text}
    transaction.put(
        {"pk": keys.heads(head.shop_id, head.kind), "sk": _usable(head.id), **common},
        _still(put.expected_version),
        _stale(head),
    )
    transaction.put({"pk": _record(head), "sk": keys.BODY, **common, **bodies.pack(put.record.body)})
    _put_work_entries(transaction, head, is_new=put.expected_version == 0)


def _put_work_entries(transaction: Transaction, head: Head, *, is_new: bool) -> None:
    for queue in queues_of(head):
        if queue in head.due:
            entry = {"work": keys.work_shard(queue, head.id), "due": keys.due(head.due[queue], head.id)}
            transaction.put({"pk": _record(head), "sk": keys.work_entry(queue), **entry})
        elif not is_new:
            transaction.delete(_record(head), keys.work_entry(queue))


def _remove_record(transaction: Transaction, head: Head) -> None:
    transaction.delete(keys.heads(head.shop_id, head.kind), head.id, _still(head.version), _stale(head))
    transaction.delete(_record(head), keys.BODY)
    for queue in queues_of(head):
        transaction.delete(_record(head), keys.work_entry(queue))


def _take_names(transaction: Transaction, change: Commit) -> None:
    """Claims, and the releases that no claim of the same commit takes up: one transaction writes an item once."""
    released = {(release.scope, release.name) for release in change.releases}
    claimed = {(claim.scope, claim.name) for claim in change.claims}
    for claim in change.claims:
        moved = (claim.scope, claim.name) in released
        _put_claim(transaction, claim, None if moved else _free_for(claim))
    for release in change.releases:
        if (release.scope, release.name) not in claimed:
            transaction.delete(*_name(release))


def _put_claim(transaction: Transaction, claim: Claim, condition: Condition | None) -> None:
    pk, sk = _name(claim)
    item = {"pk": pk, "sk": sk, "shop": claim.target_shop_id, "target": claim.target_id}
    if claim.attributes:
        item["attributes"] = canonical_json.dumps(dict(claim.attributes))
    transaction.put(item, condition, NameTakenError(claim.name))


def _put_audit(transaction: Transaction, row: AuditRow) -> None:
    content = compress(documents.write_audit(row))
    month = keys.month_of(row.id)
    transaction.put({"pk": keys.audit_month(row.shop_id, month), "sk": row.id, "row": content})
    transaction.put({"pk": keys.audit_entity(row.shop_id, row.entity_id), "sk": row.id, "row": content})


def _put_outbox(transaction: Transaction, row: OutboxRow) -> None:
    pk, sk = keys.outbox(row.topic, row.created_at, row.id)
    transaction.put({"pk": pk, "sk": sk, "row": compress(documents.write_outbox(row))})


def _put_message(transaction: Transaction, row: InboxRow) -> None:
    content = compress(documents.write_inbox(row))
    transaction.put({"pk": keys.inbox(row.shop_id), "sk": row.id, "row": content})


def _record(head: Head) -> str:
    return keys.record(head.shop_id, head.kind, head.id)


def _name(name: Claim | Release) -> keys.Key:
    return keys.unique_name(name.scope, _usable(name.name))


def _usable(name: str) -> str:
    if not keys.is_usable(name):
        raise ValueError(f"a name has 1 to {keys.MAX_NAME_BYTES} bytes of UTF-8")
    return name


def _still(version: int) -> Condition:
    if version == 0:
        return absent()
    return Path("version") == version


def _stale(head: Head) -> StaleVersionError:
    return StaleVersionError(f"{head.kind} {head.id} was changed by somebody else")


def _free_for(claim: Claim) -> Condition:
    own = (Path("shop") == claim.target_shop_id) & (Path("target") == claim.target_id)
    free: Condition = absent() | own
    return free
