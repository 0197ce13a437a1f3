"""Leases on DynamoDB."""

from datetime import datetime, timedelta

from pynamodb.expressions.condition import Condition
from pynamodb.expressions.operand import Path

from abtest.adapters.dynamo.ephemeral import ephemeral_table, expires
from abtest.adapters.dynamo.table import ConditionFailedError, absent
from abtest.kit.clock import timestamp


class DynamoLeases:
    """Leases with one item each: `owner`, and `until`, the moment from which any caller may take it."""

    def __init__(self, table_name: str) -> None:
        self._table = ephemeral_table(table_name)

    def acquire(self, name: str, *, owner: str, seconds: int, now: datetime) -> bool:
        is_free = absent() | (Path("until") <= timestamp(now)) | (Path("owner") == owner)
        return self._put(name, owner, now + timedelta(seconds=seconds), is_free)

    def renew(self, name: str, *, owner: str, seconds: int, now: datetime) -> bool:
        return self._put(name, owner, now + timedelta(seconds=seconds), Path("owner") == owner)

    def is_held(self, name: str, *, now: datetime) -> bool:
        item = self._table.get(_key(name))
        return item is not None and item["until"] > timestamp(now)

    def release(self, name: str, *, owner: str) -> None:
        try:
            self._table.delete(_key(name), condition=Path("owner") == owner)
        except ConditionFailedError:
            return  # it has expired, and another owner may hold it

    def _put(self, name: str, owner: str, until: datetime, condition: Condition) -> bool:
        item = {"pk": _key(name), "owner": owner, "until": timestamp(until), "expires": expires(until)}
        try:
            self._table.put(item, condition)
        except ConditionFailedError:
            return False
        return True


def _key(name: str) -> str:
    return f"LEASE#{name}"
