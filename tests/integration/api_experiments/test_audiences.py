"""Audiences over HTTP; what they share with pages, the tests of pages see."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.support.api import MemoryApi, Tenant
from tests.support.client import Client

Json = dict[str, Any]
Create = Callable[..., Json]
UNKNOWN = "019c0000-0000-7000-8000-000000000000"
PHONES = {"operator": "and", "conditions": [{"attribute": "device", "operator": "equals", "value": "mobile"}]}
GERMANS = {"operator": "or", "groups": [{"operator": "and", "conditions": [
    {"attribute": "country", "operator": "in", "value": ["DE", "AT"]},
    {"attribute": "local_hour", "timezone": "Europe/Berlin", "operator": "gte", "value": 18},
]}]}  # fmt: skip


@pytest.fixture
def audience(client: Client) -> Json:
    """People on phones."""
    made: Json = client.post("/audiences", {"name": "Phones", "rules": PHONES}).json()
    return made


def for_(audience: Json, **fields: Any) -> Json:
    """Targeting that names the audience."""
    return {"segmentRules": [{"id": UNKNOWN, "audienceId": audience["id"], **fields}]}


def test_create__is_kept_as_it_was_said(client: Client) -> None:
    answer = client.post("/audiences", {"name": "Evenings", "rules": GERMANS})
    assert (answer.status, answer.headers["etag"]) == (201, 'W/"1"')
    made = answer.json()
    assert made["rules"] == GERMANS
    assert client.get(f"/audiences/{made['id']}").json() == made
    assert client.get("/audiences", query={"q": "even"}).json()["data"] == [made]
    assert client.get("/audiences", query={"q": "morn"}).json()["data"] == []


def comparing(**fields: Any) -> Json:
    return {"operator": "and", "conditions": [{"attribute": "device", "operator": "exists", **fields}]}


BAD: list[tuple[Json, int, str]] = [
    ({"rules": None}, 400, "rules"),
    ({"rules": {"operator": "and"}}, 400, "rules"),
    ({"rules": {"operator": "and", "groups": []}}, 400, "rules.groups"),
    ({"rules": {"operator": "xor", "conditions": PHONES["conditions"]}}, 400, "rules.operator"),
    ({"rules": comparing(attribute="mood")}, 400, "rules.conditions[0].attribute"),
    ({"rules": comparing(operator="like")}, 400, "rules.conditions[0].operator"),
    ({"rules": comparing(attribute="visits", operator="contains", value="1")}, 422, "rules.conditions[0].operator"),
    ({"rules": comparing(operator="equals")}, 422, "rules.conditions[0].value"),
    ({"rules": comparing(attribute="cookie")}, 422, "rules.conditions[0].key"),
    (
        {"rules": comparing(attribute="local_hour", operator="gt", value=1, timezone="Mars/Olympus")},
        422,
        "rules.conditions[0].timezone",
    ),
    ({"rules": comparing(operator="matches", value="(a|a)*$")}, 422, "rules.conditions[0].value"),
    ({"name": ""}, 400, "name"),
    ({"name": None}, 400, "name"),
    ({"rule": {}}, 400, "rule"),
]


@pytest.mark.parametrize(("wrong", "status", "path"), BAD)
def test_write__with_one_thing_wrong__is_refused_and_changes_nothing(
    client: Client, audience: Json, wrong: Json, status: int, path: str
) -> None:
    valid = {"name": "x", "rules": PHONES}
    for answer in (client.post("/audiences", valid | wrong), client.patch(f"/audiences/{audience['id']}", wrong)):
        assert (answer.status, answer.paths) == (status, [path])
    assert client.get("/audiences").json()["data"] == [audience]


def test_update__of_an_audience_that_runs__needs_the_acknowledgement(
    client: Client, create: Create, audience: Json
) -> None:
    running = create(targeting=for_(audience, include=False))
    client.post(f"/experiments/{running['id']}/launch")
    path = f"/audiences/{audience['id']}"
    refusal = client.patch(path, {"rules": GERMANS})
    assert (refusal.status, refusal.code) == (409, "page_live_impact")
    assert refusal.json()["live_experiments"] == [
        {"id": running["id"], "name": running["name"], "consumer": "experiment"}
    ]
    consent = {"confirm_live_impact": True, "confirmed_consumer_ids": [running["id"]]}
    assert client.patch(path, {"rules": GERMANS, **consent}).json()["rules"] == GERMANS
    assert client.delete(path).code == "page_live_impact"
    assert client.delete(path, json_body=consent).code == "conflict"
    client.post(f"/experiments/{running['id']}/pause")
    assert client.patch(path, {"rules": PHONES}).status == 200
    assert client.delete(path).code == "conflict"
    client.patch(f"/experiments/{running['id']}", {"targeting": {"segmentRules": []}})
    assert client.delete(path, headers={"if-match": 'W/"2"'}).status == 412
    assert client.delete(path).status == 204


def test_audience__of_another_shop__is_unknown(api: MemoryApi, client: Client, audience: Json) -> None:
    other = api.client(api.tenant("Other").admin)
    path = f"/audiences/{audience['id']}"
    assert [other.get(path).status, other.patch(path, {"name": "x"}).status, other.delete(path).status] == [404] * 3
    answer = other.post("/experiments", {"name": "x", "targeting": for_(audience)})
    assert (answer.status, answer.paths) == (422, ["targeting.segmentRules[0].audienceId"])
    assert client.get(path).json() == audience


def test_writes__leave_audit_rows(api: MemoryApi, tenant: Tenant, client: Client, audience: Json) -> None:
    api.clock.advance(seconds=1)
    client.patch(f"/audiences/{audience['id']}", {"name": "Handys"})
    rows, _ = api.world.catalog.audit(tenant.shop.id, entity_id=audience["id"], limit=10)
    assert [(row.action, row.entity_type) for row in rows] == [
        ("audience.update", "audience"),
        ("audience.create", "audience"),
    ]
    assert rows[0].diff == {"name": ["Phones", "Handys"]}


def test_time_zone__in_any_case__has_the_spelling_of_the_database(client: Client) -> None:
    rules = comparing(attribute="local_hour", operator="gt", value=1, timezone="europe/berlin")
    stored = client.post("/audiences", {"name": "Evenings", "rules": rules}).json()["rules"]
    assert stored["conditions"][0]["timezone"] == "Europe/Berlin"
