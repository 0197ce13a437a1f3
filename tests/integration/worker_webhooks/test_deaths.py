"""Workers that die at each point, messages that come twice or never, health that changes in between."""

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import pytest

from abtest.domain.webhooks.deliveries import LOST, Delivery
from abtest.domain.webhooks.health import Health
from abtest.ports.catalog import Commit
from abtest.ports.deliveries import HealthChange
from abtest.ports.http_sender import HttpAnswer, HttpSender
from tests.faults.faults import KilledError
from tests.integration.worker_webhooks.office import Mortal, Office
from tests.support.inbox import Inbox

Doing = Callable[[], Any]


@dataclass
class FatalStore:
    """A store at whose `change` number so and so, before or after it, the process dies."""

    store: Any
    mortal: Mortal
    number: int
    is_after: bool
    changes: int = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self.store, name)

    def change(self, before: Delivery, after: Delivery, health: HealthChange | None = None) -> None:
        self.changes += 1
        if self.changes == self.number and not self.is_after:
            self._die()
        self.store.change(before, after, health)
        if self.changes == self.number:
            self._die()

    def _die(self) -> None:
        self.mortal.is_dead = True
        raise KilledError


@dataclass
class FatalSender:
    """A sender that brings everything there, and dies on the way back."""

    sender: HttpSender
    mortal: Mortal

    def post(self, url: str, body: bytes, *, headers: Mapping[str, str]) -> HttpAnswer:
        self.sender.post(url, body, headers=headers)
        self.mortal.is_dead = True
        raise KilledError

    def get(self, url: str, *, headers: Mapping[str, str], redirects: int = 0) -> HttpAnswer:
        raise AssertionError


def dies_at_change(office: Office, number: int, *, is_after: bool) -> Callable[[Mortal], None]:
    def changed(mortal: Mortal) -> None:
        office.store = FatalStore(office.store, mortal, number, is_after)

    return changed


def dies_after_sending(office: Office) -> Callable[[Mortal], None]:
    senders = office.senders

    @contextmanager
    def fatal(mortal: Mortal) -> Iterator[HttpSender]:
        with senders() as sender:
            yield FatalSender(sender, mortal)

    def changed(mortal: Mortal) -> None:
        office.senders = lambda: fatal(mortal)

    return changed


DEATHS: dict[str, tuple[Callable[[Office], Callable[[Mortal], None]], int, int]] = {
    "before the claim": (lambda office: dies_at_change(office, 1, is_after=False), 1, 1),
    "after the claim": (lambda office: dies_at_change(office, 1, is_after=True), 2, 1),
    "after sending": (dies_after_sending, 2, 2),
    "before recording": (lambda office: dies_at_change(office, 2, is_after=False), 2, 2),
    "after recording": (lambda office: dies_at_change(office, 2, is_after=True), 1, 1),
}
"""Where, what is different then, how many attempts are counted in the end, and how often it arrives."""


@pytest.mark.parametrize("point", DEATHS)
def test_worker__that_dies__is_followed_by_one_that_sends_under_the_same_id(
    office: Office, receiver: Inbox, point: str
) -> None:
    changed, attempts, arrivals = DEATHS[point]
    webhook = office.endpoint(receiver.url)
    office.happens()
    with office.dying(changed(office)) as mortal:
        office.work()
    assert mortal.is_dead
    office.pass_time(2 * 60)
    delivery = office.one(webhook)
    assert (delivery.status, delivery.attempts, len(delivery.log)) == ("delivered", attempts, attempts)
    assert receiver.ids == [delivery.id] * arrivals
    if attempts == 2:
        assert delivery.log[0]["error"] == LOST
    assert office.health(webhook) == Health()


def test_worker__that_is_lost_five_times__leaves_a_dead_delivery(office: Office, receiver: Inbox) -> None:
    webhook = office.endpoint(receiver.url)
    office.happens()
    with office.dying(dies_after_sending(office)):
        office.work()
        office.pass_time(60 * 60, step=60)
    delivery = office.one(webhook)
    assert (delivery.status, delivery.attempts, delivery.last_error) == ("dead", 5, LOST)
    assert [entry["error"] for entry in delivery.log] == [LOST] * 5
    assert receiver.ids == [delivery.id] * 5
    assert office.health(webhook).consecutive_failures == 1


def test_worker__that_dies_between_deliveries_and_notifications__loses_none(office: Office, receiver: Inbox) -> None:
    webhooks = [office.endpoint(receiver.url) for _ in range(3)]
    office.happens()
    adding = office.store.add
    added: list[str] = []

    @dataclass
    class Fatal:
        store: Any

        def __getattr__(self, name: str) -> Any:
            return getattr(self.store, name)

        def add(self, delivery: Delivery) -> bool:
            done = adding(delivery)
            added.append(delivery.id)
            if len(added) == 2:
                raise KilledError
            return done

    kept, office.store = office.store, Fatal(office.store)
    office.work()
    office.store = kept
    office.queue.clear()
    assert len(added) == 2
    office.pass_time(120)
    assert sorted(receiver.ids) == sorted(office.one(each).id for each in webhooks)
    assert office.catalog.outbox("webhook", created_before="2999", limit=9) == []


def test_messages__that_come_twice__are_carried_out_once(office: Office, receiver: Inbox) -> None:
    webhook = office.endpoint(receiver.url)
    office.happens(3)
    seen: list[str] = []
    while (body := office.queue.receive()) is not None:
        seen.append(body)
        for _ in range(2):
            office.worker.carry_out(body)
    for body in reversed(seen):
        office.worker.carry_out(body)
    office.work()
    assert sorted(receiver.ids) == sorted(each.id for each in office.deliveries(webhook))
    assert len(receiver.ids) == 3


def test_event__fanned_out_twice_at_once__makes_one_delivery(office: Office, receiver: Inbox) -> None:
    webhook = office.endpoint(receiver.url)
    row = office.world.outbox_row(webhook.shop_id, "webhook", {"event": "experiment.started"})
    for _ in range(2):
        office.worker.fan_out.deliver(row)
        office.clock.advance(seconds=5)
    office.work()
    assert receiver.ids == [office.one(webhook).id]


def test_notifications__that_are_all_lost__cost_a_minute_or_two(office: Office, receiver: Inbox) -> None:
    webhook = office.endpoint(receiver.url)
    office.queue.is_available = False
    office.happens(60)
    office.queue.is_available = True
    office.pass_time(60)
    office.queue.clear()
    office.pass_time(60)
    assert sorted(receiver.ids) == sorted(each.id for each in office.deliveries(webhook))
    assert len(receiver.ids) == 60


def test_sweep__rings_for_what_waits_and_tells_how_much(office: Office, receiver: Inbox) -> None:
    office.endpoint(receiver.url)
    office.happens(60, is_rung=False)
    assert office.sweep.run() == 0
    office.clock.advance(seconds=31)
    assert office.sweep.run() == 2
    bodies = [json.loads(office.queue.receive() or "") for _ in range(2)]
    assert [len(body["rows"]) for body in bodies] == [50, 10]
    assert office.swept.sums == {"WebhookEventsWaiting": 60, "WebhookEndpointsWaiting": 0}


def test_sweep__of_a_queue_that_refuses__gives_up_soon(office: Office, receiver: Inbox) -> None:
    office.endpoint(receiver.url)
    office.happens(2, is_rung=False)
    office.clock.advance(seconds=31)
    office.queue.is_available = False
    assert office.sweep.run() == 0
    office.queue.is_available = True
    assert office.sweep.run() == 1


def test_attempt__whose_endpoint_is_enabled_meanwhile__is_recorded(office: Office, receiver: Inbox) -> None:
    webhook = office.endpoint(receiver.url)
    first = Health(2, None, 1)
    office.store.put_health(webhook.id, HealthChange(Health(), first))

    @dataclass
    class Meddled:
        store: Any

        def __getattr__(self, name: str) -> Any:
            return getattr(self.store, name)

        def change(self, before: Delivery, after: Delivery, health: HealthChange | None = None) -> None:
            if health and health.before == first:
                self.store.put_health(webhook.id, HealthChange(first, first.enabled()))
            self.store.change(before, after, health)

    office.store = Meddled(office.store)
    office.happens()
    office.work()
    assert office.one(webhook).status == "delivered"
    assert office.health(webhook) == Health(0, None, 2)


def test_delivery__that_somebody_moved_meanwhile__is_theirs(office: Office, receiver: Inbox) -> None:
    webhook = office.endpoint(receiver.url)

    def moves(_: object) -> int:
        held = office.one(webhook)
        office.store.change(held, replace(held, status="delivered", version=held.version + 1))
        return 500

    receiver.answer = moves
    office.happens()
    office.work()
    assert office.one(webhook).status == "delivered"
    assert office.health(webhook) == Health()


@pytest.mark.parametrize("seconds", [3600, -3600])
def test_clock__that_jumps_while_deliveries_wait__loses_none(office: Office, receiver: Inbox, seconds: int) -> None:
    webhook = office.endpoint(receiver.url)
    receiver.answer = lambda _: 500
    office.happens(2)
    office.work()
    office.clock.advance(seconds=seconds)
    receiver.answer = lambda _: 200
    office.pass_time(3660, step=60)
    assert [each.status for each in office.deliveries(webhook)] == ["delivered"] * 2
    assert len(receiver.ids) == 4


def test_event__that_cannot_be_carried_out__keeps_no_other_waiting(office: Office, receiver: Inbox) -> None:
    webhook = office.endpoint(receiver.url)
    damaged = office.world.outbox_row(webhook.shop_id, "webhook", {"no": "event"})
    office.catalog.commit(Commit(outbox=[damaged]))
    office.clock.advance(seconds=1)
    office.happens(2, is_rung=False)
    office.clock.advance(seconds=31)
    office.sweep.run()
    with pytest.raises(KeyError, match="event"):
        office.work()
    office.work()
    assert len(receiver.ids) == 2
    assert office.catalog.outbox("webhook", created_before="2999", limit=9) == [damaged]
