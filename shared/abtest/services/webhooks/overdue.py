"""Repeated notifications of overdue events and deliveries, sent once a minute."""

from dataclasses import dataclass
from datetime import timedelta

from abtest.kit.clock import timestamp
from abtest.ports.deliveries import DeliveryStore
from abtest.ports.metrics import Metrics
from abtest.services.context import World
from abtest.services.refusal_limit import count_accepted
from abtest.services.webhooks.notification import WorkerNotifier

PATIENCE = timedelta(seconds=30)
"""How long an event or a delivery may be overdue before the notification is repeated."""

_EVENTS_A_RUN, _EVENTS_A_MESSAGE, _ENDPOINTS_A_RUN = 5000, 50, 2000


@dataclass(frozen=True, slots=True, kw_only=True)
class OverdueWebhooks:
    """One pass over overdue deliveries. A superfluous notification is harmless."""

    world: World
    store: DeliveryStore
    notifier: WorkerNotifier
    metrics: Metrics

    def run(self) -> int:
        """Return the number of notifications that were sent."""
        before = timestamp(self.world.clock.now() - PATIENCE)
        events = self.world.catalog.outbox("webhook", created_before=before, limit=_EVENTS_A_RUN)
        endpoints = self.store.waiting(before, limit=_ENDPOINTS_A_RUN)
        self.metrics.put({"WebhookEventsWaiting": len(events), "WebhookEndpointsWaiting": len(endpoints)})
        portions = (events[start : start + _EVENTS_A_MESSAGE] for start in range(0, len(events), _EVENTS_A_MESSAGE))
        sent = count_accepted(portions, self.notifier.events_waiting)
        return sent + count_accepted(endpoints, lambda endpoint: self.notifier.deliveries_due(*endpoint))
