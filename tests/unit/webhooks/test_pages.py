"""How far back a log is read for what was made since a moment."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import pytest

from abtest.domain.webhooks.deliveries import Delivery
from abtest.kit.clock import timestamp
from abtest.kit.ids import SystemRandomness, uuid7
from abtest.ports.deliveries import DeliveryFilter
from abtest.services.webhooks.delivery_log import DELAY, pages
from tests.support.memory import MemoryDeliveryStore

NOW = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
SECOND = timedelta(seconds=1)


class LongLog(MemoryDeliveryStore):
    """Rows of which none passes the filter: each read ends at the next of these moments."""

    def __init__(self, moments: Sequence[datetime]) -> None:
        super().__init__()
        self._ids = [uuid7(moment, SystemRandomness()) for moment in moments]
        self.reads, self.began_at = 0, ""

    def page(
        self,
        webhook_id: str,
        which: DeliveryFilter,
        *,
        limit: int,
        after: str | None = None,
        oldest_first: bool = False,
    ) -> tuple[Sequence[Delivery], str | None]:
        self.reads += 1
        self.began_at = self.began_at or after or ""
        return [], self._ids[self.reads - 1] if self.reads <= len(self._ids) else None


@pytest.mark.parametrize(
    ("moments", "reads"),
    [
        ([], 1),
        ([NOW, NOW - DELAY, NOW - DELAY - SECOND, NOW - DELAY - 2 * SECOND], 3),
        ([NOW, NOW - DELAY], 3),
        ([NOW - DELAY - SECOND], 1),
    ],
)
def test_pages__of_what_was_made_since__end_where_nothing_of_it_can_lie(moments: list[datetime], reads: int) -> None:
    log = LongLog(moments)
    told = [is_last for _, is_last in pages(log, "w", DeliveryFilter(since=timestamp(NOW)), limit=10)]
    assert log.reads == reads
    assert told == [False] * (reads - 1) + [True]


def test_pages__of_everything__go_to_the_end() -> None:
    log = LongLog([NOW - timedelta(days=day) for day in range(29)])
    assert sum(1 for _ in pages(log, "w", DeliveryFilter(), limit=10)) == 30


@pytest.mark.parametrize(
    ("seconds", "reads"), [([], 1), ([0, 59, 60, 61, 62], 4), ([-86_400, 60], 3), ([61], 1)], ids=str
)
def test_pages__of_what_was_made_until__oldest_first_end_where_nothing_of_it_can_lie(
    seconds: list[int], reads: int
) -> None:
    """Clocks of two machines may differ: a minute more is looked through."""
    log = LongLog([NOW + number * SECOND for number in seconds])
    which = DeliveryFilter(since=timestamp(NOW - 9 * SECOND), until=timestamp(NOW))
    told = [is_last for _, is_last in pages(log, "w", which, limit=10, oldest_first=True)]
    assert log.reads == reads
    assert told == [False] * (reads - 1) + [True]
    early = NOW - 9 * SECOND - DELAY
    assert uuid7(early - SECOND / 1000, SystemRandomness()) < log.began_at < uuid7(early, SystemRandomness())


def test_pages__oldest_first_without_bounds__go_from_end_to_end() -> None:
    log = LongLog([NOW + timedelta(days=day) for day in range(29)])
    assert sum(1 for _ in pages(log, "w", DeliveryFilter(), limit=10, oldest_first=True)) == 30
