"""Lists of experiments: filters, orders, pages."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.support.api import MemoryApi
from tests.support.client import Client

Create = Callable[..., dict[str, Any]]


def names(client: Client, **query: Any) -> list[str]:
    answer = client.get("/experiments", query=query)
    assert answer.status == 200, answer.body
    return [item["name"] for item in answer.json()["data"]]


@pytest.fixture
def three(api: MemoryApi, client: Client, create: Create) -> list[dict[str, Any]]:
    made = []
    for fields in (
        {"name": "Banner", "type": "aa_test", "goals": [{"name": "G", "type": "pageview"}]},
        {"name": "apple", "slug": "fruit", "delivery_type": "redirect"},
        {"name": "Cart banner"},
    ):
        made.append(create(**fields))
        api.clock.advance(minutes=1)
    client.post(f"/experiments/{made[2]['id']}/launch")
    client.post(f"/experiments/{made[1]['id']}/archive")
    return made


def test_list__no_filters__is_newest_first_without_archived_and_linked_idea(client: Client, three: Any) -> None:
    answer = client.get("/experiments").json()
    assert [item["name"] for item in answer["data"]] == ["Cart banner", "Banner"]
    assert "linked_idea" not in answer["data"][0]
    assert [len(item["variations"]) for item in answer["data"]] == [2, 2]
    assert answer["pagination"] == {"limit": 50, "next_cursor": None, "has_more": False}


def test_list__filters__narrow(client: Client, three: Any) -> None:
    assert names(client, archived="true") == ["apple"]
    assert names(client, archived="all") == ["Cart banner", "apple", "Banner"]
    assert names(client, status="running") == ["Cart banner"]
    assert names(client, counting_type="aa_test") == ["Banner"]
    assert names(client, delivery_type="redirect", archived="all") == ["apple"]
    assert names(client, q="BANNER") == ["Cart banner", "Banner"]
    assert names(client, slug="fruit", archived="all") == ["apple"]
    assert names(client, goal_id=three[0]["goals"][0]["id"]) == ["Banner"]
    assert names(client, updated_since="2026-03-02T10:02:30+01:00") == ["Cart banner"]
    assert names(client, status="paused") == []


@pytest.mark.parametrize(
    ("sort", "order"),
    [
        ("name", ["apple", "Banner", "Cart banner"]),
        ("created_at", ["Banner", "apple", "Cart banner"]),
        ("-created_at", ["Cart banner", "apple", "Banner"]),
        ("updated_at", ["Banner", "Cart banner", "apple"]),
        ("-updated_at", ["apple", "Cart banner", "Banner"]),
    ],
)
def test_list__sorted__in_one_piece_and_page_by_page(
    api: MemoryApi, client: Client, three: Any, sort: str, order: list[str]
) -> None:
    api.clock.advance(minutes=1)
    client.patch(f"/experiments/{three[1]['id']}", {"description": "touched last"})
    assert names(client, sort=sort, archived="all") == order
    seen, query = [], {"sort": sort, "archived": "all", "limit": 1}
    while True:
        page = client.get("/experiments", query=query).json()
        seen += [item["name"] for item in page["data"]]
        if not page["pagination"]["has_more"]:
            break
        query["cursor"] = page["pagination"]["next_cursor"]
    assert seen == order


def test_list__rare_match_behind_many__is_found_by_following_the_cursor(
    api: MemoryApi, client: Client, create: Create, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("abtest.services.listing.SCANNED_A_PAGE", 10)
    create(name="Needle")
    for number in range(25):
        create(name=f"Hay {number}")
    seen: list[str] = []
    query: dict[str, Any] = {"q": "needle"}
    pages = 0
    while True:
        page = client.get("/experiments", query=query).json()
        seen += [item["name"] for item in page["data"]]
        pages += 1
        if not page["pagination"]["has_more"]:
            break
        query["cursor"] = page["pagination"]["next_cursor"]
    assert (seen, pages) == (["Needle"], 3)


def test_list__heavy_experiments__end_a_page_before_the_answer_is_too_large(client: Client, create: Create) -> None:
    code = {"custom_js": "a" * 200_000, "custom_css": "b" * 200_000}
    arms = [{"name": "A", "is_control": True, **code}, {"name": "B", **code}]
    made = [create(experiment_js="x" * 200_000, experiment_css="y" * 200_000, variations=arms)["id"] for _ in range(5)]
    first = client.get("/experiments")
    assert len(first.body) < 5_000_000
    assert len(first.json()["data"]) == 3
    rest = client.get("/experiments", query={"cursor": first.json()["pagination"]["next_cursor"]}).json()
    assert sorted(item["id"] for item in first.json()["data"] + rest["data"]) == sorted(made)
    assert rest["pagination"]["has_more"] is False


@pytest.mark.parametrize(
    ("query", "code"),
    [
        ({"status": "live"}, "invalid_parameter"),
        ({"archived": "yes"}, "invalid_parameter"),
        ({"sort": "size"}, "invalid_parameter"),
        ({"goal_id": "x"}, "invalid_parameter"),
        ({"updated_since": "yesterday"}, "invalid_parameter"),
        ({"slug": "Bad Slug"}, "invalid_parameter"),
        ({"q": "x" * 256}, "invalid_parameter"),
        ({"cursor": "x"}, "invalid_cursor"),
        ({"colour": "red"}, "unknown_property"),
    ],
)
def test_list__bad_parameter__is_400(client: Client, query: dict[str, str], code: str) -> None:
    answer = client.get("/experiments", query=query)
    assert (answer.status, answer.code) == (400, code)


@pytest.mark.parametrize(
    "default", [{"archived": "false"}, {"sort": "-created_at"}, {"archived": "false", "sort": "-created_at"}]
)
def test_list__cursor_with_a_default_written_out__continues_the_list(
    client: Client, three: Any, default: dict[str, str]
) -> None:
    for first, second in (({}, default), (default, {})):
        page = client.get("/experiments", query={"limit": 1, **first}).json()
        rest = client.get("/experiments", query={"cursor": page["pagination"]["next_cursor"], **second})
        assert rest.status == 200
        assert page["data"][0]["id"] not in {item["id"] for item in rest.json()["data"]}


def test_list__cursor_with_other_filters__is_refused(client: Client, three: Any) -> None:
    cursor = client.get("/experiments", query={"limit": 1}).json()["pagination"]["next_cursor"]
    answer = client.get("/experiments", query={"limit": 1, "cursor": cursor, "q": "x"})
    assert answer.code == "invalid_cursor"
