"""States of personalizations, what is counted of them, and who may do what."""

from datetime import timedelta
from typing import Any

import pytest

from abtest.kit.clock import timestamp
from abtest.ports.catalog import COUNTED_FOR_EVER
from abtest.services.personalizations.store import PERSONALIZATIONS
from tests.integration.api_personalizations.conftest import Create, Goal
from tests.integration.api_personalizations.test_personalizations import UNKNOWN, path
from tests.support.api import MemoryApi, Tenant
from tests.support.client import Client
from tests.support.publications import Publications

ROUTES: list[tuple[str, str, Any, str]] = [
    ("GET", "", None, "personalizations:read"),
    ("PATCH", "", {"name": "x"}, "personalizations:write"),
    ("DELETE", "", None, "personalizations:write"),
    ("POST", "/activate", None, "personalizations:activate"),
    ("POST", "/pause", None, "personalizations:activate"),
    ("POST", "/archive", None, "personalizations:write"),
    ("POST", "/unarchive", None, "personalizations:write"),
    ("POST", "/duplicate", None, "personalizations:write"),
    ("GET", "/experiences", None, "personalizations:read"),
    ("POST", "/experiences", {"key": "x"}, "personalizations:write"),
    ("PATCH", "/experiences/default", {"name": "x"}, "personalizations:write"),
    ("DELETE", "/experiences/default", None, "personalizations:write"),
    ("PUT", "/rules", [], "personalizations:write"),
]


def walk(client: Client, made: dict[str, Any], *actions: str) -> list[tuple[int, str]]:
    answers = [client.post(f"{path(made)}/{action}") for action in actions]
    return [(answer.status, answer.json()["status"] if answer.status == 200 else answer.code) for answer in answers]


def test_life__of_a_personalization__follows_the_table(create: Create, client: Client) -> None:
    assert walk(client, create(), "pause", "unarchive", "activate", "activate", "pause", "pause", "activate") == [
        (409, "invalid_state_transition"),
        (200, "draft"),
        (200, "active"),
        (200, "active"),
        (200, "paused"),
        (200, "paused"),
        (200, "active"),
    ]
    assert walk(client, create(activate=True), "archive", "archive", "activate", "pause", "unarchive", "unarchive") == [
        (200, "archived"),
        (200, "archived"),
        (409, "invalid_state_transition"),
        (409, "invalid_state_transition"),
        (200, "paused"),
        (200, "paused"),
    ]


def test_unarchive__of_what_was_never_active__is_a_draft(create: Create, client: Client) -> None:
    assert walk(client, create(), "archive", "unarchive") == [(200, "archived"), (200, "draft")]


def test_refused_move__says_where_it_stands(create: Create, client: Client) -> None:
    answer = client.post(f"{path(create())}/pause")
    assert answer.json()["current_status"] == "draft"
    assert answer.json()["allowed_actions"] == ["activate", "archive"]


def stored(api: MemoryApi, tenant: Tenant, made: dict[str, Any]) -> Any:
    record = api.world.catalog.get(tenant.shop.id, "PZN", made["id"])
    assert record is not None
    return record


def test_work_index__what_was_active__is_counted_until_a_week_after_its_archiving(
    api: MemoryApi, tenant: Tenant, create: Create, client: Client
) -> None:
    draft, made = create(), create(activate=True)
    assert stored(api, tenant, draft).head.due == {}
    assert stored(api, tenant, made).head.due == {"COUNT": COUNTED_FOR_EVER}
    walk(client, made, "pause")
    assert stored(api, tenant, made).head.due == {"COUNT": COUNTED_FOR_EVER}
    walk(client, made, "archive")
    week = timestamp(api.clock.now() + timedelta(days=7))
    assert stored(api, tenant, made).head.due == {"COUNT": week}
    api.clock.advance(seconds=3600)
    assert client.patch(path(made), {"name": "Late"}).status == 200
    assert stored(api, tenant, made).head.due == {"COUNT": week}
    walk(client, made, "unarchive")
    assert stored(api, tenant, made).head.due == {"COUNT": COUNTED_FOR_EVER}
    walk(client, draft, "archive")
    assert stored(api, tenant, draft).head.due == {}


def test_measurement__begins_with_the_first_activation_and_anew_with_another_rollout(
    api: MemoryApi, tenant: Tenant, create: Create, client: Client
) -> None:
    made = create()

    def measured() -> tuple[int, str | None]:
        found = PERSONALIZATIONS.from_record(stored(api, tenant, made))
        return found.measurement_epoch, found.measurement_started_at

    client.patch(path(made), {"rollout_percentage": 0.9})
    assert measured() == (1, None)
    walk(client, made, "activate")
    began = timestamp(api.clock.now())
    assert measured() == (1, began)
    api.clock.advance(seconds=60)
    walk(client, made, "pause", "activate")
    client.patch(path(made), {"priority": 3, "confirm_live_impact": True})
    assert measured() == (1, began)
    client.patch(path(made), {"rollout_percentage": 0.5, "confirm_live_impact": True})
    assert measured() == (2, timestamp(api.clock.now()))
    copy = client.post(f"{path(made)}/duplicate").json()
    assert PERSONALIZATIONS.from_record(stored(api, tenant, copy)).measurement_started_at is None


@pytest.mark.parametrize(("method", "suffix", "body", "scope"), ROUTES)
def test_route__without_its_scope__is_403(
    api: MemoryApi, tenant: Tenant, create: Create, method: str, suffix: str, body: Any, scope: str
) -> None:
    others = {"personalizations:read", "personalizations:write", "personalizations:activate"} - {scope}
    if scope == "personalizations:read":
        others = {"personalizations:activate", "flags:read"}
    key = api.key(sorted(others), shop_id=tenant.shop.id)
    answer = api.client(key.text).request(method, path(create()) + suffix, body)
    assert (answer.status, answer.json()["error"]["required_scope"]) == (403, scope)


@pytest.mark.parametrize(("method", "suffix", "body", "scope"), ROUTES)
def test_route__with_the_id_of_another_shop__is_404_like_an_unknown_one(
    api: MemoryApi, create: Create, method: str, suffix: str, body: Any, scope: str
) -> None:
    made = create()
    other = api.client(api.tenant("Other").admin)
    foreign = other.request(method, path(made) + suffix, body)
    unknown = other.request(method, f"/personalizations/{UNKNOWN}{suffix}", body)
    assert (foreign.status, unknown.status) == (404, 404)
    assert foreign.json()["error"]["message"] == unknown.json()["error"]["message"]


def test_path__with_a_malformed_id__is_400(client: Client) -> None:
    answer = client.get("/personalizations/hero", checked=False)
    assert (answer.status, answer.code) == (400, "invalid_parameter")


def test_publication__that_fails__is_a_warning_and_kept_in_the_outbox(
    api: MemoryApi, create: Create, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = create()

    def broken(*_: Any, **__: Any) -> None:
        raise OSError("disk on fire")

    with monkeypatch.context() as patch:
        patch.setattr(type(api.management.blobs), "put", broken)
        answer = client.post(f"{path(made)}/activate")
    assert answer.status == 200
    assert answer.json()["publication_warning"]["code"] == "storefront_publication_incomplete"
    waiting = api.world.catalog.outbox("publish", created_before="9999", limit=10)
    assert len(waiting) == 1
    again = client.post(f"{path(made)}/activate")
    assert "publication_warning" not in again.json()


def test_history__of_writes__tells_code_by_its_hash(
    api: MemoryApi, tenant: Tenant, create: Create, client: Client, goal: Goal
) -> None:
    secret = "window.secret = 42"
    made = create(experience={"custom_js": secret, "reset_js": secret}, goal_ids=[goal("First")])
    api.clock.advance(seconds=1)
    client.patch(path(made), {"priority": 3})
    api.clock.advance(seconds=1)
    walk(client, made, "activate")
    rows, _ = api.world.catalog.audit(tenant.shop.id, entity_id=made["id"], limit=10)
    assert [row.action for row in rows] == [
        "personalization.activate",
        "personalization.update",
        "personalization.create",
    ]
    assert rows[1].diff == {"priority": [100, 3]}
    assert secret not in str(rows[2].diff)
    assert rows[2].diff["experiences.default.custom_js"][1]["length"] == len(secret)
    assert rows[2].diff["experiences.default.reset_js"][1]["length"] == len(secret)


def test_activate__repeated__publishes_once_a_second(
    api: MemoryApi, client: Client, create: Create, monkeypatch: pytest.MonkeyPatch
) -> None:
    activated = f"/personalizations/{create(activate=True)['id']}/activate"
    api.clock.advance(seconds=2)
    publications = Publications(api, monkeypatch)
    for _ in range(50):
        api.clock.advance(milliseconds=60)
        assert client.post(activated).status == 200
    assert publications.count == 3
