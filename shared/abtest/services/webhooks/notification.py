"""Messages of WebhookQueue. They only name what to look at; the tables hold the work itself.

`{"kind": "events", "rows": [{"id", "created_at"}, …]}`: outbox rows of events, in order, that need deliveries.
`{"kind": "deliveries", "shop_id", "webhook_id"}`: an endpoint with deliveries that are due, or will be after the delay.
"""

import logging
from collections.abc import Mapping, Sequence
from datetime import timedelta

from abtest.kit import canonical_json
from abtest.ports.catalog import OutboxRow
from abtest.ports.queue import MAX_DELAY_SECONDS, Queue, QueueUnavailableError

_log = logging.getLogger(__name__)


class WorkerNotifier:
    """Sender of notifications to workers. A lost one costs a minute: the sweep notifies again."""

    def __init__(self, queue: Queue) -> None:
        self._queue = queue

    def events_waiting(self, rows: Sequence[OutboxRow]) -> bool:
        """Notify of events that need deliveries. Return False when the queue refused."""
        named = [{"id": row.id, "created_at": row.created_at} for row in rows]
        shops = {row.shop_id for row in rows}
        return self.send({"kind": "events", "rows": named}, timedelta(), group=shops.pop() if len(shops) == 1 else "")

    def deliveries_due(self, shop_id: str, webhook_id: str, delay: timedelta = timedelta()) -> bool:
        """Notify of deliveries of an endpoint, due after a delay. Return False when the queue refused."""
        return self.send({"kind": "deliveries", "shop_id": shop_id, "webhook_id": webhook_id}, delay, group=webhook_id)

    def send(self, message: Mapping[str, object], delay: timedelta, *, group: str = "") -> bool:
        """Send one message, delayed by whole seconds, rounded up. Return False when the queue refused.

        Messages have the group of their endpoint, or of the shop of their events: the platform delivers those of others
        before those of a group that occupies workers.
        """
        # SQS delays by 15 minutes at most. After a longer wait the sweep notifies.
        seconds = max(0, min(-(-delay // timedelta(seconds=1)), MAX_DELAY_SECONDS))
        try:
            self._queue.send(canonical_json.dumps(message), delay_seconds=seconds, group=group)
        except QueueUnavailableError:
            _log.warning("webhook.not_rung", extra={"message_kind": message["kind"]}, exc_info=True)
            return False
        return True


class NotifyOfEvents:
    """Listener of the catalog's commits. The sweep repeats a notification that the queue refused."""

    def __init__(self, notifier: WorkerNotifier) -> None:
        self._notifier = notifier

    def __call__(self, rows: Sequence[OutboxRow]) -> None:
        """Notify workers of the events among the committed outbox rows."""
        events = [row for row in rows if row.topic == "webhook"]
        if events:
            self._notifier.events_waiting(events)
