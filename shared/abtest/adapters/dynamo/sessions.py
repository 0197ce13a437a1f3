"""Session documents on DynamoDB."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Literal

from pynamodb.expressions.operand import Path

from abtest.adapters.dynamo import keys
from abtest.adapters.dynamo.ephemeral import ephemeral_table, expires
from abtest.adapters.dynamo.table import ConditionFailedError, Item, absent
from abtest.kit import canonical_json
from abtest.kit.clock import timestamp

SessionKind = Literal["SESSION", "SIGNIN", "SEEN"]
"""Previews and hand-offs; sign-in sessions and one-time tokens; the last use of sign-in sessions."""


class DynamoSessions:
    """Sessions with one item each: `document` (JSON), and `until`, the moment at which it expires.

    `kind` begins the keys, so that a policy can grant access to sessions of one kind.
    """

    def __init__(self, table_name: str, kind: SessionKind = "SESSION") -> None:
        self._table = ephemeral_table(table_name)
        self._kind = kind

    def put(self, session_id: str, document: Mapping[str, Any], *, expires_at: datetime) -> None:
        self._table.put(session_item(session_id, document, expires_at, self._kind))

    def create(self, session_id: str, document: Mapping[str, Any], *, expires_at: datetime, now: datetime) -> bool:
        is_free = absent() | (Path("until") <= timestamp(now))
        try:
            self._table.put(session_item(session_id, document, expires_at, self._kind), is_free)
        except ConditionFailedError:
            return False
        return True

    def replace(
        self, session_id: str, document: Mapping[str, Any], *, before: Mapping[str, Any], expires_at: datetime
    ) -> bool:
        try:
            item = session_item(session_id, document, expires_at, self._kind)
            self._table.put(item, Path("document") == _text(before))
        except ConditionFailedError:
            return False
        return True

    def get(self, session_id: str, *, now: datetime) -> Mapping[str, Any] | None:
        item = self._table.get(keys.hashed(self._kind, session_id))
        if item is None or item["until"] <= timestamp(now):
            return None
        document: Mapping[str, Any] = canonical_json.loads(item["document"])
        return document

    def delete(self, session_id: str) -> None:
        self._table.delete(keys.hashed(self._kind, session_id))

    def take(self, session_id: str, *, now: datetime) -> Mapping[str, Any] | None:
        document = self.get(session_id, now=now)
        if document is None:
            return None
        try:
            # Two callers may have read it. The condition lets one of them remove it.
            self._table.delete(keys.hashed(self._kind, session_id), condition=Path("document") == _text(document))
        except ConditionFailedError:
            return None
        return document


def session_item(
    session_id: str, document: Mapping[str, Any], expires_at: datetime, kind: SessionKind = "SESSION"
) -> Item:
    """Return the item of a session."""
    return {
        "pk": keys.hashed(kind, session_id),
        "document": _text(document),
        "until": timestamp(expires_at),
        "expires": expires(expires_at),
    }


def _text(document: Mapping[str, Any]) -> str:
    return canonical_json.encode(dict(document)).decode()
