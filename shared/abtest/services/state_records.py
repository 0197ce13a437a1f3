"""Records without a history of their own: a counter, a mark, an order. Each write replaces the one that was read."""

from abtest.kit.clock import Timestamp
from abtest.ports.catalog import Document, Head, Kind, Put, Record


def replaced(before: Record | None, *, shop_id: str, kind: Kind, record_id: str, body: Document, now: Timestamp) -> Put:
    """Return the write of a record over the version that was read; without one it must not exist yet."""
    version = before.head.version if before else 0
    head = Head(
        shop_id=shop_id,
        kind=kind,
        id=record_id,
        version=version + 1,
        created_at=before.head.created_at if before else now,
        updated_at=now,
    )
    return Put(record=Record(head=head, body=body), expected_version=version)
