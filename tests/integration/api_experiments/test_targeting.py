"""Targeting of experiments over HTTP: references, limits, what goes together."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.support.client import Client

Json = dict[str, Any]
Create = Callable[..., Json]
ID = "019c0000-0000-7000-8000-000000000000"


def page(**fields: Any) -> Json:
    return {"id": ID, "includeRules": [], "excludeRules": [], **fields}


def comparing(**fields: Any) -> Json:
    rules = {"operator": "and", "conditions": [{"attribute": "device", "operator": "exists", **fields}]}
    return {"segmentRules": [{"id": ID, "rules": rules}]}


RULES = "targeting.segmentRules[0].rules.conditions[0]"
BAD: list[tuple[Json, int, str, str]] = [
    ({"pageRules": [page(trigger={"type": "click"})]}, 400, "invalid_request", "targeting.pageRules[0].trigger.type"),
    (
        {"pageRules": [page(advancedCondition={"$and": [{"a": {"$like": 1}}]})]},
        400,
        "invalid_request",
        "targeting.pageRules[0].advancedCondition.$and[0].a.$like",
    ),
    ({"pageRules": [page(pageId=ID)]}, 400, "invalid_request", "targeting.pageRules[0].includeRules"),
    (comparing(attribute="mood"), 400, "invalid_request", f"{RULES}.attribute"),
    (comparing(operator="gt", value=1), 422, "validation_failed", f"{RULES}.operator"),
    (
        comparing(attribute="local_day", operator="equals", value="monday", timezone="Europe/Atlantis"),
        422,
        "validation_failed",
        f"{RULES}.timezone",
    ),
    (comparing(operator="matches", value="(x+x+)+y"), 422, "unsafe_regex", f"{RULES}.value"),
    (
        {"pageRules": [page(advancedCondition={"a": {"$not": {"$regex": "(x+x+)+y"}}})]},
        422,
        "unsafe_regex",
        "targeting.pageRules[0].advancedCondition.a.$not.$regex",
    ),
    ({"pageRules": [{"id": ID, "pageId": ID}]}, 422, "validation_failed", "targeting.pageRules[0].pageId"),
    (
        {"segmentRules": [{"id": ID, "audienceId": ID}]},
        422,
        "validation_failed",
        "targeting.segmentRules[0].audienceId",
    ),
    ({"checkoutBlock": {"enabled": True}}, 422, "validation_failed", "targeting.checkoutBlock"),
    ({"checkoutBlock": {"enabled": True, "x": 1}}, 400, "unknown_property", "targeting.checkoutBlock.x"),
    ({"identity": "device"}, 400, "invalid_request", "targeting.identity"),
]


@pytest.mark.parametrize(("targeting", "status", "code", "path"), BAD)
def test_targeting__with_one_thing_wrong__is_refused_and_changes_nothing(
    client: Client, create: Create, targeting: Json, status: int, code: str, path: str
) -> None:
    made = create()
    there = f"/experiments/{made['id']}"
    for answer in (
        client.post("/experiments", {"name": "x", "targeting": targeting}),
        client.patch(there, {"targeting": targeting}),
    ):
        assert (answer.status, answer.code) == (status, code)
        assert path in answer.paths
    assert client.get(there).json() == made


def test_targeting__whole__is_kept_as_it_was_said(client: Client, create: Create) -> None:
    kept_page = client.post("/pages", {"name": "Cart"}).json()["id"]
    rules = comparing()["segmentRules"][0]["rules"]
    audience = client.post("/audiences", {"name": "Devices", "rules": rules}).json()["id"]
    targeting = {
        "pageMatchMode": "all",
        "pageRules": [
            page(trigger={"type": "event", "eventName": "opened"}, advancedCondition={"visits": {"$gt": 1}}),
            {"id": ID, "pageId": kept_page, "include": False, "disabled": True},
        ],
        "segmentMatchMode": "all",
        "segmentRules": [*comparing()["segmentRules"], {"id": ID, "audienceId": audience, "include": False}],
        "surface": "checkout",
        "checkoutBlock": {"enabled": True},
        "identity": "customer",
        "note": {"kept": [1]},
    }
    made = create(targeting=targeting)
    assert made["targeting"] == targeting
    cleared = client.patch(f"/experiments/{made['id']}", {"targeting": {"identity": None}}).json()
    assert cleared["targeting"].get("identity") is None


def test_redirect__to_a_page_of_the_shop_that_redirects__is_refused(client: Client, create: Create) -> None:
    rules = [{"type": "simple", "pattern": "/old/*"}]
    kept_page = client.post("/pages", {"name": "Old", "includeRules": rules}).json()["id"]
    arms: list[Json] = [
        {"name": "Control", "is_control": True},
        {"name": "New", "redirect_url": "https://shop.example/old/a"},
    ]
    body = {
        "name": "x",
        "delivery_type": "redirect",
        "variations": arms,
        "targeting": {"pageRules": [{"id": ID, "pageId": kept_page}]},
    }
    assert client.post("/experiments", body).code == "redirect_matches_source"
    arms[1]["redirect_url"] = "https://shop.example/new"
    assert client.post("/experiments", body).status == 201


def test_duplicate__of_an_experiment_with_references__names_the_same(client: Client, create: Create) -> None:
    kept_page = client.post("/pages", {"name": "Cart"}).json()["id"]
    made = create(targeting={"pageRules": [{"id": ID, "pageId": kept_page}]})
    copy = client.post(f"/experiments/{made['id']}/duplicate").json()
    consumers = client.get(f"/pages/{kept_page}/consumers").json()["data"]
    assert {found["id"] for found in consumers} == {made["id"], copy["id"]}
