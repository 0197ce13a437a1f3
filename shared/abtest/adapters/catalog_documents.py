"""The JSON form of what catalogs keep: heads, records, audit rows, outbox rows, messages."""

from dataclasses import fields
from typing import Any

from abtest.kit import canonical_json
from abtest.ports.catalog import AuditRow, Head, InboxRow, OutboxRow, Record


def write_head(head: Head) -> bytes:
    """Canonical JSON of a head."""
    return canonical_json.encode(_head_document(head))


def read_head(text: str | bytes) -> Head:
    """The head that write_head wrote."""
    return Head(**canonical_json.loads(text, own=True))


def write_record(record: Record) -> bytes:
    """Canonical JSON of a head with its body."""
    return canonical_json.encode({"head": _head_document(record.head), "body": record.body})


def read_record(text: str | bytes) -> Record:
    """The record that write_record wrote."""
    document = canonical_json.loads(text, own=True)
    return Record(head=Head(**document["head"]), body=document["body"])


def write_audit(row: AuditRow) -> bytes:
    """Canonical JSON of an audit row."""
    return canonical_json.encode(_fields(row))


def read_audit(text: str | bytes) -> AuditRow:
    """The row that write_audit wrote."""
    return AuditRow(**canonical_json.loads(text, own=True))


def write_outbox(row: OutboxRow) -> bytes:
    """Canonical JSON of an outbox row."""
    return canonical_json.encode(_fields(row))


def read_outbox(text: str | bytes) -> OutboxRow:
    """The row that write_outbox wrote."""
    return OutboxRow(**canonical_json.loads(text, own=True))


def write_inbox(row: InboxRow) -> bytes:
    """Canonical JSON of a message."""
    return canonical_json.encode(_fields(row))


def read_inbox(text: str | bytes) -> InboxRow:
    """The message that write_inbox wrote."""
    return InboxRow(**canonical_json.loads(text, own=True))


def _head_document(head: Head) -> dict[str, Any]:
    return _fields(head) | {"attributes": dict(head.attributes), "due": dict(head.due)}


def _fields(row: Head | AuditRow | OutboxRow | InboxRow) -> dict[str, Any]:
    return {field.name: getattr(row, field.name) for field in fields(row)}
