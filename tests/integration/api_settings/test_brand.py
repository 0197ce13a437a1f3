"""The brand context over HTTP: empty at first, replaced part by part, complete or not."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.api import MemoryApi, Tenant
from tests.support.client import Client

VOICE = {
    "adjectives": ["warm"],
    "weAlways": ["say you"],
    "weNever": [],
    "bannedPhrases": ["cheapest"],
    "ctaStyle": "Calm",
}


@pytest.fixture
def client(api: MemoryApi, tenant: Tenant) -> Client:
    """A client with every scope."""
    return api.client(tenant.admin)


def test_get__before_any_put__is_empty_and_off(client: Client) -> None:
    answer = client.get("/brand-context")
    assert (answer.status, answer.headers["etag"]) == (200, 'W/"0"')
    assert answer.json() == {
        "hasProfile": False,
        "mode": "off",
        "status": "empty",
        "summary": "",
        "voice": {"adjectives": [], "weAlways": [], "weNever": [], "bannedPhrases": [], "ctaStyle": ""},
        "guardrails": [],
        "proofRequirements": [],
        "clientNotes": "",
        "clientAssetExcerpts": [],
        "guidelinesText": "",
        "promptBlock": "",
    }


def test_put__replaces_the_given_parts(api: MemoryApi, tenant: Tenant, client: Client) -> None:
    first = client.put("/brand-context", {"mode": "balanced", "voice": VOICE, "guardrails": ["no prices"]})
    assert (first.status, first.headers["etag"]) == (200, 'W/"1"')
    assert first.json()["status"] == "draft"
    api.clock.advance(seconds=1)
    second = client.put("/brand-context", {"summary": "Lamps", "voice": {"adjectives": ["warm"], "weNever": ["shout"]}})
    body = second.json()
    assert (body["status"], body["hasProfile"], body["mode"]) == ("complete", True, "balanced")
    assert body["voice"] == {
        "adjectives": ["warm"],
        "weAlways": [],
        "weNever": ["shout"],
        "bannedPhrases": [],
        "ctaStyle": "",
    }
    assert body["guardrails"] == ["no prices"]
    assert body["promptBlock"].startswith("Brand: Lamps\n\n")
    assert client.get("/brand-context").json() == body
    rows, _ = api.world.catalog.audit(tenant.shop.id, entity_id=tenant.shop.id, limit=1)
    assert rows[0].action == "settings.update_brand_context"
    assert rows[0].diff["summary"] == ["", "Lamps"]
    assert "publication" not in rows[0].diff


def test_put__over_another_version__is_412(client: Client) -> None:
    client.put("/brand-context", {"mode": "strict"})
    assert client.put("/brand-context", {"mode": "off"}, headers={"if-match": 'W/"0"'}).status == 412
    assert client.put("/brand-context", {"mode": "off"}, headers={"if-match": 'W/"1"'}).json()["mode"] == "off"


@pytest.mark.parametrize(
    ("body", "status", "path"),
    [
        ({"mode": "loud"}, 400, "mode"),
        ({"voice": {"adjectives": [1]}}, 400, "voice.adjectives[0]"),
        ({"voice": {"adjectives": ["a\nb"]}}, 400, "voice.adjectives[0]"),
        ({"promptBlock": "x"}, 400, "promptBlock"),
        ({"summary": None}, 400, "summary"),
        ({"summary": "x" * 20_001}, 422, "summary"),
        ({"guidelinesText": "x" * 20_001}, 422, "guidelinesText"),
        ({"guardrails": ["x"] * 51}, 422, "guardrails"),
        ({"proofRequirements": ["x", "x" * 301]}, 422, "proofRequirements[1]"),
        ({"voice": {"bannedPhrases": ["fine", "!!!"]}}, 422, "voice.bannedPhrases[1]"),
    ],
)
def test_put__of_a_bad_part__is_refused_and_named(client: Client, body: dict[str, Any], status: int, path: str) -> None:
    answer = client.put("/brand-context", body, checked=False)
    assert (answer.status, answer.paths) == (status, [path])
    assert client.get("/brand-context").json()["status"] == "empty"


def test_put__at_the_limits__is_stored(client: Client) -> None:
    lines = ["x" * 300] * 50
    voice = dict.fromkeys(("adjectives", "weAlways", "weNever", "bannedPhrases"), lines) | {"ctaStyle": "y" * 20_000}
    texts = dict.fromkeys(("summary", "clientNotes", "guidelinesText"), "z" * 20_000)
    answer = client.put("/brand-context", {**texts, "voice": voice, "guardrails": lines, "proofRequirements": lines})
    assert answer.status == 200
    assert len(answer.json()["promptBlock"]) < 8000
    assert "Cut for length: summary (" in answer.json()["promptBlock"]


def test_scopes__are_those_of_the_brand(api: MemoryApi, tenant: Tenant) -> None:
    reader = api.client(api.key(["brand:read"], shop_id=tenant.shop.id).text)
    assert reader.get("/brand-context").status == 200
    assert reader.put("/brand-context", {"mode": "off"}).json()["error"]["required_scope"] == "brand:write"
    other = api.client(api.key(["settings:read"], shop_id=tenant.shop.id).text)
    assert other.get("/brand-context").json()["error"]["required_scope"] == "brand:read"
