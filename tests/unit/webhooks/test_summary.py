"""Summary of deliveries: counts by status, and latency percentiles."""

from __future__ import annotations

from dataclasses import replace
from typing import get_args

import pytest

from abtest.domain.webhooks.deliveries import Delivery, Status
from abtest.domain.webhooks.summary import DeliverySummary
from abtest.kit.clock import from_milliseconds, timestamp

START = 1_772_442_000_000
DELIVERY = Delivery(
    id="019cadc6-9a80-7000-ae35-f8e461599f9b",
    webhook_id="019cadc6-9a80-7000-ae35-f8e461599f9c",
    shop_id="019cadc6-9a80-7000-ae35-f8e461599f9d",
    event="experiment.started",
    payload={},
    created_at=timestamp(from_milliseconds(START)),
    updated_at=timestamp(from_milliseconds(START)),
)


def delivered(milliseconds: int) -> Delivery:
    """One that arrived so long after it was made."""
    arrived = timestamp(from_milliseconds(START + milliseconds))
    return replace(DELIVERY, status="delivered", delivered_at=arrived)


@pytest.mark.parametrize("status", get_args(Status))
def test_counts__one_of_a_status__is_under_its_name(status: Status) -> None:
    summary = DeliverySummary()
    summary.add(replace(DELIVERY, status=status))
    assert summary.counts == {name: int(name == status) for name in get_args(Status)}
    assert summary.seen == 1


def test_counts__of_tests__are_nothing() -> None:
    summary = DeliverySummary()
    summary.add(replace(delivered(5), is_test=True))
    assert (sum(summary.counts.values()), summary.latency(50), summary.seen) == (0, None, 1)


@pytest.mark.parametrize(
    ("latencies", "p50", "p95"),
    [
        ([], None, None),
        ([7], 7, 7),
        ([1, 2], 1, 2),
        ([3, 1, 2], 2, 3),
        (range(1, 21), 10, 19),
        (range(1, 101), 50, 95),
        ([-4], 0, 0),
    ],
)
def test_latency__of_what_was_delivered__is_the_nearest_rank(
    latencies: list[int], p50: int | None, p95: int | None
) -> None:
    """A clock that was set back between two processes makes no negative time."""
    summary = DeliverySummary()
    for each in latencies:
        summary.add(delivered(each))
    assert (summary.latency(50), summary.latency(95)) == (p50, p95)
