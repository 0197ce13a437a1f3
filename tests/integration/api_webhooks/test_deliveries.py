"""What was sent: lists, details, counts."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from abtest.domain.webhooks.deliveries import Outcome
from abtest.kit.clock import timestamp
from abtest.kit.ids import SystemRandomness, uuid7
from abtest.services.webhooks.delivery_log import DELAY
from tests.integration.api_webhooks.conftest import WebhookApi
from tests.support.api import Tenant
from tests.support.client import Client

SENT = {"url": "https://hooks.shop.example/in", "headers": {"User-Agent": "Service-Webhooks/1.0"}, "body": "{}"}


def test_detail__after_attempts__shows_the_request_and_each_attempt(
    api: WebhookApi, client: Client, tenant: Tenant, webhook: dict[str, Any], path: str
) -> None:
    delivery = api.deliver(webhook, tenant.shop.id)
    fresh = client.get(f"{path}/deliveries/{delivery.id}").json()
    assert (fresh["status"], fresh["attempts"], fresh["request"], fresh["attempt_log"]) == ("queued", 0, None, [])
    failed = api.attempt(delivery, Outcome(status=503, duration_ms=12, snippet="busy", request=SENT))
    api.clock.advance(seconds=15)
    api.attempt(failed, Outcome(error="the name does not resolve", duration_ms=3))
    answer = client.get(f"{path}/deliveries/{delivery.id}")
    found = answer.json()
    assert answer.headers["etag"] == 'W/"5"'
    assert found["request"] == SENT
    assert (found["status"], found["attempts"], found["last_error"]) == ("failed", 2, "the name does not resolve")
    assert found["next_attempt_at"] == timestamp(api.clock.now() + timedelta(seconds=30))
    first, second = found["attempt_log"]
    assert first == {
        "n": 1,
        "at": delivery.created_at,
        "status": 503,
        "duration_ms": 12,
        "error": "the receiver answered 503",
        "response_snippet": "busy",
    }
    assert (second["n"], second["status"], second["error"]) == (2, None, "the name does not resolve")


def test_delivery__without_a_due_attempt__has_no_next_attempt_at(
    api: WebhookApi, client: Client, tenant: Tenant, webhook: dict[str, Any], path: str
) -> None:
    """The contract allows no null here, so the field is absent (ADR 7)."""
    waiting = api.deliver(webhook, tenant.shop.id)
    arrived = api.attempt(api.deliver(webhook, tenant.shop.id), Outcome(status=200, duration_ms=1, request=SENT))
    assert client.get(f"{path}/deliveries/{waiting.id}").json()["next_attempt_at"] == waiting.next_attempt_at
    assert "next_attempt_at" not in client.get(f"{path}/deliveries/{arrived.id}").json()
    listed = {row["id"]: "next_attempt_at" in row for row in client.get(f"{path}/deliveries").json()["data"]}
    assert listed == {waiting.id: True, arrived.id: False}


def test_detail__written_by_a_younger_release__shows_what_is_known_here(
    api: WebhookApi, client: Client, tenant: Tenant, webhook: dict[str, Any], path: str
) -> None:
    entry = {"n": 1, "at": api.world.now(), "status": 200, "duration_ms": 1, "error": None, "tls": "1.3"}
    delivery = api.deliver(
        webhook, tenant.shop.id, log=(entry,), request={**SENT, "peer": "93.184.216.34"}, event="shop.renamed"
    )
    found = client.get(f"{path}/deliveries/{delivery.id}").json()
    assert (found["event"], found["request"]) == ("shop.renamed", SENT)
    assert found["attempt_log"] == [
        {"n": 1, "at": delivery.created_at, "status": 200, "duration_ms": 1, "error": None, "response_snippet": None}
    ]


def test_list__filtered_and_paged__is_newest_first(
    api: WebhookApi, client: Client, tenant: Tenant, webhook: dict[str, Any], path: str
) -> None:
    made = []
    for number in range(6):
        api.clock.advance(minutes=1)
        event = "experiment.completed" if number % 2 else "experiment.started"
        made.append(api.deliver(webhook, tenant.shop.id, event=event))
    api.attempt(made[0], Outcome(status=204, duration_ms=5))
    api.kill(made[5])

    def places(**query: str) -> list[int]:
        found = client.get(f"{path}/deliveries", query=query).json()["data"]
        return [[delivery.id for delivery in made].index(item["id"]) for item in found]

    assert places() == [5, 4, 3, 2, 1, 0]
    assert places(status="delivered") == [0]
    assert places(status="dead") == [5]
    assert places(status="processing") == []
    assert places(event="experiment.completed") == [5, 3, 1]
    assert places(event="experiment.completed", status="queued") == [3, 1]
    assert places(since=made[4].created_at) == [5, 4]
    first = client.get(f"{path}/deliveries", query={"limit": 4}).json()
    cursor = first["pagination"]["next_cursor"]
    rest = client.get(f"{path}/deliveries", query={"limit": 4, "cursor": cursor}).json()
    assert [item["id"] for item in first["data"] + rest["data"]] == [delivery.id for delivery in reversed(made)]
    assert client.get(f"{path}/deliveries", query={"cursor": cursor, "status": "dead"}).code == "invalid_cursor"
    for wrong in ({"status": "lost"}, {"event": "*"}, {"since": "yesterday"}):
        assert client.get(f"{path}/deliveries", query=wrong).code == "invalid_parameter"


@pytest.mark.parametrize(
    ("before", "has_more"), [(timedelta(0), True), (DELAY, True), (DELAY + timedelta(milliseconds=1), False)]
)
def test_list__of_what_was_made_since__ends_where_nothing_of_it_can_lie(
    api: WebhookApi, client: Client, path: str, monkeypatch: pytest.MonkeyPatch, before: timedelta, has_more: bool
) -> None:
    """A page of a filtered list looks through some rows and names the last, though it let none of them through."""
    read = uuid7(api.clock.now() - before, SystemRandomness())
    monkeypatch.setattr(api.store, "page", lambda *_, **__: ([], read))
    told = client.get(f"{path}/deliveries", query={"since": api.world.now()}).json()
    assert (told["data"], told["pagination"]["has_more"]) == ([], has_more)
    assert (told["pagination"]["next_cursor"] is None) is not has_more
    assert client.get(f"{path}/deliveries", query={"status": "dead"}).json()["pagination"]["has_more"] is True


def test_stats__count_by_status_and_tell_how_long_it_took(
    api: WebhookApi, client: Client, tenant: Tenant, webhook: dict[str, Any], path: str
) -> None:
    empty = client.get(f"{path}/stats").json()
    assert empty["since"] == timestamp(api.clock.now() - timedelta(days=1))
    assert empty["latency_ms"] == {"p50": None, "p95": None}
    start = api.world.now()
    for seconds in range(1, 21):
        api.attempt(api.deliver(webhook, tenant.shop.id), Outcome(status=200), seconds=seconds)
    api.attempt(api.deliver(webhook, tenant.shop.id), Outcome(status=500))
    api.kill(api.deliver(webhook, tenant.shop.id))
    api.deliver(webhook, tenant.shop.id)
    client.post(f"{path}/test")
    found = client.get(f"{path}/stats", query={"since": start}).json()
    assert found == {
        "since": start,
        "counts": {"queued": 1, "processing": 0, "delivered": 20, "failed": 1, "dead": 1},
        "latency_ms": {"p50": 10_000, "p95": 19_000},
        "complete": True,
    }
    api.clock.advance(days=2)
    assert sum(client.get(f"{path}/stats").json()["counts"].values()) == 0


def test_stats__of_more_than_is_counted__say_so(
    api: WebhookApi,
    client: Client,
    tenant: Tenant,
    webhook: dict[str, Any],
    path: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("abtest.services.webhooks.delivery_log.COUNTED_AT_MOST", 4)
    monkeypatch.setattr("abtest.services.webhooks.delivery_log._READ_AT_ONCE", 2)
    for number in range(5):
        assert client.get(f"{path}/stats").json()["complete"] is True, number
        api.deliver(webhook, tenant.shop.id)
    found = client.get(f"{path}/stats").json()
    assert (found["complete"], found["counts"]["queued"]) == (False, 4)


def test_stats__events_that_waited_long__are_counted(
    api: WebhookApi, client: Client, tenant: Tenant, webhook: dict[str, Any], path: str
) -> None:
    """Deliveries lie by the moment of their event, and are asked for by the moment of their making."""
    early = []
    for _ in range(5):
        api.clock.advance(hours=12)
        early.append(api.world.new_id())
    for delivery_id in early:
        api.deliver(webhook, tenant.shop.id, id=delivery_id)
    found = client.get(f"{path}/stats", query={"since": api.world.now()}).json()
    assert found["counts"]["queued"] == 5
