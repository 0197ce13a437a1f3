"""Experiments over HTTP: made, read, changed, copied, deleted."""

import re
from collections.abc import Callable, Mapping
from random import Random
from typing import Any

import pytest

from tests.support.api import MemoryApi, Tenant
from tests.support.client import Client
from tests.support.openapi import contract

Create = Callable[..., dict[str, Any]]
UNKNOWN = "019c0000-0000-7000-8000-000000000000"


def test_create__name_only__is_a_draft_with_control_and_variant(client: Client) -> None:
    answer = client.post("/experiments", {"name": "Headline"})
    assert answer.status == 201
    made = answer.json()
    assert made["status"] == "draft"
    assert (made["type"], made["counting_type"], made["experiment_type"]) == ("standard", "standard", "mutation")
    arms = [(arm["name"], arm["weight"], arm["is_control"]) for arm in made["variations"]]
    assert arms == [("Control", 0.5, True), ("Variant", 0.5, False)]
    assert (made["linked_idea"], made["traffic_allocation"]) == (None, 1)
    assert answer.headers["etag"] == 'W/"1"'


def test_create__from_the_example_of_the_response__answers_like_it(client: Client) -> None:
    document = contract().document
    example = document["components"]["examples"]["Experiment"]["value"]
    answer = client.post("/experiments", writable(example, document["components"]["schemas"]["ExperimentCreate"]))
    assert answer.status == 201, answer.body
    assert without_identity(answer.json()) == without_identity(example)


def writable(value: Any, schema: Mapping[str, Any]) -> Any:
    """Return the part of a response that a request may have."""
    schema = contract().resolve(schema)
    if isinstance(value, list):
        return [writable(item, schema["items"]) for item in value] if "items" in schema else value
    parts = schema.get("properties", {})
    if not isinstance(value, dict) or not parts:
        return value
    return {key: writable(value[key], part) for key, part in parts.items() if key in value and key != "id"}


def without_identity(value: Any) -> Any:
    """Return a response without ids and moments of its creation, which each response has of its own."""
    if isinstance(value, list):
        return [without_identity(item) for item in value]
    if not isinstance(value, dict):
        return value
    own = {"id", "public_id", "experiment_id", "created_at", "updated_at"}
    return {key: without_identity(part) for key, part in value.items() if key not in own}


EVERYTHING: dict[str, Any] = {
    "name": "n" * 255,
    "slug": "summer-sale-1",
    "description": "What it is",
    "owner_user_id": UNKNOWN.upper(),
    "type": "aa_test",
    "experiment_type": "redirect",
    "targeting": {
        "pageMatchMode": "all",
        "surface": "checkout",
        "checkoutBlock": {"enabled": True},
        "pageRules": [{"id": UNKNOWN, "includeRules": [{"type": "simple", "pattern": "/a"}], "excludeRules": []}],
        "own": {"anything": [1]},
    },
    "results_weekdays": {"days": ["monday", "sunday"], "timezone": "Europe/Berlin"},
    "traffic_allocation": 0.25,
    "experiment_js": "1",
    "experiment_css": "a{}",
    "experiment_reset_js": "2",
    "sequential_testing_enabled": True,
    "auto_stop_override": {"mode": "sequential_significance", "sequential": {"min_visitors": 1}},
    "guardian_override": {"enabled": True, "revenue_loss": {"threshold_amount": 0.5, "currency": "EUR"}},
    "store_url": "https://shop.example/",
    "variations": [
        {"name": "A", "weight": 0.2, "is_control": True},
        {
            "name": "B",
            "weight": 0.8,
            "redirect_url": "https://shop.example/b",
            "custom_css": "a{}",
            "custom_js": "3",
            "mutations": [{"selector": "h1", "action": "attribute", "attribute": {"name": "title", "value": None}}],
            "url_blocks": [
                {
                    "id": "one",
                    "name": "One",
                    "urlRules": [{"type": "regex", "pattern": "^/x", "include": True}],
                    "mutations": [{"selector": "p", "action": "setStyle", "styles": {"color": "red"}}],
                    "css": "b{}",
                }
            ],
        },
    ],
    "goals": [
        {
            "name": "Orders",
            "type": "revenue",
            "filter": {"version": 1, "orderValue": [{"operator": "gt", "value": 9.5}]},
        },
        {
            "name": "Clicks",
            "type": "click",
            "selector": ".buy",
            "role": "guardrail",
            "direction": "decrease",
            "capture": [{"property": "sku", "source": "dataset", "attribute": "sku"}],
        },
    ],
    "goalPageRules": [
        {"id": UNKNOWN, "includeRules": [], "excludeRules": [], "own": 1, "trigger": {"type": "dom_ready"}}
    ],
}


@pytest.mark.parametrize(
    ("name", "stored"),
    [
        ("fixed_horizon", "fixed_horizon_planned_end"),
        ("sequential", "sequential_significance"),
        ("group_sequential", "group_sequential"),
    ],
)
def test_mode_of_auto_stop__by_its_short_name__is_answered_by_the_long_one(
    client: Client, name: str, stored: str
) -> None:
    override = {"mode": name, "group_sequential": {"action_on_futility": "continue"}}
    made = client.post("/experiments", {"name": "E", "auto_stop_override": override}).json()
    assert made["auto_stop_override"] == {**override, "mode": stored}
    path = f"/experiments/{made['id']}"
    patched = client.patch(path, {"auto_stop_override": {"mode": "off"}}).json()
    assert patched["auto_stop_override"]["mode"] == "off"
    changed = client.patch(path, {"auto_stop_override": {"mode": name}}).json()
    assert changed["auto_stop_override"]["mode"] == client.get(path).json()["auto_stop_override"]["mode"] == stored


@pytest.mark.parametrize("mode", ["fixed", "Sequential", "group-sequential", "", None, 1, ["sequential"]])
def test_mode_of_auto_stop__another_word__is_refused_with_the_names(client: Client, mode: Any) -> None:
    answer = client.post("/experiments", {"name": "E", "auto_stop_override": {"mode": mode}}, checked=False)
    assert (answer.status, answer.paths) == (400, ["auto_stop_override.mode"])


def test_create__every_field__is_read_back_as_it_was_stated(client: Client) -> None:
    made = client.post("/experiments", EVERYTHING).json()
    read = client.get(f"/experiments/{made['public_id']}").json()
    assert read == made
    for name in set(EVERYTHING) - {"variations", "goals", "owner_user_id"}:
        assert read[name] == EVERYTHING[name], name
    assert (read["counting_type"], read["delivery_type"], read["owner_user_id"]) == ("aa_test", "redirect", UNKNOWN)
    treatment = EVERYTHING["variations"][1]
    assert {name: read["variations"][1][name] for name in treatment} == treatment
    orders, clicks = read["goals"]
    assert (orders["is_primary"], orders["role"], orders["attribution_window_days"]) == (True, "primary", 30)
    assert (clicks["role"], clicks["capture"]) == ("guardrail", EVERYTHING["goals"][1]["capture"])


BAD: list[tuple[dict[str, Any], int, str, str]] = [
    ({"name": ""}, 400, "invalid_request", "name"),
    ({"name": "n" * 256}, 400, "invalid_request", "name"),
    ({"name": None}, 400, "invalid_request", "name"),
    ({"slug": "Upper"}, 400, "invalid_request", "slug"),
    ({"slug": "s" * 101}, 400, "invalid_request", "slug"),
    ({"slug": ""}, 400, "invalid_request", "slug"),
    ({"traffic_allocation": 1.01}, 400, "invalid_request", "traffic_allocation"),
    ({"traffic_allocation": True}, 400, "invalid_request", "traffic_allocation"),
    ({"traffic_allocation": "1"}, 400, "invalid_request", "traffic_allocation"),
    ({"sequential_testing_enabled": 1}, 400, "invalid_request", "sequential_testing_enabled"),
    ({"owner_user_id": "me"}, 400, "invalid_request", "owner_user_id"),
    ({"store_url": "javascript:alert(1)"}, 400, "invalid_request", "store_url"),
    ({"experiment_js": "x" * 200_001}, 400, "invalid_request", "experiment_js"),
    ({"experiment_js": "let a = 1;\na = ;"}, 400, "invalid_script", "experiment_js"),
    ({"experiment_reset_js": "} f(); {"}, 400, "invalid_script", "experiment_reset_js"),
    (
        {"variations": [{"name": "A"}, {"name": "B", "custom_js": "("}]},
        400,
        "invalid_script",
        "variations[1].custom_js",
    ),
    ({"experiment_css": "url(data:a/b," + "x" * 4097 + ")"}, 400, "inline_data_uri_too_large", "experiment_css"),
    ({"type": "aa_test", "counting_type": "standard"}, 422, "validation_failed", "type"),
    ({"experiment_type": "redirect", "delivery_type": "mutation"}, 422, "validation_failed", "experiment_type"),
    (
        {"results_weekdays": {"days": ["monday"], "timezone": "Mars/X"}},
        422,
        "validation_failed",
        "results_weekdays.timezone",
    ),
    (
        {"results_weekdays": {"days": ["monday", "monday"], "timezone": "UTC"}},
        400,
        "invalid_request",
        "results_weekdays.days",
    ),
    ({"results_weekdays": {"days": [], "timezone": "UTC"}}, 400, "invalid_request", "results_weekdays.days"),
    ({"scheduled_start_at": "2027-01-01T00:00:00"}, 400, "invalid_request", "scheduled_start_at"),
    ({"scheduled_start_at": "2020-01-01T00:00:00Z"}, 422, "validation_failed", "scheduled_start_at"),
    ({"targeting": {"surface": "cart"}}, 400, "invalid_request", "targeting.surface"),
    ({"targeting": {"checkoutBlock": {}}}, 400, "invalid_request", "targeting.checkoutBlock.enabled"),
    ({"targeting": {"checkoutBlock": {"enabled": True, "x": 1}}}, 400, "unknown_property", "targeting.checkoutBlock.x"),
    ({"auto_stop_override": {}}, 400, "invalid_request", "auto_stop_override.mode"),
    (
        {"guardian_override": {"delivery_drift": {"minSamples": 0}}},
        400,
        "invalid_request",
        "guardian_override.delivery_drift.minSamples",
    ),
    (
        {"guardian_override": {"delivery_drift": {"consecutiveChecks": 2**53}}},
        400,
        "invalid_request",
        "guardian_override.delivery_drift.consecutiveChecks",
    ),
    (
        {"auto_stop_override": {"mode": "off", "min_runtime_minutes": 2**53}},
        400,
        "invalid_request",
        "auto_stop_override.min_runtime_minutes",
    ),
    (
        {"auto_stop_override": {"mode": "off", "fixed_horizon": {"window_days": 10**400}}},
        400,
        "invalid_request",
        "auto_stop_override.fixed_horizon.window_days",
    ),
    ({"variations": [{"name": "A", "is_control": True}]}, 400, "invalid_request", "variations"),
    ({"variations": [{"name": str(n)} for n in range(11)]}, 400, "invalid_request", "variations"),
    (
        {"variations": [{"name": "A", "is_control": True}, {"name": "B", "is_control": True}]},
        422,
        "validation_failed",
        "variations[1].is_control",
    ),
    ({"variations": [{"name": n, "is_control": False} for n in "AB"]}, 422, "validation_failed", "variations"),
    ({"variations": [{"name": "A"}, {"name": "B", "weight": 1.1}]}, 400, "invalid_request", "variations[1].weight"),
    ({"goals": [{"name": "G"}]}, 400, "invalid_request", "goals[0]"),
    ({"goals": [{"goal_id": UNKNOWN}]}, 422, "validation_failed", "goals[0].goal_id"),
    ({"goals": [{"name": "G", "type": "custom"}]}, 422, "validation_failed", "goals[0].event_name"),
    ({"idea_id": UNKNOWN}, 422, "validation_failed", "idea_id"),
    (
        {"goalPageRules": [{"id": "x", "includeRules": [], "excludeRules": []}]},
        400,
        "invalid_request",
        "goalPageRules[0].id",
    ),
]


@pytest.mark.parametrize(("fields", "status", "code", "path"), BAD)
def test_create__bad_field__is_named(client: Client, fields: dict[str, Any], status: int, code: str, path: str) -> None:
    answer = client.post("/experiments", {"name": "x", **fields})
    assert (answer.status, answer.code) == (status, code)
    assert path in answer.paths


def test_create__nulls_inside_objects__are_kept_until_a_patch_removes_them(client: Client, create: Create) -> None:
    guardian = {"enabled": None, "delivery_drift": {"minSamples": None, "shouldPause": True}}
    made = create(guardian_override=guardian, targeting={"own": {"a": None}})
    assert (made["guardian_override"], made["targeting"]) == (guardian, {"own": {"a": None}})
    patched = client.patch(f"/experiments/{made['id']}", {"guardian_override": {"delivery_drift": None}}).json()
    assert patched["guardian_override"] == {"enabled": None}


READ_ONLY = [
    "id",
    "public_id",
    "status",
    "started_at",
    "approval_state",
    "shop_id",
    "created_at",
    "weekday_schedule",
    "planned_test",
    "archived_at",
    "linked_idea",
    "tier",
    "version",
]


@pytest.mark.parametrize("name", READ_ONLY)
def test_write__read_only_field__is_refused(client: Client, create: Create, name: str) -> None:
    assert client.post("/experiments", {"name": "x", name: None}).code == "unknown_property"
    assert client.patch(f"/experiments/{create()['id']}", {name: None}).code == "unknown_property"


def test_create__deeply_nested_targeting__is_refused(client: Client) -> None:
    deep: Any = 1
    for _ in range(400):
        deep = [deep]
    answer = client.post("/experiments", {"name": "x", "targeting": {"own": deep}})
    assert (answer.status, answer.code) == (400, "invalid_request")


@pytest.mark.parametrize("own", ["\ud800", {"\udc00": 1}, [["a\ud800b"]]])
def test_create__lone_surrogate_in_targeting__is_refused(client: Client, own: Any) -> None:
    answer = client.post("/experiments", {"name": "x", "targeting": {"own": own}})
    assert (answer.status, answer.code) == (400, "invalid_json")


def test_slug__of_another_experiment__is_taken(client: Client, create: Create) -> None:
    first, second = create(slug="sale"), create()
    assert client.post("/experiments", {"name": "x", "slug": "sale"}).code == "slug_taken"
    assert client.patch(f"/experiments/{second['id']}", {"slug": "sale"}).code == "slug_taken"
    assert client.patch(f"/experiments/{first['id']}", {"slug": None}).status == 200
    assert client.patch(f"/experiments/{second['id']}", {"slug": "sale"}).json()["slug"] == "sale"


def test_slug__in_another_shop__is_free(api: MemoryApi, create: Create) -> None:
    create(slug="sale")
    other = api.client(api.tenant().admin)
    assert other.post("/experiments", {"name": "x", "slug": "sale"}).status == 201


def test_update__merges__absent_stays_and_null_clears(client: Client, create: Create) -> None:
    made = create(description="d", targeting={"surface": "checkout", "own": 1})
    answer = client.patch(
        f"/experiments/{made['id']}", {"name": "New", "targeting": {"own": None, "pageMatchMode": "all"}}
    )
    changed = answer.json()
    assert (changed["name"], changed["description"]) == ("New", "d")
    assert changed["targeting"] == {"surface": "checkout", "pageMatchMode": "all"}
    assert answer.headers["etag"] == 'W/"2"'
    assert client.patch(f"/experiments/{made['id']}", {"description": None}).json()["description"] is None


def test_update__nothing_new__keeps_the_version(client: Client, create: Create) -> None:
    made = create()
    assert client.patch(f"/experiments/{made['id']}", {"name": made["name"]}).headers["etag"] == 'W/"1"'


def test_update__stale_if_match__is_refused(client: Client, create: Create) -> None:
    path = f"/experiments/{create()['id']}"
    assert client.patch(path, {"name": "1"}, headers={"if-match": 'W/"1"'}).status == 200
    answer = client.patch(path, {"name": "2"}, headers={"if-match": 'W/"1"'})
    assert (answer.status, answer.code) == (412, "version_conflict")
    assert client.delete(path, headers={"if-match": 'W/"1"'}).status == 412


def test_update__if_match_with_several_tags__accepts_each_of_them(client: Client, create: Create) -> None:
    path = f"/experiments/{create()['id']}"
    changed = client.patch(path, {"name": "1"}, headers={"if-match": 'W/"7", "1"'})
    assert (changed.status, changed.headers["etag"]) == (200, 'W/"2"')
    assert client.patch(path, {"name": "2"}, headers={"if-match": 'W/"7", "1"'}).status == 412
    assert client.patch(path, {"name": "2"}, headers={"if-match": "*"}).status == 200


def test_get__not_modified__is_304(client: Client, create: Create) -> None:
    made = create()
    assert client.get(f"/experiments/{made['id']}", headers={"if-none-match": 'W/"1"'}).status == 304


@pytest.mark.parametrize("reference", [UNKNOWN, "9999999999"])
def test_get__unknown__is_not_found(client: Client, reference: str) -> None:
    assert client.get(f"/experiments/{reference}").code == "not_found"


@pytest.mark.parametrize("reference", ["x", "0123456789", "123", UNKNOWN + "0"])
def test_get__malformed_id__is_400(client: Client, reference: str) -> None:
    assert client.get(f"/experiments/{reference}").code == "invalid_parameter"


def test_another_shops_ids__are_as_unknown_everywhere(api: MemoryApi, create: Create) -> None:
    made = create(slug="s", goals=[{"name": "G", "type": "click", "selector": "a"}])
    stranger = api.client(api.tenant().admin)
    vid, gid = made["variations"][1]["id"], made["goals"][0]["id"]
    for reference in (made["id"], made["public_id"]):
        base = f"/experiments/{reference}"
        answers = [
            stranger.get(base),
            stranger.patch(base, {"name": "x"}),
            stranger.delete(base),
            stranger.post(f"{base}/launch"),
            stranger.post(f"{base}/duplicate"),
            stranger.get(f"{base}/history"),
            stranger.get(f"{base}/checklist"),
            stranger.get(f"{base}/variations"),
            stranger.patch(f"{base}/variations/{vid}", {"name": "x"}),
            stranger.put(f"{base}/variations/weights", {"weights": {vid: 1}}),
            stranger.get(f"{base}/goals/{gid}"),
            stranger.post(f"{base}/goals", {"name": "x", "type": "pageview"}),
            stranger.put(f"{base}/schedule", {"start_at": "2027-01-01T00:00:00Z"}),
            stranger.post(f"{base}/variations/{vid}/preview-link", {"url": "https://x.example/"}),
        ]
        assert {(answer.status, answer.code) for answer in answers} == {(404, "not_found")}
    for reference in (vid, made["variations"][1]["public_id"]):
        assert stranger.get(f"/variations/{reference}").status == 404
        assert stranger.patch(f"/variations/{reference}", {"name": "x"}).status == 404
        assert stranger.delete(f"/variations/{reference}").status == 404
    assert stranger.get("/experiments").json()["data"] == []


def test_delete__draft__frees_its_names(client: Client, create: Create) -> None:
    made = create(slug="sale")
    assert client.delete(f"/experiments/{made['id']}").status == 204
    assert client.get(f"/experiments/{made['id']}").status == 404
    assert client.get(f"/experiments/{made['public_id']}").status == 404
    assert client.get(f"/variations/{made['variations'][0]['id']}").status == 404
    assert create(slug="sale")["slug"] == "sale"


def test_delete__started_once__is_refused(client: Client, create: Create) -> None:
    path = f"/experiments/{create()['id']}"
    assert client.post(f"{path}/launch").status == 200
    assert (client.delete(path).status, client.delete(path).code) == (409, "not_deletable")


def test_duplicate__running__gives_a_fresh_draft(client: Client, create: Create) -> None:
    made = create(slug="s", goals=[{"name": "G", "type": "click", "selector": "a"}])
    client.post(f"/experiments/{made['id']}/launch")
    answer = client.post(f"/experiments/{made['id']}/duplicate")
    copy = answer.json()
    assert (answer.status, copy["status"], copy["name"], copy["slug"]) == (201, "draft", "Headline (copy)", None)
    assert copy["started_at"] is None
    assert copy["goals"][0]["id"] != made["goals"][0]["id"]
    assert copy["goals"][0]["experiment_id"] == copy["id"]
    ids = {arm["id"] for arm in copy["variations"]} | {arm["public_id"] for arm in copy["variations"]}
    assert not ids & ({arm["id"] for arm in made["variations"]} | {arm["public_id"] for arm in made["variations"]})
    bare = client.post(f"/experiments/{made['id']}/duplicate", {"name": "Mine", "include_goals": False}).json()
    assert (bare["name"], bare["goals"]) == ("Mine", [])


def test_history__of_changes__tells_who_and_what_newest_first(
    api: MemoryApi, client: Client, tenant: Tenant, create: Create
) -> None:
    made = create()
    api.clock.advance(seconds=1)
    client.patch(f"/experiments/{made['id']}", {"name": "New", "experiment_js": "alert('secret')"})
    rows = client.get(f"/experiments/{made['id']}/history").json()["data"]
    assert [row["action"] for row in rows] == ["experiment.update", "experiment.create"]
    assert rows[0]["diff"]["name"] == ["Headline", "New"]
    assert set(rows[0]["diff"]["experiment_js"][1]) == {"sha256", "length"}
    assert (rows[0]["user_id"], rows[0]["entity_id"]) == (tenant.user_id, made["id"])


def test_create__with_a_start__takes_the_scope_that_launching_takes(api: MemoryApi, tenant: Tenant) -> None:
    key = api.key(["experiments:write", "experiments:read"], shop_id=tenant.shop.id)
    writer = api.client(key.text)
    answer = writer.post("/experiments", {"name": "x", "scheduled_start_at": "2027-01-01T00:00:00Z"})
    assert (answer.status, answer.code) == (403, "insufficient_scope")
    assert answer.json()["required_scope"] == "experiments:launch"
    made = writer.post("/experiments", {"name": "x"}).json()
    assert writer.patch(f"/experiments/{made['id']}", {"scheduled_start_at": None}).status == 403
    assert writer.post(f"/experiments/{made['id']}/launch").status == 403


def test_change__that_no_item_of_the_store_holds__is_422_and_names_what_is_too_large(
    client: Client, create: Create, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = create()
    monkeypatch.setattr("abtest.adapters.dynamo.sizes.MAX_ITEM_BYTES", 900)
    answer = client.patch(f"/experiments/{made['id']}", {"description": "".join(map(chr, range(0x4E00, 0x5200)))})
    assert (answer.status, answer.code) == (422, "limit_reached")
    assert "is too large to be stored: " in answer.json()["error"]["message"]
    assert client.get(f"/experiments/{made['id']}").json()["description"] is None


def test_largest_experiment__of_incompressible_texts__is_created_and_replaced(client: Client, create: Create) -> None:
    chance = Random(1)

    def text(length: int) -> str:
        return "".join(chr(chance.randrange(0x4E00, 0x9FFF)) for _ in range(length))

    def goals() -> list[dict[str, Any]]:
        values = [text(60) for _ in range(20)]
        parts = [{"property": f"p{n}", "operator": "in", "value": values[n:] + values[:n]} for n in range(10)]
        kept = {"version": 1, "conditions": parts}
        return [{"name": f"{number} {text(60)}", "type": "revenue", "filter": kept} for number in range(50)]

    variations = [{"name": f"V{n} {text(60)}", "weight": 0.1, "is_control": n == 0} for n in range(10)]
    made = create(description=text(10_000), goals=goals(), variations=variations)
    answer = client.patch(f"/experiments/{made['id']}/goals/{made['goals'][0]['id']}", {"filter": goals()[1]["filter"]})
    assert answer.status == 200, answer.body[:500]
    answer = client.patch(f"/experiments/{made['id']}", {"description": text(10_000)})
    assert answer.status == 200, answer.body[:500]


def test_experiment__that_grows__is_answered_up_to_its_limit_and_refused_beyond(client: Client, create: Create) -> None:
    values = ["é" * 490 for _ in range(50)]
    parts = [{"property": f"p{n}", "operator": "in", "value": values} for n in range(6)]
    goal = {"name": "G", "type": "custom", "event_name": "e", "filter": {"version": 1, "conditions": parts}}
    path = f"/experiments/{create()['id']}"
    statuses = [client.post(f"{path}/goals", {**goal, "name": f"G{n}"}).status for n in range(14)]
    assert statuses == [201] * 13 + [422]
    for answer in (client.get(path), client.get("/experiments"), client.post(f"{path}/launch")):
        assert answer.status == 200
        assert len(answer.body) > 3_000_000
    refused = client.post(f"{path}/goals", goal)
    assert (refused.status, refused.code) == (422, "limit_reached")


def test_results_weekdays__with_a_time_zone_in_any_case__have_the_spelling_of_the_database(create: Create) -> None:
    made = create(results_weekdays={"days": ["monday"], "timezone": "europe/berlin"})
    assert made["results_weekdays"] == {"days": ["monday"], "timezone": "Europe/Berlin"}


@pytest.mark.parametrize("text", ["-0.0", "-0", "-0e5", "-1e-400"])
def test_traffic_allocation__of_minus_zero__is_zero(client: Client, text: str) -> None:
    answer = client.post("/experiments", raw=f'{{"name": "N", "traffic_allocation": {text}}}')
    assert answer.status == 201
    assert re.search(rb'"traffic_allocation": ?0(\.0)?[,}]', answer.body)


@pytest.mark.parametrize("moment", ["9999-12-31T23:59:59-14:00", "0001-01-01T00:00:00+01:00"])
def test_moment__out_of_range_in_utc__names_the_range(client: Client, moment: str) -> None:
    for answer in (
        client.post("/experiments", {"name": "N", "scheduled_start_at": moment}),
        client.get("/experiments", query={"updated_since": moment}),
    ):
        message = answer.json()["error"]["fields"][0]["message"]
        assert message == "must be from 0001-01-01T00:00:00Z to 9999-12-31T23:59:59.999Z, in UTC"
