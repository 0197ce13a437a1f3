"""Deliveries on DynamoDB: one item each, which is in the indexes only while work is pending.

There are two indexes. Due deliveries of one endpoint are in a local index, read consistently, so that none that was
just written is missed. Endpoints with pending work are in a global index sorted by endpoint, so that the reader can
skip the rest of an endpoint that has a million rows.
"""

import heapq
from collections.abc import Iterator, Sequence
from hashlib import sha256
from typing import Any

from pynamodb.expressions.condition import Condition
from pynamodb.expressions.operand import Path

from abtest.adapters.dynamo import keys
from abtest.adapters.dynamo.bodies import compress_json, decompress_json
from abtest.adapters.dynamo.ephemeral import expires
from abtest.adapters.dynamo.table import ConditionFailedError, Index, Item, Table, absent
from abtest.adapters.dynamo.transaction import OvertakenError, Transaction, write_token
from abtest.domain.webhooks.deliveries import KEPT, Delivery, delivery_from, document_of
from abtest.domain.webhooks.health import Health
from abtest.kit.clock import Timestamp, parse_timestamp
from abtest.kit.errors import DatabaseBusyError
from abtest.ports.deliveries import DeliveryFilter, HealthChange, StaleDeliveryError, Waiting

ROWS_A_PAGE = 500
"""Rows that one page of a filtered list reads."""

ROWS_A_READ, READS_A_SHARD = 200, 50
"""Rows of the index of endpoints with pending work in one read, and reads per shard: at most 800 requests in all."""

_TRIES = 4
_INDEXES = (
    Index(keys.DUE_INDEX, partition="pk", sort="due", is_local=True),
    Index(keys.WAITING_INDEX, partition="waiting", sort="turn"),
)
_LOWEST, _HIGHEST = "#", "~"
"""Bounds of the hexadecimal digits with which reversed ids begin."""


class DynamoDeliveryStore:
    """Delivery store on the deliveries table."""

    def __init__(self, table_name: str) -> None:
        self._table = Table(table_name, sorted_items=True, indexes=_INDEXES)

    def add(self, delivery: Delivery) -> bool:
        return self._put(delivery_item(delivery), absent())

    def get(self, webhook_id: str, delivery_id: str) -> Delivery | None:
        if not keys.is_usable(webhook_id) or not keys.is_usable(delivery_id):
            return None
        item = self._table.get(keys.webhook(webhook_id), keys.delivery(delivery_id))
        return None if item is None else _delivery(item)

    def page(
        self,
        webhook_id: str,
        which: DeliveryFilter,
        *,
        limit: int,
        after: str | None = None,
        oldest_first: bool = False,
    ) -> tuple[Sequence[Delivery], str | None]:
        where: Condition
        if oldest_first:
            # An upper bound is needed as well: the endpoint's health sorts after all deliveries.
            where = Path("sk").between(keys.after_delivery(after or ""), keys.after_deliveries())
        else:
            where = Path("sk") < (keys.after_deliveries() if after is None else keys.delivery(after))
        # Only here can a filter be evaluated, because documents are compressed, so a page may need more rows than it
        # returns. Without a filter, one row more than the page shows whether another page follows.
        rows = limit + 1 if which == DeliveryFilter() else ROWS_A_PAGE
        items = self._table.query(keys.webhook(webhook_id), limit=rows, where=where, descending=not oldest_first)
        matching, last, read = list[Delivery](), None, 0
        for delivery in map(_delivery, items):
            if which.admits(delivery):
                matching.append(delivery)
            if len(matching) > limit:
                return matching[:limit], matching[limit - 1].id
            last, read = delivery.id, read + 1
        # After a full read, the list continues behind the last row, even if none of the rows matched.
        return matching, last if read == rows else None

    def due(self, webhook_id: str, until: Timestamp, *, limit: int) -> Sequence[Delivery]:
        pk, where = keys.webhook(webhook_id), Path("due") < keys.after_due(until)
        for _ in range(_TRIES):
            rows = self._table.query(pk, limit=limit, where=where, index=keys.DUE_INDEX)
            # The index has keys only. A delivery may change between the two reads, so it is checked again below.
            due_keys = [(pk, row["sk"]) for row in rows]
            deliveries = {delivery.id: delivery for delivery in map(_delivery, self._table.get_many(due_keys))}
            in_order = [deliveries[key] for _, sk in due_keys if (key := keys.parse_delivery(sk)) in deliveries]
            claimable = [delivery for delivery in in_order if delivery.is_claimable(until)]
            # If all of them changed between the two reads, others may be due behind them: read the index again.
            if claimable or not due_keys:
                return claimable
        raise DatabaseBusyError

    def waiting(self, until: Timestamp, *, limit: int) -> Sequence[Waiting]:
        pending = [each for shard in keys.waiting_shards() for each in self._waiting_in(shard, until)]
        return [waiting for _, waiting in heapq.nsmallest(limit, pending)]

    def change(self, before: Delivery, after: Delivery, health: HealthChange | None = None) -> None:
        item, condition = delivery_item(after), Path("version") == before.version
        if health is None:
            if not self._put(item, condition):
                raise StaleDeliveryError(before.id)
            return
        health_item = _health_item(after.webhook_id, health.after)
        # While a notice to the shop is pending, the endpoint is in the index.
        if health.after.unreported_since is not None:
            health_item |= {"shop": after.shop_id, **_waits(after.webhook_id, health.after.unreported_since)}
        transaction = Transaction(self._table)
        transaction.put(item, condition, OvertakenError())
        transaction.put(health_item, _is_unchanged(health.before), OvertakenError())
        try:
            transaction.write()
        except OvertakenError as error:
            raise StaleDeliveryError(before.id) from error

    def health(self, webhook_id: str) -> Health:
        item = self._table.get(keys.webhook(webhook_id), keys.HEALTH)
        if item is None:
            return Health()
        return Health(item["failures"], item.get("disabled_at"), item["version"], item.get("untold"))

    def put_health(self, webhook_id: str, change: HealthChange) -> None:
        if not self._put(_health_item(webhook_id, change.after), _is_unchanged(change.before)):
            raise StaleDeliveryError(webhook_id)

    def _put(self, item: Item, condition: Condition) -> bool:
        """Return whether the item was stored."""
        try:
            self._table.put(item, condition)
        except ConditionFailedError as error:
            # After a lost response, botocore's retry fails on the item of its first attempt, which has the same token.
            return error.item is not None and error.item.get("token") == item["token"]
        return True

    def _waiting_in(self, shard: str, until: Timestamp) -> Iterator[tuple[Timestamp, Waiting]]:
        """Yield each endpoint of a shard with work that was due by then, with the moment its first work was due."""
        # Each run starts at another place and wraps around: with more endpoints than one run can read, each has its
        # turn.
        start = sha256(until.encode()).hexdigest()[:12]
        reads = READS_A_SHARD
        for place, end in ((start, _HIGHEST), (_LOWEST, start)):
            next_place: str | None = place
            while next_place is not None and reads:
                where = Path("turn").between(next_place, end)
                rows = list(self._table.query(shard, limit=ROWS_A_READ, where=where, index=keys.WAITING_INDEX))
                # Rows are sorted by endpoint and moment, so in reverse the first row of an endpoint is the last to be
                # set.
                for pk, row in {row["pk"]: row for row in reversed(rows)}.items():
                    if (due := keys.parse_turn(row["turn"])) <= until:
                        yield due, Waiting(row["shop"], keys.parse_webhook(pk))
                # One row per endpoint is enough, so the next read skips the remaining rows of the last endpoint.
                next_place = keys.after_turns(rows[-1]["turn"]) if len(rows) == ROWS_A_READ else None
                reads -= 1


def delivery_item(delivery: Delivery) -> Item:
    item = {
        "pk": keys.webhook(delivery.webhook_id),
        "sk": keys.delivery(delivery.id),
        "shop": delivery.shop_id,
        "version": delivery.version,
        "token": write_token(),
        "expires": expires(parse_timestamp(delivery.created_at) + KEPT),
        "document": compress_json(document_of(delivery)),
    }
    if delivery.due_at is None:
        return item
    return item | {"due": keys.due(delivery.due_at, delivery.id), **_waits(delivery.webhook_id, delivery.due_at)}


def _waits(webhook_id: str, since: Timestamp) -> Item:
    """Return the attributes by which the index of endpoints with pending work finds an item."""
    return {"waiting": keys.waiting_shard(webhook_id), "turn": keys.turn(webhook_id, since)}


def _delivery(item: Item) -> Delivery:
    return delivery_from(decompress_json(item["document"]))


def _health_item(webhook_id: str, health: Health) -> dict[str, Any]:
    item = {
        "pk": keys.webhook(webhook_id),
        "sk": keys.HEALTH,
        "version": health.version,
        "token": write_token(),
        "failures": health.consecutive_failures,
    }
    optional = {"disabled_at": health.disabled_at, "untold": health.unreported}
    return item | {name: value for name, value in optional.items() if value is not None}


def _is_unchanged(before: Health) -> Condition:
    """Return the condition that stored health has the version that was read, 0 for an endpoint without an item."""
    unchanged: Condition = absent() if before.version == 0 else Path("version") == before.version
    return unchanged
