"""Data-layer triggers over HTTP: what may be said, what is published, what a payload would mean."""

import json
from typing import Any

import pytest

from abtest.kit import canonical_json
from tests.support.api import MemoryApi, Tenant
from tests.support.client import Client

Json = dict[str, Any]
PATH = "/settings/data-layer-triggers"
PURCHASE: Json = {
    "eventName": "purchase",
    "enabled": True,
    "reEvaluate": True,
    "dataLayerName": "shopLayer",
    "trackEventName": "bought",
    "when": [{"path": "ecommerce.items.0.id", "op": "exists"}, {"path": "ecommerce.value", "op": "gt", "value": 0}],
    "trackRevenue": {
        "enabled": True,
        "revenueFrom": ["ecommerce.value", "value"],
        "orderIdFrom": "ecommerce.transaction_id",
        "properties": [{"from": "ecommerce.coupon", "to": "coupon", "transform": {"trim": True}}],
    },
    "mappings": [
        {
            "from": "ecommerce.value",
            "to": "page.spent",
            "valueType": "number",
            "transform": {"scale": 0.01, "default": 0},
            "ttlDays": 1.5,
            "persist": True,
        }
    ],
}


@pytest.fixture
def trigger(client: Client) -> Json:
    """One that says much."""
    answer = client.post(PATH, PURCHASE)
    assert answer.status == 201, answer.body
    made: Json = answer.json()
    return made


def signals(api: MemoryApi, tenant: Tenant) -> Any:
    """The `signals` of the published config."""
    (pointer,) = (
        api.management.blobs.get(entry.key)
        for entry in api.management.blobs.list("pointers/")
        if tenant.shop.id in entry.key and "production" in entry.key
    )
    assert pointer is not None
    found = api.management.blobs.get(f"objects/{canonical_json.loads(pointer.content)['config']['sha256']}")
    assert found is not None
    return canonical_json.loads(found.content)["signals"]


def test_create__shows_what_was_stated(client: Client, trigger: Json) -> None:
    assert {name: trigger[name] for name in PURCHASE} == PURCHASE
    assert set(trigger) - set(PURCHASE) == {"id", "created_at", "updated_at"}
    found = client.get(f"{PATH}/{trigger['id']}")
    assert (found.json(), found.headers["etag"]) == (trigger, 'W/"1"')


def test_create__with_a_name_only__is_enabled_and_says_no_more(client: Client) -> None:
    made = client.post(PATH, {"eventName": "x"}).json()
    assert {name: made[name] for name in made if name not in ("id", "created_at", "updated_at")} == {
        "eventName": "x",
        "enabled": True,
    }


def test_writes__are_published_to_storefronts_at_once(
    api: MemoryApi, tenant: Tenant, client: Client, trigger: Json
) -> None:
    api.clock.advance(seconds=1)
    other = client.post(PATH, {"eventName": "lead", "trackPageview": True}).json()
    client.post(PATH, {"eventName": "off", "enabled": False})
    first = {
        "id": trigger["id"],
        "event": "purchase",
        "layer": "shopLayer",
        "when": PURCHASE["when"],
        "reevaluate": True,
        "track": "bought",
        "revenue": {
            "revenue": ["ecommerce.value", "value"],
            "order_id": ["ecommerce.transaction_id"],
            "properties": [{"from": ["ecommerce.coupon"], "to": "coupon", "trim": True}],
        },
        "mappings": [
            {
                "from": ["ecommerce.value"],
                "to": "page.spent",
                "type": "number",
                "scale": 0.01,
                "default": 0,
                "ttl": 1.5,
                "persist": True,
            }
        ],
    }
    second = {"id": other["id"], "event": "lead", "layer": "dataLayer", "pageview": True}
    assert signals(api, tenant) == {"triggers": [first, second]}
    client.put(f"{PATH}/{trigger['id']}", {**PURCHASE, "enabled": False})
    assert signals(api, tenant) == {"triggers": [second]}
    client.delete(f"{PATH}/{other['id']}")
    assert signals(api, tenant) == {}
    assert api.world.catalog.outbox("publish", created_before="9999-12-31T23:59:59.999Z", limit=10) == []


def test_list__is_newest_first_and_goes_on_with_a_cursor(api: MemoryApi, client: Client) -> None:
    ids = []
    for number in range(3):
        api.clock.advance(seconds=1)
        ids.append(client.post(PATH, {"eventName": f"event {number}"}).json()["id"])
    first = client.get(PATH, query={"limit": 2}).json()
    rest = client.get(PATH, query={"limit": 2, "cursor": first["pagination"]["next_cursor"]}).json()
    assert [each["id"] for page in (first, rest) for each in page["data"]] == ids[::-1]
    assert (first["pagination"]["has_more"], rest["pagination"]["has_more"]) == (True, False)


def test_put__replaces_everything(api: MemoryApi, tenant: Tenant, client: Client, trigger: Json) -> None:
    path = f"{PATH}/{trigger['id']}"
    api.clock.advance(seconds=1)
    answer = client.put(path, {"eventName": "lead", "enabled": False})
    assert (answer.status, answer.headers["etag"]) == (200, 'W/"2"')
    assert answer.json() == {
        "id": trigger["id"],
        "eventName": "lead",
        "enabled": False,
        "created_at": trigger["created_at"],
        "updated_at": answer.json()["updated_at"],
    }
    assert answer.json()["updated_at"] > trigger["updated_at"]
    again = client.put(path, {"eventName": "lead", "enabled": False})
    assert (again.json(), again.headers["etag"]) == (answer.json(), 'W/"2"')
    rows, _ = api.world.catalog.audit(tenant.shop.id, entity_id=trigger["id"], limit=10)
    assert [row.action for row in rows] == ["data_layer_trigger.update", "data_layer_trigger.create"]
    assert rows[0].diff["eventName"] == ["purchase", "lead"]


def test_if_match__of_another_version__is_412(client: Client, trigger: Json) -> None:
    path, headers = f"{PATH}/{trigger['id']}", {"if-match": 'W/"7"'}
    assert client.put(path, {"eventName": "x"}, headers=headers).status == 412
    assert client.delete(path, headers=headers).status == 412
    assert client.get(path).json() == trigger
    assert client.delete(path, headers={"if-match": 'W/"1"'}).status == 204
    assert client.get(path).status == 404


def test_trigger__of_another_shop__is_unknown(api: MemoryApi, client: Client, trigger: Json) -> None:
    other = api.client(api.tenant("Other").admin)
    path, unknown = f"{PATH}/{trigger['id']}", f"{PATH}/019c0000-0000-7000-8000-000000000000"

    def told(answer: Any) -> Any:
        body = answer.json()
        body["error"].pop("request_id")
        return answer.status, body

    for call in (other.get, other.delete, lambda at: other.put(at, {"eventName": "x"})):
        assert told(call(path)) == told(call(unknown))
        assert call(path).status == 404
    assert other.get(PATH).json()["data"] == []
    assert client.get(path).json() == trigger


def test_callers__need_their_scopes(api: MemoryApi, tenant: Tenant, trigger: Json) -> None:
    reader = api.client(api.key(["settings:read"], shop_id=tenant.shop.id).text)
    assert reader.get(PATH).status == 200
    assert reader.post(f"{PATH}/test", {"trigger": {"eventName": "x"}, "payload": None}).status == 200
    refused = [
        reader.post(PATH, {"eventName": "x"}),
        reader.put(f"{PATH}/{trigger['id']}", {"eventName": "x"}),
        reader.delete(f"{PATH}/{trigger['id']}"),
    ]
    assert [(answer.status, answer.code) for answer in refused] == [(403, "insufficient_scope")] * 3


def test_write__while_storage_fails__is_kept_with_a_warning(api: MemoryApi, client: Client, trigger: Json) -> None:
    api.management.blobs.available = False
    answer = client.put(f"{PATH}/{trigger['id']}", {"eventName": "lead"})
    assert answer.json()["publication_warning"]["code"] == "storefront_publication_incomplete"
    api.management.blobs.available = True
    assert client.get(f"{PATH}/{trigger['id']}").json()["eventName"] == "lead"
    waiting = api.world.catalog.outbox("publish", created_before="9999-12-31T23:59:59.999Z", limit=10)
    assert len(waiting) == 1


MAPPING: Json = {"from": "a", "to": "b"}
CONDITION: Json = {"path": "a", "op": "exists"}


def mapped(**fields: Any) -> Json:
    return {"properties": [{**MAPPING, **fields}]}


def transformed(**fields: Any) -> Json:
    return mapped(transform=fields)


def when(path: Any = "a", op: str = "eq", **fields: Any) -> Json:
    return {"when": [{"path": path, "op": op, **fields}]}


TAKEN: list[Json] = [
    {"eventName": "e" * 255},
    {"when": [CONDITION] * 5},
    {"properties": [MAPPING] * 50, "mappings": [MAPPING] * 50},
    mapped(**{"from": ["a"] * 5}),
    mapped(**{"from": "user-data.0.é"}),
    transformed(map={f"{number:0>100}": "v" * 100 for number in range(20)}),
    transformed(map={"": ""}),
    transformed(scale=-0.001),
    transformed(default="x" * 1000),
    mapped(valueType="number", transform={"scale": 2, "default": 1}),
    mapped(valueType="string_array", transform={"default": 5}),
    mapped(valueType="json", transform={"default": False}),
    when("a.0.b_$.10", "eq", value="x" * 1000),
    when("$", "neq", value=False),
    when("_a.b" + ".c" * 125, "lt", value=-1.5),
    {"mappings": [{**MAPPING, "ttlDays": 0.001}, {**MAPPING, "ttlDays": 3650, "persist": False}]},
    {"trackRevenue": {}},
    {"trackRevenue": {"enabled": False}},
    {"trackRevenue": {"enabled": False, "orderIdFrom": "a"}},
    {"trackEventName": ""},
    {"dataLayerName": "_$" + "a" * 98},
]


@pytest.mark.parametrize("fields", TAKEN)
def test_write__at_the_limits__is_taken(client: Client, fields: Json) -> None:
    answer = client.post(PATH, {"eventName": "e", **fields})
    assert answer.status == 201, answer.body
    assert {name: answer.json()[name] for name in fields} == fields


REFUSED: list[tuple[Json, int, str]] = [
    ({"eventName": ""}, 400, "eventName"),
    ({"eventName": None}, 400, "eventName"),
    ({"eventName": "e" * 256}, 400, "eventName"),
    ({"enabled": "true"}, 400, "enabled"),
    ({"when": []}, 400, "when"),
    ({"when": [CONDITION] * 6}, 400, "when"),
    ({"when": [{**CONDITION, "value": 1}]}, 400, "when[0].value"),
    ({"when": [{**CONDITION, "x": 1}]}, 400, "when[0].x"),
    (when(), 400, "when[0].value"),
    (when(value=None), 400, "when[0].value"),
    (when(value=[1]), 400, "when[0].value"),
    (when(op="gt", value="5"), 400, "when[0].value"),
    (when(op="gt", value=True), 400, "when[0].value"),
    (when(op="gt"), 400, "when[0].value"),
    (when(op="gte", value=5), 400, "when[0].op"),
    (when("", value=1), 400, "when[0].path"),
    (when("0", value=1), 400, "when[0].path"),
    (when("a.", value=1), 400, "when[0].path"),
    (when("a..b", value=1), 400, "when[0].path"),
    (when("a.01", value=1), 400, "when[0].path"),
    (when("a.-1", value=1), 400, "when[0].path"),
    (when("a.b-c", value=1), 400, "when[0].path"),
    (when("a[0]", value=1), 400, "when[0].path"),
    (when("a\n", value=1), 400, "when[0].path"),
    (when("é", value=1), 400, "when[0].path"),
    (when("a" * 256, value=1), 400, "when[0].path"),
    (when(5, value=1), 400, "when[0].path"),
    (mapped(**{"from": []}), 400, "properties[0].from"),
    (mapped(**{"from": ["a"] * 6}), 400, "properties[0].from"),
    (mapped(**{"from": ["a", 5]}), 400, "properties[0].from[1]"),
    (mapped(**{"from": ""}), 400, "properties[0].from"),
    (mapped(to=""), 400, "properties[0].to"),
    (mapped(to=["a"]), 400, "properties[0].to"),
    (mapped(valueType="integer"), 400, "properties[0].valueType"),
    (mapped(ttlDays=1), 400, "properties[0].ttlDays"),
    (mapped(persist=True), 400, "properties[0].persist"),
    ({"properties": [{"to": "b"}]}, 400, "properties[0].from"),
    ({"properties": [MAPPING] * 51}, 400, "properties"),
    ({"mappings": [MAPPING] * 51}, 400, "mappings"),
    ({"mappings": [{**MAPPING, "ttlDays": 0}]}, 400, "mappings[0].ttlDays"),
    ({"mappings": [{**MAPPING, "ttlDays": 3651}]}, 400, "mappings[0].ttlDays"),
    ({"mappings": [{**MAPPING, "persist": 1}]}, 400, "mappings[0].persist"),
    (transformed(scale=0), 400, "properties[0].transform.scale"),
    (transformed(scale="2"), 400, "properties[0].transform.scale"),
    (transformed(map={str(number): "" for number in range(21)}), 400, "properties[0].transform.map"),
    (transformed(map={"a": "v" * 101}), 400, "properties[0].transform.map.a"),
    (transformed(map={"a": 5}), 400, "properties[0].transform.map.a"),
    (transformed(default=None), 400, "properties[0].transform.default"),
    (transformed(upper=True), 400, "properties[0].transform.upper"),
    ({"dataLayerName": ""}, 400, "dataLayerName"),
    ({"dataLayerName": "a.b"}, 400, "dataLayerName"),
    ({"dataLayerName": "a" * 101}, 400, "dataLayerName"),
    ({"id": "019c0000-0000-7000-8000-000000000000"}, 400, "id"),
    ({"trackRevenue": {"enabled": True}}, 422, "trackRevenue.revenueFrom"),
    ({"trackRevenue": {"revenueFrom": ["a"] * 6}}, 400, "trackRevenue.revenueFrom"),
    ({"trackRevenue": {"revenue": "a"}}, 400, "trackRevenue.revenue"),
    (mapped(valueType="string", transform={"scale": 2}), 422, "properties[0].transform.scale"),
    (mapped(valueType="number", transform={"default": "x"}), 422, "properties[0].transform.default"),
    (mapped(valueType="number", transform={"default": True}), 422, "properties[0].transform.default"),
    (mapped(valueType="string", transform={"default": 1}), 422, "properties[0].transform.default"),
    (mapped(valueType="boolean", transform={"default": "true"}), 422, "properties[0].transform.default"),
    (transformed(scale=2, default="x"), 422, "properties[0].transform.default"),
]


@pytest.mark.parametrize(("fields", "status", "field"), REFUSED)
def test_write__with_one_thing_wrong__is_refused_and_changes_nothing(
    client: Client, fields: Json, status: int, field: str
) -> None:
    kept = client.post(PATH, {"eventName": "kept"}).json()
    wrong = {"eventName": "e", **fields}
    tried = {"trigger": wrong, "payload": {}}
    for answer in (client.post(PATH, wrong), client.put(f"{PATH}/{kept['id']}", wrong)):
        assert (answer.status, answer.paths) == (status, [field])
    tested = client.post(f"{PATH}/test", tried)
    assert (tested.status, tested.paths) == (status, [f"trigger.{field}"])
    assert client.get(PATH).json()["data"] == [kept]


def test_write__of_a_map_with_a_key_too_long__is_refused(client: Client) -> None:
    answer = client.post(PATH, {"eventName": "e", **transformed(map={"k" * 101: "v"})})
    assert (answer.status, answer.code) == (400, "invalid_request")


def test_write__larger_than_a_trigger_may_be__is_refused(client: Client) -> None:
    wide = transformed(map={f"{number:0>100}": "v" * 100 for number in range(20)})["properties"][0]
    assert client.post(PATH, {"eventName": "e", "properties": [wide] * 3}).status == 201
    large = {"eventName": "e", "properties": [wide] * 4}
    answer = client.post(PATH, large)
    assert (answer.status, answer.code, answer.paths) == (422, "code_budget_exceeded", [])
    assert answer.json()["error"]["message"] == "more than 16000 bytes as JSON"
    assert client.post(f"{PATH}/test", {"trigger": large, "payload": 1}).paths == ["trigger"]


def test_test__says_what_the_payload_means(client: Client) -> None:
    payload = {
        "event": "purchase",
        "ecommerce": {"value": "1.299,50", "transaction_id": 1001, "coupon": " X ", "items": [{"id": "a"}]},
    }
    trigger = {**PURCHASE, "enabled": False, "when": PURCHASE["when"][:1]}
    answer = client.post(f"{PATH}/test", {"trigger": trigger, "payload": payload})
    assert (answer.status, answer.json()) == (
        200,
        {
            "matched": True,
            "revenue": {
                "revenue": 1299.5,
                "orderId": "1001",
                "currency": None,
                "cost": None,
                "profit": None,
                "properties": {"coupon": "X"},
            },
            "properties": {},
            "errors": [],
        },
    )
    assert client.get(PATH).json()["data"] == []


def test_test__names_what_it_could_not_read(client: Client) -> None:
    asked = {"eventName": "e", "trackRevenue": {"revenueFrom": ["v", "w"], "orderIdFrom": ["o"]}, **mapped()}
    answer = client.post(f"{PATH}/test", {"trigger": asked, "payload": {"event": "e", "w": "much"}})
    assert answer.json() == {
        "matched": True,
        "revenue": None,
        "properties": {},
        "errors": [
            {"path": "w", "message": "is no amount"},
            {"path": "o", "message": "is missing"},
            {"path": "a", "message": "is missing"},
        ],
    }


@pytest.mark.parametrize("payload", [None, [], "purchase", {}, {"event": "Purchase"}, {"event": ["purchase"]}])
def test_test__of_what_is_no_such_event__matches_not(client: Client, payload: Any) -> None:
    answer = client.post(f"{PATH}/test", {"trigger": PURCHASE, "payload": payload})
    assert answer.json() == {"matched": False, "revenue": None, "properties": {}, "errors": []}


def test_test__of_a_payload_too_deep_or_too_large__is_refused(client: Client) -> None:
    deep: Any = 1
    for _ in range(21):
        deep = [deep]
    for payload in (deep, "x" * 65_536):
        answer = client.post(f"{PATH}/test", {"trigger": {"eventName": "e"}, "payload": payload})
        assert (answer.status, answer.paths) == (400, ["payload"])
    assert client.post(f"{PATH}/test", {"trigger": {"eventName": "e"}}).paths == ["payload"]
    assert json.loads(client.post(f"{PATH}/test", {"payload": 1}).body)["error"]["status"] == 400
