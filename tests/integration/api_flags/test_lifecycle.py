"""The life of a flag over HTTP: its states, edits while shoppers see it, and what storefronts get of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from abtest.domain.delivery.manifest import object_key, pointer_key, read_pointer
from abtest.kit import canonical_json
from abtest.ports.blobs import BlobsUnavailableError
from tests.support.api import MemoryApi, Tenant
from tests.support.client import Answer, Client
from tests.support.publications import Publications

Create = Callable[..., dict[str, Any]]
VARIANTS = [{"key": "on", "value": "new"}, {"key": "off", "value": "old"}]


@contextmanager
def storefront_down(api: MemoryApi, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Publications fail because the bucket does."""

    def fail(*_args: Any, **_options: Any) -> str:
        raise BlobsUnavailableError

    with monkeypatch.context() as patch:
        patch.setattr(api.management.blobs, "put", fail)
        yield


def delivered(api: MemoryApi, tenant: Tenant) -> list[dict[str, Any]]:
    """The flags of the published config of production."""
    pointer = api.management.blobs.get(pointer_key(tenant.shop.id))
    assert pointer is not None
    config = api.management.blobs.get(object_key(read_pointer(pointer.content).config.sha256, "identity"))
    assert config is not None
    flags: list[dict[str, Any]] = canonical_json.loads(config.content).get("flags", [])
    return flags


def test_life__every_step__is_there(api: MemoryApi, client: Client, create: Create) -> None:
    flag = create()
    for action, status in [
        ("archive", "archived"),
        ("unarchive", "draft"),
        ("activate", "active"),
        ("pause", "paused"),
        ("activate", "active"),
        ("archive", "archived"),
        ("unarchive", "paused"),
    ]:
        api.clock.advance(seconds=1)
        answer = client.post(f"/flags/{flag['id']}/{action}")
        assert (answer.status, answer.json()["status"]) == (200, status)
        assert answer.json()["updated_at"] > flag["updated_at"]
    refused = client.delete(f"/flags/{flag['id']}")
    assert refused.code == "not_deletable"
    assert (refused.json()["current_status"], refused.json()["allowed_actions"]) == ("paused", ["activate", "archive"])


def test_action__whose_target_is_the_present_state__changes_nothing(create: Create, client: Client) -> None:
    flag = create(activate=True)
    answer = client.post(f"/flags/{flag['id']}/activate")
    assert (answer.json(), answer.headers["etag"]) == (flag, 'W/"1"')


def test_unarchive__of_an_active_flag__is_refused_because_it_would_pause_it(create: Create, client: Client) -> None:
    flag = create(activate=True)
    answer = client.post(f"/flags/{flag['id']}/unarchive")
    assert (answer.status, answer.code, answer.json()["current_status"]) == (409, "invalid_state_transition", "active")
    assert client.get(f"/flags/{flag['id']}").json() == flag


def test_action__not_allowed__says_what_is(create: Create, client: Client) -> None:
    answer = client.post(f"/flags/{create()['key']}/pause")
    assert (answer.status, answer.code) == (409, "invalid_state_transition")
    told = {"current_status": "draft", "allowed_actions": ["activate", "archive"]}
    assert answer.json() | told == answer.json()
    assert answer.json()["error"] | told == answer.json()["error"]


@pytest.mark.parametrize(
    "edit",
    [
        {"rollout_percentage": 0.5},
        {"key": "other"},
        {"environment_key": "staging"},
        {"delivery_type": "api"},
        {"targeting": {"pageMatchMode": "all"}},
        {"weekday_schedule": {"excludedDays": ["monday"], "timezone": "UTC"}},
    ],
)
def test_live_edit__that_shoppers_notice__needs_the_acknowledgement(
    create: Create, client: Client, edit: dict[str, Any]
) -> None:
    flag = create(activate=True)
    path = f"/flags/{flag['id']}"
    answer = client.patch(path, edit)
    assert (answer.status, answer.code) == (409, "page_live_impact")
    consumer = {"id": flag["id"], "name": flag["name"], "consumer": "feature flag"}
    assert answer.json()["live_experiments"] == [consumer]
    assert client.get(path).json() == flag
    others = {"confirm_live_impact": True, "confirmed_consumer_ids": []}
    assert client.patch(path, edit | others).code == "page_live_impact"
    named = {"confirm_live_impact": True, "confirmed_consumer_ids": [flag["id"]]}
    assert client.patch(path, edit | named).status == 200


def test_live_edit__of_name_and_description__needs_nothing(create: Create, client: Client) -> None:
    path = f"/flags/{create(activate=True)['id']}"
    assert client.patch(path, {"name": "Other", "description": "d"}).status == 200


def test_live_variants__need_the_acknowledgement(create: Create, client: Client) -> None:
    path = f"/flags/{create(activate=True)['id']}/variants"
    assert client.put(path, VARIANTS).code == "page_live_impact"
    assert client.put(path, VARIANTS, query={"confirm_live_impact": "true"}).status == 200
    assert client.put(path, VARIANTS).status == 200, "nothing changes"
    assert client.put(path, VARIANTS, query={"confirm_live_impact": "perhaps"}).code == "invalid_parameter"


def test_paused_flag__is_edited_freely(create: Create, client: Client) -> None:
    path = f"/flags/{create(activate=True)['id']}"
    client.post(f"{path}/pause")
    assert client.patch(path, {"rollout_percentage": 0.5}).status == 200
    assert client.put(f"{path}/variants", VARIANTS).status == 200


def test_storefront__gets_active_and_paused_visual_flags(
    api: MemoryApi, tenant: Tenant, create: Create, client: Client
) -> None:
    create("draft")
    create("server", delivery_type="api", activate=True)
    path = f"/flags/{create('seen', activate=True, rollout_percentage=0.5, on_value={'a': 1})['id']}"
    (seen,) = delivered(api, tenant)
    assert (seen["key"], seen["below"], seen["on"], seen["off"]) == ("seen", 5000, {"a": 1}, False)
    client.post(f"{path}/pause")
    assert delivered(api, tenant)[0]["paused"] is True
    client.post(f"{path}/archive")
    assert delivered(api, tenant) == []


def warning(answer: Answer) -> Any:
    assert answer.status in (200, 201), answer.body
    return answer.json().get("publication_warning", {}).get("code")


def test_publication_fails__write_stands__with_a_warning(
    api: MemoryApi, tenant: Tenant, create: Create, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = f"/flags/{create('k')['id']}"
    with storefront_down(api, monkeypatch):
        answers = [
            client.post("/flags", {"key": "j", "name": "J", "activate": True}),
            client.post(f"{path}/activate"),
            client.patch(path, {"rollout_percentage": 0.5, "confirm_live_impact": True}),
            client.put(f"{path}/variants", VARIANTS, query={"confirm_live_impact": "true"}),
            client.post(f"{path}/pause"),
            client.post(f"{path}/pause"),
        ]
        assert {warning(answer) for answer in answers} == {"storefront_publication_incomplete"}
        assert warning(client.get(path)) is None
        assert warning(client.post("/flags", {"key": "draft", "name": "D"})) is None
    waiting = api.world.catalog.outbox("publish", created_before="9999", limit=100)
    assert len(waiting) == 5, "one for each commit; the sweep repeats them"
    assert delivered(api, tenant) == []
    assert warning(client.post(f"{path}/pause")) is None
    assert [flag["key"] for flag in delivered(api, tenant)] == ["j", "k"]


def test_activate__repeated__publishes_once_a_second(
    api: MemoryApi, client: Client, create: Create, monkeypatch: pytest.MonkeyPatch
) -> None:
    activated = f"/flags/{create(activate=True)['id']}/activate"
    api.clock.advance(seconds=2)
    publications = Publications(api, monkeypatch)
    for _ in range(50):
        api.clock.advance(milliseconds=60)
        assert client.post(activated).status == 200
    assert publications.count == 3
