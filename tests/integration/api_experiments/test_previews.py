"""Preview sessions: of the shop's own hosts only, with a variation or without an experiment, until they are revoked."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from abtest.domain.preview.session import snippet_key
from tests.support.api import MemoryApi, Tenant, claim_host
from tests.support.client import Client
from tests.support.memory import MemorySessions

URL = "https://shop.example/lamps?a=1"
Create = Callable[..., dict[str, Any]]


@pytest.fixture(autouse=True)
def _claimed(api: MemoryApi, tenant: Tenant) -> None:
    claim_host(api, tenant, "shop.example")


def test_preview__without_an_experiment__has_token_address_hosts_and_end(client: Client) -> None:
    opened = client.post("/previews", {"url": URL}).json()
    query = parse_qs(urlsplit(opened["preview_url"]).query)
    assert opened["preview_url"].startswith("https://edge.test/api/preview?")
    assert (query["url"], query["pst"]) == ([URL], [opened["token"]])
    assert (opened["experiment_id"], opened["variation_id"]) == (None, None)
    assert (opened["allowed_hosts"], opened["expires_at"]) == (["shop.example"], "2026-03-02T10:00:00.000Z")
    assert client.get(f"/previews/{opened['session_id']}").json() == opened


def test_preview__of_a_draft__has_a_snippet_for_each_variation(api: MemoryApi, client: Client, create: Create) -> None:
    made = create(
        variations=[
            {"name": "Control", "weight": 0.5, "is_control": True},
            {"name": "Blue", "weight": 0.5, "is_control": False, "custom_css": "h1{color:blue}"},
        ]
    )
    control, blue = made["variations"]
    opened = client.post("/previews", {"url": URL, "experiment_id": made["public_id"]}).json()
    assert (opened["experiment_id"], opened["variation_id"]) == (made["id"], blue["id"])
    texts = {}
    for variation in (control, blue):
        blob = api.management.delivery.get(snippet_key(opened["session_id"], variation["id"]))
        assert blob is not None
        texts[variation["name"]] = blob.content
    assert b"color:blue" in texts["Blue"]
    assert b"color:blue" not in texts["Control"]
    named = client.post("/previews", {"url": URL, "experiment_id": made["id"], "variation_id": control["id"]}).json()
    assert named["variation_id"] == control["id"]


def test_preview__revoked__is_gone_with_its_state(client: Client, sessions: MemorySessions, api: MemoryApi) -> None:
    path = f"/previews/{client.post('/previews', {'url': URL}).json()['session_id']}"
    assert client.delete(path).status == 204
    assert {client.get(path).status, client.delete(path).status} == {404}
    assert sessions.get(f"{path.rpartition('/')[2]}#state", now=api.clock.now()) is None


def test_preview__of_another_shop__is_not_found(api: MemoryApi, client: Client, create: Create) -> None:
    session_id = client.post("/previews", {"url": URL}).json()["session_id"]
    stranger = Client(api.handler, key=api.tenant("Stranger").admin)
    made = create()
    assert {stranger.get(f"/previews/{session_id}").status, stranger.delete(f"/previews/{session_id}").status} == {404}
    assert client.get(f"/previews/{session_id}").status == 200
    other = api.tenant("Another")
    claim_host(api, other, "other.example")
    answer = Client(api.handler, key=other.admin).post(
        "/previews", {"url": "https://other.example/", "experiment_id": made["id"]}
    )
    assert (answer.status, answer.code) == (404, "not_found")


@pytest.mark.parametrize(
    "url",
    [
        "https://other.example/",
        "https://shop.example.evil.example/",
        "http://shop.example/",
        "https://shop.example:8443/",
        "https://10.0.0.1/",
        "https://localhost/",
    ],
)
def test_preview__of_a_host_that_the_shop_has_not__is_422(client: Client, url: str) -> None:
    answer = client.post("/previews", {"url": url})
    assert (answer.status, answer.code, answer.paths) == (422, "url_not_allowed", ["url"])


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({}, 400),
        ({"url": "shop"}, 400),
        ({"url": URL, "ttl_seconds": 59}, 400),
        ({"url": URL, "ttl_seconds": 7201}, 400),
        ({"url": URL, "variation_id": "01920000-0000-7000-8000-000000000001"}, 422),
        ({"url": URL, "experiment_id": "01920000-0000-7000-8000-000000000001"}, 404),
    ],
)
def test_preview__bad_body__names_the_field(client: Client, body: dict[str, Any], status: int) -> None:
    assert client.post("/previews", body).status == status


def test_preview__needs_its_scope(api: MemoryApi, tenant: Tenant) -> None:
    reader = Client(api.handler, key=api.key(["experiments:read"], shop_id=tenant.shop.id).text)
    assert reader.post("/previews", {"url": URL}).status == 403
