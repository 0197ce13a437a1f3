"""A round at an endpoint: what goes in order, what goes side by side, and how often anybody rings."""

import json
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import timedelta

import pytest

from abtest.domain.webhooks.deliveries import LOST, Delivery
from abtest.kit.clock import timestamp
from abtest.ports.catalog import Commit, OutboxRow
from abtest.ports.http_sender import HttpAnswer, HttpSender
from abtest.services.webhooks.drain import AT_ONCE, SKEW, lease_name
from tests.integration.worker_webhooks.office import SHOP, Office
from tests.support.inbox import Arrival, Inbox

WON = ("experiment.significant", "variation.winning")
EVENTS = (*WON, "experiment.started", "experiment.completed")


def fanned_out(office: Office, *events: str, experiment_id: str = "one") -> None:
    """Deliveries of what one commit tells of an experiment, all in one millisecond; nobody has rung for them."""
    rows = list[OutboxRow]()
    for event in events:
        rows.append(office.world.outbox_row(SHOP, "webhook", {"event": event, "experiment_id": experiment_id}))
        office.clock.advance(microseconds=2)
    office.catalog.commit(Commit(outbox=rows))
    for row in rows:
        office.worker.fan_out.deliver(row)
    office.queue.clear()


def drain(office: Office, webhook_id: str) -> None:
    office.drain.run(SHOP, webhook_id)


def waiting(office: Office, webhook_id: str, due_in: timedelta) -> Delivery:
    """A delivery by another machine's clock."""
    moment = timestamp(office.clock.now() + due_in)
    made = Delivery(
        id=office.world.new_id(),
        webhook_id=webhook_id,
        shop_id=SHOP,
        event="experiment.started",
        payload={},
        created_at=moment,
        updated_at=moment,
        next_attempt_at=moment,
    )
    assert office.store.add(made)
    return made


def test_events__of_one_experiment__arrive_in_their_order(office: Office, receiver: Inbox) -> None:
    webhook = office.endpoint(receiver.url, EVENTS)
    fanned_out(office, *WON)
    drain(office, webhook.id)
    assert [arrival.event for arrival in receiver.arrived] == list(WON)
    assert [each.status for each in office.deliveries(webhook)] == ["delivered"] * 2


def test_events__of_one_experiment__wait_for_each_other(office: Office, receiver: Inbox) -> None:
    """The second is not on its way before the first was answered."""
    webhook = office.endpoint(receiver.url, EVENTS)
    seen: list[int] = []

    def answer(_: Arrival) -> int:
        seen.append(len([each for each in office.deliveries(webhook) if each.status == "processing"]))
        return 200

    receiver.answer = answer
    fanned_out(office, *WON, "experiment.completed")
    drain(office, webhook.id)
    assert seen == [1, 1, 1]


def test_events__of_several_experiments__go_side_by_side(office: Office, receiver: Inbox) -> None:
    webhook = office.endpoint(receiver.url, EVENTS)
    together = threading.Barrier(3, timeout=20)
    receiver.answer = lambda _: 200 if together.wait() >= 0 else 500
    for experiment_id in ("one", "two", "three"):
        fanned_out(office, "experiment.started", experiment_id=experiment_id)
    drain(office, webhook.id)
    assert {each.status for each in office.deliveries(webhook)} == {"delivered"}


def test_event__that_fails__does_not_keep_the_next_from_going(office: Office, receiver: Inbox) -> None:
    webhook = office.endpoint(receiver.url, EVENTS)
    receiver.answer = lambda arrival: 500 if arrival.event == WON[0] else 200
    fanned_out(office, *WON)
    drain(office, webhook.id)
    assert [each.status for each in office.deliveries(webhook)] == ["failed", "delivered"]


def test_experiment__whose_receiver_is_slow__leaves_the_rest_to_the_next_round(office: Office, receiver: Inbox) -> None:
    webhook = office.endpoint(receiver.url, EVENTS)

    def slowly(_: Arrival) -> int:
        office.clock.advance(seconds=6)
        return 200

    receiver.answer = slowly
    fanned_out(office, *WON)
    drain(office, webhook.id)
    assert [arrival.event for arrival in receiver.arrived] == [WON[0]]
    assert office.queue.delays == [0]
    office.work()
    assert [arrival.event for arrival in receiver.arrived] == list(WON)


def test_events__for_an_endpoint_that_a_worker_is_at__ring_for_nobody(office: Office, receiver: Inbox) -> None:
    webhook = office.endpoint(receiver.url)
    office.leases.acquire(lease_name(webhook.id), owner="a worker", seconds=120, now=office.clock.now())
    office.happens(3)
    office.work()
    assert (receiver.arrived, office.queue.depth()) == ([], 0)
    office.leases.release(lease_name(webhook.id), owner="a worker")
    office.happens(1)
    office.work()
    assert len(set(receiver.ids)) == 4


def test_events__for_an_endpoint_whose_worker_died__are_rung_for_by_the_sweep(office: Office, receiver: Inbox) -> None:
    webhook = office.endpoint(receiver.url)
    office.leases.acquire(lease_name(webhook.id), owner="a dead one", seconds=120, now=office.clock.now())
    office.happens(3)
    office.work()
    office.pass_time(180)
    assert len(set(receiver.ids)) == 3


def test_deliveries__that_fail_together__ring_once(office: Office, receiver: Inbox) -> None:
    webhook = office.endpoint(receiver.url)
    receiver.answer = lambda _: 503
    office.happens(AT_ONCE, is_rung=False)
    for row in office.catalog.outbox("webhook", created_before="2999", limit=AT_ONCE):
        office.worker.fan_out.deliver(row)
    office.queue.clear()
    drain(office, webhook.id)
    assert [each.status for each in office.deliveries(webhook)] == ["failed"] * AT_ONCE
    assert office.queue.delays == [15]


@pytest.mark.parametrize("ahead", [timedelta(milliseconds=1), timedelta(seconds=1), SKEW])
def test_delivery__by_a_clock_that_is_ahead__is_rung_for_again(
    office: Office, receiver: Inbox, ahead: timedelta
) -> None:
    """The notification was sent by the machine whose clock is ahead; this one finds nothing due yet."""
    webhook = office.endpoint(receiver.url)
    delivery = waiting(office, webhook.id, ahead)
    drain(office, webhook.id)
    assert (receiver.ids, len(office.queue.delays)) == ([], 1)
    office.clock.advance(seconds=office.queue.delays[0])
    office.work()
    assert (receiver.ids, office.queue.depth()) == ([delivery.id], 0)


def test_delivery__that_is_due_later_than_clocks_differ__is_not_rung_for(office: Office, receiver: Inbox) -> None:
    webhook = office.endpoint(receiver.url)
    waiting(office, webhook.id, SKEW + timedelta(milliseconds=1))
    drain(office, webhook.id)
    assert office.queue.depth() == 0


class Stumbling:
    """A sender with an error that nobody foresaw, in what it does for one event."""

    def __init__(self, sender: HttpSender, event: str) -> None:
        self._sender = sender
        self._event = event

    def post(self, url: str, body: bytes, *, headers: Mapping[str, str]) -> HttpAnswer:
        if json.loads(body)["event"] == self._event:
            raise KeyError("nobody foresaw this")
        return self._sender.post(url, body, headers=headers)

    def get(self, url: str, *, headers: Mapping[str, str], redirects: int = 0) -> HttpAnswer:
        return self._sender.get(url, headers=headers, redirects=redirects)


def test_attempt__with_an_error_nobody_foresaw__is_counted_and_holds_nothing_up(
    office: Office, receiver: Inbox
) -> None:
    webhook, senders = office.endpoint(receiver.url, EVENTS), office.senders

    @contextmanager
    def stumbling() -> Iterator[HttpSender]:
        with senders() as sender:
            yield Stumbling(sender, WON[0])

    office.senders = stumbling
    fanned_out(office, *WON)
    drain(office, webhook.id)
    first, second = office.deliveries(webhook)
    assert (first.status, first.attempts) == ("processing", 1)
    assert second.status == "delivered"
    office.senders = senders
    office.pass_time(660)
    found = office.deliveries(webhook)[0]
    assert (found.status, found.attempts, [each["error"] for each in found.log]) == ("delivered", 2, [LOST, None])


def test_request__that_nobody_saw__is_not_told_as_sent(office: Office, receiver: Inbox) -> None:
    webhook = office.endpoint(receiver.url)
    office.happens()
    receiver.stop()
    office.work()
    (failed,) = office.deliveries(webhook)
    assert (failed.status, failed.attempts, failed.request) == ("failed", 1, None)
    assert str(failed.last_error).endswith(": the connection was refused")


@pytest.mark.parametrize("said", [b"\xff" * 5000, "é".encode() * 600, b"a" + "€".encode() * 400, b"x" * 1024])
def test_answer__of_any_bytes__is_kept_to_a_kibibyte(office: Office, receiver: Inbox, said: bytes) -> None:
    receiver.says = said
    webhook = office.endpoint(receiver.url)
    office.happens()
    office.work()
    kept = str(office.one(webhook).log[0]["response_snippet"])
    assert 1021 <= len(kept.encode()) <= 1024
    assert said.decode(errors="replace").startswith(kept)
