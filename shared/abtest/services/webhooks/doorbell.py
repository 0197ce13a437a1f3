"""The messages of WebhookQueue. They only say where to look: what is to be done stands in the tables.

`{"kind": "events", "rows": [{"id", "created_at"}, …]}`: outbox rows of events, in their order, that wait to become
deliveries.
`{"kind": "deliveries", "shop_id", "webhook_id"}`: deliveries of an endpoint that are due, or will be after the delay.
"""

import logging
from collections.abc import Sequence
from datetime import timedelta

from abtest.kit import canonical_json
from abtest.ports.catalog import OutboxRow
from abtest.ports.queue import MAX_DELAY_SECONDS, Queue, QueueUnavailableError

_log = logging.getLogger(__name__)


class Doorbell:
    """Rings for workers. One that is not heard costs a minute: the sweep rings again."""

    def __init__(self, queue: Queue) -> None:
        self._queue = queue

    def events(self, rows: Sequence[OutboxRow]) -> bool:
        """Some events wait. False when the queue refused."""
        named = [{"id": row.id, "created_at": row.created_at} for row in rows]
        return self._ring({"kind": "events", "rows": named}, 0)

    def deliveries(self, shop_id: str, webhook_id: str, delay: timedelta = timedelta()) -> bool:
        """Deliveries of an endpoint are due after a delay. False when the queue refused."""
        seconds = min(-(-delay // timedelta(seconds=1)), MAX_DELAY_SECONDS)
        return self._ring({"kind": "deliveries", "shop_id": shop_id, "webhook_id": webhook_id}, max(seconds, 0))

    def _ring(self, message: dict[str, object], delay_seconds: int) -> bool:
        try:
            self._queue.send(canonical_json.dumps(message), delay_seconds=delay_seconds)
        except QueueUnavailableError:
            _log.warning("webhook.not_rung", extra={"message_kind": message["kind"]}, exc_info=True)
            return False
        return True
