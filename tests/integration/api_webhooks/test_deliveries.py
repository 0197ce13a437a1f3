"""What was sent: lists, details, counts; tests, redeliveries, recovery."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from abtest.domain.webhooks.deliveries import Outcome
from abtest.kit.clock import timestamp
from tests.integration.api_webhooks.conftest import WebhookApi
from tests.support.api import Tenant
from tests.support.client import Client

Create = Callable[..., dict[str, Any]]
SENT = {"url": "https://hooks.shop.example/in", "headers": {"User-Agent": "Service-Webhooks/1.0"}, "body": "{}"}


@pytest.fixture
def webhook(create: Create) -> dict[str, Any]:
    """An endpoint."""
    return create()


@pytest.fixture
def path(webhook: dict[str, Any]) -> str:
    """Its address."""
    return f"/webhooks/{webhook['id']}"


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


def test_test__is_queued_marked_and_rung_for__even_where_disabled(
    api: WebhookApi, client: Client, tenant: Tenant, webhook: dict[str, Any], path: str
) -> None:
    api.disable(webhook["id"])
    client.patch(path, {"active": False})
    answer = client.post(f"{path}/test")
    told = answer.json()
    assert (answer.status, told["status"], told["event"]) == (202, "queued", "experiment.started")
    assert (told["test"], told["redelivery_of"], told["attempts"]) == (True, None, 0)
    stored = api.store.get(webhook["id"], told["id"])
    assert stored is not None
    assert stored.is_test
    assert stored.payload["experiment_name"]
    assert [delivery.id for delivery in api.store.due(webhook["id"], api.world.now(), limit=9)] == [told["id"]]
    assert api.queue.bodies == [f'{{"kind":"deliveries","shop_id":"{tenant.shop.id}","webhook_id":"{webhook["id"]}"}}']
    assert client.post(f"{path}/test", {"event": "project.published"}).json()["event"] == "project.published"
    refused = client.post(f"{path}/test", {"event": "project.*"})
    assert (refused.status, refused.paths) == (400, ["event"])


def test_tests_and_redeliveries__more_than_ten_a_minute__are_429(
    api: WebhookApi, client: Client, tenant: Tenant, webhook: dict[str, Any], path: str, create: Create
) -> None:
    delivery = api.deliver(webhook, tenant.shop.id)
    for number in range(10):
        route = "test" if number % 2 else f"deliveries/{delivery.id}/redeliver"
        assert client.post(f"{path}/{route}").status == 202
    for route in ("test", f"deliveries/{delivery.id}/redeliver"):
        refused = client.post(f"{path}/{route}")
        assert (refused.status, refused.code, refused.headers["retry-after"]) == (429, "rate_limited", "6")
    assert len(client.get(f"{path}/deliveries").json()["data"]) == 11
    api.clock.advance(seconds=6)
    assert client.post(f"{path}/test").status == 202
    assert client.post(f"{path}/test").status == 429
    assert client.post(f"/webhooks/{create()['id']}/test").status == 202


def test_redeliver__any_delivery__makes_a_new_one_of_the_same_event(
    api: WebhookApi, client: Client, tenant: Tenant, webhook: dict[str, Any], path: str
) -> None:
    original = api.attempt(api.deliver(webhook, tenant.shop.id), Outcome(status=200))
    api.clock.advance(seconds=1)
    answer = client.post(f"{path}/deliveries/{original.id}/redeliver")
    told = answer.json()
    assert (answer.status, told["redelivery_of"], told["status"]) == (202, original.id, "queued")
    assert told["id"] != original.id
    stored = api.store.get(webhook["id"], told["id"])
    assert stored is not None
    assert (stored.payload, stored.log) == (original.payload, ())
    assert api.store.get(webhook["id"], original.id) == original
    assert client.post(f"{path}/deliveries/{api.world.new_id()}/redeliver").code == "not_found"


def test_redelivery_and_recovery__of_a_disabled_endpoint__are_409_and_say_how_to_enable_it(
    api: WebhookApi, client: Client, tenant: Tenant, webhook: dict[str, Any], path: str
) -> None:
    dead = api.kill(api.deliver(webhook, tenant.shop.id))
    since = {"since": dead.created_at}

    def refusals() -> set[tuple[int, str]]:
        answers = [client.post(f"{path}/deliveries/{dead.id}/redeliver"), client.post(f"{path}/recover", since)]
        assert all('{"active": true}' in answer.json()["error"]["message"] for answer in answers)
        return {(answer.status, answer.code) for answer in answers}

    api.disable(webhook["id"])
    assert refusals() == {(409, "webhook_disabled")}
    client.patch(path, {"active": True})
    client.patch(path, {"active": False})
    assert refusals() == {(409, "webhook_disabled")}
    assert api.store.get(webhook["id"], dead.id) == dead
    client.patch(path, {"active": True})
    assert client.post(f"{path}/recover", since).json() == {"requeued": 1, "has_more": False}


def test_recover__what_died_in_the_window__is_queued_under_its_own_id_once(
    api: WebhookApi, client: Client, tenant: Tenant, webhook: dict[str, Any], path: str
) -> None:
    made = []
    for _ in range(5):
        api.clock.advance(minutes=1)
        made.append(api.kill(api.deliver(webhook, tenant.shop.id)))
    trial = api.kill(api.deliver(webhook, tenant.shop.id, is_test=True))
    alive = api.deliver(webhook, tenant.shop.id)
    window = {"since": made[1].created_at, "until": made[3].created_at}
    answer = client.post(f"{path}/recover", window)
    assert (answer.status, answer.json()) == (202, {"requeued": 3, "has_more": False})
    assert client.post(f"{path}/recover", window).json()["requeued"] == 0
    now = {delivery.id: api.store.get(webhook["id"], delivery.id) for delivery in [*made, trial, alive]}
    assert [found.status for found in now.values() if found] == ["dead", *["queued"] * 3, "dead", "dead", "queued"]
    again = now[made[1].id]
    assert again is not None
    assert (again.attempts, len(again.log), again.next_attempt_at) == (0, 5, api.world.now())
    ended = api.attempt(again, Outcome(status=200))
    assert [entry["n"] for entry in ended.log] == [1, 2, 3, 4, 5, 6]
    assert webhook["id"] in api.queue.bodies[-1]


def test_recover__longer_than_a_request_may_take__says_that_there_is_more(
    api: WebhookApi,
    client: Client,
    tenant: Tenant,
    webhook: dict[str, Any],
    path: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("abtest.services.webhooks.again._READ_AT_ONCE", 2)
    start = api.world.now()
    for _ in range(5):
        api.kill(api.deliver(webhook, tenant.shop.id))
    change = api.store.change

    def slowly(*arguments: Any) -> None:
        api.clock.advance(seconds=8)
        change(*arguments)

    monkeypatch.setattr(api.store, "change", slowly)
    told = [client.post(f"{path}/recover", {"since": start}).json() for _ in range(3)]
    assert told == [
        {"requeued": 2, "has_more": True},
        {"requeued": 2, "has_more": True},
        {"requeued": 1, "has_more": False},
    ]


@pytest.mark.parametrize(
    ("window", "status", "path_named"),
    [
        ({}, 400, "since"),
        ({"since": "yesterday"}, 400, "since"),
        ({"since": None}, 400, "since"),
        ({"since": "2026-02-16T09:00:00.999Z"}, 422, "since"),
        ({"since": "2026-03-02T09:00:00Z", "until": "2026-03-02T08:59:59.999Z"}, 422, "until"),
        ({"since": "2026-03-02T09:00:00Z", "until": None}, 400, "until"),
        ({"since": "2026-03-02T09:00:00Z", "limit": 1}, 400, "limit"),
    ],
)
def test_recover__of_a_time_that_is_none__is_refused_and_named(
    client: Client, path: str, window: dict[str, Any], status: int, path_named: str
) -> None:
    """The clock stands a second after 2026-03-02T09:00:00Z, fourteen days after the first moment that is taken."""
    answer = client.post(f"{path}/recover", window)
    assert (answer.status, answer.paths) == (status, [path_named])


def test_recover__of_fourteen_days__is_taken(client: Client, path: str) -> None:
    assert client.post(f"{path}/recover", {"since": "2026-02-16T09:00:01.000Z"}).status == 202


def test_recover__while_a_worker_closes_the_same_rows__counts_only_its_own(
    api: WebhookApi,
    client: Client,
    tenant: Tenant,
    webhook: dict[str, Any],
    path: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    dead = api.kill(api.deliver(webhook, tenant.shop.id))
    page = api.store.page

    def overtaken(*arguments: Any, **options: Any) -> Any:
        found = page(*arguments, **options)
        monkeypatch.setattr(api.store, "page", page)
        api.store.change(dead, replace(dead, version=dead.version + 1))
        return found

    monkeypatch.setattr(api.store, "page", overtaken)
    assert client.post(f"{path}/recover", {"since": dead.created_at}).json()["requeued"] == 0
    assert client.post(f"{path}/recover", {"since": dead.created_at}).json()["requeued"] == 1


def test_queue_that_refuses__what_is_asked_for_stands_all_the_same(
    api: WebhookApi, client: Client, webhook: dict[str, Any], path: str
) -> None:
    api.queue.available = False
    told = client.post(f"{path}/test")
    assert told.status == 202
    assert api.store.get(webhook["id"], told.json()["id"]) is not None
    assert client.delete(path).status == 204
