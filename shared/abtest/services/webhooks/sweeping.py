"""Looking after webhooks: doorbells that nobody heard are rung again, once a minute."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from itertools import islice
from typing import TypeVar

from abtest.kit.clock import timestamp
from abtest.ports.deliveries import DeliveryStore
from abtest.ports.metrics import Metrics
from abtest.services.context import World
from abtest.services.handing_on import handed_on
from abtest.services.webhooks.doorbell import Doorbell

PATIENCE = timedelta(seconds=30)
"""How long an event or a delivery may be overdue before somebody rings again."""

_EVENTS_A_RUN, _EVENTS_A_MESSAGE, _ENDPOINTS_A_RUN = 5000, 50, 2000

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class OverdueWebhooks:
    """One look at what is overdue. To ring in vain is harmless."""

    world: World
    store: DeliveryStore
    doorbell: Doorbell
    metrics: Metrics

    def run(self) -> int:
        """How often it rang."""
        before = timestamp(self.world.clock.now() - PATIENCE)
        events = self.world.catalog.outbox("webhook", created_before=before, limit=_EVENTS_A_RUN)
        waiting = self.store.waiting(before, limit=_ENDPOINTS_A_RUN)
        self.metrics.put({"WebhookEventsWaiting": len(events), "WebhookEndpointsWaiting": len(waiting)})
        rung = handed_on(_parts(events, _EVENTS_A_MESSAGE), self.doorbell.events)
        return rung + handed_on(waiting, lambda endpoint: self.doorbell.deliveries(*endpoint))


def _parts(things: Sequence[T], size: int) -> Iterable[list[T]]:
    rest = iter(things)
    while part := list(islice(rest, size)):
        yield part
