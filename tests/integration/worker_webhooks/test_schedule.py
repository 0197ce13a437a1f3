"""From an event to its end: attempts and their times, what disables an endpoint, what is sent to whom."""

import base64
import hashlib
import hmac
import itertools
from dataclasses import replace
from datetime import timedelta

import pytest

from abtest.domain.webhooks.deliveries import DELETED, DISABLED, Delivery
from abtest.domain.webhooks.endpoint import Sealed, archived, edited, rotated
from abtest.domain.webhooks.envelope import secret_of
from abtest.domain.webhooks.health import Health
from abtest.kit.clock import parse_timestamp, timestamp
from abtest.kit.ids import SystemRandomness, uuid7
from abtest.ports.deliveries import HealthChange
from abtest.services.webhooks.attempts import UNREADABLE_SECRET
from tests.integration.worker_webhooks.office import EVENT, KEY, OTHER_SHOP, SHOP, START, Office
from tests.support.inbox import Inbox

UNTIL_DEAD = 225
"""Seconds from the first attempt to the fifth."""


def signed_by(key: bytes, body: bytes) -> str:
    """As the contract says it, by hand."""
    secret = "whsec_" + base64.b64encode(key).decode()
    return "sha256=" + hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()


def tried(office: Office, webhook_id: str) -> Delivery:
    """A test delivery of the endpoint, stored as the API does."""
    now = office.world.now()
    made = Delivery(
        id=office.world.new_id(),
        webhook_id=webhook_id,
        shop_id=SHOP,
        event=EVENT,
        payload={},
        created_at=now,
        updated_at=now,
        next_attempt_at=now,
        is_test=True,
    )
    assert office.store.add(made)
    office.notifier.deliveries_due(SHOP, webhook_id)
    return made


def test_event__of_a_shop__arrives_signed_and_is_forgotten(office: Office, receiver: Inbox) -> None:
    webhook = office.endpoint(receiver.url)
    office.happens()
    office.work()
    (arrival,) = receiver.arrived
    delivery = office.one(webhook)
    assert arrival.told == {
        "event": EVENT,
        "number": 0,
        "delivery_id": delivery.id,
        "timestamp": "2026-03-02T10:00:01.000Z",
    }
    assert arrival.headers["x-service-signature"] == signed_by(KEY, arrival.body)
    assert "x-service-signature-previous" not in arrival.headers
    assert (arrival.event, arrival.delivery_id) == (EVENT, delivery.id)
    assert (delivery.status, delivery.attempts, delivery.response_status) == ("delivered", 1, 200)
    assert delivery.request
    assert delivery.request["body"].encode() == arrival.body
    assert delivery.log[0]["response_snippet"] == "taken"
    assert office.catalog.outbox("webhook", created_before="2999", limit=9) == []
    assert office.metrics.sums == {"WebhooksDelivered": 1, "WebhookLatencyMs": 0}


def test_event__is_for_those_who_want_it(office: Office, receiver: Inbox) -> None:
    wanting = [office.endpoint(receiver.url), office.endpoint(receiver.url, ("experiment.completed", EVENT))]
    others = [
        office.endpoint(receiver.url, ("experiment.completed",)),
        office.endpoint(receiver.url, active=False),
        office.endpoint(receiver.url, archived_at=timestamp(START)),
        office.endpoint(receiver.url, shop_id=OTHER_SHOP),
    ]
    office.happens()
    office.clock.advance(seconds=1)
    late = office.endpoint(receiver.url)
    office.work()
    assert [len(office.deliveries(each)) for each in wanting] == [1, 1]
    assert [office.deliveries(each) for each in (*others, late)] == [[], [], [], [], []]
    assert len(set(receiver.ids)) == 2


def test_receiver__that_refuses__is_asked_five_times(office: Office, receiver: Inbox) -> None:
    webhook = office.endpoint(receiver.url)
    receiver.answer = lambda _: 500
    office.happens()
    office.work()
    first = office.one(webhook)
    assert (first.status, first.last_error) == ("failed", "the receiver answered 500")
    assert office.queue.delays == [15]
    office.pass_time(UNTIL_DEAD - 1, step=1)
    assert office.one(webhook).status == "failed"
    office.pass_time(1, step=1)
    dead = office.one(webhook)
    assert (dead.status, dead.attempts, dead.due_at) == ("dead", 5, None)
    moments = [parse_timestamp(entry["at"]) for entry in dead.log]
    gaps = [(after - before).total_seconds() for before, after in itertools.pairwise(moments)]
    assert gaps == [15, 30, 60, 120]
    assert [entry["n"] for entry in dead.log] == [1, 2, 3, 4, 5]
    assert set(receiver.ids) == {dead.id}
    assert len({arrival.told["timestamp"] for arrival in receiver.arrived}) == 5
    assert office.health(webhook) == Health(1, None, 1)
    office.pass_time(1200)
    assert len(receiver.arrived) == 5
    assert (office.metrics.sums["WebhooksFailed"], office.metrics.sums["WebhooksDead"]) == (4, 1)


def test_endpoint__after_three_dead_in_a_row__is_left_alone(office: Office, receiver: Inbox) -> None:
    webhook = office.endpoint(receiver.url)
    receiver.answer = lambda _: 500
    office.happens(3)
    office.work()
    office.pass_time(UNTIL_DEAD)
    assert [each.status for each in office.deliveries(webhook)] == ["dead"] * 3
    health = office.health(webhook)
    assert (health.consecutive_failures, health.is_disabled) == (3, True)
    office.happens()
    office.work()
    *_, last = office.deliveries(webhook)
    assert (last.status, last.last_error, last.attempts) == ("dead", DISABLED, 0)
    assert (office.health(webhook), len(receiver.arrived)) == (health, 15)


def test_endpoint__disabled_while_deliveries_wait__gets_none_of_them(office: Office, receiver: Inbox) -> None:
    webhook = office.endpoint(receiver.url)
    receiver.answer = lambda _: 500
    office.happens(3)
    office.work()
    office.pass_time(UNTIL_DEAD - 15)
    office.happens()
    office.work()
    office.pass_time(60)
    *_, last = office.deliveries(webhook)
    assert (last.status, last.last_error) == ("dead", DISABLED)
    assert office.health(webhook).consecutive_failures == 3


def test_delivery__after_dead_ones__makes_the_endpoint_well(office: Office, receiver: Inbox) -> None:
    webhook = office.endpoint(receiver.url)
    receiver.answer = lambda arrival: 500 if arrival.told["number"] else 200
    office.happens(3)
    office.queue.clear()
    office.pass_time(UNTIL_DEAD + 60)
    assert office.health(webhook).consecutive_failures == 2
    office.happens()
    office.work()
    assert office.health(webhook).consecutive_failures == 0


def test_test__of_a_disabled_endpoint__is_sent_and_changes_no_health(office: Office, receiver: Inbox) -> None:
    webhook = office.endpoint(receiver.url)
    disabled = Health(3, office.world.now(), 1)
    office.store.put_health(webhook.id, HealthChange(Health(), disabled))
    tried(office, webhook.id)
    office.work()
    assert receiver.arrived[0].told["test"] is True
    receiver.answer = lambda _: 500
    office.clock.advance(seconds=1)
    tried(office, webhook.id)
    office.work()
    office.pass_time(UNTIL_DEAD)
    assert [each.status for each in office.deliveries(webhook)] == ["delivered", "dead"]
    assert office.health(webhook) == disabled
    assert office.metrics.sums == {}


@pytest.mark.parametrize(("is_archived", "reason"), [(True, DELETED), (False, DISABLED)])
def test_endpoint__switched_off_while_deliveries_wait__gets_none_of_them(
    office: Office, receiver: Inbox, is_archived: bool, reason: str
) -> None:
    webhook = office.endpoint(receiver.url)
    receiver.answer = lambda _: 503
    office.happens(2)
    office.work()
    now = office.world.now()
    office.keep(archived(webhook, "u", now) if is_archived else edited(webhook, now, active=False))
    office.pass_time(60)
    found = office.deliveries(webhook)
    assert [(each.status, each.last_error, each.attempts) for each in found] == [("dead", reason, 1)] * 2
    assert (office.health(webhook), len(receiver.arrived)) == (Health(), 2)


def test_test__of_an_archived_endpoint__is_not_sent(office: Office, receiver: Inbox) -> None:
    webhook = office.endpoint(receiver.url)
    office.keep(archived(webhook, "u", office.world.now()))
    tried(office, webhook.id)
    office.work()
    assert (office.one(webhook).last_error, receiver.arrived) == (DELETED, [])


def test_secret__that_was_rotated__signs_beside_the_one_before_until_grace_is_over(
    office: Office, receiver: Inbox
) -> None:
    webhook = office.endpoint(receiver.url)
    new = b"n" * 32
    sealed = office.sealer.seal(secret_of(new), {"shop_id": SHOP, "webhook_id": webhook.id})
    office.keep(rotated(webhook, sealed, timedelta(hours=1), office.world.now()))
    office.happens()
    office.work()
    office.clock.advance(hours=1)
    office.happens()
    office.work()
    both, alone = receiver.arrived
    assert both.headers["x-service-signature"] == signed_by(new, both.body)
    assert both.headers["x-service-signature-previous"] == signed_by(KEY, both.body)
    assert len(both.headers["webhook-signature"].split(" ")) == 2
    assert alone.headers["x-service-signature"] == signed_by(new, alone.body)
    assert "x-service-signature-previous" not in alone.headers
    assert len(alone.headers["webhook-signature"].split(" ")) == 1


def test_secret__that_cannot_be_opened__fails_with_the_reason_and_sends_nothing(
    office: Office, receiver: Inbox
) -> None:
    webhook = office.endpoint(receiver.url)
    of_another = office.sealer.seal(secret_of(KEY), {"shop_id": SHOP, "webhook_id": "another"})
    office.keep(replace(webhook, secret=of_another, version=2))
    office.happens()
    office.work()
    assert (office.one(webhook).last_error, receiver.arrived) == (UNREADABLE_SECRET, [])
    office.keep(replace(webhook, version=3))
    office.pass_time(15)
    assert len(receiver.arrived) == 1


def test_secret__in_the_place_of_one_that_cannot_be_opened__signs_alone(office: Office, receiver: Inbox) -> None:
    """The cure that the reason names works at once, whatever the grace of the one before."""
    webhook = office.endpoint(receiver.url, secret=Sealed("no seal"))
    new = b"n" * 32
    sealed = office.sealer.seal(secret_of(new), {"shop_id": SHOP, "webhook_id": webhook.id})
    office.keep(rotated(office.known(webhook), sealed, timedelta(days=1), office.world.now()))
    office.happens()
    office.work()
    (arrival,) = receiver.arrived
    assert arrival.headers["x-service-signature"] == signed_by(new, arrival.body)
    assert "x-service-signature-previous" not in arrival.headers


def test_secret__that_is_no_seal__is_told_alike(office: Office, receiver: Inbox) -> None:
    webhook = office.endpoint(receiver.url, secret=Sealed("no seal"))
    office.happens()
    office.work()
    assert (office.one(webhook).last_error, receiver.arrived) == (UNREADABLE_SECRET, [])


def test_address__that_is_refused_when_it_is_called__fails_with_the_reason(office: Office, receiver: Inbox) -> None:
    webhook = office.endpoint("https://10.0.0.1/hook")
    office.happens()
    office.work()
    found = office.one(webhook)
    assert found.status == "failed"
    assert "10.0.0.1" in str(found.last_error)


def test_address__changed_while_deliveries_wait__gets_them(office: Office, receiver: Inbox) -> None:
    webhook = office.endpoint("http://127.0.0.1:1/hook")
    office.happens()
    office.work()
    assert office.one(webhook).status == "failed"
    office.keep(edited(webhook, office.world.now(), url=receiver.url))
    office.pass_time(15)
    assert (office.one(webhook).status, len(receiver.arrived)) == ("delivered", 1)


def test_deliveries__sort_as_their_events__however_late_they_are_made(office: Office, receiver: Inbox) -> None:
    webhook = office.endpoint(receiver.url)
    ids = [uuid7(START + timedelta(seconds=number), SystemRandomness()) for number in range(3)]
    assert ids == sorted(ids)
    for _ in range(3):
        office.happens(is_rung=False)
        office.clock.advance(seconds=1)
    office.clock.advance(hours=2)
    office.sweep.run()
    office.work()
    assert [each.payload["number"] for each in office.deliveries(webhook)] == [0, 0, 0]
    assert len(set(receiver.ids)) == 3
    moments = [each.id[:13] for each in office.deliveries(webhook)]
    assert moments == sorted(set(moments))
