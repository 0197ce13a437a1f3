"""Access to one table: plain dictionaries in and out, whatever the items mean."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
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
from abtest.adapters.dynamo.connection import code, connection, translated_errors
from abtest.adapters.dynamo.sizes import check_item
from abtest.kit.errors import DatabaseBusyError

Item = Mapping[str, Any]
"""Attributes as str, int or bytes, with the table's key."""

BATCH_KEYS = 100  # limit of BatchGetItem
PAUSES = (0.02, 0.05, 0.1, 0.2)
"""Seconds to wait before each retry after a conflict or throttling."""


class ConditionFailedError(Exception):
    """Write whose condition does not hold; `item` is the stored item, None when there is none."""

    def __init__(self, item: Item | None) -> None:
        super().__init__("the condition does not hold")
        self.item = item


@dataclass(frozen=True, slots=True)
class Index:
    """Secondary index and its key. A local index has the partitions of its table and is read consistently."""

    name: str
    partition: str
    sort: str
    is_local: bool = False


class Table:
    """Table with the key `pk`, or `pk` and `sk`. All calls may raise DatabaseBusyError."""

    def __init__(self, name: str, *, sorted_items: bool, indexes: Sequence[Index] = ()) -> None:
        self.name = name
        self._meta = _schema(name, ["pk", "sk"] if sorted_items else ["pk"], indexes)
        self._consistent = {None, *(index.name for index in indexes if index.is_local)}

    def get(self, pk: str, sk: str | None = None, *, consistent: bool = True) -> Item | None:
        """Return the item, or None."""
        request = self._request(pk, sk, consistent_read=consistent)
        with translated_errors():
            item = self._called("GetItem", request).get("Item")
        return _plain(item) if item else None

    def get_many(self, keys: Sequence[tuple[str, str]]) -> list[Item]:
        """Return the items that exist, read consistently, in any order."""
        starts = range(0, len(keys), BATCH_KEYS)
        return [item for start in starts for item in self._get_batch(keys[start : start + BATCH_KEYS])]

    def put(self, item: Item, condition: Condition | None = None) -> None:
        """Store an item. Raises ConditionFailedError, ItemTooLargeError."""
        check_item(item)
        self._write("PutItem", self.put_request(item, condition))

    def update(self, pk: str, sk: str | None, actions: Sequence[Action], condition: Condition | None = None) -> Item:
        """Change attributes and return the item after the change. Raises ConditionFailedError."""
        request = self._request(pk, sk, actions=actions, condition=condition, return_values="ALL_NEW")
        return _plain(self._write("UpdateItem", request)["Attributes"])

    def delete(self, pk: str, sk: str | None = None, condition: Condition | None = None) -> None:
        """Remove an item, if it exists. Raises ConditionFailedError."""
        self._write("DeleteItem", self.delete_request(pk, sk, condition))

    def query(
        self,
        pk: str,
        *,
        limit: int,
        where: Condition | None = None,
        descending: bool = False,
        index: str | None = None,
        page: int | None = None,
    ) -> Iterator[Item]:
        """Yield at most `limit` items of a partition by sort key, read consistently unless from a global index.

        `page` is the number of items that one call reads, by default all of them or 1 MB.
        """
        return islice(self._pages(pk, page or limit, where, descending, index), limit)

    def put_request(self, item: Item, condition: Condition | None = None) -> dict[str, Any]:
        """Return the request of a put, as transactions need it."""
        attributes = {name: attribute_value(value) for name, value in item.items() if name not in ("pk", "sk")}
        return self._request(item["pk"], item.get("sk"), key="Item", attributes=attributes, condition=condition)

    def delete_request(self, pk: str, sk: str | None, condition: Condition | None = None) -> dict[str, Any]:
        """Return the request of a delete, as transactions need it."""
        return self._request(pk, sk, condition=condition)

    def connect(self) -> None:
        """Make the client now. Otherwise the first call makes it, and that call's deadline includes the time."""
        _ = self._connection

    @cached_property
    def _connection(self) -> Connection:
        def connect() -> Connection:
            connected = connection()
            connected.add_meta_table(self._meta)
            return connected

        # Once per table: PynamoDB accepts a table's keys only once, and several adapters may use the same table.
        return aws.once_for_caller(f"dynamodb:{self.name}", connect)

    def _request(self, pk: str, sk: str | None, **options: Any) -> dict[str, Any]:
        return self._connection.get_operation_kwargs(self.name, pk, sk, **options)

    def _called(self, operation: str, request: dict[str, Any]) -> dict[str, Any]:
        return aws.called("dynamodb", partial(self._connection.dispatch, operation, request))

    def _write(self, operation: str, request: dict[str, Any]) -> dict[str, Any]:
        # The item in the response is the one that failed the condition; a later read could return another version.
        request["ReturnValuesOnConditionCheckFailure"] = "ALL_OLD"
        with translated_errors():
            try:
                return self._called(operation, request)
            except ClientError as error:
                if code(error) != "ConditionalCheckFailedException":
                    raise
                # PynamoDB raises an error of its own; its cause is botocore's error, which has the stored item.
                original = error.__cause__
                item: Any = original.response.get("Item") if isinstance(original, ClientError) else None
                raise ConditionFailedError(_plain(item) if item else None) from error

    def _get_batch(self, keys: Iterable[tuple[str, str]]) -> Iterator[Item]:
        request: Any = {"Keys": [{"pk": {"S": pk}, "sk": {"S": sk}} for pk, sk in keys], "ConsistentRead": True}
        for pause in (*PAUSES, None):
            with translated_errors():
                answer = self._called("BatchGetItem", {"RequestItems": {self.name: request}})
            items = answer["Responses"].get(self.name, [])
            yield from map(_plain, items)
            request = answer.get("UnprocessedKeys", {}).get(self.name)
            if not request:
                return
            # A response ends at 16 MB, and the rest can be requested at once. A response without items was throttled.
            if not items:
                sleep(pause or 0)
        raise DatabaseBusyError

    def _pages(
        self, pk: str, limit: int, where: Condition | None, descending: bool, index: str | None
    ) -> Iterator[Item]:
        start = None
        while True:
            with translated_errors():
                # `limit` is only the size of a page, which may also end at 1 MB. `query` stops after `limit` rows, so
                # no page is requested without need.
                page = aws.called(
                    "dynamodb",
                    partial(
                        self._connection.query,
                        self.name,
                        pk,
                        range_key_condition=where,
                        limit=limit,
                        scan_index_forward=not descending,
                        index_name=index,
                        consistent_read=index in self._consistent,
                        exclusive_start_key=start,
                    ),
                )
            yield from map(_plain, page["Items"])
            start = page.get("LastEvaluatedKey")
            if not start:
                return


def attribute_value(value: str | int | bytes) -> dict[str, Any]:
    """Return a value in DynamoDB's form: `{"S": text}`, `{"N": digits}` or `{"B": bytes}`."""
    if isinstance(value, str):
        return {"S": value}
    return {"N": str(value)} if isinstance(value, int) else {"B": value}


def absent() -> Condition:
    """Return the condition that there is no item with the key."""
    return Path("pk").does_not_exist()


def _schema(name: str, key: Sequence[str], indexes: Sequence[Index]) -> MetaTable:
    def described(index: Index) -> dict[str, Any]:
        return {"IndexName": index.name, "KeySchema": _key([index.partition, index.sort])}

    named = dict.fromkeys([*key, *(attribute for index in indexes for attribute in (index.partition, index.sort))])
    return MetaTable(
        {
            "TableName": name,
            "KeySchema": _key(key),
            "AttributeDefinitions": [{"AttributeName": attribute, "AttributeType": "S"} for attribute in named],
            "LocalSecondaryIndexes": [described(index) for index in indexes if index.is_local],
            "GlobalSecondaryIndexes": [described(index) for index in indexes if not index.is_local],
        }
    )


def _key(names: Sequence[str]) -> list[dict[str, str]]:
    return [{"AttributeName": name, "KeyType": role} for name, role in zip(names, ("HASH", "RANGE"), strict=False)]


def _plain(item: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    return {name: int(value["N"]) if "N" in value else next(iter(value.values())) for name, value in item.items()}
