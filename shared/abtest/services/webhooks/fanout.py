"""Fan-out of an event: one delivery for each endpoint that subscribed to it.

Repeatable at every line: a delivery's id is derived from the event and the endpoint, and the event is removed last.
"""

import logging

from abtest.domain.webhooks import deliveries
from abtest.domain.webhooks.deliveries import DISABLED, Delivery, delivery_id
from abtest.domain.webhooks.endpoint import Webhook
from abtest.kit.clock import Timestamp
from abtest.ports.catalog import OutboxRow
from abtest.ports.deliveries import DeliveryStore
from abtest.ports.limits import Leases
from abtest.services.context import World
from abtest.services.webhooks.drain import lease_name
from abtest.services.webhooks.notification import WorkerNotifier
from abtest.services.webhooks.records import live_webhooks

_log = logging.getLogger(__name__)


class FanOut:
    """Maker of deliveries from events."""

    def __init__(self, world: World, store: DeliveryStore, leases: Leases, notifier: WorkerNotifier) -> None:
        self._world = world
        self._store = store
        self._leases = leases
        self._notifier = notifier

    def carry_out(self, row_id: str, created_at: Timestamp) -> None:
        """Make the deliveries of the event in this outbox row. A row that is gone was handled before."""
        row = self._world.catalog.event(created_at, row_id)
        if row is not None:
            self.deliver(row)

    def deliver(self, row: OutboxRow) -> None:
        """Make the deliveries of an event, then remove it from the outbox."""
        event = row.payload["event"]
        subscribed = [
            webhook
            for webhook in live_webhooks(self._world.catalog, row.shop_id)
            if webhook.active and webhook.wants(event) and webhook.created_at <= row.created_at
        ]
        for webhook in subscribed:
            delivery = self.delivery(row, webhook)
            # Nothing to send: it is dead at once, or an earlier run made it. If that run could not notify, the sweep
            # does when the delivery is overdue.
            if not self._store.add(delivery) or delivery.has_ended:
                continue
            # A worker that holds the lease looks for more before it leaves: a burst needs no message for each event.
            if not self._leases.is_held(lease_name(webhook.id), now=self._world.clock.now()):
                self._notifier.deliveries_due(webhook.shop_id, webhook.id)
        # Last: a worker that dies before this line repeats the event, and stored deliveries are not added twice.
        self._world.catalog.outbox_done(row)
        _log.info("webhook.fanned_out", extra={"shop_id": row.shop_id, "event": event, "webhooks": len(subscribed)})

    def delivery(self, row: OutboxRow, webhook: Webhook) -> Delivery:
        """Build the queued delivery; it is dead at once for a disabled endpoint, so that it can be recovered."""
        now = self._world.now()
        facts = {name: value for name, value in row.payload.items() if name != "event"}
        delivery = deliveries.queued(webhook, delivery_id(row.id, webhook.id), row.payload["event"], facts, now)
        if self._store.health(webhook.id).is_disabled:
            return deliveries.closed(delivery, DISABLED, now)
        return delivery
