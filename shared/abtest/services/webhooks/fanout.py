"""From an event to its deliveries: one for each endpoint that asked for it.

Repeatable at every line: a delivery's id is derived from the event and the endpoint, and the event is forgotten last.
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
from abtest.services.webhooks.doorbell import Doorbell
from abtest.services.webhooks.draining import lease_name
from abtest.services.webhooks.records import live_webhooks

_log = logging.getLogger(__name__)


class FanOut:
    """Makes deliveries of events."""

    def __init__(self, world: World, store: DeliveryStore, leases: Leases, doorbell: Doorbell) -> None:
        self._world = world
        self._store = store
        self._leases = leases
        self._doorbell = doorbell

    def carry_out(self, row_id: str, created_at: Timestamp) -> None:
        """Make the deliveries of the event that waits in this outbox row; one that waits no more was carried out."""
        row = self._world.catalog.outbox_row("webhook", created_at, row_id)
        if row is not None:
            self.deliver(row)

    def deliver(self, row: OutboxRow) -> None:
        """Make the deliveries of an event, then forget it."""
        event = row.payload["event"]
        wanting = [
            webhook
            for webhook in live_webhooks(self._world.catalog, row.shop_id)
            if webhook.active and webhook.wants(event) and webhook.created_at <= row.created_at
        ]
        for webhook in wanting:
            delivery = self._delivery(row, webhook)
            if self._store.add(delivery) and not delivery.has_ended:
                self._ring(webhook)
        self._world.catalog.outbox_done(row)
        _log.info("webhook.fanned_out", extra={"shop_id": row.shop_id, "event": event, "webhooks": len(wanting)})

    def _ring(self, webhook: Webhook) -> None:
        """Unless a worker is at the endpoint, who looks for more before leaving: a burst needs no ring an event."""
        if not self._leases.is_held(lease_name(webhook.id), now=self._world.clock.now()):
            self._doorbell.deliveries(webhook.shop_id, webhook.id)

    def _delivery(self, row: OutboxRow, webhook: Webhook) -> Delivery:
        """Queued; of an endpoint that failures stopped it is dead at once, so that it can be recovered."""
        now = self._world.now()
        facts = {name: value for name, value in row.payload.items() if name != "event"}
        delivery = deliveries.queued(webhook, delivery_id(row.id, webhook.id), row.payload["event"], facts, now)
        if self._store.health(webhook.id).is_disabled:
            return deliveries.closed(delivery, DISABLED, now)
        return delivery
