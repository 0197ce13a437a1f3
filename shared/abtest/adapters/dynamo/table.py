"""One table: plain dictionaries in and out, one call each; what the items mean is not known here."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from time import sleep
from typing import Any

from botocore.exceptions import ClientError
from pynamodb.connection import Connection
from pynamodb.connection.base import MetaTable
from pynamodb.expressions.condition import Condition
from pynamodb.expressions.operand import Path
from pynamodb.expressions.update import Action

from abtest.adapters import aws
from abtest.adapters.dynamo.connection import code, connection, told
from abtest.kit.errors import DatabaseBusyError

Item = Mapping[str, Any]
"""Attributes as str, int or bytes; the table's key among them."""

BATCH_KEYS = 100
PAUSES = (0.02, 0.05, 0.1, 0.2)
"""Seconds to wait before each repetition of what met a conflict or was throttled."""


class ConditionFailedError(Exception):
    """The condition of a write does not hold; `item` is what stands there, None when nothing does."""

    def __init__(self, item: Item | None) -> None:
        super().__init__("the condition does not hold")
        self.item = item


@dataclass(frozen=True, slots=True)
class Index:
    """A secondary index and its key. A local one has the table's own partitions and is read consistently."""

    name: str
    partition: str
    sort: str
    is_local: bool = False


class Table:
    """A table whose key is `pk`, or `pk` and `sk`. All calls may raise DatabaseBusyError."""

    def __init__(self, name: str, *, sorted_items: bool, indexes: Sequence[Index] = ()) -> None:
        self.name = name
        self._meta = _schema(name, ["pk", "sk"] if sorted_items else ["pk"], indexes)
        self._consistent = {None, *(index.name for index in indexes if index.is_local)}

    def get(self, pk: str, sk: str | None = None, *, consistent: bool = True) -> Item | None:
        """The item, or None."""
        request = self._request(pk, sk, consistent_read=consistent)
        with told():
            found = self._connection.dispatch("GetItem", request).get("Item")
        return _plain(found) if found else None

    def get_many(self, keys: Sequence[tuple[str, str]]) -> list[Item]:
        """The items that exist, read consistently, in no order."""
        starts = range(0, len(keys), BATCH_KEYS)
        return [item for start in starts for item in self._get_batch(keys[start : start + BATCH_KEYS])]

    def put(self, item: Item, condition: Condition | None = None) -> None:
        """Store. Raises ConditionFailedError."""
        self._write("PutItem", self.put_request(item, condition))

    def update(self, pk: str, sk: str | None, actions: Sequence[Action], condition: Condition | None = None) -> Item:
        """Change attributes and return the item as it is afterwards. Raises ConditionFailedError."""
        request = self._request(pk, sk, actions=actions, condition=condition, return_values="ALL_NEW")
        return _plain(self._write("UpdateItem", request)["Attributes"])

    def delete(self, pk: str, sk: str | None = None, condition: Condition | None = None) -> None:
        """Remove; absent is fine. Raises ConditionFailedError."""
        self._write("DeleteItem", self.delete_request(pk, sk, condition))

    def query(
        self, pk: str, *, limit: int, where: Condition | None = None, descending: bool = False, index: str | None = None
    ) -> Iterator[Item]:
        """At most `limit` items of a partition by the sort key; consistent unless a global index is read."""
        return islice(self._pages(pk, limit, where, descending, index), limit)

    def put_request(self, item: Item, condition: Condition | None = None) -> dict[str, Any]:
        """A put as a transaction takes it."""
        attributes = {name: _typed(value) for name, value in item.items() if name not in ("pk", "sk")}
        return self._request(item["pk"], item.get("sk"), key="Item", attributes=attributes, condition=condition)

    def delete_request(self, pk: str, sk: str | None, condition: Condition | None = None) -> dict[str, Any]:
        """A delete as a transaction takes it."""
        return self._request(pk, sk, condition=condition)

    @property
    def _connection(self) -> Connection:
        return aws.once(f"dynamodb:{self.name}", self._connect)

    def _connect(self) -> Connection:
        # PynamoDB takes a table's keys once; several adapters of this process may share the table.
        made = connection()
        made.add_meta_table(self._meta)
        return made

    def _request(self, pk: str, sk: str | None, **options: Any) -> dict[str, Any]:
        return self._connection.get_operation_kwargs(self.name, pk, sk, **options)

    def _write(self, operation: str, request: dict[str, Any]) -> dict[str, Any]:
        request["ReturnValuesOnConditionCheckFailure"] = "ALL_OLD"
        with told():
            try:
                return self._connection.dispatch(operation, request)
            except ClientError as error:
                if code(error) == "ConditionalCheckFailedException":
                    raise ConditionFailedError(_item_found(error)) from error
                raise

    def _get_batch(self, keys: Iterable[tuple[str, str]]) -> Iterator[Item]:
        wanted: Any = {"Keys": [{"pk": {"S": pk}, "sk": {"S": sk}} for pk, sk in keys], "ConsistentRead": True}
        for pause in (*PAUSES, None):
            with told():
                answer = self._connection.dispatch("BatchGetItem", {"RequestItems": {self.name: wanted}})
            found = answer["Responses"].get(self.name, [])
            yield from map(_plain, found)
            wanted = answer.get("UnprocessedKeys", {}).get(self.name)
            if not wanted:
                return
            # An answer ends at 16 MB: then the rest is asked for at once. An answer without items was throttled.
            if not found:
                sleep(pause or 0)
        raise DatabaseBusyError

    def _pages(
        self, pk: str, limit: int, where: Condition | None, descending: bool, index: str | None
    ) -> Iterator[Item]:
        start = None
        while True:
            with told():
                page = self._connection.query(
                    self.name,
                    pk,
                    range_key_condition=where,
                    limit=limit,
                    scan_index_forward=not descending,
                    index_name=index,
                    consistent_read=index in self._consistent,
                    exclusive_start_key=start,
                )
            yield from map(_plain, page["Items"])
            start = page.get("LastEvaluatedKey")
            if not start:
                return


def absent() -> Condition:
    """Nothing stands at the key."""
    return Path("pk").does_not_exist()


def _schema(name: str, key: Sequence[str], indexes: Sequence[Index]) -> MetaTable:
    named = dict.fromkeys([*key, *(attribute for index in indexes for attribute in (index.partition, index.sort))])
    return MetaTable(
        {
            "TableName": name,
            "KeySchema": _key(key),
            "AttributeDefinitions": [{"AttributeName": attribute, "AttributeType": "S"} for attribute in named],
            "LocalSecondaryIndexes": [_index(index) for index in indexes if index.is_local],
            "GlobalSecondaryIndexes": [_index(index) for index in indexes if not index.is_local],
        }
    )


def _index(index: Index) -> dict[str, Any]:
    return {"IndexName": index.name, "KeySchema": _key([index.partition, index.sort])}


def _key(names: Sequence[str]) -> list[dict[str, str]]:
    return [{"AttributeName": name, "KeyType": role} for name, role in zip(names, ("HASH", "RANGE"), strict=False)]


def _typed(value: str | int | bytes) -> dict[str, Any]:
    if isinstance(value, str):
        return {"S": value}
    return {"N": str(value)} if isinstance(value, int) else {"B": value}


def _plain(item: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    return {name: int(value["N"]) if "N" in value else next(iter(value.values())) for name, value in item.items()}


def _item_found(error: ClientError) -> Item | None:
    # PynamoDB raises an error of its own in place of botocore's, which is the one that carries the item.
    original = error.__cause__
    found: Any = original.response.get("Item") if isinstance(original, ClientError) else None
    return _plain(found) if found else None
