"""Requests to publish a shop, as messages of PublishQueue: of the sweep, and of families that may not publish."""

from collections.abc import Sequence
from contextlib import suppress

from abtest.kit import canonical_json
from abtest.ports.catalog import OutboxRow
from abtest.ports.queue import Queue, QueueUnavailableError


def publish_message(shop_id: str, rows: Sequence[OutboxRow]) -> str:
    """Return the body of a message in PublishQueue: the shop, and outbox rows that are done once it is published."""
    outbox = [{"id": row.id, "created_at": row.created_at} for row in rows]
    return canonical_json.dumps({"shop_id": shop_id, "outbox": outbox})


class RequestedStorefronts:
    """Has a worker publish after commits; where the queue refuses, the sweep does so later."""

    def __init__(self, queue: Queue) -> None:
        self._queue = queue

    def refresh(self, shop_id: str, row: OutboxRow | None = None) -> Sequence[str]:
        """Request a publication of the shop. What it fails with is not known here, so the answer is empty."""
        with suppress(QueueUnavailableError):
            self._queue.send(publish_message(shop_id, [row] if row else []))
        return ()
