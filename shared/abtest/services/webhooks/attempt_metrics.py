"""Metrics of attempts, for alarms and dashboards: their outcomes, and how long events took to arrive."""

from collections import Counter
from collections.abc import Sequence

from abtest.domain.webhooks.deliveries import Delivery, Status
from abtest.kit.clock import parse_milliseconds
from abtest.kit.ids import uuid7_milliseconds

_VERSION_AT_ONCE = 3
"""Version of a delivery that was made, claimed and recorded. More writes mean a retry, a lost worker or a recovery."""

_NAMES: dict[Status, str] = {"delivered": "WebhooksDelivered", "failed": "WebhooksFailed", "dead": "WebhooksDead"}


def measured(attempted: Sequence[Delivery]) -> dict[str, float]:
    """Count a round's attempts without tests, and measure the longest latency of a first attempt that arrived, in ms.

    A delivery that waited for a retry, or for its shop to recover it, does not measure this service.
    """
    real = [delivery for delivery in attempted if not delivery.is_test]
    counts: dict[str, float] = dict(Counter(_NAMES[delivery.status] for delivery in real))
    # The id of a delivery begins with the moment of its event.
    latencies = [
        max(0, parse_milliseconds(delivery.delivered_at) - uuid7_milliseconds(delivery.id))
        for delivery in real
        if delivery.version == _VERSION_AT_ONCE and delivery.delivered_at
    ]
    return counts | ({"WebhookLatencyMs": max(latencies)} if latencies else {})
