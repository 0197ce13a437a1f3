"""Experiences and rules of personalizations through the API."""

from typing import Any

import pytest

from tests.integration.api_personalizations.conftest import Create
from tests.integration.api_personalizations.test_personalizations import EXPERIENCE, UNKNOWN, path
from tests.support.client import Client


def rule(pattern: str) -> dict[str, Any]:
    page = {"id": UNKNOWN, "includeRules": [{"type": "simple", "pattern": pattern}], "excludeRules": []}
    return {"pageRules": [page]}


def test_experiences__added__stand_in_their_order(create: Create, client: Client) -> None:
    made = create()
    added = client.post(f"{path(made)}/experiences", EXPERIENCE)
    assert added.status == 201
    assert added.headers["etag"] == 'W/"2"'
    plain = client.post(f"{path(made)}/experiences", {"key": "plain"}).json()
    assert plain["name"] == "Personalized experience"
    listed = client.get(f"{path(made)}/experiences").json()["data"]
    assert [item["key"] for item in listed] == ["default", "warm", "plain"]
    assert listed == client.get(path(made)).json()["experiences"]
    first = client.get(f"{path(made)}/experiences", query={"limit": 2}).json()
    cursor = first["pagination"]["next_cursor"]
    rest = client.get(f"{path(made)}/experiences", query={"limit": 2, "cursor": cursor}).json()
    assert [item["key"] for item in [*first["data"], *rest["data"]]] == ["default", "warm", "plain"]


def test_experience__with_the_key_of_another__is_409(create: Create, client: Client) -> None:
    answer = client.post(f"{path(create())}/experiences", {})
    assert (answer.status, answer.code) == (409, "key_taken")


def test_experience__edited__keeps_its_id_and_what_is_not_stated(create: Create, client: Client) -> None:
    made = create(experience=EXPERIENCE)
    before = made["experiences"][0]
    answer = client.patch(f"{path(made)}/experiences/warm", {"value": None, "custom_css": None, "mutations": []})
    assert answer.json() == {**before, "value": None, "custom_css": None, "mutations": []}


@pytest.mark.parametrize("key", ["a/b", "a b?c", "ü", "50%"])
def test_experience__with_any_key__is_found_by_it(create: Create, client: Client, key: str) -> None:
    made = create(experience={"key": key})
    answer = client.patch(f"{path(made)}/experiences/{key}", {"name": "Found"}, checked=False)
    assert (answer.status, answer.json()["name"]) == (200, "Found")


def test_experience__unknown__is_404(create: Create, client: Client) -> None:
    made = create()
    assert client.patch(f"{path(made)}/experiences/nope", {"name": "x"}).status == 404
    assert client.delete(f"{path(made)}/experiences/nope").status == 404


@pytest.mark.parametrize(
    ("fields", "status", "field"),
    [
        ({"key": "other"}, 400, "key"),
        ({"name": None}, 400, "name"),
        ({"custom_js": "if ("}, 400, "custom_js"),
        ({"reset_js": "if ("}, 400, "reset_js"),
        ({"mutations": [{"selector": "h1", "action": "text"}]}, 422, "mutations[0].text"),
        ({"mutations": [{"selector": "h1", "action": "text", "text": "x" * 200_000}] * 3}, 422, "mutations"),
    ],
)
def test_experience__edited_wrongly__names_the_field(
    create: Create, client: Client, fields: dict[str, Any], status: int, field: str
) -> None:
    answer = client.patch(f"{path(create())}/experiences/default", fields)
    assert (answer.status, answer.paths) == (status, [field])


def test_experience__last_or_named_by_a_rule__stays(create: Create, client: Client) -> None:
    made = create()
    assert client.delete(f"{path(made)}/experiences/default").code == "conflict"
    client.post(f"{path(made)}/experiences", {"key": "warm"})
    client.put(f"{path(made)}/rules", [{"experience_key": "warm"}])
    assert client.delete(f"{path(made)}/experiences/warm").code == "conflict"
    assert client.delete(f"{path(made)}/experiences/default").status == 204
    client.put(f"{path(made)}/rules", [])
    assert client.delete(f"{path(made)}/experiences/warm").code == "conflict"


def test_experiences__as_many_as_rules_and_one__and_no_more(create: Create, client: Client) -> None:
    made = create()
    for number in range(50):
        assert client.post(f"{path(made)}/experiences", {"key": str(number)}).status == 201
    answer = client.post(f"{path(made)}/experiences", {"key": "one too many"})
    assert (answer.status, answer.code) == (422, "limit_reached")


def test_experiences__all_together__have_no_more_code_than_a_storefront_may_load(
    create: Create, client: Client
) -> None:
    made = create()
    large = {"custom_css": "x" * 200_000, "custom_js": "1" * 200_000}
    answers = [client.post(f"{path(made)}/experiences", {"key": str(number), **large}) for number in range(6)]
    assert [answer.status for answer in answers] == [201] * 5 + [422]
    assert answers[-1].code == "code_budget_exceeded"
    assert "its budget of 2097152" in answers[-1].json()["error"]["message"]


def test_rules__set__replace_all_in_their_order(create: Create, client: Client) -> None:
    made = create(experience=EXPERIENCE)
    wish = [
        {"experience_key": "warm", "name": "Cart", "targeting": rule("/cart")},
        {"experience_key": "warm", "targeting": None},
        {"experience_key": "warm"},
    ]
    first = client.put(f"{path(made)}/rules", wish).json()["rules"]
    assert [(item["name"], item["targeting"]) for item in first] == [
        ("Cart", rule("/cart")),
        (None, None),
        (None, None),
    ]
    swapped = client.put(f"{path(made)}/rules", [wish[2], wish[0]]).json()["rules"]
    assert [item["id"] for item in swapped] == [first[1]["id"], first[0]["id"]]
    again = client.put(f"{path(made)}/rules", [wish[2], wish[0]])
    assert again.headers["etag"] == 'W/"3"'
    assert client.put(f"{path(made)}/rules", []).json()["rules"] == []


@pytest.mark.parametrize(
    ("wish", "status", "field"),
    [
        ([{"experience_key": "default"}, {"experience_key": "nope"}], 422, "[1].experience_key"),
        ([{"name": "x"}], 400, "[0].experience_key"),
        ([{"experience_key": "default", "priority": 1}], 400, "[0].priority"),
        ([{"experience_key": "default"}] * 51, 400, ""),
        (
            [{"experience_key": "default", "targeting": {"pageRules": [{"id": UNKNOWN}]}}],
            400,
            "[0].targeting.pageRules[0].includeRules",
        ),
    ],
)
def test_rules__wrong__name_the_place(create: Create, client: Client, wish: list[Any], status: int, field: str) -> None:
    answer = client.put(f"{path(create())}/rules", wish)
    assert answer.status == status, answer.body
    assert answer.paths[0] == field


def test_rules__expression_that_could_stall__is_refused(create: Create, client: Client) -> None:
    targeting = rule("/x")
    targeting["pageRules"][0]["includeRules"] = [{"type": "regex", "pattern": "(a+)+$"}]
    answer = client.put(f"{path(create())}/rules", [{"experience_key": "default", "targeting": targeting}])
    assert (answer.status, answer.code) == (422, "unsafe_regex")
    assert answer.paths == ["[0].targeting.pageRules[0].includeRules[0].pattern"]


def test_rules__fifty__are_accepted(create: Create, client: Client) -> None:
    assert client.put(f"{path(create())}/rules", [{"experience_key": "default"}] * 50).status == 200


@pytest.mark.parametrize(
    ("method", "suffix", "body", "confirmed"),
    [
        ("POST", "/experiences", {"key": "x"}, "body"),
        ("PATCH", "/experiences/warm", {"custom_css": "a{}"}, "body"),
        ("DELETE", "/experiences/warm", None, "query"),
        ("PUT", "/rules", [{"experience_key": "warm"}], "query"),
    ],
)
def test_edit__of_an_active_personalization__must_be_acknowledged(
    create: Create, client: Client, method: str, suffix: str, body: Any, confirmed: str
) -> None:
    made = create()
    client.post(f"{path(made)}/experiences", {"key": "warm"})
    client.post(f"{path(made)}/activate")
    answer = client.request(method, path(made) + suffix, body)
    assert (answer.status, answer.code) == (409, "page_live_impact")
    if confirmed == "body":
        answer = client.request(method, path(made) + suffix, {**body, "confirm_live_impact": True})
    else:
        answer = client.request(method, path(made) + suffix, body, query={"confirm_live_impact": "true"})
    assert answer.status in (200, 201, 204)
