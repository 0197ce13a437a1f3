"""Looking after webhooks: doorbells that nobody heard are rung again, once a minute."""

from dataclasses import dataclass
from datetime import timedelta
from itertools import islice

from abtest.kit.clock import timestamp
from abtest.ports.deliveries import DeliveryStore
from abtest.services.context import World
from abtest.services.webhooks.doorbell import Doorbell

PATIENCE = timedelta(seconds=30)
"""How long an event or a delivery may be overdue before somebody rings again."""

_EVENTS_A_RUN, _EVENTS_A_MESSAGE, _ENDPOINTS_A_RUN = 5000, 50, 2000


@dataclass(frozen=True, slots=True, kw_only=True)
class OverdueWebhooks:
    """One look at what is overdue. To ring in vain is harmless."""

    world: World
    store: DeliveryStore
    doorbell: Doorbell

    def run(self) -> int:
        """How often it rang."""
        before = timestamp(self.world.clock.now() - PATIENCE)
        return self._events(before) + self._deliveries(before)

    def _events(self, before: str) -> int:
        rows = iter(self.world.catalog.outbox("webhook", created_before=before, limit=_EVENTS_A_RUN))
        rung = 0
        while some := list(islice(rows, _EVENTS_A_MESSAGE)):
            self.doorbell.events(some)
            rung += 1
        return rung

    def _deliveries(self, before: str) -> int:
        waiting = self.store.waiting(before, limit=_ENDPOINTS_A_RUN)
        for shop_id, webhook_id in waiting:
            self.doorbell.deliveries(shop_id, webhook_id)
        return len(waiting)
