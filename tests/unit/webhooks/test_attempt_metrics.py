"""Numbers about attempts."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from abtest.domain.webhooks.deliveries import DISABLED, Delivery, Outcome, claimed, closed, recorded, requeued
from abtest.kit.clock import timestamp
from abtest.kit.ids import SystemRandomness, uuid7
from abtest.services.webhooks.attempt_metrics import measured

EVENT_AT = datetime(2026, 3, 2, 10, tzinfo=UTC)
TAKEN, REFUSED = Outcome(status=204), Outcome(status=500)


def queued() -> Delivery:
    now = timestamp(EVENT_AT)
    return Delivery(
        id=uuid7(EVENT_AT, SystemRandomness()),
        webhook_id="w",
        shop_id="s",
        event="experiment.started",
        payload={},
        created_at=now,
        updated_at=now,
        next_attempt_at=now,
    )


def attempted(before: Delivery, outcome: Outcome, *, seconds: float) -> Delivery:
    """After an attempt that ended so many seconds after the event."""
    now = timestamp(EVENT_AT + timedelta(seconds=seconds))
    return recorded(claimed(before, now), outcome, now)


def test_numbers__of_a_round__count_what_became_of_its_attempts() -> None:
    last = replace(queued(), attempts=4)
    round_ = [
        attempted(queued(), TAKEN, seconds=1.5),
        attempted(queued(), TAKEN, seconds=0.25),
        attempted(queued(), REFUSED, seconds=9),
        attempted(last, REFUSED, seconds=9),
    ]
    assert measured(round_) == {
        "WebhooksDelivered": 2,
        "WebhooksFailed": 1,
        "WebhooksDead": 1,
        "WebhookLatencyMs": 1500,
    }


def test_latency__of_what_waited_for_a_retry__is_not_measured() -> None:
    failed = attempted(queued(), REFUSED, seconds=1)
    assert measured([attempted(failed, TAKEN, seconds=16)]) == {"WebhooksDelivered": 1}


@pytest.mark.parametrize("waited", [0, 30])
def test_latency__of_what_was_recovered_before_any_attempt__is_not_measured(waited: float) -> None:
    """Of an endpoint that is disabled deliveries are dead from the start, or die waiting: neither has a log."""
    dead = closed(queued(), DISABLED, timestamp(EVENT_AT + timedelta(seconds=waited)))
    again = requeued(dead, timestamp(EVENT_AT + timedelta(days=2)))
    assert measured([attempted(again, TAKEN, seconds=172_801)]) == {"WebhooksDelivered": 1}


def test_latency__of_one_whose_worker_was_lost__is_not_measured() -> None:
    lost = claimed(queued(), timestamp(EVENT_AT))
    assert measured([attempted(lost, TAKEN, seconds=601)]) == {"WebhooksDelivered": 1}


def test_latency__by_a_clock_that_went_back__is_none() -> None:
    assert measured([attempted(queued(), TAKEN, seconds=-5)])["WebhookLatencyMs"] == 0


@pytest.mark.parametrize("outcome", [TAKEN, REFUSED])
def test_tests__are_not_counted(outcome: Outcome) -> None:
    assert measured([attempted(replace(queued(), is_test=True), outcome, seconds=1)]) == {}


def test_numbers__of_nothing__are_none() -> None:
    assert measured([]) == {}
    assert measured([closed(queued(), "webhook_deleted", timestamp(EVENT_AT))]) == {"WebhooksDead": 1}
