"""Webhooks from end to end: events of a shop reach a server on this machine, signed; or die, and come back when asked.

Five attempts take 225 s. The first retry is waited for. Before each later one the delivery, after its moment was held
against the rule, is made overdue in the table, as if that time had passed, and the sweep finds it.
"""

from __future__ import annotations

import hmac
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import standardwebhooks
import svix.webhooks

from abtest.adapters import aws
from abtest.adapters.dynamo import DynamoDeliveryStore
from abtest.kit.clock import parse_timestamp, timestamp
from abtest.ports.deliveries import StaleDeliveryError
from tests.e2e.receiver import Receiver, Row, eventually
from tests.e2e.story import Story, new_shop
from tests.support.inbox import Arrival
from tools.local.testing import running_stack, status, tick

pytestmark = pytest.mark.stack

EVENTS = ["experiment.started", "experiment.completed"]
RETRY_SECONDS = (15, 30, 60, 120)


@dataclass(frozen=True)
class Hook:
    """An endpoint of the shop, as its developer calls it."""

    shop: Story
    id: str
    secret: str

    @classmethod
    def made(cls, shop: Story, url: str) -> Hook:
        created = shop.call("POST", "/webhooks", 201, url=url, events=EVENTS)
        assert (created["active"], created["hasSecret"], created["consecutiveFailures"]) == (True, True, 0)
        return cls(shop, created["id"], created["secret"])

    def call(self, method: str, path: str = "", expected: int = 200, **body: Any) -> Any:
        return self.shop.call(method, f"/webhooks/{self.id}{path}", expected, **body)

    def deliveries(self, query: str = "") -> list[Row]:
        found: list[Row] = self.call("GET", f"/deliveries?limit=100{query}")["data"]
        return found

    def deliveries_that(self, stand: Callable[[Row], bool], *, count: int) -> list[Row]:
        """All deliveries, the newest first, once there are so many and each stands as it should."""

        def all_stand() -> bool:
            found = self.deliveries()
            return len(found) == count and all(map(stand, found))

        eventually(all_stand, f"{count} deliveries that stand so", self.deliveries)
        return self.deliveries()

    def deliveries_once(self, status: str, *, attempts: int, count: int) -> list[Row]:
        """The same once each has a status after so many attempts."""
        return self.deliveries_that(lambda row: (row["status"], row["attempts"]) == (status, attempts), count=count)


def has_failed_again(before: dict[str, int], row: Row) -> bool:
    return row["status"] in ("failed", "dead") and (row["attempts"] > before[row["id"]] or row["status"] == "dead")


def verify(arrival: Arrival, *secrets: str) -> None:
    """It passes with each of the secrets, the newest first, by both verifiers and by the service's own header."""
    names = ("X-Service-Signature", "X-Service-Signature-Previous")
    for secret, name in zip(secrets, names, strict=False):
        assert standardwebhooks.Webhook(secret).verify(arrival.body, dict(arrival.headers)) == arrival.told
        svix.webhooks.Webhook(secret).verify(arrival.body, dict(arrival.headers))
        assert arrival.headers[name] == "sha256=" + hmac.new(secret.encode(), arrival.body, "sha256").hexdigest()
    assert len([name for name in names if name in arrival.headers]) == len(secrets)
    with pytest.raises(standardwebhooks.WebhookVerificationError):
        standardwebhooks.Webhook(secrets[0]).verify(arrival.body + b" ", dict(arrival.headers))


def launched(shop: Story, name: str) -> str:
    """An experiment that runs."""
    goals = [{"name": "Add to cart", "type": "custom", "event_name": "add_to_cart"}]
    made = shop.call("POST", "/experiments", 201, name=name, goals=goals)
    shop.call("POST", f"/experiments/{made['id']}/launch", override_checklist_warnings=True)
    experiment_id: str = made["id"]
    return experiment_id


def complete(shop: Story, experiment_id: str) -> None:
    shop.call("POST", f"/experiments/{experiment_id}/complete")


@pytest.fixture
def shop(quiet_stack: Row) -> Story:
    """A shop of a stack whose sweep runs when it is told to: what arrives before has come by the queue."""
    return new_shop(Story(quiet_stack), "webhooks.example")


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    """Is there."""
    found = Receiver()
    found.start()
    yield found
    found.stop()


@pytest.fixture
def store(quiet_stack: Row, monkeypatch: pytest.MonkeyPatch) -> Iterator[DynamoDeliveryStore]:
    """The deliveries of the stack."""
    environment = status(quiet_stack["directory"])["environment"]
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    aws.reset()
    yield DynamoDeliveryStore(environment["DELIVERIES_TABLE"])
    aws.reset()


def test_webhook__of_an_experiment_launched_and_completed__hears_both_signed(shop: Story, receiver: Receiver) -> None:
    hook = Hook.made(shop, receiver.url)
    assert "secret" not in hook.call("GET")
    assert {each["event"] for each in shop.call("GET", "/webhook-events")["data"]} >= set(EVENTS)

    experiment_id = launched(shop, "A banner")
    started = receiver.arrivals(1)[0]
    verify(started, hook.secret)
    about = {"experiment_id": experiment_id, "experiment_name": "A banner"}
    assert started.about == {"event": "experiment.started", **about}

    rotated = hook.call("POST", "/rotate-secret", grace_seconds=3600)["secret"]
    assert rotated != hook.secret
    complete(shop, experiment_id)
    completed = receiver.arrivals(2)[1]
    verify(completed, rotated, hook.secret)
    assert completed.about == {"event": "experiment.completed", **about}

    newest, oldest = hook.deliveries_once("delivered", attempts=1, count=2)
    assert [newest["id"], oldest["id"]] == [completed.told["delivery_id"], started.told["delivery_id"]]
    assert [row["id"] for row in hook.deliveries("&event=experiment.started")] == [oldest["id"]]
    detail = hook.call("GET", f"/deliveries/{newest['id']}")
    assert (detail["request"]["url"], detail["request"]["body"]) == (receiver.url, completed.body.decode())
    assert detail["request"]["headers"].items() <= dict(completed.headers).items()
    assert [(entry["n"], entry["status"], entry["error"]) for entry in detail["attempt_log"]] == [(1, 204, None)]

    again = hook.call("POST", f"/deliveries/{oldest['id']}/redeliver", 202)
    assert (again["redelivery_of"], again["id"] != oldest["id"]) == (oldest["id"], True)
    repeated = receiver.arrivals(3)[2]
    assert (repeated.told["delivery_id"], repeated.about) == (again["id"], started.about)
    test = hook.call("POST", "/test", 202, event="experiment.completed")
    tried = receiver.arrivals(4)[3]
    assert (tried.told["delivery_id"], tried.told["test"], test["test"]) == (test["id"], True, True)
    verify(tried, rotated, hook.secret)

    hook.deliveries_once("delivered", attempts=1, count=4)
    stats = hook.call("GET", "/stats")
    assert (stats["counts"]["delivered"], sum(stats["counts"].values())) == (3, 3), "tests are left out"
    assert 0 <= stats["latency_ms"]["p50"] <= stats["latency_ms"]["p95"]

    hook.call("DELETE", expected=204)
    other = Hook.made(shop, receiver.url)
    launched(shop, "Heard by the other")
    verify(receiver.arrivals(5)[4], other.secret)
    assert (len(hook.deliveries()), len(other.deliveries())) == (4, 1)


def let_time_pass(store: DynamoDeliveryStore, hook: Hook) -> None:
    """What failed is to wait as long as the rule says; then that is over, and the sweep looks."""
    now = datetime.now(UTC)
    for delivery in store.due(hook.id, timestamp(now + timedelta(days=1)), limit=100):
        if delivery.status == "failed" and delivery.next_attempt_at is not None:
            waits = parse_timestamp(delivery.next_attempt_at) - parse_timestamp(delivery.updated_at)
            assert waits == timedelta(seconds=RETRY_SECONDS[delivery.attempts - 1])
            overdue = timestamp(now - timedelta(minutes=1))
            with suppress(StaleDeliveryError):  # its time had come by itself
                store.change(delivery, replace(delivery, next_attempt_at=overdue, version=delivery.version + 1))
    tick(hook.shop.dev["directory"], "cron_sweep")


def test_webhook__whose_receiver_was_away__dies_is_disabled_and_recovers_all_once(
    shop: Story, receiver: Receiver, store: DynamoDeliveryStore
) -> None:
    hook, began = Hook.made(shop, receiver.url), timestamp(datetime.now(UTC) - timedelta(minutes=1))
    receiver.stop()
    complete(shop, launched(shop, "Heard late"))
    running = launched(shop, "Heard later")

    failed = hook.deliveries_that(lambda row: row["status"] == "failed", count=3)
    assert [row["event"] for row in failed] == [EVENTS[0], EVENTS[1], EVENTS[0]]
    assert all("no server responds" in row["last_error"] for row in failed)
    hook.deliveries_that(lambda row: row["status"] == "failed" and row["attempts"] > 1, count=3)
    for _ in RETRY_SECONDS[1:]:
        before = {row["id"]: row["attempts"] for row in hook.deliveries()}
        let_time_pass(store, hook)
        hook.deliveries_that(partial(has_failed_again, before), count=3)
    hook.deliveries_once("dead", attempts=5, count=3)

    found = hook.call("GET")
    assert (found["active"], found["consecutiveFailures"], found["disabledAt"] is None) == (False, 3, False)
    complete(shop, running)
    eventually(lambda: len(hook.deliveries()) == 4, "four deliveries")
    dead = hook.deliveries("&status=dead")
    assert (dead[0]["last_error"], dead[0]["attempts"]) == ("webhook_disabled", 0)
    refused = hook.call("POST", "/recover", 409, since=began)
    assert refused["error"]["code"] == "webhook_disabled"
    assert "PATCH" in refused["error"]["message"], "says how to enable it"
    hook.call("POST", f"/deliveries/{dead[0]['id']}/redeliver", 409)

    receiver.start()
    hook.call("POST", "/test", 202)
    assert receiver.arrivals(1)[0].told["test"], "is sent to a disabled endpoint, too"
    assert hook.call("GET")["active"] is False
    enabled = hook.call("PATCH", active=True)
    assert (enabled["active"], enabled["consecutiveFailures"], enabled["disabledAt"]) == (True, 0, None)
    assert hook.call("POST", "/recover", 202, since=began)["requeued"] == 4

    arrived = receiver.arrivals(5)[1:]
    hook.deliveries_once("delivered", attempts=1, count=5)
    assert sorted(each.told["delivery_id"] for each in arrived) == sorted(row["id"] for row in dead)
    for each in arrived:
        verify(each, hook.secret)
    log = hook.call("GET", f"/deliveries/{dead[-1]['id']}")["attempt_log"]
    assert [(entry["n"], entry["status"]) for entry in log] == [(n, None) for n in range(1, 6)] + [(6, 204)]
    first, second = (parse_timestamp(entry["at"]) for entry in log[:2])
    assert second - first >= timedelta(seconds=RETRY_SECONDS[0]), "by the clock"
    assert hook.call("POST", "/recover", 202, since=began)["requeued"] == 0
    assert not store.due(hook.id, timestamp(datetime.now(UTC) + timedelta(days=30)), limit=1), "none is sent once more"


def test_webhook__at_loopback_with_strict_egress__is_refused(tmp_path: Path) -> None:
    with running_stack(tmp_path, ["--strict-egress", "--no-warm", "--no-schedules"]) as dev:
        for url in ("http://127.0.0.1:8080/", "https://127.0.0.1/", "https://localhost/", "https://[::1]/"):
            refused = Story(dev).call("POST", "/webhooks", 422, url=url, events=EVENTS)["error"]
            assert (refused["code"], [each["path"] for each in refused["fields"]]) == ("url_not_allowed", ["url"])
        assert Story(dev).call("GET", "/webhooks")["data"] == []
