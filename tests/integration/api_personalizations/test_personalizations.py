"""Personalizations through the API: made, read, edited, copied, deleted."""

from typing import Any

import pytest

from tests.integration.api_personalizations.conftest import Create, Goal
from tests.support.api import MemoryApi, Tenant
from tests.support.client import Client

UNKNOWN = "01920000-0000-7000-8000-000000000001"
EXPERIENCE = {
    "key": "warm",
    "name": "Warm welcome",
    "value": {"deep": [1, None, {"x": True}]},
    "mutations": [{"selector": "h1", "action": "setText", "text": "Hello"}],
    "custom_css": "h1{color:red}",
    "custom_js": "window.x = 1",
    "reset_js": "delete window.x",
    "anti_flicker_selectors": ["h1"],
    "recommendation_profile": "bestsellers",
}
TARGETING = {"pageRules": [{"pageMatch": 1, "id": UNKNOWN, "includeRules": [], "excludeRules": []}]}


def path(made: dict[str, Any]) -> str:
    return f"/personalizations/{made['id']}"


def test_create__with_little__has_the_defaults_of_the_contract(create: Create, client: Client) -> None:
    made = create(key="hero")
    experience = made["experiences"][0]
    assert {name: value for name, value in made.items() if name not in ("id", "created_at", "updated_at")} == {
        "key": "hero",
        "name": "Hero",
        "description": None,
        "status": "draft",
        "delivery_type": "visual",
        "surface": "global",
        "environment_key": "production",
        "priority": 100,
        "rollout_percentage": 1,
        "targeting": None,
        "experiences": [
            {
                "id": experience["id"],
                "key": "default",
                "name": "Personalized experience",
                "value": None,
                "mutations": [],
                "custom_css": None,
                "custom_js": None,
                "reset_js": None,
                "anti_flicker_selectors": [],
                "recommendation_profile": None,
            }
        ],
        "rules": [],
        "personalization_goals": [],
    }
    assert client.get(path(made)).json() == made


def test_create__with_everything__keeps_it(create: Create, client: Client) -> None:
    made = create(
        description="For friends",
        delivery_type="recommendation",
        surface="home",
        environment_key="staging",
        priority=0,
        rollout_percentage=0.25,
        template_key="t-1",
        targeting=TARGETING,
        experience=EXPERIENCE,
    )
    experience = made["experiences"][0]
    assert {**EXPERIENCE, "id": experience["id"]} == experience
    assert (made["priority"], made["surface"], made["rollout_percentage"]) == (0, "home", 0.25)
    assert made["targeting"] == TARGETING
    assert "template_key" not in made
    assert client.get(path(made)).json() == made


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"name": ""}, "name"),
        ({"name": "x" * 256}, "name"),
        ({"key": ""}, "key"),
        ({"key": " \t"}, "key"),
        ({"key": "k" * 101}, "key"),
        ({"description": "x" * 2001}, "description"),
        ({"delivery_type": "html"}, "delivery_type"),
        ({"surface": ""}, "surface"),
        ({"surface": "x" * 81}, "surface"),
        ({"environment_key": "x" * 49}, "environment_key"),
        ({"priority": -1}, "priority"),
        ({"priority": 10_001}, "priority"),
        ({"priority": 1.5}, "priority"),
        ({"rollout_percentage": 1.01}, "rollout_percentage"),
        ({"template_key": "x" * 121}, "template_key"),
        ({"goal_ids": [UNKNOWN, UNKNOWN]}, "goal_ids"),
        ({"goal_ids": ["x"]}, "goal_ids[0]"),
        ({"goal_ids": [UNKNOWN[:-2] + f"{n:02}" for n in range(11)]}, "goal_ids"),
        ({"weekday_schedule": None}, "weekday_schedule"),
        ({"experience": {"anti_flicker_selectors": ["x"] * 101}}, "experience.anti_flicker_selectors"),
        ({"experience": {"anti_flicker_selectors": ["x" * 501]}}, "experience.anti_flicker_selectors[0]"),
        ({"experience": {"anti_flicker_selectors": [""]}}, "experience.anti_flicker_selectors[0]"),
        ({"experience": {"recommendation_profile": "x" * 121}}, "experience.recommendation_profile"),
        ({"experience": {"custom_css": "x" * 200_001}}, "experience.custom_css"),
        ({"experience": {"reset_js": " " * 200_001}}, "experience.reset_js"),
        ({"experience": {"value": "x" * 65_535}}, "experience.value"),
        ({"experience": {"mutations": [{"selector": "h1", "action": "explode"}]}}, "experience.mutations[0].action"),
        ({"experience": {"colour": "red"}}, "experience.colour"),
        ({"experience": {"custom_js": "if ("}}, "experience.custom_js"),
        ({"experience": {"reset_js": "if ("}}, "experience.reset_js"),
        ({"experience": {"custom_css": f"a{{b:url('data:image/png;base64,{'A' * 4096}')}}"}}, "experience.custom_css"),
    ],
)
def test_create__with_a_field_of_the_wrong_form__is_400_and_names_it(
    client: Client, fields: dict[str, Any], field: str
) -> None:
    answer = client.post("/personalizations", {"name": "Hero", "key": "hero", **fields})
    assert answer.status == 400, answer.body
    assert answer.paths[0] == field
    assert client.get("/personalizations").json()["data"] == []


@pytest.mark.parametrize(
    "fields",
    [
        {"name": "x" * 255, "key": "ü" * 100, "description": "x" * 2000, "surface": "x" * 80},
        {"environment_key": "x" * 48, "priority": 10_000, "template_key": "x" * 120, "rollout_percentage": 0},
        {"key": "with / and ? and é", "experience": {"anti_flicker_selectors": ["x" * 500] * 100}},
        {"experience": {"value": "x" * 65_534, "recommendation_profile": "x" * 120}},
        {"experience": {"custom_css": "x" * 200_000, "reset_js": "1" * 200_000}},
    ],
)
def test_create__at_the_limits__is_accepted(create: Create, fields: dict[str, Any]) -> None:
    create(**fields)


@pytest.mark.parametrize(("size", "status"), [(500_000, 201), (500_001, 422)])
def test_create__code_and_mutations__share_a_budget(client: Client, size: int, status: int) -> None:
    frame = len('[{"action":"text","selector":"h1","text":""}]')
    rest = size - 400_000 - frame
    mutations = [{"selector": "h1", "action": "text", "text": "x" * rest}]
    experience = {"custom_css": "x" * 200_000, "custom_js": "1" * 200_000, "mutations": mutations}
    answer = client.post("/personalizations", {"name": "Big", "key": "big", "experience": experience})
    assert answer.status == status
    if status == 422:
        assert (answer.code, answer.paths) == ("code_budget_exceeded", ["experience"])


def test_create__mutation_without_what_its_action_needs__is_422(client: Client) -> None:
    experience = {"mutations": [{"selector": "h1", "action": "html"}]}
    answer = client.post("/personalizations", {"name": "x", "key": "x", "experience": experience})
    assert (answer.status, answer.paths) == (422, ["experience.mutations[0].html"])


def test_create__expression_that_could_stall__is_refused(client: Client) -> None:
    rule = {"id": UNKNOWN, "includeRules": [{"type": "regex", "pattern": "(a+)+$"}], "excludeRules": []}
    answer = client.post("/personalizations", {"name": "x", "key": "x", "targeting": {"pageRules": [rule]}})
    assert (answer.status, answer.code) == (422, "unsafe_regex")
    assert answer.paths == ["targeting.pageRules[0].includeRules[0].pattern"]


def test_create__key_of_another__is_taken_in_its_environment_only(create: Create, client: Client) -> None:
    create(key="hero")
    answer = client.post("/personalizations", {"name": "x", "key": "hero"})
    assert (answer.status, answer.code) == (409, "key_taken")
    create(key="hero", environment_key="staging")
    create(key="Hero")


def test_create__active__needs_the_scope_and_names_it(api: MemoryApi, tenant: Tenant) -> None:
    writer = api.key(["personalizations:write"], shop_id=tenant.shop.id)
    answer = api.client(writer.text).post("/personalizations", {"name": "x", "key": "x", "activate": True})
    assert (answer.status, answer.json()["error"]["required_scope"]) == (403, "personalizations:activate")
    quiet = api.client(writer.text).post("/personalizations", {"name": "x", "key": "x", "activate": False})
    assert (quiet.status, quiet.json()["status"]) == (201, "draft")
    both = api.key(["personalizations:write", "personalizations:activate"], shop_id=tenant.shop.id)
    made = api.client(both.text).post("/personalizations", {"name": "x", "key": "y", "activate": True})
    assert (made.status, made.json()["status"]) == (201, "active")


def test_goals__of_the_shop__are_copied_and_one_leads(create: Create, client: Client, goal: Goal) -> None:
    first, second = goal("First"), goal("Second")
    made = create(goal_ids=[first, second])
    assert made["personalization_goals"] == [
        {"goal_id": first, "name": "First", "type": "pageview", "is_primary": True},
        {"goal_id": second, "name": "Second", "type": "pageview", "is_primary": False},
    ]
    led = client.patch(path(made), {"primary_goal_id": second}).json()
    assert [item["is_primary"] for item in led["personalization_goals"]] == [False, True]
    kept = client.patch(path(made), {"goal_ids": [second]}).json()
    assert [item["goal_id"] for item in kept["personalization_goals"]] == [second]
    assert client.delete(f"/goals/{second}").status == 204
    assert client.patch(path(made), {"goal_ids": [second], "name": "Still"}).status == 200
    assert client.patch(path(made), {"goal_ids": []}).json()["personalization_goals"] == []
    gone = client.patch(path(made), {"goal_ids": [first, second]})
    assert (gone.status, gone.paths) == (422, ["goal_ids[1]"])


def test_goals__primary_that_is_none_of_them__is_422(client: Client, create: Create, goal: Goal) -> None:
    first, second = goal("First"), goal("Second")
    wish = {"name": "x", "key": "x", "goal_ids": [first], "primary_goal_id": second}
    answer = client.post("/personalizations", wish)
    assert (answer.status, answer.paths) == (422, ["primary_goal_id"])
    made = create(goal_ids=[first])
    assert client.patch(path(made), {"primary_goal_id": second}).paths == ["primary_goal_id"]


def test_goals__of_another_shop__are_422(api: MemoryApi, create: Create, client: Client) -> None:
    other = api.client(api.tenant("Other").admin)
    foreign = other.post("/goals", {"name": "Theirs", "type": "pageview"}).json()["id"]
    answer = client.post("/personalizations", {"name": "x", "key": "x", "goal_ids": [foreign]})
    assert (answer.status, answer.paths) == (422, ["goal_ids[0]"])


def test_goals__of_a_personalization__are_known_to_the_ingest_worker(
    api: MemoryApi, tenant: Tenant, create: Create, goal: Goal
) -> None:
    from abtest.domain.ledger.events import goal_claim

    first = goal("First")
    create(goal_ids=[first])
    assert api.world.catalog.resolve(tenant.shop.id, goal_claim(first)) == (tenant.shop.id, first)


def test_update__of_a_draft__merges_targeting_and_keeps_the_rest(create: Create, client: Client) -> None:
    made = create(targeting={"pageMatchMode": "all", "note": 1}, description="x", experience=EXPERIENCE)
    answer = client.patch(path(made), {"targeting": {"note": None, "more": 2}, "description": None, "priority": 7})
    changed = answer.json()
    assert changed["targeting"] == {"pageMatchMode": "all", "more": 2}
    assert (changed["description"], changed["priority"]) == (None, 7)
    assert changed["experiences"] == made["experiences"]
    assert client.get(path(made)).json() == changed


@pytest.mark.parametrize("fields", [{"activate": True}, {"experience": {}}, {"status": "active"}, {"rules": []}])
def test_update__with_what_only_creation_takes__is_400(create: Create, client: Client, fields: dict[str, Any]) -> None:
    answer = client.patch(path(create()), fields)
    assert (answer.status, answer.code, answer.paths) == (400, "unknown_property", list(fields))


@pytest.mark.parametrize("name", ["name", "key", "priority", "surface", "primary_goal_id", "goal_ids"])
def test_update__null_where_nothing_can_be_cleared__is_400(create: Create, client: Client, name: str) -> None:
    answer = client.patch(path(create()), {name: None})
    assert (answer.status, answer.paths) == (400, [name])


def test_update__key__moves_and_frees_the_old_one(create: Create, client: Client) -> None:
    made, other = create(key="a"), create(key="b")
    assert client.patch(path(made), {"key": "b"}).code == "key_taken"
    assert client.patch(path(made), {"key": "c"}).status == 200
    assert client.patch(path(other), {"key": "a"}).status == 200
    assert client.patch(path(other), {"environment_key": "staging"}).status == 200
    create(key="a")


def test_update__of_an_active_one__must_be_acknowledged_where_shoppers_notice(create: Create, client: Client) -> None:
    made = create(activate=True)
    answer = client.patch(path(made), {"rollout_percentage": 0.5})
    assert (answer.status, answer.code) == (409, "page_live_impact")
    assert answer.json()["live_experiments"] == [{"id": made["id"], "name": "Hero", "consumer": "personalization"}]
    assert client.patch(path(made), {"name": "Villain", "description": "x"}).status == 200
    unnamed = {"rollout_percentage": 0.5, "confirm_live_impact": True, "confirmed_consumer_ids": []}
    assert client.patch(path(made), unnamed).status == 409
    named = {**unnamed, "confirmed_consumer_ids": [made["id"]]}
    assert client.patch(path(made), named).json()["rollout_percentage"] == 0.5
    assert client.patch(path(made), {"priority": 1, "confirm_live_impact": True}).status == 200


def test_update__with_an_old_version__is_412(create: Create, client: Client) -> None:
    made = create()
    assert client.patch(path(made), {"name": "x"}, headers={"if-match": 'W/"1"'}).headers["etag"] == 'W/"2"'
    answer = client.patch(path(made), {"name": "y"}, headers={"if-match": 'W/"1"'})
    assert (answer.status, answer.code) == (412, "version_conflict")
    assert client.delete(path(made), headers={"if-match": 'W/"1"'}).status == 412


def test_update__that_changes_nothing__is_no_change(create: Create, client: Client) -> None:
    made = create(priority=5)
    answer = client.patch(path(made), {"priority": 5})
    assert (answer.json(), answer.headers["etag"]) == (made, 'W/"1"')


def test_delete__of_a_draft__frees_its_key(create: Create, client: Client) -> None:
    made = create(key="hero")
    assert client.delete(path(made)).status == 204
    assert client.get(path(made)).status == 404
    create(key="hero")


def test_delete__of_what_was_active__is_409(create: Create, client: Client) -> None:
    made = create(activate=True)
    for action in ("", "/pause", "/archive"):
        assert not action or client.post(path(made) + action).status == 200
        refused = client.delete(path(made))
        assert refused.code == "not_deletable"
    assert (refused.json()["current_status"], refused.json()["allowed_actions"]) == ("archived", ["unarchive"])


def test_duplicate__is_a_draft_under_fresh_ids_and_a_free_key(create: Create, client: Client, goal: Goal) -> None:
    made = create(key="hero", activate=True, experience=EXPERIENCE, goal_ids=[goal("First")], targeting=TARGETING)
    rules = [{"experience_key": "warm", "name": "All", "targeting": TARGETING}]
    ruled = client.put(f"{path(made)}/rules", rules, query={"confirm_live_impact": "true"}).json()
    copy = client.post(f"{path(made)}/duplicate").json()
    assert (copy["status"], copy["key"], copy["name"]) == ("draft", "hero-copy", "Hero (copy)")
    assert copy["id"] != made["id"]
    assert copy["personalization_goals"] == made["personalization_goals"]
    assert copy["targeting"] == made["targeting"]
    assert [_without_id(item) for item in copy["experiences"]] == [_without_id(item) for item in made["experiences"]]
    assert copy["experiences"][0]["id"] != made["experiences"][0]["id"]
    assert [_without_id(item) for item in copy["rules"]] == [_without_id(item) for item in ruled["rules"]]
    assert copy["rules"][0]["id"] != ruled["rules"][0]["id"]
    assert client.post(f"{path(made)}/duplicate").json()["key"] == "hero-copy-2"
    named = client.post(f"{path(made)}/duplicate", {"name": "Mine", "key": "mine"}).json()
    assert (named["name"], named["key"]) == ("Mine", "mine")
    assert client.post(f"{path(made)}/duplicate", {"key": "mine"}).code == "key_taken"


def test_duplicate__of_a_long_key__cuts_it(create: Create, client: Client) -> None:
    made = create(key="k" * 100, name="n" * 255)
    first, second = (client.post(f"{path(made)}/duplicate").json() for _ in range(2))
    assert first["key"] == "k" * 95 + "-copy"
    assert second["key"] == "k" * 93 + "-copy-2"
    assert first["name"] == "n" * 248 + " (copy)"


def _without_id(item: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in item.items() if name != "id"}
