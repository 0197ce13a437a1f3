"""Content briefs over HTTP; the suite in tests/unit/aggregates has what all resources promise."""

from typing import Any

import pytest

from tests.support.api import MemoryApi, Tenant
from tests.support.client import Client

FIRST = {"format": "listicle", "angle": "Five reasons to switch"}
WHOLE = {
    **FIRST,
    "source": "imported",
    "status": "approved",
    "audience": "Owners of small gardens.\nThey buy tools once.",
    "traffic_source": "Newsletter",
    "keyword_intent": "copper tools",
    "offer_refs": ["SPRING-10"],
    "product_refs": ["trowel-01", "rake-02"],
    "objections": ["Copper is soft."],
    "proof_points": ["4.8 of 5 stars"],
    "outline": ["Problem", "Reasons", "Problem"],
}
UNKNOWN = "0192e4a0-ffff-7000-8000-000000000000"


@pytest.fixture
def brief(client: Client) -> dict[str, Any]:
    """A stored brief."""
    body: dict[str, Any] = client.post("/content-briefs", FIRST).json()
    return body


def test_create__smallest_brief__has_the_fields_of_the_contract(client: Client, tenant: Tenant) -> None:
    response = client.post("/content-briefs", FIRST)
    assert (response.status, response.headers["etag"]) == (201, 'W/"1"')
    brief = response.json()
    assert brief == {
        **FIRST,
        "id": brief["id"],
        "shop_id": tenant.shop.id,
        "landing_page_id": None,
        "source": "manual",
        "status": "draft",
        **dict.fromkeys(("audience", "traffic_source", "keyword_intent")),
        **{name: [] for name in ("offer_refs", "product_refs", "objections", "proof_points", "outline")},
        "created_at": "2026-03-02T09:00:00.000Z",
    }
    assert client.get(f"/content-briefs/{brief['id']}").json() == brief


def test_brief__over_32_kb__is_413(client: Client, brief: dict[str, Any]) -> None:
    large = {"outline": ["x" * 900] * 37}
    path = f"/content-briefs/{brief['id']}"
    for answer in (client.post("/content-briefs", {**FIRST, **large}), client.patch(path, large)):
        assert (answer.status, answer.code) == (413, "payload_too_large")
    assert client.patch(path, {"outline": large["outline"][:35]}).status == 200


def test_create__every_field__is_stored(client: Client) -> None:
    brief = client.post("/content-briefs", WHOLE).json()
    assert WHOLE.items() <= client.get(f"/content-briefs/{brief['id']}").json().items()


@pytest.mark.parametrize(
    "field",
    [
        {"format": "poster"},
        {"angle": ""},
        {"angle": "x" * 256},
        {"angle": None},
        {"source": "copied"},
        {"status": "published"},
        {"audience": ""},
        {"offer_refs": ["A", "A"]},
        {"offer_refs": [f"{number}" for number in range(101)]},
        {"objections": [""]},
        {"outline": ["x"] * 51},
        {"outline": ["two\nlines"]},
        {"proof_points": ["x" * 1001]},
        {"landing_page_id": "1"},
        {"shop_id": UNKNOWN},
    ],
)
def test_create__of_a_bad_field__is_refused(client: Client, field: dict[str, Any]) -> None:
    answer = client.post("/content-briefs", {**FIRST, **field}, checked=False)
    assert answer.status == 400
    assert client.get("/content-briefs").json()["data"] == []


def test_landing_page__that_the_shop_does_not_have__is_422(client: Client, brief: dict[str, Any]) -> None:
    for answer in (
        client.post("/content-briefs", {**FIRST, "landing_page_id": UNKNOWN}),
        client.patch(f"/content-briefs/{brief['id']}", {"landing_page_id": UNKNOWN}),
    ):
        assert (answer.status, answer.code) == (422, "validation_failed")
        assert [field["path"] for field in answer.json()["error"]["fields"]] == ["landing_page_id"]


def test_update__changes_the_given_fields__at_the_expected_version(client: Client) -> None:
    path = f"/content-briefs/{client.post('/content-briefs', WHOLE).json()['id']}"
    change = {"audience": None, "outline": ["One"], "format": "quiz"}
    answer = client.patch(path, change, headers={"if-match": 'W/"1"'})
    assert answer.json() == {**client.get(path).json(), **WHOLE, **change}
    assert client.patch(path, {"angle": "Third"}, headers={"if-match": 'W/"1"'}).status == 412


def test_update__to_the_same__keeps_the_version(client: Client, brief: dict[str, Any]) -> None:
    response = client.patch(f"/content-briefs/{brief['id']}", {**FIRST, "outline": []})
    assert (response.json(), response.headers["etag"]) == (brief, 'W/"1"')


def test_list__archived_brief__is_hidden_until_its_status_changes_again(client: Client, brief: dict[str, Any]) -> None:
    def listed(**query: str) -> list[str]:
        return [each["id"] for each in client.get("/content-briefs", query=query).json()["data"]]

    path = f"/content-briefs/{brief['id']}"
    assert client.patch(path, {"status": "archived"}).json()["status"] == "archived"
    assert listed() == []
    assert listed(archived="true") == listed(archived="all") == listed(status="archived") == [brief["id"]]
    client.patch(path, {"status": "draft"})
    assert listed() == [brief["id"]]
    assert listed(archived="true") == []


@pytest.mark.parametrize(
    ("query", "count"),
    [
        ({"q": "switch"}, 1),
        ({"format": "quiz"}, 1),
        ({"format": "product"}, 0),
        ({"source": "imported"}, 1),
        ({"status": "draft"}, 1),
        ({"landing_page_id": UNKNOWN}, 0),
        ({"sort": "name"}, 2),
        ({"updated_since": "2026-03-03T00:00:00Z"}, 0),
    ],
)
def test_list__of_each_filter(client: Client, query: dict[str, str], count: int) -> None:
    client.post("/content-briefs", FIRST)
    client.post("/content-briefs", {"format": "quiz", "angle": "Other", "source": "imported", "status": "approved"})
    assert len(client.get("/content-briefs", query=query).json()["data"]) == count


def test_delete__is_gone(client: Client, brief: dict[str, Any]) -> None:
    path = f"/content-briefs/{brief['id']}"
    assert client.delete(path).status == 204
    assert client.get(path).status == 404


def test_scopes__read_and_write__are_those_of_landing_pages(api: MemoryApi, tenant: Tenant) -> None:
    reader = api.client(api.key(["landing_pages:read"], shop_id=tenant.shop.id).text)
    assert reader.get("/content-briefs").status == 200
    answer = reader.post("/content-briefs", FIRST)
    assert (answer.status, answer.json()["required_scope"]) == (403, "landing_pages:write")
    writer = api.client(api.key(["landing_pages:write"], shop_id=tenant.shop.id).text)
    assert writer.post("/content-briefs", FIRST).status == 201


def test_changes__are_audited__newest_first(
    api: MemoryApi, tenant: Tenant, client: Client, brief: dict[str, Any]
) -> None:
    path = f"/content-briefs/{brief['id']}"
    api.clock.advance(minutes=1)  # rows of one moment have no order
    client.patch(path, {"audience": "Gardeners"})
    api.clock.advance(minutes=1)
    client.delete(path)
    rows, _ = api.world.catalog.audit(tenant.shop.id, entity_id=brief["id"], limit=10)
    actions = ["content_brief.delete", "content_brief.update", "content_brief.create"]
    assert [row.action for row in rows] == actions
    assert rows[1].diff == {"audience": [None, "Gardeners"]}
