"""Deliveries in DynamoDB: a row each, whose index attributes stand only while something is still to be done.

Two indexes answer two questions. "What is due for this endpoint?" must miss nothing that was just written: a local
index, read consistently. "Which endpoints wait?" must not be drowned by one of them with a million rows: a global index
sorted by endpoint, so that a look at one is followed by a jump to the next.
"""

import gzip
import heapq
from collections.abc import Iterator, Sequence
from hashlib import sha256

from pynamodb.expressions.condition import Condition
from pynamodb.expressions.operand import Path

from abtest.adapters.dynamo import keys
from abtest.adapters.dynamo.bodies import compress
from abtest.adapters.dynamo.ephemeral import expires
from abtest.adapters.dynamo.table import ConditionFailedError, Index, Item, Table, absent
from abtest.adapters.dynamo.transaction import Transaction
from abtest.domain.webhooks.deliveries import KEPT, Delivery, delivery_from, document_of
from abtest.domain.webhooks.health import Health
from abtest.kit import canonical_json
from abtest.kit.clock import Timestamp, parse_timestamp
from abtest.kit.errors import DatabaseBusyError, ServiceError
from abtest.kit.ids import SystemRandomness, random_base62
from abtest.ports.deliveries import DeliveryFilter, HealthChange, StaleDeliveryError, Waiting

ROWS_A_PAGE = 500
"""Rows that one page of a filtered list looks through."""

ROWS_A_LOOK, LOOKS_A_SHARD = 200, 50
"""How much of the index of those that wait is read at once, and how often: 800 requests at most, in the worst hour."""

_TRIES = 4
_INDEXES = (
    Index(keys.DUE_INDEX, partition="pk", sort="due", is_local=True),
    Index(keys.WAITING_INDEX, partition="waiting", sort="turn"),
)
_LOWEST, _HIGHEST = "#", "~"
"""Below and above all digits."""


class _OvertakenError(ServiceError):
    """Somebody else wrote in between."""


class DynamoDeliveryStore:
    """The deliveries table."""

    def __init__(self, table_name: str) -> None:
        self._table = Table(table_name, sorted_items=True, indexes=_INDEXES)

    def add(self, delivery: Delivery) -> bool:
        return self._put(_item(delivery), absent())

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
        where = _above(after) if oldest_first else _below(after)
        rows = limit + 1 if which == DeliveryFilter() else ROWS_A_PAGE
        items = self._table.query(keys.webhook(webhook_id), limit=rows, where=where, descending=not oldest_first)
        found, last, read = list[Delivery](), None, 0
        for delivery in map(_delivery, items):
            if which.admits(delivery):
                found.append(delivery)
            if len(found) > limit:
                return found[:limit], found[limit - 1].id
            last, read = delivery.id, read + 1
        return found, last if read == rows else None

    def due(self, webhook_id: str, until: Timestamp, *, limit: int) -> Sequence[Delivery]:
        for _ in range(_TRIES):
            wanted = self._due_keys(keys.webhook(webhook_id), until, limit)
            deliveries = {delivery.id: delivery for delivery in map(_delivery, self._table.get_many(wanted))}
            found = [deliveries[key] for _, sk in wanted if (key := keys.parse_delivery(sk)) in deliveries]
            claimable = [delivery for delivery in found if delivery.is_claimable(until)]
            # All of them moved between two reads: others may be due behind them.
            if claimable or not wanted:
                return claimable
        raise DatabaseBusyError

    def waiting(self, until: Timestamp, *, limit: int) -> Sequence[Waiting]:
        found = [each for shard in keys.waiting_shards() for each in self._waiting_in(shard, until)]
        return [waiting for _, waiting in heapq.nsmallest(limit, found)]

    def change(self, before: Delivery, after: Delivery, health: HealthChange | None = None) -> None:
        item, condition = _item(after), Path("version") == before.version
        if health is None:
            if not self._put(item, condition):
                raise StaleDeliveryError(before.id)
            return
        transaction, overtaken = Transaction(self._table), _OvertakenError("somebody else wrote in between")
        transaction.put(item, condition, overtaken)
        transaction.put(_changed_health_item(after, health.after), _follows(health.before), overtaken)
        try:
            transaction.write()
        except _OvertakenError as error:
            raise StaleDeliveryError(before.id) from error

    def health(self, webhook_id: str) -> Health:
        item = self._table.get(keys.webhook(webhook_id), keys.HEALTH)
        if item is None:
            return Health()
        return Health(item["failures"], item.get("disabled_at"), item["version"], item.get("untold"))

    def put_health(self, webhook_id: str, change: HealthChange) -> None:
        if not self._put(_health_item(webhook_id, change.after), _follows(change.before)):
            raise StaleDeliveryError(webhook_id)

    def _put(self, item: Item, condition: Condition) -> bool:
        """Whether the item was stored. A repetition after a lost answer finds its own item, by its token."""
        try:
            self._table.put(item, condition)
        except ConditionFailedError as error:
            return error.item is not None and error.item.get("token") == item["token"]
        return True

    def _due_keys(self, pk: str, until: Timestamp, limit: int) -> list[keys.Key]:
        where = Path("due") < keys.after_due(until)
        return [(pk, row["sk"]) for row in self._table.query(pk, limit=limit, where=where, index=keys.DUE_INDEX)]

    def _waiting_in(self, shard: str, until: Timestamp) -> Iterator[tuple[Timestamp, Waiting]]:
        """When something was due for an endpoint, and which it is.

        Each run begins elsewhere and goes round: where there are more endpoints than one can see, each has its turn.
        """
        start = sha256(until.encode()).hexdigest()[:12]
        looks = LOOKS_A_SHARD
        for place, end in ((start, _HIGHEST), (_LOWEST, start)):
            next_place: str | None = place
            while next_place is not None and looks:
                rows = self._rows_that_wait(shard, next_place, end)
                yield from _late_first(rows, until)
                next_place = keys.after_turns(rows[-1]["turn"]) if len(rows) == ROWS_A_LOOK else None
                looks -= 1

    def _rows_that_wait(self, shard: str, start: str, end: str) -> list[Item]:
        where = Path("turn").between(start, end)
        return list(self._table.query(shard, limit=ROWS_A_LOOK, where=where, index=keys.WAITING_INDEX))


def _below(delivery_id: str | None) -> Condition:
    where: Condition = Path("sk") < (keys.after_deliveries() if delivery_id is None else keys.delivery(delivery_id))
    return where


def _above(delivery_id: str | None) -> Condition:
    """Health stands above all deliveries, and nothing below."""
    where: Condition = Path("sk").between(keys.after_delivery(delivery_id or ""), keys.after_deliveries())
    return where


def _late_first(rows: Sequence[Item], until: Timestamp) -> Iterator[tuple[Timestamp, Waiting]]:
    """Of each endpoint the row that is due first, if it was due by then; they are sorted by both."""
    first: dict[str, Item] = {}
    for row in rows:
        first.setdefault(row["pk"], row)
    for pk, row in first.items():
        if (due := keys.parse_turn(row["turn"])) <= until:
            yield due, Waiting(row["shop"], keys.parse_webhook(pk))


def _item(delivery: Delivery) -> Item:
    item = {
        "pk": keys.webhook(delivery.webhook_id),
        "sk": keys.delivery(delivery.id),
        "shop": delivery.shop_id,
        "version": delivery.version,
        "token": _token(),
        "expires": expires(parse_timestamp(delivery.created_at) + KEPT),
        "document": compress(canonical_json.encode(document_of(delivery))),
    }
    if delivery.due_at is None:
        return item
    return item | {
        "due": keys.due(delivery.due_at, delivery.id),
        **_waits(delivery.webhook_id, delivery.due_at),
    }


def _waits(webhook_id: str, since: Timestamp) -> Item:
    return {"waiting": keys.waiting_shard(webhook_id), "turn": keys.turn(webhook_id, since)}


def _delivery(item: Item) -> Delivery:
    return delivery_from(canonical_json.loads(gzip.decompress(item["document"]), own=True))


def _health_item(webhook_id: str, health: Health) -> Item:
    item = {
        "pk": keys.webhook(webhook_id),
        "sk": keys.HEALTH,
        "version": health.version,
        "token": _token(),
        "failures": health.consecutive_failures,
    }
    told = {"disabled_at": health.disabled_at, "untold": health.unreported}
    return item | {name: value for name, value in told.items() if value is not None}


def _changed_health_item(delivery: Delivery, health: Health) -> Item:
    """Among those that wait while its shop is to be told."""
    item = _health_item(delivery.webhook_id, health)
    since = health.unreported_since
    if since is None:
        return item
    return {**item, "shop": delivery.shop_id, **_waits(delivery.webhook_id, since)}


def _follows(before: Health) -> Condition:
    """The health that was read still stands; that of an endpoint without a row has no version."""
    unchanged: Condition = absent() if before.version == 0 else Path("version") == before.version
    return unchanged


def _token() -> str:
    return random_base62(22, SystemRandomness())
