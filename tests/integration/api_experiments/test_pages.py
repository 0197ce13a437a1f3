"""Pages over HTTP: kept, listed, changed with their consumers told, tested by an address."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from abtest.domain.delivery.manifest import object_key, pointer_key, read_pointer
from abtest.http.factory import create_app, handler
from abtest.wiring.api_experiments import experiments_uses
from abtest.wiring.api_flags import flags_uses
from abtest.wiring.api_personalizations import personalizations_uses
from api_experiments.routes import ROUTERS
from api_flags.routes import ROUTERS as FLAGS
from api_personalizations.routes import ROUTERS as PERSONALIZATIONS
from tests.support.api import MemoryApi, Tenant
from tests.support.client import Answer, Client
from tests.support.memory import MemorySessions

Json = dict[str, Any]
Create = Callable[..., Json]
UNKNOWN = "019c0000-0000-7000-8000-000000000000"
PRODUCTS = [{"type": "simple", "pattern": "/products/*"}]
CART = [{"type": "simple", "pattern": "/cart"}]


@pytest.fixture
def api() -> MemoryApi:
    """Experiments, flags and personalizations in one application: all that can use a page."""
    api = MemoryApi([])
    base = api.management
    uses = {**experiments_uses(base, MemorySessions()), **flags_uses(base), **personalizations_uses(base)}
    api.handler = handler(create_app([*ROUTERS, *FLAGS, *PERSONALIZATIONS], base.services(uses)))
    return api


@pytest.fixture
def page(client: Client) -> Json:
    """The product pages."""
    made: Json = client.post("/pages", {"name": "Products", "includeRules": PRODUCTS}).json()
    return made


def on(page: Json) -> Json:
    """Targeting that names the page."""
    return {"pageRules": [{"id": UNKNOWN, "pageId": page["id"]}]}


def using(client: Client, page: Json) -> list[Json]:
    """One live consumer of each kind."""
    experiment = client.post("/experiments", {"name": "Hats", "targeting": on(page)}).json()
    assert client.post(f"/experiments/{experiment['id']}/launch").status == 200
    flag = client.post("/flags", {"key": "hats", "name": "Hat flag", "targeting": on(page), "activate": True}).json()
    wish = {"key": "hats", "name": "Hat pages", "experience": {"key": "default"}}
    personalization = client.post("/personalizations", wish).json()
    there = f"/personalizations/{personalization['id']}"
    answer = client.put(f"{there}/rules", [{"experience_key": "default", "targeting": on(page)}])
    assert answer.status == 200, answer.body
    assert client.post(f"{there}/activate").status == 200
    return [
        {"id": experiment["id"], "name": "Hats", "consumer": "experiment"},
        {"id": flag["id"], "name": "Hat flag", "consumer": "feature flag"},
        {"id": personalization["id"], "name": "Hat pages", "consumer": "personalization"},
    ]


def published(api: MemoryApi, tenant: Tenant) -> Json:
    """The config that storefronts are given."""
    pointer = api.management.blobs.get(pointer_key(tenant.shop.id))
    assert pointer is not None
    config = api.management.blobs.get(object_key(read_pointer(pointer.content).config.sha256))
    assert config is not None
    found: Json = json.loads(config.content)
    return found


def test_create__with_a_name_only__is_every_page(client: Client) -> None:
    answer = client.post("/pages", {"name": "All"})
    assert answer.status == 201
    made = answer.json()
    assert (made["includeRules"], made["excludeRules"], made["trigger"], made["advancedCondition"]) == (
        [],
        [],
        None,
        None,
    )
    assert client.get(f"/pages/{made['id']}").json() == made
    assert answer.headers["etag"] == 'W/"1"'


def test_create__with_everything__is_kept_as_it_was_said(client: Client) -> None:
    said = {
        "name": "n" * 255,
        "includeRules": [{"type": "regex", "pattern": "^https://a/", "include": True}],
        "excludeRules": CART,
        "trigger": {"type": "delay", "ms": 60_000},
        "advancedCondition": {"data_layer.template": {"$regex": "^product"}},
    }
    made = client.post("/pages", said).json()
    assert {name: made[name] for name in said} == said


@pytest.mark.parametrize(
    ("wrong", "status", "code", "path"),
    [
        ({"name": ""}, 400, "invalid_request", "name"),
        ({"name": "n" * 256}, 400, "invalid_request", "name"),
        ({"includeRules": None}, 400, "invalid_request", "includeRules"),
        ({"includeRules": CART * 51}, 400, "invalid_request", "includeRules"),
        ({"includeRules": [{"type": "glob", "pattern": "a"}]}, 400, "invalid_request", "includeRules[0].type"),
        ({"trigger": {"type": "delay", "ms": 60_001}}, 400, "invalid_request", "trigger.ms"),
        ({"advancedCondition": {"a": {"$like": "b"}}}, 400, "invalid_request", "advancedCondition.a.$like"),
        ({"own": 1}, 400, "unknown_property", "own"),
        ({"excludeRules": [{"type": "regex", "pattern": "(a+)+$"}]}, 422, "unsafe_regex", "excludeRules[0].pattern"),
        (
            {"advancedCondition": {"$or": [{"a": {"$regexi": "("}}]}},
            422,
            "unsafe_regex",
            "advancedCondition.$or[0].a.$regexi",
        ),
    ],
)
def test_write__with_one_thing_wrong__is_refused_and_changes_nothing(
    client: Client, page: Json, wrong: Json, status: int, code: str, path: str
) -> None:
    for answer in (client.post("/pages", {"name": "x", **wrong}), client.patch(f"/pages/{page['id']}", wrong)):
        assert (answer.status, answer.code, answer.paths) == (status, code, [path])
    assert client.get("/pages").json()["data"] == [page]


def test_update__replaces_what_is_stated_and_clears_what_is_null(client: Client, page: Json) -> None:
    path = f"/pages/{page['id']}"
    client.patch(path, {"trigger": {"type": "dom_ready"}, "advancedCondition": {"a": 1}})
    answer = client.patch(path, {"name": "Hats", "trigger": None, "excludeRules": CART})
    assert answer.headers["etag"] == 'W/"3"'
    found = client.get(path).json()
    assert (found["name"], found["trigger"], found["advancedCondition"]) == ("Hats", None, {"a": 1})
    assert (found["includeRules"], found["excludeRules"]) == (PRODUCTS, CART)


def test_update__that_says_what_is__changes_nothing(client: Client, page: Json) -> None:
    answer = client.patch(f"/pages/{page['id']}", {"name": page["name"], "includeRules": PRODUCTS})
    assert (answer.json(), answer.headers["etag"]) == (page, 'W/"1"')


def test_if_match__of_another_version__is_412(client: Client, page: Json) -> None:
    path, headers = f"/pages/{page['id']}", {"if-match": 'W/"2"'}
    assert client.patch(path, {"name": "x"}, headers=headers).status == 412
    assert client.delete(path, headers=headers).status == 412
    assert client.delete(path, headers={"if-match": 'W/"1"'}).status == 204
    assert client.get(path).status == 404


def test_list__newest_first__by_name_and_page_by_page(api: MemoryApi, client: Client) -> None:
    for name in ("Cart", "Product A", "product b"):
        api.clock.advance(seconds=1)
        client.post("/pages", {"name": name})
    assert names(client.get("/pages")) == ["product b", "Product A", "Cart"]
    first = client.get("/pages", query={"q": "PRODUCT", "limit": 1})
    cursor = first.json()["pagination"]["next_cursor"]
    second = client.get("/pages", query={"q": "PRODUCT", "limit": 1, "cursor": cursor})
    assert (names(first), names(second)) == (["product b"], ["Product A"])
    assert client.get("/pages", query={"q": "x" * 256}).status == 400


def names(answer: Answer) -> list[str]:
    return [item["name"] for item in answer.json()["data"]]


def test_page__of_another_shop__is_unknown(api: MemoryApi, client: Client, page: Json) -> None:
    other = api.client(api.tenant("Other").admin)
    path = f"/pages/{page['id']}"
    for mine, unknown in (
        (other.get(path), other.get(f"/pages/{UNKNOWN}")),
        (other.patch(path, {"name": "x"}), other.patch(f"/pages/{UNKNOWN}", {"name": "x"})),
        (other.delete(path), other.delete(f"/pages/{UNKNOWN}")),
        (other.get(f"{path}/consumers"), other.get(f"/pages/{UNKNOWN}/consumers")),
    ):
        assert mine.status == unknown.status == 404
        assert mine.json()["error"]["message"] == unknown.json()["error"]["message"]
    answer = other.post("/experiments", {"name": "x", "targeting": on(page)})
    assert (answer.status, answer.paths) == (422, ["targeting.pageRules[0].pageId"])
    answer = other.post("/pages/match", {"url": "/x", "page_id": page["id"]})
    assert (answer.status, answer.paths) == (422, ["page_id"])


def test_consumers__of_every_kind__are_listed_until_archived(client: Client, page: Json) -> None:
    live = using(client, page)
    draft = client.post("/experiments", {"name": "Draft", "targeting": on(page)}).json()
    client.post("/experiments", {"name": "Elsewhere"})
    path = f"/pages/{page['id']}/consumers"
    expected = [
        {"id": draft["id"], "name": "Draft", "consumer": "experiment", "live": False},
        *({**found, "live": True} for found in live),
    ]
    listed = client.get(path).json()["data"]
    assert sorted(listed, key=lambda it: it["id"]) == sorted(expected, key=lambda it: str(it["id"]))
    first = client.get(path, query={"limit": 3}).json()
    rest = client.get(path, query={"limit": 3, "cursor": first["pagination"]["next_cursor"]}).json()
    assert [*first["data"], *rest["data"]] == listed
    client.post(f"/experiments/{draft['id']}/archive")
    assert len(client.get(path).json()["data"]) == 3


def test_consumers__with_more_references_than_a_head_holds__are_found(client: Client, page: Json) -> None:
    others = [client.post("/pages", {"name": f"P{n}"}).json() for n in range(9)]
    rules = [rule for each in [*others, page] for rule in on(each)["pageRules"]]
    client.post("/experiments", {"name": "Many", "targeting": {"pageRules": rules}})
    client.post("/experiments", {"name": "Others", "targeting": {"pageRules": rules[:9]}})
    assert names(client.get(f"/pages/{page['id']}/consumers")) == ["Many"]


def test_update__that_reaches_shoppers__needs_every_consumer_acknowledged(
    api: MemoryApi, tenant: Tenant, client: Client, page: Json
) -> None:
    live = using(client, page)
    path, ids = f"/pages/{page['id']}", [found["id"] for found in live]
    for consent in (
        {},
        {"confirm_live_impact": True},
        {"confirmed_consumer_ids": ids},
        {"confirm_live_impact": False, "confirmed_consumer_ids": ids},
        {"confirm_live_impact": True, "confirmed_consumer_ids": ids[:2]},
    ):
        answer = client.patch(path, {"includeRules": CART, **consent})
        assert (answer.status, answer.code) == (409, "page_live_impact")
        assert answer.json()["live_experiments"] == live
    assert client.get(path).json() == page
    assert client.patch(path, {"name": "Hat pages"}).status == 200
    consent = {"confirm_live_impact": True, "confirmed_consumer_ids": [*ids, UNKNOWN]}
    answer = client.patch(path, {"includeRules": CART, **consent})
    assert answer.status == 200, answer.body
    config = published(api, tenant)
    assert json.dumps(config["experiments"][0]["pages"]) == json.dumps(config["flags"][0]["pages"])
    assert "cart" in config["experiments"][0]["pages"]["in"][0]["include"][0]["path"]
    assert "cart" in config["personalizations"][0]["rules"][0]["pages"]["in"][0]["include"][0]["path"]


def test_update__while_storage_fails__is_kept_with_a_warning_and_a_promise(
    api: MemoryApi, tenant: Tenant, client: Client, page: Json
) -> None:
    client.post("/experiments", {"name": "Draft", "targeting": on(page)})
    api.management.blobs.available = False
    answer = client.patch(f"/pages/{page['id']}", {"includeRules": CART})
    assert answer.json()["publication_warning"]["code"] == "storefront_publication_incomplete"
    rows = api.world.catalog.outbox("publish", created_before="9999", limit=10)
    assert [row.shop_id for row in rows] == [tenant.shop.id]
    api.management.blobs.available = True
    assert "publication_warning" not in client.get(f"/pages/{page['id']}").json()


def test_delete__of_a_page_in_use__is_refused_and_says_by_whom(client: Client, page: Json) -> None:
    live = using(client, page)
    path = f"/pages/{page['id']}"
    answer = client.delete(path)
    assert (answer.code, answer.json()["live_experiments"]) == ("page_live_impact", live)
    consent = {"confirm_live_impact": True, "confirmed_consumer_ids": [found["id"] for found in live]}
    answer = client.delete(path, json_body=consent)
    assert (answer.status, answer.code) == (409, "conflict")
    assert all(found["id"] in answer.json()["error"]["message"] for found in live)


def test_delete__of_a_page_that_a_draft_names__is_refused_until_it_is_archived(client: Client, page: Json) -> None:
    draft = client.post("/experiments", {"name": "Draft", "targeting": on(page)}).json()
    answer = client.delete(f"/pages/{page['id']}")
    assert (answer.status, answer.code) == (409, "conflict")
    assert draft["id"] in answer.json()["error"]["message"]
    client.post(f"/experiments/{draft['id']}/archive")
    assert client.delete(f"/pages/{page['id']}").status == 204
    assert client.patch(f"/experiments/{draft['id']}", {"name": "x"}).status == 200


def test_write__without_the_scope__is_refused(api: MemoryApi, tenant: Tenant, page: Json) -> None:
    reader = api.client(api.key(["experiments:read"], shop_id=tenant.shop.id).text)
    assert reader.post("/pages", {"name": "x"}).status == 403
    assert reader.delete(f"/pages/{page['id']}").status == 403
    assert reader.post("/pages/match", {"url": "/products/a", "page_id": page["id"]}).status == 200


def test_write__repeated_with_its_idempotency_key__is_done_once(client: Client) -> None:
    first, second = (client.post("/pages", {"name": "x"}, headers={"idempotency-key": "once"}) for _ in range(2))
    assert first.json() == second.json()
    assert len(client.get("/pages").json()["data"]) == 1


def test_writes__leave_audit_rows(api: MemoryApi, tenant: Tenant, client: Client, page: Json) -> None:
    api.clock.advance(seconds=1)
    client.patch(f"/pages/{page['id']}", {"includeRules": CART})
    api.clock.advance(seconds=1)
    client.delete(f"/pages/{page['id']}")
    rows, _ = api.world.catalog.audit(tenant.shop.id, entity_id=page["id"], limit=10)
    assert [(row.action, row.entity_type) for row in rows] == [
        ("page.delete", "page"),
        ("page.update", "page"),
        ("page.create", "page"),
    ]
    assert rows[1].diff == {"includeRules": [PRODUCTS, CART]}


def rule(**fields: Any) -> Json:
    return {"id": UNKNOWN, "includeRules": PRODUCTS, "excludeRules": [], **fields}


def test_match__of_rules_or_a_page__says_which_rule_decided(client: Client, page: Json) -> None:
    url = "https://shop.example/products/hat"
    found = {
        "matched": True,
        "rule_id": UNKNOWN,
        "step": None,
        "because": "included",
        "reason": "includeRules[0] matches",
    }
    assert client.post("/pages/match", {"url": url, "rules": rule()}).json() == found
    assert client.post("/pages/match", {"url": url, "rules": [rule()]}).json() == found
    by_page = client.post("/pages/match", {"url": url, "page_id": page["id"]}).json()
    assert by_page == {**found, "rule_id": page["id"]}
    by_reference = client.post("/pages/match", {"url": url, "rules": on(page)["pageRules"]}).json()
    assert by_reference == found
    taken_out = client.post("/pages/match", {"url": url, "rules": [rule(), rule(include=False)]}).json()
    assert (taken_out["matched"], taken_out["reason"]) == (False, "is taken out: includeRules[0] matches")
    assert (taken_out["step"], taken_out["because"]) == ("page_rule", "taken_out")


@pytest.mark.parametrize(
    ("body", "status", "path"),
    [
        ({"url": "/x"}, 400, ""),
        ({"url": "/x", "rules": rule(), "page_id": UNKNOWN}, 400, ""),
        ({"rules": rule()}, 400, "url"),
        ({"url": "", "rules": rule()}, 400, "url"),
        ({"url": "x" * 2049, "rules": rule()}, 400, "url"),
        ({"url": "/x", "rules": []}, 400, "rules"),
        ({"url": "/x", "rules": [rule()] * 51}, 400, "rules"),
        ({"url": "/x", "rules": "all"}, 400, "rules"),
        ({"url": "/x", "rules": [rule(), {"id": UNKNOWN}]}, 400, "rules[1].includeRules"),
        ({"url": "https://", "rules": rule()}, 422, "url"),
        ({"url": "/x", "page_id": UNKNOWN}, 422, "page_id"),
        ({"url": "/x", "rules": [rule(), {"id": UNKNOWN, "pageId": UNKNOWN}]}, 422, "rules[1].pageId"),
        (
            {"url": "/x", "rules": rule(includeRules=[{"type": "regex", "pattern": "(a+)+$"}])},
            422,
            "rules[0].includeRules[0].pattern",
        ),
    ],
)
def test_match__of_what_cannot_be_tested__is_refused(client: Client, body: Json, status: int, path: str) -> None:
    answer = client.post("/pages/match", body)
    assert answer.status == status
    assert path in answer.paths
