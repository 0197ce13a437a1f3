"""What the catalog tells of, once a commit stands: events that wait are rung for."""

from collections.abc import Sequence

from abtest.ports.catalog import OutboxRow
from abtest.services.webhooks.doorbell import Doorbell


class RingForEvents:
    """A listener of the catalog. What it cannot ring for, the sweep does."""

    def __init__(self, doorbell: Doorbell) -> None:
        self._doorbell = doorbell

    def __call__(self, rows: Sequence[OutboxRow]) -> None:
        events = [row for row in rows if row.topic == "webhook"]
        if events:
            self._doorbell.events(events)
