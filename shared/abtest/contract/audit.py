"""Audit rows and their seals on the wire."""

from typing import Annotated, Any, Self

from pydantic import Field

from abtest.contract.base import DateTime, Id, Output
from abtest.contract.hashes import Sha256
from abtest.domain.audit.seals import Seal

Day = Annotated[str, Field(json_schema_extra={"format": "date"})]


class AuditLog(Output):
    """One audited change. `diff` is `{field: [before, after]}`; code is shown as its hash and length."""

    id: Id
    shop_id: Id | None
    org_id: Id | None
    user_id: Id
    action: str
    entity_type: str
    entity_id: Id
    entity_name: str | None
    diff: Any
    created_at: DateTime


class AuditSeal(Output):
    """Merkle root over the audit rows of a day. `sha256` is the hash of canonical JSON of the other fields."""

    shop_id: Id
    date: Day
    size: Annotated[int, Field(ge=0)]
    root: Sha256
    previous: Sha256 | None
    sealed_at: DateTime
    sha256: Sha256

    @classmethod
    def of(cls, seal: Seal) -> Self:
        """Return the response of a seal."""
        return cls(
            shop_id=seal.shop_id,
            date=seal.date,
            size=seal.size,
            root=seal.root,
            previous=seal.previous,
            sealed_at=seal.sealed_at,
            sha256=seal.sha256,
        )


class AuditProof(Output):
    """Proof that a row is in the tree of a seal, by RFC 6962: `leaf` is SHA-256 of a zero byte and `content`."""

    audit_log_id: Id
    content: str
    leaf: Sha256
    leaf_index: Annotated[int, Field(ge=0)]
    path: list[Sha256]
    root: Sha256
    seal: AuditSeal
