"""The moves of a delivery: from where to where, when it is due next, what its log says; ids that are derived."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest

from abtest.domain.webhooks import deliveries
from abtest.domain.webhooks.deliveries import Delivery, Outcome, Status, delivery_id, retry_delay
from abtest.kit import canonical_json
from abtest.kit.clock import Timestamp, timestamp
from abtest.kit.ids import SystemRandomness, uuid7

START = datetime(2026, 11, 21, 20, 0, tzinfo=UTC)
HOOK, OTHER_HOOK = "0192f3a0-1b5c-7d1e-8f00-3c5a7e9b1d2f", "0192f3a0-1b5c-7d1e-8f00-3c5a7e9b1d30"
REQUEST = {"url": "https://shop.example/hook", "headers": {"X-A": "b"}, "body": "{}"}
TAKEN = Outcome(status=204, duration_ms=3, request=REQUEST)
REFUSED = Outcome(status=500, duration_ms=12, snippet="no", request=REQUEST)
UNHEARD = Outcome(error="no answer within 10 s", duration_ms=10_000, request=REQUEST)


def at(seconds: float) -> Timestamp:
    """A moment so many seconds after the beginning."""
    return timestamp(START + timedelta(seconds=seconds))


def queued() -> Delivery:
    """As the fan-out makes it."""
    return Delivery(
        id="0192f3a0-1b5c-7d1e-8f00-3c5a7e9b1d31",
        webhook_id=HOOK,
        shop_id="shop",
        event="experiment.started",
        payload={"experiment_name": "Banner"},
        created_at=at(0),
        updated_at=at(0),
        next_attempt_at=at(0),
    )


def attempted(delivery: Delivery, outcome: Outcome, seconds: float) -> Delivery:
    """After an attempt that began at that moment and took no time."""
    return deliveries.recorded(deliveries.claimed(delivery, at(seconds)), outcome, at(seconds))


def after_attempts(count: int, outcome: Outcome = REFUSED) -> Delivery:
    """After so many attempts with one outcome, each when it was due."""
    delivery = queued()
    for number in range(count):
        delivery = attempted(delivery, outcome, 1000 * number)
    return delivery


@pytest.mark.parametrize(
    ("attempts", "seconds"),
    [(1, 15), (2, 30), (3, 60), (4, 120), (5, 240), (7, 960), (8, 1800), (9, 1800), (21, 1800), (10**9, 1800)],
)
def test_retry_delay__after_so_many_attempts__doubles_up_to_half_an_hour(attempts: int, seconds: int) -> None:
    assert retry_delay(attempts) == timedelta(seconds=seconds)


@pytest.mark.parametrize(
    ("count", "outcome", "status", "due_at"),
    [
        (0, REFUSED, "queued", at(0)),
        (1, REFUSED, "failed", at(15)),
        (2, REFUSED, "failed", at(1030)),
        (3, UNHEARD, "failed", at(2060)),
        (4, UNHEARD, "failed", at(3120)),
        (5, REFUSED, "dead", None),
        (5, UNHEARD, "dead", None),
        (1, TAKEN, "delivered", None),
    ],
)
def test_state__after_attempts__is_the_one_of_the_table(
    count: int, outcome: Outcome, status: Status, due_at: Timestamp | None
) -> None:
    found = after_attempts(count, outcome)
    assert (found.status, found.attempts, found.due_at, len(found.log)) == (status, count, due_at, count)
    assert found.has_ended == (due_at is None)
    assert found.version == 1 + 2 * count


def test_all_refused__each_when_it_is_due__are_over_after_225_seconds() -> None:
    delivery, last = queued(), at(0)
    while delivery.due_at is not None:
        last = delivery.due_at
        delivery = deliveries.recorded(deliveries.claimed(delivery, last), REFUSED, last)
    assert (delivery.status, delivery.attempts, last) == ("dead", 5, at(225))


@pytest.mark.parametrize(
    ("status", "is_success"), [(199, False), (200, True), (204, True), (299, True), (300, False), (None, False)]
)
def test_outcome__status__is_success_from_200_to_299(status: int | None, is_success: bool) -> None:
    found = attempted(queued(), Outcome(status=status, error=None if status else "reset"), 1)
    assert (found.status == "delivered") == is_success
    assert found.delivered_at == (at(1) if is_success else None)
    assert (found.last_error is None) == is_success


def test_claimed__due__counts_the_attempt_and_is_not_due_while_its_exchange_may_last() -> None:
    held = deliveries.claimed(queued(), at(7))
    assert (held.status, held.attempts, held.processing_started_at, held.due_at) == ("processing", 1, at(7), at(27))
    assert held.next_attempt_at is None
    assert [held.is_claimable(at(seconds)) for seconds in (26.999, 27, 9999)] == [False, True, True]


def test_claimed__its_worker_lost__logs_that_and_counts_the_next() -> None:
    held = deliveries.claimed(deliveries.claimed(queued(), at(0)), at(600))
    assert (held.status, held.attempts, held.due_at) == ("processing", 2, at(620))
    assert [(entry["n"], entry["at"], entry["error"]) for entry in held.log] == [(1, at(0), deliveries.LOST)]


def test_claimed__two_workers_lost_in_a_row__is_held_for_the_ten_minutes_from_then_on() -> None:
    delivery, claims = queued(), [at(0)]
    while delivery.attempts < deliveries.MAX_ATTEMPTS:
        delivery = deliveries.claimed(delivery, claims[-1])
        assert delivery.due_at is not None
        claims.append(delivery.due_at)
    assert claims == [at(0), at(20), at(40), at(640), at(1240), at(1840)]


def test_claimed__workers_lost_but_not_in_a_row__is_not_suspected() -> None:
    lost = deliveries.claimed(deliveries.claimed(queued(), at(0)), at(20))
    failed = deliveries.recorded(lost, REFUSED, at(21))
    held = deliveries.claimed(deliveries.claimed(failed, at(60)), at(80))
    assert (held.lost_in_a_row, held.due_at) == (1, at(100))


def test_claimed__recovered_after_five_lost_workers__is_not_suspected() -> None:
    delivery = queued()
    for number in range(6):
        delivery = deliveries.claimed(delivery, at(600 * number))
    held = deliveries.claimed(deliveries.requeued(delivery, at(9000)), at(9000))
    assert (held.lost_in_a_row, held.due_at) == (0, at(9020))


def test_claimed__worker_lost_in_the_fifth__is_dead_with_every_attempt_logged() -> None:
    delivery = queued()
    for number in range(6):
        delivery = deliveries.claimed(delivery, at(600 * number))
    assert (delivery.status, delivery.attempts, delivery.last_error) == ("dead", 5, deliveries.LOST)
    assert delivery.due_at is None
    assert [(entry["n"], entry["at"]) for entry in delivery.log] == [(n, at(600 * (n - 1))) for n in range(1, 6)]


@pytest.mark.parametrize("reason", [deliveries.DELETED, deliveries.DISABLED])
@pytest.mark.parametrize("before", [queued(), after_attempts(2), deliveries.claimed(queued(), at(0))])
def test_closed__from_any_state_that_is_due__is_dead_with_the_reason(before: Delivery, reason: str) -> None:
    found = deliveries.closed(before, reason, at(700))
    assert (found.status, found.last_error, found.due_at, found.attempts) == ("dead", reason, None, before.attempts)
    assert len(found.log) == before.attempts


def test_requeued__dead__begins_anew_under_its_id_and_numbers_on() -> None:
    dead = after_attempts(5)
    again = deliveries.requeued(dead, at(9000))
    assert (again.id, again.status, again.attempts, again.due_at) == (dead.id, "queued", 0, at(9000))
    assert again.last_error is None
    later = attempted(attempted(again, UNHEARD, 9000), TAKEN, 9015)
    assert (later.status, later.attempts) == ("delivered", 2)
    assert [entry["n"] for entry in later.log] == [1, 2, 3, 4, 5, 6, 7]


@pytest.mark.parametrize("more", [0, 1, 6])
def test_log__at_and_above_what_it_tells__keeps_the_newest_and_numbers_on(more: int) -> None:
    count = deliveries.MOST_LOGGED + more
    delivery = queued()
    for number in range(count):
        delivery = attempted(replace(delivery, attempts=0), REFUSED, number)
    assert [entry["n"] for entry in delivery.log] == list(range(1 + more, count + 1))


def test_recorded__refused__says_what_was_sent_and_what_came_back() -> None:
    found = attempted(queued(), REFUSED, 1)
    assert (found.response_status, found.last_error) == (500, "the receiver answered 500")
    assert found.request == REQUEST
    expected = {
        "n": 1,
        "at": at(1),
        "status": 500,
        "duration_ms": 12,
        "error": "the receiver answered 500",
        "response_snippet": "no",
    }
    assert list(found.log) == [expected]


def test_recorded__nothing_was_sent__keeps_the_request_before() -> None:
    found = attempted(attempted(queued(), REFUSED, 1), Outcome(error="its secret cannot be opened"), 16)
    assert (found.request, found.response_status) == (REQUEST, None)
    assert found.last_error == "its secret cannot be opened"


@pytest.mark.parametrize("delivery", [queued(), after_attempts(2), after_attempts(5), after_attempts(1, TAKEN)])
def test_document__stored_and_read__is_the_same_delivery(delivery: Delivery) -> None:
    stored = canonical_json.loads(canonical_json.encode(deliveries.document_of(delivery)))
    assert deliveries.delivery_from(stored) == delivery
    assert deliveries.delivery_from(stored | {"of_a_later_release": 1}) == delivery


def test_delivery_id__of_an_event_and_an_endpoint__is_a_uuid_of_the_events_moment_and_always_the_same() -> None:
    row = uuid7(START, SystemRandomness())
    found = UUID(delivery_id(row, HOOK))
    assert (found.version, found.variant) == (7, UUID(row).variant)
    assert found.int >> 64 == UUID(row).int >> 64
    assert delivery_id(row, HOOK) == str(found)
    assert (
        len({str(found), row, delivery_id(row, OTHER_HOOK), delivery_id(uuid7(START, SystemRandomness()), HOOK)}) == 4
    )


def test_delivery_id__of_a_known_pair__never_changes() -> None:
    row = "0192f3a0-1b5c-7d1e-8f00-3c5a7e9b1d2f"
    assert delivery_id(row, HOOK) == "0192f3a0-1b5c-7d1e-abc7-6dc29fe99fdb"


def test_delivery_ids__of_events_in_order__sort_as_the_events_do() -> None:
    rows = [uuid7(START + timedelta(microseconds=500 * number), SystemRandomness()) for number in range(50)]
    ids = [delivery_id(row, HOOK) for row in rows]
    assert ids == sorted(ids)
