"""Session documents on DynamoDB."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from pynamodb.expressions.operand import Path

from abtest.adapters.dynamo import keys
from abtest.adapters.dynamo.ephemeral import ephemeral_table, expires
from abtest.adapters.dynamo.table import ConditionFailedError, Item
from abtest.kit import canonical_json
from abtest.kit.clock import timestamp


class DynamoSessions:
    """Sessions with one item each: `document` (JSON), and `until`, the moment at which it expires."""

    def __init__(self, table_name: str) -> None:
        self._table = ephemeral_table(table_name)

    def put(self, session_id: str, document: Mapping[str, Any], *, expires_at: datetime) -> None:
        self._table.put(session_item(session_id, document, expires_at))

    def replace(
        self, session_id: str, document: Mapping[str, Any], *, before: Mapping[str, Any], expires_at: datetime
    ) -> bool:
        try:
            self._table.put(session_item(session_id, document, expires_at), Path("document") == _text(before))
        except ConditionFailedError:
            return False
        return True

    def get(self, session_id: str, *, now: datetime) -> Mapping[str, Any] | None:
        item = self._table.get(keys.hashed("SESSION", session_id))
        if item is None or item["until"] <= timestamp(now):
            return None
        document: Mapping[str, Any] = canonical_json.loads(item["document"])
        return document

    def delete(self, session_id: str) -> None:
        self._table.delete(keys.hashed("SESSION", session_id))


def session_item(session_id: str, document: Mapping[str, Any], expires_at: datetime) -> Item:
    """Return the item of a session."""
    return {
        "pk": keys.hashed("SESSION", session_id),
        "document": _text(document),
        "until": timestamp(expires_at),
        "expires": expires(expires_at),
    }


def _text(document: Mapping[str, Any]) -> str:
    return canonical_json.encode(dict(document)).decode()
