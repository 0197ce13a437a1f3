"""Stored forms of audit rows and seals."""

from abtest.contract.audit import AuditLog
from abtest.domain.audit.merkle import leaf_hash
from abtest.domain.audit.seals import Seal, SealedRows, object_key, seal_id
from abtest.kit import canonical_json
from abtest.kit.documents import decode, encode
from abtest.ports.blobs import Blobs
from abtest.ports.catalog import AuditRow, Catalog, Head, Put, Record


def audit_log(row: AuditRow) -> AuditLog:
    """Return the response of an audit row, which never changes. Shops have no organisation of their own."""
    log = AuditLog(
        id=row.id,
        shop_id=row.shop_id,
        org_id=None,
        user_id=row.user_id,
        action=row.action,
        entity_type=row.entity_type,
        entity_id=row.entity_id,
        entity_name=row.entity_name,
        diff=row.diff,
        created_at=row.created_at,
    )
    return log.at(1)


def content_of(row: AuditRow) -> str:
    """Return the text of a leaf: canonical JSON of the stored fields, which UTF-8 can always encode."""
    return canonical_json.encode(encode(row)).decode()


def leaf_of(row: AuditRow) -> tuple[str, str]:
    """Return id and leaf hash of a row."""
    return row.id, leaf_hash(content_of(row).encode()).hex()


def put_seal(seal: Seal) -> Put:
    """Return the write of a seal's record, which is never changed."""
    head = Head(
        shop_id=seal.shop_id,
        kind="SEAL",
        id=seal_id(seal.shop_id, seal.date),
        version=1,
        created_at=seal.sealed_at,
        updated_at=seal.sealed_at,
        name=seal.date,
    )
    return Put(record=Record(head=head, body=encode(seal)), expected_version=0)


def seal_in(record: Record) -> Seal:
    """Return the seal of a record."""
    return decode(Seal, record.body)


def read_seals(
    catalog: Catalog, shop_id: str, *, limit: int, after_id: str | None = None
) -> tuple[list[Seal], str | None]:
    """Return seals of the shop, the latest day first, and the id that continues the list, if any."""
    page = catalog.list(shop_id, "SEAL", limit=limit, after_id=after_id)
    records = catalog.get_many(shop_id, "SEAL", [head.id for head in page.heads])
    return [seal_in(record) for record in records], page.last_id


def read_sealed(blobs: Blobs, shop_id: str, date: str) -> SealedRows | None:
    """Return the stored seal of a day with its leaves, or None. Raises ValueError when the object is not a seal."""
    blob = blobs.get(object_key(shop_id, date))
    return None if blob is None else SealedRows.read(blob.content)
