"""Who may do what to flags: scopes, and shops that try each other's."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.support.api import MemoryApi, Tenant
from tests.support.client import Client

Create = Callable[..., dict[str, Any]]


def test_other_shop__tries_everything__learns_nothing(api: MemoryApi, create: Create, client: Client) -> None:
    flag = create("k", activate=True)
    stranger = api.client(api.tenant("Other").admin)
    unknown = stranger.get(f"/flags/{api.world.new_id()}").json()["error"] | {"request_id": ""}
    variants = [{"key": "on", "value": 1}, {"key": "off", "value": 0}]
    for reference in (flag["id"], "k"):
        path = f"/flags/{reference}"
        answers = [
            stranger.get(path),
            stranger.patch(path, {"name": "Mine", "confirm_live_impact": True}),
            stranger.put(f"{path}/variants", variants, query={"confirm_live_impact": "true"}),
            stranger.delete(path),
            *(stranger.post(f"{path}/{verb}") for verb in ("activate", "pause", "archive", "unarchive")),
        ]
        assert {answer.status for answer in answers} == {404}
        assert all(answer.json()["error"] | {"request_id": ""} == unknown for answer in answers)
    assert stranger.get("/flags").json()["data"] == []
    assert stranger.post("/flags/evaluate", {"visitor_id": "v"}).json() == {"flags": {}}
    assert stranger.post("/flags", {"key": "k", "name": "Mine"}).status == 201
    assert client.get(f"/flags/{flag['id']}").json() == flag


def test_scopes__each_route__asks_for_its_own(api: MemoryApi, tenant: Tenant, create: Create) -> None:
    path = f"/flags/{create()['id']}"
    reader = api.client(api.key(["flags:read"], shop_id=tenant.shop.id).text)
    writer = api.client(api.key(["flags:write"], shop_id=tenant.shop.id).text)
    activator = api.client(api.key(["flags:activate"], shop_id=tenant.shop.id).text)
    assert reader.get(path).status == 200
    assert writer.get(path).status == 200
    assert reader.post("/flags/evaluate", {"visitor_id": "v"}).status == 200
    assert activator.get(path).json()["error"]["required_scope"] == "flags:read"
    assert reader.patch(path, {"name": "x"}).json()["error"]["required_scope"] == "flags:write"
    for verb in ("activate", "pause"):
        assert writer.post(f"{path}/{verb}").json()["error"]["required_scope"] == "flags:activate"
        assert activator.post(f"{path}/{verb}").status == 200
    for verb in ("archive", "unarchive"):
        assert activator.post(f"{path}/{verb}").json()["error"]["required_scope"] == "flags:write"
        assert writer.post(f"{path}/{verb}").status == 200


def test_activate_at_creation__without_its_scope__is_403_and_stores_nothing(
    api: MemoryApi, tenant: Tenant, client: Client
) -> None:
    writer = api.client(api.key(["flags:write"], shop_id=tenant.shop.id).text)
    answer = writer.post("/flags", {"key": "k", "name": "K", "activate": True})
    assert (answer.status, answer.code) == (403, "insufficient_scope")
    assert answer.json()["error"]["required_scope"] == "flags:activate"
    assert client.get("/flags").json()["data"] == []
    assert writer.post("/flags", {"key": "k", "name": "K", "activate": False}).json()["status"] == "draft"
