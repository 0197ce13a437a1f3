"""Lists of flags: filters, order, pages, and answers that stay below the platform's limit."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.support.api import MemoryApi
from tests.support.client import Client

Create = Callable[..., dict[str, Any]]


@pytest.fixture
def family(api: MemoryApi, create: Create, client: Client) -> None:
    """Flags of every state, environment and delivery type, each a minute younger than the one before."""
    kinds: dict[str, dict[str, Any]] = {
        "draft": {"name": "Alpha"},
        "active": {"name": "beta", "activate": True},
        "server": {"name": "Gamma", "delivery_type": "api", "activate": True},
        "staged": {"name": "Delta", "environment_key": "staging"},
        "archived": {"name": "Epsilon"},
    }
    for key, fields in kinds.items():
        api.clock.advance(minutes=1)
        create(key, **fields)
    client.post("/flags/archived/archive")


def keys(client: Client, **query: Any) -> list[str]:
    return [flag["key"] for flag in client.get("/flags", query=query).json()["data"]]


@pytest.mark.usefixtures("family")
@pytest.mark.parametrize(
    ("query", "found"),
    [
        ({}, ["staged", "server", "active", "draft"]),
        ({"archived": "true"}, ["archived"]),
        ({"archived": "all"}, ["archived", "staged", "server", "active", "draft"]),
        ({"status": "archived"}, ["archived"]),
        ({"status": "active"}, ["server", "active"]),
        ({"status": "active", "archived": "true"}, []),
        ({"environment_key": "staging"}, ["staged"]),
        ({"environment_key": "nowhere"}, []),
        ({"delivery_type": "api"}, ["server"]),
        ({"q": "ETA"}, ["active"]),
        ({"q": "serv"}, ["server"]),
        ({"q": "%"}, []),
        ({"updated_since": "2026-03-02T09:03:00Z"}, ["staged", "server"]),
        ({"sort": "created_at"}, ["draft", "active", "server", "staged"]),
        ({"sort": "name"}, ["draft", "active", "staged", "server"]),
        ({"sort": "name", "status": "active", "q": "a"}, ["active", "server"]),
    ],
)
def test_list__filtered__shows_what_passes(client: Client, query: dict[str, Any], found: list[str]) -> None:
    assert keys(client, **query) == found


@pytest.mark.parametrize(
    "query",
    [
        {"status": "running"},
        {"environment_key": "A"},
        {"delivery_type": "mutation"},
        {"archived": "yes"},
        {"q": "q" * 256},
        {"sort": "key"},
        {"updated_since": "yesterday"},
    ],
)
def test_list__filter_of_a_wrong_form__is_400(client: Client, query: dict[str, str]) -> None:
    assert client.get("/flags", query=query).code == "invalid_parameter"


@pytest.mark.parametrize("sort", ["-created_at", "created_at", "name", "-updated_at"])
def test_pages__one_after_another__hold_every_flag_once(create: Create, client: Client, sort: str) -> None:
    made = {create(f"k{number}")["key"] for number in range(7)}
    found: list[str] = []
    cursor: dict[str, str] = {}
    for _ in range(4):
        page = client.get("/flags", query={"limit": 2, "sort": sort, **cursor}).json()
        found += [flag["key"] for flag in page["data"]]
        cursor = {"cursor": page["pagination"]["next_cursor"]}
    assert page["pagination"]["has_more"] is False
    assert (set(found), len(found)) == (made, 7)


def test_page__of_large_flags__ends_before_it_is_too_large(create: Create, client: Client) -> None:
    for number in range(40):
        create(f"k{number}", off_value="x" * 65_000, on_value="y" * 65_000)
    page = client.get("/flags")
    assert 30 < len(page.json()["data"]) < 40
    assert len(page.body) < 6_000_000
    assert page.json()["pagination"]["has_more"] is True


def test_cursor__of_other_filters__is_400(create: Create, client: Client) -> None:
    create("a")
    create("b")
    cursor = client.get("/flags", query={"limit": 1}).json()["pagination"]["next_cursor"]
    assert client.get("/flags", query={"limit": 1, "cursor": cursor, "status": "draft"}).code == "invalid_cursor"
