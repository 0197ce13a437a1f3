"""Store of webhook deliveries and of their endpoints' health."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from abtest.domain.webhooks.deliveries import Delivery, Status
from abtest.domain.webhooks.health import Health
from abtest.kit.clock import Timestamp


class StaleDeliveryError(Exception):
    """Delivery or health that changed between reading and writing. Read both again, and repeat the change."""


class HealthChange(NamedTuple):
    """Endpoint's health before and after a change."""

    before: Health
    after: Health


@dataclass(frozen=True, slots=True, kw_only=True)
class DeliveryFilter:
    """Filter of deliveries; None matches all. `since` and `until` are the first and last moment of creation."""

    status: Status | None = None
    event: str | None = None
    since: Timestamp | None = None
    until: Timestamp | None = None

    def admits(self, delivery: Delivery) -> bool:
        """Return whether the delivery matches."""
        return (
            self.status in (None, delivery.status)
            and self.event in (None, delivery.event)
            and (self.since is None or delivery.created_at >= self.since)
            and (self.until is None or delivery.created_at <= self.until)
        )


class Waiting(NamedTuple):
    """Endpoint with due deliveries, or with a pending notice that it was disabled."""

    shop_id: str
    webhook_id: str


class DeliveryStore(Protocol):
    """Deliveries, kept for 30 days, and the health of each endpoint. All calls may raise DatabaseBusyError."""

    def add(self, delivery: Delivery) -> bool:
        """Store a new delivery. Return False, with nothing changed, when one with its id exists.

        Raises ItemTooLargeError for more than 400 KB as stored.
        """
        ...

    def get(self, webhook_id: str, delivery_id: str) -> Delivery | None:
        """Return the delivery, read consistently, or None."""
        ...

    def page(
        self,
        webhook_id: str,
        which: DeliveryFilter,
        *,
        limit: int,
        after: str | None = None,
        oldest_first: bool = False,
    ) -> tuple[Sequence[Delivery], str | None]:
        """Return deliveries that match, by id, newest first unless `oldest_first`, and the id that continues the list.

        With `after`, the list continues behind that id. The returned id is None at the end of the list. A page may be
        shorter than `limit` before the end, because a call reads a bounded number of rows.
        """
        ...

    def due(self, webhook_id: str, until: Timestamp, *, limit: int) -> Sequence[Delivery]:
        """Return at most `limit` deliveries that are due by `until`, read consistently, earliest due first."""
        ...

    def waiting(self, until: Timestamp, *, limit: int) -> Sequence[Waiting]:
        """Return each endpoint with work that was due at `until` or before, once. Not read consistently."""
        ...

    def change(self, before: Delivery, after: Delivery, health: HealthChange | None = None) -> None:
        """Replace `before` with `after`, and change the health with it: both or neither. Raises StaleDeliveryError."""
        ...

    def health(self, webhook_id: str) -> Health:
        """Return the endpoint's health, read consistently; that of a new endpoint when none is stored."""
        ...

    def put_health(self, webhook_id: str, change: HealthChange) -> None:
        """Store health that changes without a delivery and adds no pending notice. Raises StaleDeliveryError."""
        ...
