"""Stored JSON of the catalog: heads, records, and rows of audit, outbox and inbox."""

from typing import Any

from abtest.kit import canonical_json, documents
from abtest.ports.catalog import AuditRow, Head, InboxRow, OutboxRow, Record


def write_head(head: Head) -> bytes:
    """Return canonical JSON of a head."""
    return canonical_json.encode(_head_document(head))


def read_head(text: str | bytes) -> Head:
    """Return the head that `write_head` wrote."""
    return Head(**canonical_json.loads(text, own=True))


def write_record(record: Record) -> bytes:
    """Return canonical JSON of a head with its body."""
    return canonical_json.encode({"head": _head_document(record.head), "body": record.body})


def read_record(text: str | bytes) -> Record:
    """Return the record that `write_record` wrote."""
    document = canonical_json.loads(text, own=True)
    return Record(head=Head(**document["head"]), body=document["body"])


def write_row(row: AuditRow | OutboxRow | InboxRow) -> bytes:
    """Return canonical JSON of a row."""
    return canonical_json.encode(documents.encode(row))


def read_audit(text: str | bytes) -> AuditRow:
    """Return the audit row that `write_row` wrote."""
    return AuditRow(**canonical_json.loads(text, own=True))


def read_outbox(text: str | bytes) -> OutboxRow:
    """Return the outbox row that `write_row` wrote."""
    return OutboxRow(**canonical_json.loads(text, own=True))


def read_inbox(text: str | bytes) -> InboxRow:
    """Return the message that `write_row` wrote."""
    return InboxRow(**canonical_json.loads(text, own=True))


def _head_document(head: Head) -> dict[str, Any]:
    # Most heads have no parent, and the form of those that are stored already stays as it is.
    omit = () if head.parent_id else ("parent_id",)
    # JSON knows dictionaries only; services may pass any other mapping.
    return documents.encode(head, omit=omit) | {"attributes": dict(head.attributes), "due": dict(head.due)}
