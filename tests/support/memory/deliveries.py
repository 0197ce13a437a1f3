"""Deliveries in memory."""

import threading
from collections import defaultdict
from collections.abc import Sequence

from abtest.adapters.dynamo.deliveries import delivery_item
from abtest.adapters.dynamo.sizes import check_item
from abtest.domain.webhooks.deliveries import Delivery, delivery_from, document_of
from abtest.domain.webhooks.health import Health
from abtest.kit import canonical_json
from abtest.kit.clock import Timestamp
from abtest.ports.deliveries import DeliveryFilter, HealthChange, StaleDeliveryError, Waiting


class MemoryDeliveryStore:
    """Rows in dictionaries, encoded as a table would hold them."""

    def __init__(self) -> None:
        self._rows: defaultdict[str, dict[str, bytes]] = defaultdict(dict)
        self._due: defaultdict[str, dict[str, Timestamp]] = defaultdict(dict)
        self._health: dict[str, Health] = {}
        self._lock = threading.RLock()

    def add(self, delivery: Delivery) -> bool:
        check_item(delivery_item(delivery))
        with self._lock:
            if delivery.id in self._rows[delivery.webhook_id]:
                return False
            self._keep(delivery)
        return True

    def get(self, webhook_id: str, delivery_id: str) -> Delivery | None:
        with self._lock:
            stored = self._rows[webhook_id].get(delivery_id)
        return None if stored is None else _loaded(stored)

    def page(
        self,
        webhook_id: str,
        which: DeliveryFilter,
        *,
        limit: int,
        after: str | None = None,
        oldest_first: bool = False,
    ) -> tuple[Sequence[Delivery], str | None]:
        with self._lock:
            rows = self._rows[webhook_id]
            behind = (row for row in rows if after is None or (row > after if oldest_first else row < after))
            ids = sorted(behind, reverse=not oldest_first)
            found = [row for row_id in ids if which.admits(row := _loaded(self._rows[webhook_id][row_id]))]
        return found[:limit], found[limit - 1].id if len(found) > limit else None

    def due(self, webhook_id: str, until: Timestamp, *, limit: int) -> Sequence[Delivery]:
        with self._lock:
            ids = sorted((due, row_id) for row_id, due in self._due[webhook_id].items() if due <= until)
            return [_loaded(self._rows[webhook_id][row_id]) for _, row_id in ids[:limit]]

    def waiting(self, until: Timestamp, *, limit: int) -> Sequence[Waiting]:
        with self._lock:
            due = [(min(due.values()), webhook_id) for webhook_id, due in self._due.items() if due]
            unreported = [(since, name) for name, health in self._health.items() if (since := health.unreported_since)]
            late = list(dict.fromkeys(name for since, name in sorted(due + unreported) if since <= until))
            return [Waiting(self._shop_of(webhook_id), webhook_id) for webhook_id in late[:limit]]

    def change(self, before: Delivery, after: Delivery, health: HealthChange | None = None) -> None:
        with self._lock:
            stored = self.get(before.webhook_id, before.id)
            if stored is None or stored.version != before.version:
                raise StaleDeliveryError(before.id)
            if health is not None:
                self.put_health(before.webhook_id, health)
            self._keep(after)

    def health(self, webhook_id: str) -> Health:
        with self._lock:
            return self._health.get(webhook_id, Health())

    def put_health(self, webhook_id: str, change: HealthChange) -> None:
        with self._lock:
            if self.health(webhook_id).version != change.before.version:
                raise StaleDeliveryError(webhook_id)
            self._health[webhook_id] = change.after

    def _keep(self, delivery: Delivery) -> None:
        self._rows[delivery.webhook_id][delivery.id] = canonical_json.encode(document_of(delivery))
        self._due[delivery.webhook_id].pop(delivery.id, None)
        if delivery.due_at is not None:
            self._due[delivery.webhook_id][delivery.id] = delivery.due_at

    def _shop_of(self, webhook_id: str) -> str:
        return _loaded(next(iter(self._rows[webhook_id].values()))).shop_id


def _loaded(stored: bytes) -> Delivery:
    return delivery_from(canonical_json.loads(stored))
