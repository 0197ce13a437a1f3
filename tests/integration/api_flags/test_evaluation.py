"""Servers ask for the values of flags."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from abtest.http.factory import create_app, handler
from abtest.ports.catalog import Commit, Put, Record
from abtest.services.flags.evaluation import ANSWER_BYTES
from abtest.wiring.api_experiments import experiments_uses
from abtest.wiring.api_flags import flags_uses
from api_experiments.routes import ROUTERS as PAGES
from api_flags.routes import ROUTERS
from tests.support.api import MemoryApi, Tenant
from tests.support.client import Client
from tests.support.memory import MemorySessions

Create = Callable[..., dict[str, Any]]
ID = "0192a3b4-0000-7000-8000-0000000000aa"


@pytest.fixture
def with_pages(api: MemoryApi, tenant: Tenant) -> Client:
    """The client, with pages and audiences beside flags."""
    uses = {**flags_uses(api.management), **experiments_uses(api.management, MemorySessions())}
    api.handler = handler(create_app([*ROUTERS, *PAGES], api.management.services(uses)))
    return api.client(tenant.admin)


def on_page(pattern: str) -> dict[str, Any]:
    rules = [{"type": "simple", "pattern": pattern}]
    return {"pageRules": [{"id": ID, "includeRules": rules, "excludeRules": []}]}


def for_people(attribute: str, operator: str, value: Any, **more: str) -> dict[str, Any]:
    condition = {"attribute": attribute, "operator": operator, "value": value, **more}
    return {"segmentRules": [{"id": ID, "rules": {"operator": "and", "conditions": [condition]}}]}


def evaluate(client: Client, **asked: Any) -> Any:
    answer = client.post("/flags/evaluate", {"visitor_id": "visitor", **asked})
    assert answer.status == 200, answer.body
    return answer.json()["flags"]


def test_evaluation__of_each_reason__gives_value_and_reason(create: Create, client: Client) -> None:
    values = {"off_value": {"old": True}, "on_value": [1, None]}
    create("on", activate=True, **values)
    create("server", activate=True, delivery_type="api", **values)
    create("dark", activate=True, weekday_schedule={"excludedDays": ["monday"], "timezone": "UTC"}, **values)
    create("elsewhere", activate=True, targeting=on_page("/cart"), **values)
    create("nobody", activate=True, rollout_percentage=0, **values)
    create("draft", **values)
    create("archived", activate=True, **values)
    create("staged", activate=True, environment_key="staging", **values)
    create("paused", activate=True, **values)
    client.post("/flags/paused/pause")
    client.post("/flags/archived/archive")
    off = {"old": True}
    assert evaluate(client) == {
        "on": {"value": [1, None], "reason": "on"},
        "server": {"value": [1, None], "reason": "on"},
        "dark": {"value": off, "reason": "dark"},
        "elsewhere": {"value": off, "reason": "targeting"},
        "nobody": {"value": off, "reason": "rollout"},
        "paused": {"value": off, "reason": "paused"},
    }
    assert evaluate(client, environment_key="staging") == {"staged": {"value": [1, None], "reason": "on"}}
    assert evaluate(client, environment_key="nowhere") == {}


@pytest.mark.parametrize(
    ("targeting", "attributes", "reason"),
    [
        (on_page("/cart"), {"url": "https://shop.example/cart?x=1"}, "on"),
        (on_page("/cart"), {"url": "https://shop.example/"}, "targeting"),
        (on_page("/cart"), {}, "targeting"),
        (on_page("/cart"), {"url": "http://[not an address"}, "targeting"),
        (on_page("/cart"), {"url": ""}, "targeting"),
        (for_people("country", "equals", "DE"), {"country": "DE"}, "on"),
        (for_people("country", "equals", "DE"), {"country": "FR"}, "targeting"),
        (for_people("country", "not_equals", "DE"), {}, "on"),
        (for_people("logged_in", "equals", True), {"customer_id": "c1"}, "on"),
        (for_people("logged_in", "equals", True), {}, "targeting"),
        (for_people("page", "gte", 2, key="cart.items"), {"page": {"cart": {"items": 2}}}, "on"),
        (for_people("utm", "equals", "mail", key="source"), {"url": "https://shop.example/?utm_source=mail"}, "on"),
        (for_people("local_hour", "gte", 18, timezone="Asia/Tokyo"), {}, "on"),
        (for_people("local_hour", "gte", 18, timezone="Europe/Berlin"), {}, "targeting"),
    ],
)
def test_targeting__of_a_visitor__is_held_against_the_attributes(
    create: Create, client: Client, targeting: dict[str, Any], attributes: dict[str, Any], reason: str
) -> None:
    create("k", activate=True, targeting=targeting)
    assert evaluate(client, attributes=attributes)["k"]["reason"] == reason


def test_references__to_pages_and_audiences__are_followed(with_pages: Client, create: Create) -> None:
    rules = {"operator": "and", "conditions": [{"attribute": "country", "operator": "equals", "value": "DE"}]}
    page = with_pages.post("/pages", {"name": "Cart", "includeRules": [{"type": "simple", "pattern": "/cart"}]}).json()
    audience = with_pages.post("/audiences", {"name": "Germany", "rules": rules}).json()
    create(
        "k",
        activate=True,
        targeting={
            "pageRules": [{"id": ID, "pageId": page["id"]}],
            "segmentRules": [{"id": ID, "audienceId": audience["id"]}],
        },
    )
    german = {"url": "https://shop.example/cart", "country": "DE"}
    assert evaluate(with_pages, attributes=german)["k"]["reason"] == "on"
    assert evaluate(with_pages, attributes=german | {"country": "FR"})["k"]["reason"] == "targeting"
    assert evaluate(with_pages, attributes={"country": "DE"})["k"]["reason"] == "targeting"
    answer = with_pages.delete(f"/pages/{page['id']}")
    assert answer.status == 409, "the flag uses it"


def test_references__to_what_the_shop_does_not_have__are_422(
    with_pages: Client, api: MemoryApi, create: Create
) -> None:
    theirs = api.client(api.tenant("Other").admin).post("/pages", {"name": "Theirs"}).json()["id"]
    for unknown in (ID, theirs):
        targeting = {"pageRules": [{"id": ID, "pageId": unknown}]}
        answer = with_pages.post("/flags", {"key": "new", "name": "N", "targeting": targeting})
        assert (answer.status, answer.paths) == (422, ["targeting.pageRules[0].pageId"])
        answer = with_pages.patch(f"/flags/{create(f'k-{unknown}')['id']}", {"targeting": targeting})
        assert (answer.status, answer.paths) == (422, ["targeting.pageRules[0].pageId"])


def test_dark_days__are_those_of_the_zone(api: MemoryApi, create: Create, client: Client) -> None:
    create("k", activate=True, weekday_schedule={"excludedDays": ["tuesday"], "timezone": "Pacific/Auckland"})
    assert api.clock.now() == datetime(2026, 3, 2, 9, tzinfo=UTC), "a Monday there, too"
    assert evaluate(client)["k"]["reason"] == "on"
    api.clock.advance(hours=3)
    assert evaluate(client)["k"]["reason"] == "dark"


def test_rollout__of_a_share__reaches_about_that_many_and_keeps_them(create: Create, client: Client) -> None:
    flag = create("k", rollout_percentage=0.3, activate=True)

    def reached() -> set[int]:
        answers = ((n, evaluate(client, visitor_id=f"v{n}")["k"]["reason"]) for n in range(200))
        return {number for number, reason in answers if reason == "on"}

    some = reached()
    assert 35 <= len(some) <= 85
    client.patch(f"/flags/{flag['id']}", {"rollout_percentage": 0.6, "confirm_live_impact": True})
    assert some < reached()


@pytest.mark.parametrize(
    ("body", "path"),
    [
        ({}, "visitor_id"),
        ({"visitor_id": ""}, "visitor_id"),
        ({"visitor_id": "v" * 257}, "visitor_id"),
        ({"visitor_id": 7}, "visitor_id"),
        ({"visitor_id": "v", "environment_key": "A"}, "environment_key"),
        ({"visitor_id": "v", "attributes": []}, "attributes"),
        ({"visitor_id": "v", "attributes": {"url": 1}}, "attributes.url"),
        ({"visitor_id": "v", "attributes": {"customer_id": ""}}, "attributes.customer_id"),
        ({"visitor_id": "v", "now": 0}, "now"),
    ],
)
def test_question__of_a_wrong_form__is_400_with_its_path(client: Client, body: dict[str, Any], path: str) -> None:
    answer = client.post("/flags/evaluate", body)
    assert (answer.status, answer.paths) == (400, [path])


def test_attributes__nested_too_deep__are_400(client: Client) -> None:
    deep: Any = {}
    for _ in range(20):
        deep = {"a": deep}
    answer = client.post("/flags/evaluate", {"visitor_id": "v", "attributes": deep})
    assert (answer.status, answer.paths) == (400, ["attributes"])
    assert client.post("/flags/evaluate", {"visitor_id": "v" * 256, "attributes": deep["a"]}).status == 200


def test_values__more_than_an_answer_holds__are_refused(create: Create, client: Client) -> None:
    count = ANSWER_BYTES // 65_000 + 1
    for number in range(count - 1):
        create(f"k{number}", activate=True, delivery_type="api", on_value="x" * 65_000)
    assert len(evaluate(client)) == count - 1
    create("last", activate=True, delivery_type="api", on_value="x" * 65_000)
    answer = client.post("/flags/evaluate", {"visitor_id": "v"})
    assert (answer.status, answer.code) == (422, "limit_reached")


@pytest.mark.parametrize(
    ("value", "count"), [([""] * 21_000, 60), ("\u00e9" * 32_000, 40)], ids=["quotes", "letters beyond ASCII"]
)
def test_values__longer_when_escaped_than_a_response_can_be__are_refused(
    create: Create, client: Client, value: Any, count: int
) -> None:
    for number in range(count):
        create(f"k{number}", activate=True, delivery_type="api", on_value=value)
    answer = client.post("/flags/evaluate", {"visitor_id": "v"})
    assert (answer.status, answer.code) == (422, "limit_reached")


def test_address_of_evaluation__takes_no_other_method(client: Client) -> None:
    answer = client.get("/flags/evaluate")
    assert (answer.status, answer.headers["allow"]) == (405, "POST")


@pytest.mark.parametrize("broken", [{}, {"targeting": {"segmentRules": [{"rules": 7}]}}, {"rollout_percentage": "x"}])
def test_evaluation__with_a_stored_flag_of_a_wrong_form__gives_the_others(
    api: MemoryApi, tenant: Tenant, create: Create, client: Client, broken: dict[str, Any]
) -> None:
    create("whole", activate=True)
    spoilt = create("spoilt", activate=True)
    record = api.world.catalog.get(tenant.shop.id, "FLAG", spoilt["id"])
    assert record is not None
    stored = Record(head=replace(record.head, version=2), body={**record.body, **broken} if broken else {})
    api.world.catalog.commit(Commit(puts=[Put(record=stored, expected_version=1)]))
    assert list(evaluate(client)) == ["whole"]
