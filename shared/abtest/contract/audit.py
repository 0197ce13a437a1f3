"""Audit rows on the wire."""

from typing import Any

from abtest.contract.base import DateTime, Id, Output


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
