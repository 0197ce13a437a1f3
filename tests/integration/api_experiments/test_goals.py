"""Goals over HTTP: an experiment's own, and those that the shop keeps."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.support.api import MemoryApi
from tests.support.client import Client

Create = Callable[..., dict[str, Any]]
CLICK = {"name": "Click", "type": "click", "selector": ".buy"}
UNKNOWN = "019c0000-0000-7000-8000-000000000000"


@pytest.fixture
def path(create: Create) -> str:
    return f"/experiments/{create()['id']}/goals"


def test_create__first__is_primary_with_the_shops_window(client: Client, path: str) -> None:
    answer = client.post(path, CLICK)
    assert answer.status == 201
    made = answer.json()
    assert (made["is_primary"], made["role"], made["direction"]) == (True, "primary", "increase")
    assert (made["count_once"], made["aggregation"], made["attribution_window_days"]) == (True, "conversion", 30)
    assert made["currency_basis"] == "shop_money"


BAD: list[tuple[dict[str, Any], int, str]] = [
    ({"name": ""}, 400, "name"),
    ({"type": "swipe"}, 400, "type"),
    ({"winsorize_pct": 0.11}, 400, "winsorize_pct"),
    ({"attribution_window_days": 0}, 400, "attribution_window_days"),
    ({"attribution_window_days": 91}, 400, "attribution_window_days"),
    ({"attribution_window_days": 1.5}, 400, "attribution_window_days"),
    ({"filter": {}}, 400, "filter.version"),
    ({"filter": {"version": 1}}, 400, "filter"),
    ({"filter": {"version": True, "conditions": [{"property": "a", "operator": "exists"}]}}, 400, "filter.version"),
    ({"filter": {"version": 2, "conditions": [{"property": "a", "operator": "exists"}]}}, 400, "filter.version"),
    ({"filter": {"version": 1, "conditions": []}}, 400, "filter.conditions"),
    (
        {"filter": {"version": 1, "conditions": [{"property": "a", "operator": "exists"}] * 11}},
        400,
        "filter.conditions",
    ),
    (
        {"filter": {"version": 1, "conditions": [{"property": "a-b", "operator": "exists"}]}},
        400,
        "filter.conditions[0].property",
    ),
    (
        {"filter": {"version": 1, "conditions": [{"property": "a" * 65, "operator": "exists"}]}},
        400,
        "filter.conditions[0].property",
    ),
    ({"filter": {"version": 1, "orderValue": [{"operator": "gt", "value": -1}]}}, 400, "filter.orderValue[0].value"),
    ({"filter": {"version": 1, "orderValue": [{"operator": "gt", "value": 1}]}}, 422, "filter.orderValue"),
    ({"filter": {"version": 1, "x": 1}}, 400, "filter.x"),
    ({"capture": [{"property": "p", "source": "attribute"}]}, 400, "capture[0]"),
    ({"selector": None}, 422, "selector"),
    ({"page_id": UNKNOWN}, 422, "page_id"),
    ({"is_primary": True, "role": "guardrail"}, 422, "is_primary"),
    ({"aggregation": "ratio"}, 422, "numerator"),
    ({"aggregation": "ratio", "numerator": "value"}, 422, "denominator"),
    ({"aggregation": "ratio", "numerator": "events", "denominator": "items"}, 400, "numerator"),
    ({"aggregation": "ratio", "numerator": "items", "denominator": "events"}, 422, "numerator"),
    ({"numerator": "value"}, 422, "numerator"),
    ({"experiment_id": UNKNOWN}, 400, "experiment_id"),
]


@pytest.mark.parametrize(("fields", "status", "named"), BAD)
def test_create__bad_field__is_named(
    client: Client, path: str, fields: dict[str, Any], status: int, named: str
) -> None:
    answer = client.post(path, {**CLICK, **fields})
    assert answer.status == status
    assert any(found.endswith(named) for found in answer.paths), answer.paths
    shop_answer = client.post("/goals", {**CLICK, **fields})
    assert shop_answer.status == status


@pytest.mark.parametrize("value", ["x" * 1000, 1, 1.5, ["a", 1], ["x"] * 50])
def test_filter_value__within_its_limits__is_kept(client: Client, path: str, value: Any) -> None:
    operator = "in" if isinstance(value, list) else "equals"
    stated = {"version": 1, "conditions": [{"property": "a", "operator": operator, "value": value}]}
    assert client.post(path, {**CLICK, "filter": stated}).json()["filter"] == stated


@pytest.mark.parametrize("value", ["x" * 1001, True, None, [], ["x"] * 51, {"a": 1}, [["x"]]])
def test_filter_value__past_its_limits__is_refused(client: Client, path: str, value: Any) -> None:
    operator = "in" if isinstance(value, list) else "equals"
    stated = {"version": 1, "conditions": [{"property": "a", "operator": operator, "value": value}]}
    assert client.post(path, {**CLICK, "filter": stated}).status == 400


def test_order__puts_first_what_is_primary(client: Client, path: str) -> None:
    ids = [client.post(path, {**CLICK, "name": name}).json()["id"] for name in "abc"]
    ordered = client.put(f"{path}/order", {"ids": [ids[2], ids[0], ids[1]]}).json()["data"]
    assert [(goal["name"], goal["is_primary"]) for goal in ordered] == [("c", True), ("a", False), ("b", False)]
    assert client.put(f"{path}/order", {"ids": ids[:2]}).code == "validation_failed"
    assert client.put(f"{path}/order", {"ids": [ids[0], ids[0]]}).code == "invalid_request"


def test_update__and_delete__while_draft_and_after_start(client: Client, path: str) -> None:
    first, second = (client.post(path, {**CLICK, "name": name}).json()["id"] for name in "ab")
    assert client.patch(f"{path}/{first}", {"direction": "decrease"}).json()["direction"] == "decrease"
    assert client.delete(f"{path}/{second}").status == 204
    client.post(path.removesuffix("/goals") + "/launch")
    assert client.delete(f"{path}/{first}").code == "not_deletable"
    assert client.patch(f"{path}/{first}", {"type": "pageview"}).code == "conflict"
    assert client.post(f"{path}/{first}/archive").json()["archived_at"] is not None
    assert client.get(path).json()["data"] == []
    assert client.post(f"{path}/{first}/unarchive").json()["archived_at"] is None


def test_list__paged__gives_each_goal_once(client: Client, path: str) -> None:
    for number in range(5):
        client.post(path, {**CLICK, "name": str(number)})
    seen: list[str] = []
    query: dict[str, Any] = {"limit": 2}
    while True:
        page = client.get(path, query=query).json()
        seen += [goal["name"] for goal in page["data"]]
        if not page["pagination"]["has_more"]:
            break
        query["cursor"] = page["pagination"]["next_cursor"]
    assert seen == ["0", "1", "2", "3", "4"]


def test_list__cut_at_a_goal_that_was_deleted__asks_to_start_again(client: Client, path: str) -> None:
    first = client.post(path, CLICK).json()["id"]
    client.post(path, {**CLICK, "name": "other"})
    cursor = client.get(path, query={"limit": 1}).json()["pagination"]["next_cursor"]
    assert client.delete(f"{path}/{first}").status == 204
    answer = client.get(path, query={"limit": 1, "cursor": cursor})
    assert (answer.status, answer.code) == (400, "invalid_cursor")


def test_goal_limit__fifty__takes_no_more(client: Client, create: Create) -> None:
    goals = [{"name": str(n), "type": "pageview"} for n in range(50)]
    path = f"/experiments/{create(goals=goals)['id']}/goals"
    assert client.post(path, CLICK).code == "limit_reached"


def test_goal_page_rules__are_an_array_in_and_out(client: Client, create: Create) -> None:
    path = f"/experiments/{create()['id']}/goal-page-rules"
    rules = [{"id": UNKNOWN, "includeRules": [{"type": "regex", "pattern": "^/a"}], "excludeRules": [], "own": True}]
    assert client.get(path).json() == []
    assert client.put(path, rules).json() == rules
    assert client.get(path).json() == rules
    rules[0]["includeRules"] = [{"type": "regex", "pattern": "("}]
    assert client.put(path, rules).code == "unsafe_regex"
    assert client.put(path, {"rules": []}).code == "invalid_request"


def test_page_id__of_the_goal_page_rules__is_accepted_and_holds_its_page(client: Client, create: Create) -> None:
    path = f"/experiments/{create()['id']}"
    rules = [{"id": UNKNOWN, "includeRules": [{"type": "simple", "pattern": "/a"}], "excludeRules": []}]
    client.put(f"{path}/goal-page-rules", rules)
    made = client.post(f"{path}/goals", {**CLICK, "page_id": UNKNOWN})
    assert (made.status, made.json()["page_id"]) == (201, UNKNOWN)
    answer = client.put(f"{path}/goal-page-rules", [])
    assert (answer.status, answer.paths) == (422, ["goals[0].page_id"])


def test_shop_goal__that_is_a_ratio__is_attached_with_both_parts(client: Client, path: str) -> None:
    ratio = {"type": "revenue", "aggregation": "ratio", "numerator": "items", "denominator": "events"}
    kept = client.post("/goals", {"name": "Items per order", **ratio}).json()
    attached = client.post(path, {"goal_id": kept["id"]}).json()
    assert {name: attached[name] for name in ratio} == ratio
    changed = client.patch(f"{path}/{kept['id']}", {"aggregation": "sum"})
    assert (changed.status, [each.rpartition(".")[2] for each in changed.paths]) == (422, ["numerator"])
    back = {"aggregation": "sum", "numerator": None, "denominator": None}
    assert client.patch(f"{path}/{kept['id']}", back).status == 200


def test_shop_goal__attached__keeps_its_id_and_its_own_life(client: Client, path: str) -> None:
    kept = client.post("/goals", {**CLICK, "name": "Kept"}).json()
    assert kept["experiment_id"] is None
    attached = client.post(path, {"goal_id": kept["id"]}).json()
    assert (attached["id"], attached["name"], attached["is_primary"]) == (kept["id"], "Kept", True)
    assert client.post(path, {"goal_id": kept["id"]}).code == "conflict"
    assert client.post(path, {"goal_id": kept["id"], "name": "x"}).paths == ["name"]
    client.patch(f"/goals/{kept['id']}", {"name": "Renamed"})
    assert client.get(f"{path}/{kept['id']}").json()["name"] == "Kept"
    found = client.get("/experiments", query={"goal_id": kept["id"]}).json()["data"]
    assert [item["goals"][0]["id"] for item in found] == [kept["id"]]
    copy = client.post(path.removesuffix("/goals") + "/duplicate").json()
    assert copy["goals"][0]["id"] == kept["id"]
    assert client.delete(f"/goals/{kept['id']}").status == 204
    assert client.get(f"{path}/{kept['id']}").status == 200


def test_shop_goals__of_another_shop__are_unknown(api: MemoryApi, client: Client, path: str) -> None:
    stranger = api.client(api.tenant().admin)
    kept = stranger.post("/goals", CLICK).json()
    assert client.get(f"/goals/{kept['id']}").status == 404
    assert client.patch(f"/goals/{kept['id']}", {"name": "x"}).status == 404
    assert client.delete(f"/goals/{kept['id']}").status == 404
    assert client.post(path, {"goal_id": kept["id"]}).paths == ["goal_id"]


def test_shop_goals__listed__newest_first_without_archived(api: MemoryApi, client: Client) -> None:
    made = []
    for name in "abc":
        made.append(client.post("/goals", {**CLICK, "name": name}).json()["id"])
        api.clock.advance(seconds=1)
    assert client.post(f"/goals/{made[1]}/archive").json()["archived_at"] is not None

    def names(**query: Any) -> list[str]:
        return [goal["name"] for goal in client.get("/goals", query=query).json()["data"]]

    assert (names(), names(archived="true"), names(archived="all")) == (["c", "a"], ["b"], ["c", "b", "a"])
    page = client.get("/goals", query={"limit": 1}).json()
    rest = client.get("/goals", query={"limit": 1, "cursor": page["pagination"]["next_cursor"]}).json()
    assert [goal["name"] for goal in page["data"] + rest["data"]] == ["c", "a"]
    assert rest["pagination"]["has_more"] is False
    assert client.post(f"/goals/{made[1]}/unarchive").json()["archived_at"] is None


def test_shop_goal__stale_if_match__is_refused(client: Client) -> None:
    made = client.post("/goals", CLICK)
    path = f"/goals/{made.json()['id']}"
    assert client.patch(path, {"name": "x"}, headers={"if-match": made.headers["etag"]}).status == 200
    assert client.patch(path, {"name": "y"}, headers={"if-match": made.headers["etag"]}).status == 412


@pytest.mark.parametrize("version", [0, 2, 10**30])
def test_filter__of_another_version__names_the_one_that_exists(client: Client, version: int) -> None:
    conditions = [{"property": "plan", "operator": "equals", "value": "pro"}]
    fields = {
        "name": "G",
        "type": "custom",
        "event_name": "e",
        "filter": {"version": version, "conditions": conditions},
    }
    answer = client.post("/goals", fields)
    assert (answer.status, answer.paths) == (400, ["filter.version"])
    assert answer.json()["error"]["fields"][0]["message"] == "must be 1, the only version of filters"
