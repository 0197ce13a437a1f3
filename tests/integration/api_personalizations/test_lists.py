"""Lists of personalizations, and the order in which they are served."""

from typing import Any

import pytest

from abtest.services.personalizations.priorities import MAX_ORDERED
from tests.integration.api_personalizations.conftest import Create
from tests.integration.api_personalizations.test_personalizations import UNKNOWN, path
from tests.support.api import MemoryApi, Tenant
from tests.support.client import Client


def keys(client: Client, **query: Any) -> list[str]:
    return [item["key"] for item in client.get("/personalizations", query=query).json()["data"]]


@pytest.fixture
def some(create: Create, client: Client) -> None:
    """Four of different kinds, one of them archived."""
    create(key="a", name="Alpha", activate=True)
    create(key="b", name="Beta", delivery_type="api", surface="cart")
    create(key="c", name="Gamma", environment_key="staging")
    client.post(f"{path(create(key='d', name='Delta'))}/archive")


@pytest.mark.usefixtures("some")
@pytest.mark.parametrize(
    ("query", "found"),
    [
        ({}, ["c", "b", "a"]),
        ({"archived": "true"}, ["d"]),
        ({"archived": "all"}, ["d", "c", "b", "a"]),
        ({"status": "archived"}, ["d"]),
        ({"status": "active"}, ["a"]),
        ({"delivery_type": "api"}, ["b"]),
        ({"surface": "cart"}, ["b"]),
        ({"environment_key": "staging"}, ["c"]),
        ({"q": "AMM"}, ["c"]),
        ({"q": "c"}, ["c"]),
        ({"sort": "name"}, ["a", "b", "c"]),
        ({"updated_since": "2036-01-01T00:00:00Z"}, []),
    ],
)
def test_list__filtered__holds_what_passes(client: Client, query: dict[str, Any], found: list[str]) -> None:
    assert keys(client, **query) == found


def test_list__paged__shows_each_once(create: Create, client: Client) -> None:
    for _ in range(5):
        create()
    seen, cursor = [], None
    while True:
        query = {"limit": 2} | ({"cursor": cursor} if cursor else {})
        page = client.get("/personalizations", query=query).json()
        seen += [item["key"] for item in page["data"]]
        cursor = page["pagination"]["next_cursor"]
        if not cursor:
            break
    assert seen == [f"hero-{number}" for number in (5, 4, 3, 2, 1)]


def test_list__of_another_shop__is_its_own(api: MemoryApi, create: Create) -> None:
    create()
    assert keys(api.client(api.tenant("Other").admin)) == []


def test_order__sets_the_priorities_of_all_named(create: Create, client: Client) -> None:
    first, second, third = create(), create(priority=20), create(activate=True)
    ids = [third["id"], second["id"]]
    answer = client.put("/personalizations/order", {"ids": ids})
    assert answer.status == 200
    assert [(item["id"], item["priority"]) for item in answer.json()["data"]] == [(ids[0], 10), (ids[1], 20)]
    assert [client.get(path(item)).json()["priority"] for item in (third, second, first)] == [10, 20, 100]
    assert client.get(path(second)).headers["etag"] == 'W/"1"'
    assert client.get(path(third)).headers["etag"] == 'W/"2"'


def test_order__of_the_most__is_one_commit_and_one_more_is_422(create: Create, client: Client) -> None:
    made = [create(activate=True)["id"] for _ in range(MAX_ORDERED + 1)]
    assert client.put("/personalizations/order", {"ids": made[:MAX_ORDERED]}).status == 200
    answer = client.put("/personalizations/order", {"ids": made})
    assert (answer.status, answer.code) == (422, "limit_reached")
    assert [client.get(f"/personalizations/{made[place]}").json()["priority"] for place in (0, 30)] == [10, 310]


def test_order__naming_what_is_not_there__changes_nothing(api: MemoryApi, create: Create, client: Client) -> None:
    made = create()
    other = api.client(api.tenant("Other").admin)
    foreign = other.post("/personalizations", {"name": "x", "key": "x"}).json()["id"]
    for stranger in (UNKNOWN, foreign):
        answer = client.put("/personalizations/order", {"ids": [made["id"], stranger]})
        assert (answer.status, answer.paths) == (422, ["ids[1]"])
    assert client.get(path(made)).json()["priority"] == 100


@pytest.mark.parametrize(("ids", "field"), [([], "ids"), ([UNKNOWN, UNKNOWN], "ids"), (["x"], "ids[0]")])
def test_order__of_the_wrong_form__is_400(client: Client, ids: list[str], field: str) -> None:
    answer = client.put("/personalizations/order", {"ids": ids})
    assert (answer.status, answer.paths) == (400, [field])


def test_order__without_the_scope__is_403(api: MemoryApi, tenant: Tenant) -> None:
    reader = api.key(["personalizations:read"], shop_id=tenant.shop.id)
    assert api.client(reader.text).put("/personalizations/order", {"ids": [UNKNOWN]}).status == 403


def test_order__is_told_in_the_history_of_the_shop(
    api: MemoryApi, tenant: Tenant, create: Create, client: Client
) -> None:
    made = create()
    client.put("/personalizations/order", {"ids": [made["id"]]})
    rows, _ = api.world.catalog.audit(tenant.shop.id, entity_id=tenant.shop.id, limit=1)
    assert (rows[0].action, rows[0].diff) == ("personalization.order", {f"priority.{made['id']}": [100, 10]})
