"""Leases on DynamoDB."""

from datetime import datetime, timedelta

from pynamodb.expressions.operand import Path

from abtest.adapters.dynamo.ephemeral import ephemeral_table, expires
from abtest.adapters.dynamo.table import ConditionFailedError, absent
from abtest.kit.clock import timestamp


class DynamoLeases:
    """Leases with one item each: `owner`, and `until`, the moment from which any caller may take it."""

    def __init__(self, table_name: str) -> None:
        self._table = ephemeral_table(table_name)

    def acquire(self, name: str, *, owner: str, seconds: int, now: datetime) -> bool:
        until = now + timedelta(seconds=seconds)
        item = {"pk": _key(name), "owner": owner, "until": timestamp(until), "expires": expires(until)}
        try:
            self._table.put(item, absent() | (Path("until") <= timestamp(now)) | (Path("owner") == owner))
        except ConditionFailedError:
            return False
        return True

    def is_held(self, name: str, *, now: datetime) -> bool:
        item = self._table.get(_key(name))
        return item is not None and item["until"] > timestamp(now)

    def release(self, name: str, *, owner: str) -> None:
        try:
            self._table.delete(_key(name), condition=Path("owner") == owner)
        except ConditionFailedError:
            return  # it has expired, and another owner may hold it


def _key(name: str) -> str:
    return f"LEASE#{name}"
