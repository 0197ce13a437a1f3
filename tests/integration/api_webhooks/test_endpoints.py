"""Endpoints: made, read, listed, changed, archived."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from abtest.kit.errors import DatabaseBusyError
from abtest.ports.catalog import Commit, StaleVersionError
from abtest.ports.deliveries import HealthChange, StaleDeliveryError
from tests.integration.api_webhooks.conftest import URL, WebhookApi
from tests.support.api import Tenant
from tests.support.client import Client
from tests.support.memory import MemoryCatalog

Create = Callable[..., dict[str, Any]]


def test_create__a_right_body__is_active_and_told_in_the_contracts_names(client: Client, tenant: Tenant) -> None:
    answer = client.post("/webhooks", {"url": URL, "events": ["experiment.started", "project.published"]})
    made = answer.json()
    assert (answer.status, answer.headers["etag"]) == (201, 'W/"1"')
    assert made["secret"].startswith("whsec_")
    assert {name: made[name] for name in made if name not in ("id", "secret", "created_at")} == {
        "url": URL,
        "events": ["experiment.started", "project.published"],
        "active": True,
        "hasSecret": True,
        "consecutiveFailures": 0,
        "disabledAt": None,
        "archived_at": None,
        "archived_by": None,
    }
    read = client.get(f"/webhooks/{made['id']}")
    assert read.json() == {name: value for name, value in made.items() if name != "secret"}
    assert client.get(f"/webhooks/{made['id']}", headers={"if-none-match": read.headers["etag"]}).status == 304


def test_update__every_field__is_merged(client: Client, create: Create) -> None:
    path = f"/webhooks/{create()['id']}"
    changed = client.patch(path, {"events": ["variation.winning"]}, headers={"if-match": 'W/"1"'})
    assert (changed.json()["events"], changed.json()["url"]) == (["variation.winning"], URL)
    assert changed.headers["etag"] == 'W/"2"'
    assert client.patch(path, {"url": URL + "/new"}).json()["url"] == URL + "/new"
    assert client.patch(path, {"active": False}).json()["active"] is False
    assert client.patch(path, {}).headers["etag"] == 'W/"4"'
    assert client.patch(path, {"active": True}).json()["active"] is True
    assert client.get(path).headers["etag"] == 'W/"5"'


@pytest.mark.parametrize(
    "body", [{"active": None}, {"active": "true"}, {"url": None}, {"events": []}, {"events": None}]
)
def test_update__of_a_wrong_form__is_400(client: Client, create: Create, body: dict[str, Any]) -> None:
    made = create()
    answer = client.patch(f"/webhooks/{made['id']}", body)
    assert (answer.status, answer.paths) == (400, list(body))
    assert client.get(f"/webhooks/{made['id']}").headers["etag"] == 'W/"1"'


def test_update__of_the_version_that_was_read__or_412(client: Client, create: Create, api: WebhookApi) -> None:
    made = create()
    path = f"/webhooks/{made['id']}"
    api.disable(made["id"])
    assert client.get(path).headers["etag"] == 'W/"2"'
    for answer in (
        client.patch(path, {"active": True}, headers={"if-match": 'W/"1"'}),
        client.delete(path, headers={"if-match": 'W/"1"'}),
        client.post(f"{path}/archive", headers={"if-match": 'W/"1"'}),
        client.post(f"{path}/rotate-secret", headers={"if-match": 'W/"1"'}),
    ):
        assert (answer.status, answer.code) == (412, "version_conflict")
    assert client.get(path).json()["disabledAt"] is not None


def test_enable__after_failures__forgets_them_and_says_so_in_the_audit(
    api: WebhookApi, client: Client, create: Create, tenant: Tenant
) -> None:
    made = create()
    path = f"/webhooks/{made['id']}"
    api.disable(made["id"])
    shown = client.get(path).json()
    assert (shown["active"], shown["consecutiveFailures"]) == (False, 3)
    assert shown["disabledAt"] == api.world.now()
    api.clock.advance(seconds=1)
    assert client.patch(path, {"url": URL + "/other"}).json()["disabledAt"] is not None
    api.clock.advance(seconds=1)
    enabled = client.patch(path, {"active": True})
    assert (enabled.json()["active"], enabled.json()["consecutiveFailures"]) == (True, 0)
    assert enabled.json()["disabledAt"] is None
    assert client.get(path).headers["etag"] == enabled.headers["etag"]
    rows, _ = api.world.catalog.audit(tenant.shop.id, entity_id=made["id"], limit=10)
    assert [row.action for row in rows] == ["webhook.update", "webhook.update", "webhook.create"]
    forgotten = {"consecutiveFailures": [3, 0], "disabledAt": [shown["disabledAt"], None]}
    assert rows[0].diff == {"active": [False, True], **forgotten}
    assert client.patch(path, {"active": True}).headers["etag"] == enabled.headers["etag"]
    assert len(api.world.catalog.audit(tenant.shop.id, entity_id=made["id"], limit=10)[0]) == 3


def test_enable__interrupted_or_overtaken__is_done_when_it_says_so(
    api: WebhookApi, client: Client, create: Create, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The audit stands, the database is busy, the caller repeats; then a worker writes in between."""
    made = create()
    path = f"/webhooks/{made['id']}"
    api.disable(made["id"])
    put_health = api.store.put_health

    def busy(*_: Any) -> None:
        raise DatabaseBusyError

    def overtaken(webhook_id: str, change: HealthChange) -> None:
        monkeypatch.setattr(api.store, "put_health", put_health)
        put_health(webhook_id, HealthChange(change.before, change.before.after_dead(api.world.now(), "refused")))
        put_health(webhook_id, change)

    monkeypatch.setattr(api.store, "put_health", busy)
    assert client.patch(path, {"active": True}).status == 503
    assert client.get(path).json()["disabledAt"] is not None
    monkeypatch.setattr(api.store, "put_health", overtaken)
    enabled = client.patch(path, {"active": True}).json()
    assert (enabled["active"], enabled["consecutiveFailures"], enabled["disabledAt"]) == (True, 0, None)
    assert client.get(path).json() == enabled


def test_enable__always_overtaken__is_503(
    api: WebhookApi, client: Client, create: Create, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = create()
    api.disable(made["id"])

    def overtaken(*_: Any) -> None:
        raise StaleDeliveryError(made["id"])

    monkeypatch.setattr(api.store, "put_health", overtaken)
    assert client.patch(f"/webhooks/{made['id']}", {"active": True}).code == "database_busy"


def test_update__overtaken_once__is_done_on_what_stands(
    client: Client, create: Create, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = create()
    commit = MemoryCatalog.commit
    losses = iter([True])

    def overtaken(catalog: MemoryCatalog, change: Commit) -> None:
        if len(change.puts) > 0 and next(losses, False):
            raise StaleVersionError("overtaken")
        commit(catalog, change)

    monkeypatch.setattr(MemoryCatalog, "commit", overtaken)
    assert client.patch(f"/webhooks/{made['id']}", {"active": False}).json()["active"] is False


def test_delete__archives_and_rings_and_is_repeatable(
    api: WebhookApi, client: Client, create: Create, tenant: Tenant
) -> None:
    made = create()
    path = f"/webhooks/{made['id']}"
    delivery = api.deliver(made, tenant.shop.id)
    api.clock.advance(seconds=1)
    assert client.delete(path).status == 204
    shown = client.get(path).json()
    assert (shown["active"], shown["archived_by"]) == (False, tenant.user_id)
    assert shown["archived_at"] == api.world.now()
    assert made["id"] in api.queue.bodies[-1]
    assert client.get(f"{path}/deliveries/{delivery.id}").status == 200
    for repeated in (client.delete(path), client.post(f"{path}/archive")):
        assert repeated.status == 204
    assert client.get(path).json() == shown
    rows, _ = api.world.catalog.audit(tenant.shop.id, entity_id=made["id"], limit=10)
    assert [row.action for row in rows] == ["webhook.archive", "webhook.create"]


@pytest.mark.parametrize(
    ("query", "code"), [({"q": "hooks"}, "unknown_property"), ({"sort": "name"}, "invalid_parameter")]
)
def test_list__by_a_name__is_refused_because_endpoints_have_none(
    client: Client, query: dict[str, str], code: str
) -> None:
    answer = client.get("/webhooks", query=query)
    assert (answer.status, answer.code, answer.paths) == (400, code, list(query))
    filters = "active, archived, cursor, limit, sort, updated_since"
    assert "q" not in query or answer.json()["error"]["message"].endswith(f"those of the route: {filters}")


def test_list__archived__is_sorted_by_time(client: Client, create: Create) -> None:
    ids = [create()["id"] for _ in range(3)]
    client.delete(f"/webhooks/{ids[1]}")
    for query, expected in (
        ({"sort": "created_at"}, [ids[0], ids[2]]),
        ({"sort": "created_at", "archived": "all"}, ids),
        ({"archived": "true"}, [ids[1]]),
    ):
        assert [each["id"] for each in client.get("/webhooks", query=query).json()["data"]] == expected


def test_archived__refuses_every_change(client: Client, create: Create) -> None:
    path = f"/webhooks/{create()['id']}"
    client.post(f"{path}/archive")
    answers = [
        client.patch(path, {"active": True}),
        client.post(f"{path}/rotate-secret"),
        client.post(f"{path}/test"),
        client.post(f"{path}/recover", {"since": "2026-03-01T00:00:00Z"}),
    ]
    assert {(answer.status, answer.code) for answer in answers} == {(409, "conflict")}


def test_list__filtered_and_paged__holds_each_once(api: WebhookApi, client: Client, create: Create) -> None:
    made = [create()["id"] for _ in range(5)]
    api.disable(made[0])
    client.patch(f"/webhooks/{made[1]}", {"active": False})
    client.delete(f"/webhooks/{made[2]}")

    def ids(**query: str) -> list[int]:
        return [made.index(item["id"]) for item in client.get("/webhooks", query=query).json()["data"]]

    assert ids() == [4, 3, 1, 0]
    assert ids(active="true") == [4, 3]
    assert ids(active="false") == [1, 0]
    assert ids(archived="true") == [2]
    assert ids(archived="all", active="false") == [2, 1, 0]
    first = client.get("/webhooks", query={"limit": 3}).json()
    rest = client.get("/webhooks", query={"limit": 3, "cursor": first["pagination"]["next_cursor"]}).json()
    assert [item["id"] for item in first["data"] + rest["data"]] == [made[index] for index in (4, 3, 1, 0)]
    assert rest["pagination"]["has_more"] is False
    assert client.get("/webhooks", query={"active": "perhaps"}).code == "invalid_parameter"


def test_events__each__has_an_example_that_fits_its_schema(client: Client) -> None:
    found = client.get("/webhook-events").json()["data"]
    assert len(found) == 8
    for event in found:
        Draft202012Validator.check_schema(event["schema"])
        Draft202012Validator(event["schema"], format_checker=Draft202012Validator.FORMAT_CHECKER).validate(
            event["example"]
        )
        assert event["example"]["event"] == event["event"]
    first = client.get("/webhook-events", query={"limit": 5}).json()
    rest = client.get("/webhook-events", query={"limit": 5, "cursor": first["pagination"]["next_cursor"]}).json()
    assert first["data"] + rest["data"] == found
    assert rest["pagination"]["next_cursor"] is None
