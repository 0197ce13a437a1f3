"""Receivers that are away for a while: what is retried, what dies, what disables, and how all of it comes back."""

from __future__ import annotations

from itertools import pairwise

import pytest

from abtest.domain.webhooks import deliveries
from abtest.domain.webhooks.deliveries import DISABLED, MAX_ATTEMPTS
from abtest.kit.clock import parse_timestamp, timestamp
from abtest.services.context import Caller
from abtest.services.webhooks.endpoints import Endpoints
from abtest.services.webhooks.notification import WorkerNotifier
from abtest.services.webhooks.redelivery import Redelivery
from tests.faults.webhooks.office import NOON, SHOP, Office
from tests.faults.webhooks.receivers import TAKES, resets, says
from tests.support.memory import MemoryRateLimiter

CALLER = Caller(
    key_id="k", kind="shop", user_id=SHOP, shop_id=SHOP, scopes=frozenset({"webhooks:write"}), request_id="request-1"
)
FAILS = says("503 Service Unavailable", b"in the middle of something")


def recovered(office: Office) -> int:
    """What a shop does after an outage: enable, then recover since noon; how many are queued again."""
    notifier = WorkerNotifier(office.queue)
    endpoints = Endpoints(
        world=office.world,
        store=office.store,
        sealer=office.sealer,
        notifier=notifier,
        check=office.receiver.sender().check,
    )
    endpoints.update(CALLER, office.webhook.id, {"active": True}, expected_version=None)
    again = Redelivery(world=office.world, store=office.store, limiter=MemoryRateLimiter(), notifier=notifier)
    return again.recover(CALLER, office.webhook.id, timestamp(NOON), None).requeued


@pytest.mark.parametrize("failures", range(MAX_ATTEMPTS + 1))
def test_delivery__after_so_many_failures__arrives_or_is_dead_after_five(office: Office, failures: int) -> None:
    office.receiver.behaviours = [*[FAILS] * failures, TAKES]
    name = office.happens()
    office.settle()
    office.check()
    delivery = office.delivery(name)
    assert delivery.attempts == min(failures + 1, MAX_ATTEMPTS)
    if failures < MAX_ATTEMPTS:
        assert (delivery.status, delivery.response_status) == ("delivered", 204)
    else:
        assert (delivery.status, delivery.last_error) == ("dead", "the receiver answered 503")
    dead = int(failures == MAX_ATTEMPTS)
    assert office.store.health(office.webhook.id).consecutive_failures == dead


def test_attempts__of_a_delivery__are_one_delay_apart_and_have_one_id(office: Office) -> None:
    office.receiver.behaviours = [FAILS]
    name = office.happens()
    office.settle()
    begun = [parse_timestamp(entry["at"]) for entry in office.delivery(name).log]
    waited = [(later - sooner).total_seconds() for sooner, later in pairwise(begun)]
    delays = [deliveries.retry_delay(attempts).total_seconds() for attempts in range(1, MAX_ATTEMPTS)]
    assert delays == [15, 30, 60, 120]
    assert all(delay <= waited_for < delay + 15 for delay, waited_for in zip(delays, waited, strict=True))
    assert {request.delivery_id for request in office.receiver.requests} == {name}
    bodies = {request.headers["webhook-timestamp"] for request in office.receiver.requests}
    assert len(bodies) == MAX_ATTEMPTS, "each attempt is written anew"


def test_outage__that_disables__is_over_when_all_that_died_arrives_once_by_id(office: Office) -> None:
    office.receiver.behaviours = [resets]
    names = [office.happens() for _ in range(5)]
    office.settle()
    office.check()
    health = office.store.health(office.webhook.id)
    assert health.disabled_at is not None
    asked_before = len(office.receiver.requests)

    names += [office.happens() for _ in range(3)]
    office.settle()
    assert len(office.receiver.requests) == asked_before, "nothing is sent while it is disabled"
    assert [office.delivery(name).last_error for name in names[5:]] == [DISABLED] * 3

    office.receiver.behaviours = [TAKES]
    del office.receiver.requests[:]
    assert recovered(office) == 8
    assert recovered(office) == 0, "all wait already"
    office.settle()
    assert sorted(request.delivery_id for request in office.receiver.requests) == sorted(names)
    assert {office.delivery(name).status for name in names} == {"delivered"}
    assert [entry["n"] for entry in office.delivery(names[0]).log] == [1, 2, 3, 4, 5, 6]
    assert recovered(office) == 0, "nothing is dead"
    assert not office.store.health(office.webhook.id).is_disabled


def test_outage__before_the_third_dead_in_a_row__one_that_arrives_begins_the_count_anew(office: Office) -> None:
    health = office.store.health
    for _ in range(3):
        for _ in range(2):
            office.receiver.behaviours = [FAILS]
            office.happens()
            office.settle()
        assert health(office.webhook.id).consecutive_failures == 2
        office.receiver.behaviours = [TAKES]
        office.happens()
        office.settle()
        assert health(office.webhook.id).consecutive_failures == 0
    assert not health(office.webhook.id).is_disabled
    office.check()


def test_events__hundreds_at_once_to_a_receiver_that_fails_every_third__all_arrive(office: Office) -> None:
    office.receiver.behaviours = [FAILS if number % 3 == 2 else TAKES for number in range(400)] + [TAKES]
    names = {office.happens() for _ in range(300)}
    office.settle()
    office.check()
    assert {delivery.id for delivery in office.deliveries() if delivery.status == "delivered"} == names
