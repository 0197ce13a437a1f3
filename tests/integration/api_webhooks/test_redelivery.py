"""Sending once more, or to see: tests, redeliveries, recovery."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from abtest.domain.webhooks.deliveries import Outcome
from tests.integration.api_webhooks.conftest import WebhookApi
from tests.support.api import Tenant
from tests.support.client import Client

Create = Callable[..., dict[str, Any]]


def slow_down(api: WebhookApi, monkeypatch: pytest.MonkeyPatch, seconds: float, look: Callable[[], None]) -> None:
    """Pages of two, and each delivery that is changed takes so long; after each somebody looks."""
    change = api.store.change

    def slowly(*arguments: Any) -> None:
        api.clock.advance(seconds=seconds)
        change(*arguments)
        look()

    monkeypatch.setattr("abtest.services.webhooks.redelivery._READ_AT_ONCE", 2)
    monkeypatch.setattr(api.store, "change", slowly)


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


@pytest.mark.parametrize("action", ["test", "recover", "redeliver"])
def test_action__if_match_of_another_version__is_412_and_does_nothing(
    api: WebhookApi, client: Client, tenant: Tenant, webhook: dict[str, Any], path: str, action: str
) -> None:
    delivery = api.kill(api.deliver(webhook, tenant.shop.id))
    thing = f"{path}/deliveries/{delivery.id}" if action == "redeliver" else path
    body = {"since": api.world.now()} if action == "recover" else None
    etag = client.get(thing).headers["etag"]
    refused = client.post(f"{thing}/{action}", body, headers={"If-Match": 'W/"99"'})
    assert (refused.status, refused.code) == (412, "version_conflict")
    assert [each["id"] for each in client.get(f"{path}/deliveries").json()["data"]] == [delivery.id]
    assert api.queue.bodies == []
    assert client.post(f"{thing}/{action}", body, headers={"If-Match": etag}).status == 202


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
        assert all(answer.json()["current_status"] == "disabled" for answer in answers)
        assert all(answer.json()["allowed_actions"] == ["test", "rotate-secret", "archive"] for answer in answers)
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


def test_audit__of_what_was_sent_again__says_who_asked_and_for_what(
    api: WebhookApi, client: Client, tenant: Tenant, webhook: dict[str, Any], path: str
) -> None:
    dead = api.kill(api.deliver(webhook, tenant.shop.id))
    asked = []
    for route in ("test", f"deliveries/{dead.id}/redeliver"):
        api.clock.advance(seconds=1)
        asked.append(client.post(f"{path}/{route}").json()["id"])
    api.clock.advance(seconds=1)
    client.post(f"{path}/recover", {"since": dead.created_at})
    api.disable(webhook["id"])
    client.post(f"{path}/recover", {"since": dead.created_at})
    rows, _ = api.world.catalog.audit(tenant.shop.id, entity_id=webhook["id"], limit=10)
    assert [(row.action, row.user_id) for row in rows[:-1]] == [
        (f"webhook.{verb}", tenant.user_id) for verb in ("recover", "redeliver", "test")
    ]
    assert rows[0].diff == {"since": [None, dead.created_at], "until": [None, None]}
    assert rows[1].diff == {
        "delivery_id": [None, asked[1]],
        "event": [None, dead.event],
        "redelivery_of": [None, dead.id],
    }
    assert rows[2].diff == {"delivery_id": [None, asked[0]], "event": [None, "experiment.started"]}


def test_recover__longer_than_a_request_may_take__says_that_there_is_more(
    api: WebhookApi,
    client: Client,
    tenant: Tenant,
    webhook: dict[str, Any],
    path: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    start = api.world.now()
    for _ in range(5):
        api.kill(api.deliver(webhook, tenant.shop.id))
    slow_down(api, monkeypatch, 8, lambda: None)
    told = [client.post(f"{path}/recover", {"since": start}).json() for _ in range(3)]
    assert told == [
        {"requeued": 2, "has_more": True},
        {"requeued": 2, "has_more": True},
        {"requeued": 1, "has_more": False},
    ]


def test_recover__in_requests_and_pages__is_due_in_the_order_of_the_events_whenever_a_worker_comes(
    api: WebhookApi,
    client: Client,
    tenant: Tenant,
    webhook: dict[str, Any],
    path: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    start, made = api.world.now(), []
    for _ in range(7):
        api.clock.advance(minutes=1)
        made.append(api.kill(api.deliver(webhook, tenant.shop.id)).id)
    looks = []

    def look() -> None:
        looks.append([delivery.id for delivery in api.store.due(webhook["id"], api.world.now(), limit=9)])

    slow_down(api, monkeypatch, 4, look)
    assert client.post(f"{path}/recover", {"since": start}).json() == {"requeued": 4, "has_more": True}
    assert client.post(f"{path}/recover", {"since": start}).json() == {"requeued": 3, "has_more": False}
    assert looks == [made[:number] for number in range(1, 8)]


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
