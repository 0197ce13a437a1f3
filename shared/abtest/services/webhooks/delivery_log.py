"""Log of deliveries to an endpoint: lists, single deliveries, and a summary."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta

from abtest.domain.webhooks.deliveries import Delivery
from abtest.domain.webhooks.summary import DeliverySummary
from abtest.kit.clock import Timestamp, from_milliseconds, parse_timestamp, timestamp
from abtest.kit.errors import NotFoundError
from abtest.kit.ids import before_uuid7, uuid7_milliseconds
from abtest.ports.deliveries import DeliveryFilter, DeliveryStore
from abtest.services.context import World
from abtest.services.webhooks.records import read_webhook

COUNTED_BY_DEFAULT = timedelta(days=1)
COUNTED_AT_MOST = 10_000
"""Deliveries that one response counts."""

DELAY = timedelta(days=3)
"""How long an event may have waited before its deliveries were made."""

_CLOCKS = timedelta(minutes=1)
"""Upper bound of the difference between the clocks of the machine of an event and of the one that made deliveries."""

_READ_AT_ONCE = 1000
_TIME = timedelta(seconds=15)


@dataclass(frozen=True, slots=True)
class Counted:
    """Deliveries made at `since` or later; not `complete` where there were more than one response counts."""

    since: Timestamp
    summary: DeliverySummary
    complete: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class DeliveryLog:
    """Reader. Every method raises NotFoundError for an endpoint of another shop; archived ones can be read."""

    world: World
    store: DeliveryStore

    def page(
        self, shop_id: str, webhook_id: str, which: DeliveryFilter, *, limit: int, after: str | None
    ) -> tuple[Sequence[Delivery], str | None]:
        """Newest first, and the key that continues the list; a page may be shorter than `limit`."""
        read_webhook(self.world.catalog, shop_id, webhook_id)
        # Deliveries are stored by endpoint alone: the read above is what keeps other shops out.
        deliveries, last = self.store.page(webhook_id, which, limit=limit, after=after)
        return deliveries, None if is_last_page(last, which) else last

    def get(self, shop_id: str, webhook_id: str, delivery_id: str) -> Delivery:
        """One delivery of the endpoint."""
        read_webhook(self.world.catalog, shop_id, webhook_id)
        delivery = self.store.get(webhook_id, delivery_id)
        if delivery is None:
            raise NotFoundError("no such delivery")
        return delivery

    def count(self, shop_id: str, webhook_id: str, since: Timestamp | None) -> Counted:
        """Summarize the deliveries, newest first; those of the last day unless `since` is given."""
        read_webhook(self.world.catalog, shop_id, webhook_id)
        began = self.world.clock.now()
        start = since or timestamp(began - COUNTED_BY_DEFAULT)
        summary, complete = DeliverySummary(), True
        for some, is_last in pages(self.store, webhook_id, DeliveryFilter(since=start), limit=_READ_AT_ONCE):
            for delivery in some:
                summary.add(delivery)
            complete = is_last
            # A function has 29 s, so half of that leaves time for a slow last page.
            if summary.seen >= COUNTED_AT_MOST or self.world.clock.now() - began >= _TIME:
                break
        return Counted(start, summary, complete=complete)


def pages(
    store: DeliveryStore, webhook_id: str, which: DeliveryFilter, *, limit: int, oldest_first: bool = False
) -> Iterator[tuple[Sequence[Delivery], bool]]:
    """Pages of deliveries that pass the filter, in either order, each with whether it is the last.

    Deliveries are stored in the order of their events. So deliveries made since a moment are not looked for among
    events that are DELAY older than it, nor those made until a moment among younger events.
    """
    after = before_uuid7(parse_timestamp(which.since) - DELAY) if oldest_first and which.since else None
    while True:
        some, after = store.page(webhook_id, which, limit=limit, after=after, oldest_first=oldest_first)
        is_last = is_last_page(after, which, oldest_first=oldest_first)
        yield some, is_last
        if is_last:
            return


def is_last_page(after: str | None, which: DeliveryFilter, *, oldest_first: bool = False) -> bool:
    """Return whether no delivery behind the key that a page ended with can pass the filter."""
    if after is None:
        return True
    happened = from_milliseconds(uuid7_milliseconds(after))
    if oldest_first:
        # A delivery is made after its event, except for the difference of two clocks.
        return which.until is not None and happened > parse_timestamp(which.until) + _CLOCKS
    return which.since is not None and happened < parse_timestamp(which.since) - DELAY
