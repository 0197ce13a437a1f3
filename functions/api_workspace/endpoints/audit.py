"""Routes of the audit."""

from typing import Annotated

from fastapi import Query

from abtest.contract.audit import AuditLog, AuditProof, AuditSeal
from abtest.contract.base import ListOf, MomentParameter, Uuid
from abtest.http.deps import Caller, Page, PathId, require, use
from abtest.http.openapi import errors
from abtest.http.route import Router
from abtest.kit.clock import parse_timestamp
from abtest.kit.errors import ConflictError, NotFoundError
from abtest.kit.ids import before_uuid7
from abtest.ports.audit import AuditFilter
from abtest.services.audit_log.rows import AuditLogs

router = Router("/audit-logs", tag="Audit")

Auditor = Annotated[Caller, require("audit:read")]
UsesAudit = Annotated[AuditLogs, use(AuditLogs)]
Action = Annotated[str | None, Query(max_length=200, description="Only rows of this action: `experiment.launch`.")]
EntityType = Annotated[str | None, Query(max_length=200, description="Only rows about entities of this type.")]


@router.get("", operation_id="listAuditLogs")
def list_audit_logs(
    caller: Auditor,
    page: Page,
    audit: UsesAudit,
    entity_type: EntityType = None,
    entity_id: Annotated[Uuid | None, Query(description="Only rows about this entity.")] = None,
    action: Action = None,
    user_id: Annotated[Uuid | None, Query(description="Only rows of changes by this user.")] = None,
    from_: Annotated[
        MomentParameter | None, Query(alias="from", description="Only rows of this moment or later.")
    ] = None,
    to: Annotated[MomentParameter | None, Query(description="Only rows before this moment.")] = None,
) -> ListOf[AuditLog]:
    """List the changes of the shop, newest first, over all months.

    Filters may be combined. A page reads at most 2,000 entries of the first of `entity_id`, `user_id`, `action` and
    `entity_type` that is given, so a page of rare combinations may have fewer rows than `limit`, even none, with
    `has_more` true: continue with its cursor.
    """
    filters = AuditFilter(
        entity_type=entity_type,
        entity_id=entity_id,
        action=action,
        user_id=user_id,
        from_id=None if from_ is None else before_uuid7(parse_timestamp(from_)),
        below_id=None if to is None else before_uuid7(parse_timestamp(to)),
    )
    rows, last = audit.page(caller.shop_id, filters, limit=page.limit, after=page.after)
    return page.page(rows, last)


@router.get("/seals", operation_id="listAuditSeals")
def list_seals(caller: Auditor, page: Page, audit: UsesAudit) -> ListOf[AuditSeal]:
    """List the seals of the shop, the latest day first.

    Each night the rows of the day before become the leaves of a Merkle tree. `previous` is the `sha256` of the seal
    before. With a copy of these roots you can prove later that no row was changed, added or removed.
    """
    seals, last = audit.seal_page(caller.shop_id, limit=page.limit, after=page.after)
    return page.page(seals, last)


@router.get("/{audit_log_id}", operation_id="getAuditLog", responses=errors(NotFoundError))
def get_audit_log(audit_log_id: PathId, caller: Auditor, audit: UsesAudit) -> AuditLog:
    """Return one change."""
    return audit.get(caller.shop_id, audit_log_id)


@router.get("/{audit_log_id}/proof", operation_id="getAuditProof", responses=errors(NotFoundError, ConflictError))
def get_proof(audit_log_id: PathId, caller: Auditor, audit: UsesAudit) -> AuditProof:
    """Return the proof that a row is what was sealed, for any verifier of RFC 6962.

    `leaf` is SHA-256 of a zero byte followed by `content` in UTF-8. With the hashes of `path`, as RFC 9162 describes
    in 2.1.3.2, it gives `root` if the row was not changed since. A row that is not sealed yet is 409 `conflict`.
    """
    return audit.proof(caller.shop_id, audit_log_id)
