"""Names that an older release stored, and that are refused now: they are served, and other fields can change.

The document describes what is accepted now, so the responses here are not compared with it.
"""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from abtest.ports.catalog import Commit, Kind, Put
from tests.integration.bad_input.conftest import World
from tests.support.api import Tenant
from tests.support.client import Client

RULE_ID = "0192a3b4-0000-7000-8000-000000000300"
PAGES: dict[str, Any] = {"includeRules": [{"type": "simple", "pattern": "/cart"}], "excludeRules": []}
CUSTOM = {"name": "Readable", "type": "custom", "event_name": "Readable"}
AUDIENCE = {"operator": "and", "conditions": [{"attribute": "cookie", "key": "k", "operator": "equals", "value": "v"}]}
EXPERIMENT: dict[str, Any] = {
    "name": "Readable",
    "goals": [CUSTOM],
    "goalPageRules": [{"id": RULE_ID, **PAGES, "name": "Readable"}],
    "targeting": {
        "pageRules": [{"id": RULE_ID, **PAGES, "name": "Readable"}],
        "segmentRules": [{"id": RULE_ID, "rules": AUDIENCE, "name": "Readable"}],
    },
}
PERSONALIZATION = {
    "key": "readable",
    "name": "Readable",
    "surface": "Readable",
    "template_key": "Readable",
    "experience": {"recommendation_profile": "Readable"},
}


@pytest.fixture
def tenant(world: World) -> Tenant:
    return world.api.tenant("Old names")


def store(world: World, tenant: Tenant, kind: Kind, record_id: str, text: str) -> None:
    """Put the text in the place of every readable name of the stored document."""
    catalog = world.api.management.catalog
    record = catalog.get(tenant.shop.id, kind, record_id)
    assert record is not None
    body = json.dumps(record.body)
    assert '"Readable"' in body
    head = replace(record.head, version=record.head.version + 1)
    renamed = json.loads(body.replace('"Readable"', json.dumps(text)))
    stored = replace(record, head=head, body={**renamed, "version": head.version})
    catalog.commit(Commit(puts=[Put(record=stored, expected_version=record.head.version)]))


@pytest.mark.parametrize("text", [" ", "a\nb\tc", "safe\u202etxt.exe"])
def test_experiment__with_stored_names_that_are_refused_now__is_served_and_changes(
    world: World, tenant: Tenant, text: str
) -> None:
    client = Client(world.api.handler, key=tenant.admin)
    made = client.post("/experiments", EXPERIMENT).json()
    store(world, tenant, "EXP", made["id"], text)
    path = f"/experiments/{made['id']}"
    stored = client.get(path, checked=False)
    assert (stored.status, stored.json()["name"], stored.json()["goals"][0]["event_name"]) == (200, text, text)
    assert stored.json()["targeting"]["pageRules"][0]["name"] == text
    changed = client.patch(path, {"description": "Changed"}, checked=False)
    assert changed.status == 200, changed.body
    assert (changed.status, changed.json()["description"], changed.json()["name"]) == (200, "Changed", text)
    assert client.get("/experiments", checked=False).status == 200
    assert client.post(f"{path}/launch", checked=False).status == 200


def test_rules__with_stored_empty_names__are_sent_back_unchanged(world: World, tenant: Tenant) -> None:
    client = Client(world.api.handler, key=tenant.admin)
    made = client.post("/experiments", {**EXPERIMENT, "name": "N", "goals": []}).json()
    store(world, tenant, "EXP", made["id"], "")
    path = f"/experiments/{made['id']}"
    stored = client.get(path, checked=False).json()
    targeting = {**stored["targeting"], "pageMatchMode": "all"}
    answer = client.patch(path, {"targeting": targeting, "goalPageRules": stored["goalPageRules"]})
    assert answer.status == 200, answer.body


def test_personalization__with_stored_names_that_are_refused_now__changes(world: World, tenant: Tenant) -> None:
    client = Client(world.api.handler, key=tenant.admin)
    made = client.post("/personalizations", PERSONALIZATION).json()
    store(world, tenant, "PZN", made["id"], " ")
    path = f"/personalizations/{made['id']}"
    assert (client.get(path, checked=False).json()["name"], client.get(path, checked=False).json()["surface"]) == (
        " ",
        " ",
    )
    changed = client.patch(path, {"priority": 7})
    assert changed.status == 200, changed.body
    key = made["experiences"][0]["key"]
    assert client.patch(f"{path}/experiences/{key}", {"custom_css": "a{}"}).status == 200
