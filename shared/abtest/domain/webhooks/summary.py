"""Summary of deliveries: how many have each status, and how long the delivered ones took. Pure."""

from collections.abc import Mapping
from datetime import timedelta
from typing import get_args

from abtest.domain.webhooks.deliveries import Delivery, Status
from abtest.kit.clock import parse_timestamp


class DeliverySummary:
    """Counts and latencies of deliveries; tests are left out."""

    def __init__(self) -> None:
        self._counts: dict[str, int] = dict.fromkeys(get_args(Status), 0)
        self._latencies: list[int] = []
        self.seen = 0
        """Deliveries looked at, tests included."""

    @property
    def counts(self) -> Mapping[str, int]:
        """Number of deliveries by status, with all statuses."""
        return dict(self._counts)

    def add(self, delivery: Delivery) -> None:
        """Count one delivery."""
        self.seen += 1
        if delivery.is_test:
            return
        self._counts[delivery.status] += 1
        if delivery.status == "delivered" and delivery.delivered_at is not None:
            took = parse_timestamp(delivery.delivered_at) - parse_timestamp(delivery.created_at)
            self._latencies.append(max(0, took // timedelta(milliseconds=1)))

    def latency(self, percent: int) -> int | None:
        """Return the nearest-rank percentile, in ms from creation to arrival; None where nothing was delivered."""
        if not self._latencies:
            return None
        rank = -(-len(self._latencies) * percent // 100)
        return sorted(self._latencies)[max(rank, 1) - 1]
