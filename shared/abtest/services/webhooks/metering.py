"""Numbers about attempts, for alarms and dashboards: what became of them, and how long events were on their way."""

from collections import Counter
from collections.abc import Sequence

from abtest.domain.webhooks.deliveries import Delivery, Status
from abtest.kit.clock import Timestamp, parse_milliseconds
from abtest.kit.ids import uuid7_milliseconds

_VERSION_AT_ONCE = 3
"""Of one that was made, claimed and recorded: each write more is a retry, a lost worker, an end or a recovery."""

_NAMES: dict[Status, str] = {"delivered": "WebhooksDelivered", "failed": "WebhooksFailed", "dead": "WebhooksDead"}


def measured(attempted: Sequence[Delivery]) -> dict[str, float]:
    """Counts of a round's attempts, tests left out, and the longest way of an event that arrived at once, in ms.

    What waited for a retry, or for somebody to recover it, says nothing about us.
    """
    real = [delivery for delivery in attempted if not delivery.is_test]
    found: dict[str, float] = dict(Counter(_NAMES[delivery.status] for delivery in real))
    at_once = [each for each in real if each.version == _VERSION_AT_ONCE]
    ways = [_way(each.id, each.delivered_at) for each in at_once if each.delivered_at]
    return found | ({"WebhookLatencyMs": max(ways)} if ways else {})


def _way(delivery_id: str, arrived: Timestamp) -> int:
    """The id of a delivery begins with the moment of its event."""
    return max(0, parse_milliseconds(arrived) - uuid7_milliseconds(delivery_id))
