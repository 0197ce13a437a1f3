"""Deliveries of webhooks, and how their endpoints bear up: the truth about what was sent to whom."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from abtest.domain.webhooks.deliveries import Delivery, Status
from abtest.domain.webhooks.health import Health
from abtest.kit.clock import Timestamp


class StaleDeliveryError(Exception):
    """The delivery, or the health beside it, changed between reading and writing. Read again."""


class HealthChange(NamedTuple):
    """How an endpoint's health changes with a delivery: both or neither are written."""

    before: Health
    after: Health


@dataclass(frozen=True, slots=True, kw_only=True)
class DeliveryFilter:
    """Which deliveries a list shows; None lets all through. `since` and `until` are moments of creation."""

    status: Status | None = None
    event: str | None = None
    since: Timestamp | None = None
    until: Timestamp | None = None

    def admits(self, delivery: Delivery) -> bool:
        """Whether the delivery passes."""
        return (
            self.status in (None, delivery.status)
            and self.event in (None, delivery.event)
            and (self.since is None or delivery.created_at >= self.since)
            and (self.until is None or delivery.created_at <= self.until)
        )


class Waiting(NamedTuple):
    """An endpoint for which deliveries are due, or whose shop is to be told that it is disabled."""

    shop_id: str
    webhook_id: str


class DeliveryStore(Protocol):
    """One row a delivery, kept for 30 days; one of health an endpoint. All calls may raise DatabaseBusyError."""

    def add(self, delivery: Delivery) -> bool:
        """Store a new one; False when there is one of that id, which stays as it is."""
        ...

    def get(self, webhook_id: str, delivery_id: str) -> Delivery | None:
        """The delivery, read consistently, or None."""
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
        """Newest first by id, or oldest first; those behind `after`, and the id that continues the list, if it does.

        A page may be shorter than `limit` and still go on: one call reads a bounded number of rows.
        """
        ...

    def due(self, webhook_id: str, until: Timestamp, *, limit: int) -> Sequence[Delivery]:
        """What a worker may take up by then, read consistently, the longest due first."""
        ...

    def waiting(self, until: Timestamp, *, limit: int) -> Sequence[Waiting]:
        """Endpoints with something to do that was due by then, each once; not read consistently."""
        ...

    def change(self, before: Delivery, after: Delivery, health: HealthChange | None = None) -> None:
        """Store `after` in the place of `before`, and health with it. Raises StaleDeliveryError, changing nothing."""
        ...

    def health(self, webhook_id: str) -> Health:
        """How the endpoint bears up, read consistently."""
        ...

    def put_health(self, webhook_id: str, change: HealthChange) -> None:
        """Store an endpoint's health that no delivery changed: nothing new is untold. Raises StaleDeliveryError."""
        ...
