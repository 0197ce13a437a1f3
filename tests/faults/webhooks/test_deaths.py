"""Workers that die before and after each of their calls, messages that come twice or never, workers that race."""

from __future__ import annotations

import threading
from datetime import timedelta

import pytest

from abtest.domain.webhooks.deliveries import CLAIM_HELD, FIRST_RETRY, LOST, MAX_ATTEMPTS
from abtest.kit.clock import timestamp
from abtest.ports.catalog import Commit
from abtest.services.webhooks.drain import LEASE_SECONDS
from tests.faults.faults import Fate
from tests.faults.webhooks.office import NOON, SHOP, Office, Worker
from tests.faults.webhooks.receivers import TAKES, Receiver, says

AFTER = pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
"""The process dies before the call is carried out, or after it."""

FAILS = says("500 Internal Server Error")
EVENTS = 3
MOST_LOST = timedelta(minutes=2) + FIRST_RETRY + timedelta(seconds=15)
"""What a lost worker costs, the retry of the one that fails, and a step of the settling clock."""


def calls_of_a_life(receiver: Receiver) -> int:
    """How many calls a worker makes until all have arrived, where nothing goes wrong but one answer."""
    fate = Fate()
    _settled(receiver, fate)
    return fate.calls


def _settled(receiver: Receiver, fate: Fate) -> Office:
    """Some events and one failure, by a worker with a fate, and by those who follow it."""
    del receiver.requests[:]
    receiver.behaviours = [FAILS, TAKES]
    office = Office(receiver)
    office.employ(fate)
    for _ in range(EVENTS):
        office.happens()
    office.settle()
    office.check()
    return office


@AFTER
def test_worker__that_dies_at_any_call__loses_no_event_and_counts_every_attempt(
    receiver: Receiver, after: bool
) -> None:
    calls = calls_of_a_life(receiver)
    assert calls > 50
    for at in range(1, calls + 1):
        office = _settled(receiver, Fate(at=at, after=after))
        assert [delivery.status for delivery in office.deliveries()] == ["delivered"] * EVENTS, at
        assert len(receiver.requests) <= EVENTS + 1 + EVENTS, "those in the air when it died are sent again"
        assert max(str(delivery.delivered_at) for delivery in office.deliveries()) <= timestamp(NOON + MOST_LOST), at


@pytest.mark.parametrize(
    ("of", "after", "arrived"), [("change", True, 0), ("post", False, 0), ("post", True, MAX_ATTEMPTS)]
)
def test_worker__that_dies_in_every_attempt__leaves_a_dead_delivery_that_says_so(
    office: Office, of: str, after: bool, arrived: int
) -> None:
    """Whoever takes this event up is lost. It must end, and say so."""
    name = office.happens()
    while not office.deliveries():
        office.work_once()
    for _ in range(40):
        office.employ(Fate(of=of, at=1, after=after))
        office.work()
        office.clock.advance(minutes=3)
        office.sweep()
    delivery = office.delivery(name)
    assert (delivery.status, delivery.attempts, delivery.last_error) == ("dead", MAX_ATTEMPTS, LOST)
    assert [entry["error"] for entry in delivery.log] == [LOST] * MAX_ATTEMPTS
    assert len(office.receiver.requests) == arrived
    office.check()


def test_worker__that_dies_before_it_claims__has_not_begun_an_attempt(office: Office) -> None:
    name = office.happens()
    for _ in range(10):
        office.employ(Fate(of="change", at=1))
        office.work()
        office.clock.advance(minutes=3)
        office.sweep()
    delivery = office.delivery(name)
    assert (delivery.status, delivery.attempts, delivery.log) == ("queued", 0, ())
    office.employ(Fate())
    office.settle()
    office.check()


def test_messages__that_come_twice__send_nothing_twice(office: Office) -> None:
    for _ in range(EVENTS):
        office.happens()
    office.queue.waiting *= 2
    while (body := office.queue.receive()) is not None:
        office.queue.waiting += [each for each in office.queue.waiting if each.body != body][:1]
        Worker(office).carry_out(body)
        Worker(office).carry_out(body)
    office.check()
    assert len(office.receiver.requests) == EVENTS


def test_messages__with_an_event_that_cannot_be_read__deliver_those_behind_it(office: Office) -> None:
    """The sweep names waiting events in one order again and again: one that fails must not stand in the way."""
    office.queue.is_losing = True
    unreadable = office.world.outbox_row(SHOP, "webhook", {"of": "another release"})
    office.catalog.commit(Commit(outbox=[unreadable]))
    names = [office.happens() for _ in range(EVENTS)]
    office.queue.is_losing = False
    office.clock.advance(minutes=1)
    office.sweep()
    with pytest.raises(KeyError, match="event"):
        office.work()
    office.work()
    assert {office.delivery(name).status for name in names} == {"delivered"}
    assert office.catalog.outbox("webhook", created_before="9999", limit=9) == [unreadable], "it is not forgotten"


def test_messages__that_never_come__are_made_up_for_by_the_sweep(office: Office) -> None:
    office.receiver.behaviours = [FAILS, TAKES]
    office.queue.is_losing = True
    names = [office.happens() for _ in range(EVENTS)]
    for _ in range(20):
        office.queue.is_losing = False
        office.sweep()
        office.queue.is_losing = True
        office.work()
        office.clock.advance(minutes=1)
    office.check()
    assert {office.delivery(name).status for name in names} == {"delivered"}


def test_two_workers__with_the_same_messages_at_once__send_each_delivery_once(office: Office) -> None:
    for _ in range(40):
        office.happens()
    for _ in range(30):
        bodies = []
        while (body := office.queue.receive()) is not None:
            bodies.append(body)
        _at_once(office, bodies)
        office.sweep()
        office.clock.advance(seconds=31)
    office.check()
    assert len(office.receiver.requests) == 40
    assert {delivery.attempts for delivery in office.deliveries()} == {1}


def _at_once(office: Office, bodies: list[str]) -> None:
    """Several workers carry out all of these messages, each in its own time."""
    failed: list[BaseException] = []

    def carry_out() -> None:
        worker = Worker(office)
        try:
            for body in bodies:
                worker.carry_out(body)
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=carry_out) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []


def test_two_workers__where_the_lease_was_lost__send_each_delivery_once(office: Office) -> None:
    """The lease is for fairness. What keeps an attempt single is the claim."""
    office.leases.acquire = lambda *_, **__: True  # type: ignore[method-assign]
    for _ in range(40):
        office.happens()
    for _ in range(30):
        bodies = []
        while (body := office.queue.receive()) is not None:
            bodies.append(body)
        _at_once(office, bodies)
        office.clock.advance(seconds=31)
    office.check()
    assert len(office.receiver.requests) == 40


def test_worker__that_keeps_its_lease__keeps_its_claim(office: Office) -> None:
    """An exchange is longer than a claim is held, by clocks that differ or a step of the clock; its worker lives."""
    name = office.happens()
    while not office.deliveries():
        office.work_once()
    slow = Fate(of="post", at=1, happens=lambda: _another_looks(office))
    Worker(office, slow).carry_out(office.notification())
    delivery = office.delivery(name)
    assert (delivery.status, delivery.attempts) == ("delivered", 1)
    assert len(office.receiver.requests) == 1


def _another_looks(office: Office) -> None:
    office.clock.advance(seconds=LEASE_SECONDS - 1)
    Worker(office).carry_out(office.notification())


@pytest.mark.parametrize("seconds", [1, 19, 21, 45, 700])
def test_worker__suspended_between_its_claim_and_its_request__sends_nothing_that_another_may_have_sent(
    office: Office, seconds: int
) -> None:
    name = office.happens()
    while not office.deliveries():
        office.work_once()
    asleep = Fate(of="change", at=1, happens=lambda: office.clock.advance(seconds=seconds))
    Worker(office, asleep).carry_out(office.notification())
    assert len(office.receiver.requests) == (1 if seconds < CLAIM_HELD.total_seconds() else 0)
    office.settle()
    office.check()
    assert [request.delivery_id for request in office.receiver.requests] == [name]


def test_worker__slower_than_ten_minutes__finds_its_attempt_taken_over_and_records_nothing(office: Office) -> None:
    """It answers at last, and somebody else has sent the same delivery again under the same id."""
    name = office.happens()
    while not office.deliveries():
        office.work_once()
    taken_over = Fate(of="post", at=1, happens=lambda: _others(office))
    Worker(office, taken_over).carry_out(office.notification())
    office.settle()
    office.check()
    delivery = office.delivery(name)
    assert (delivery.status, delivery.attempts, len(delivery.log)) == ("delivered", 2, 2)
    assert delivery.log[0]["error"] == LOST
    assert [request.delivery_id for request in office.receiver.requests] == [name, name]


def _others(office: Office) -> None:
    office.clock.advance(minutes=11)
    Worker(office).carry_out(office.notification())
