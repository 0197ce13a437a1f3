"""Landing pages over HTTP; the suite in tests/unit/aggregates has what all resources promise."""

from dataclasses import replace
from functools import partial
from typing import Any

import pytest

from abtest.ports.catalog import Commit
from abtest.services.context import Caller
from abtest.services.pages.pages import LANDING_PAGES, LandingPages
from tests.contract.records import race
from tests.integration.api_pages.publishing import claim
from tests.support.api import MemoryApi, Tenant
from tests.support.client import Client

FIRST = {"name": "Spring guide", "slug": "spring-guide"}
WHOLE = {
    **FIRST,
    "page_type": "advertorial",
    "publish_mode": "export",
    "publish_host": "shop.example",
    "publish_path": "/Guides/spring",
}
NOTHING: dict[str, Any] = {
    **dict.fromkeys(("current_version_id", "published_version_id", "current_version", "published_version")),
}


@pytest.fixture
def page(client: Client) -> dict[str, Any]:
    """A stored page."""
    body: dict[str, Any] = client.post("/landing-pages", FIRST).json()
    return body


def set_fields(api: MemoryApi, tenant: Tenant, page_id: str, **fields: Any) -> None:
    """Store what publishing will change of a page."""
    record = api.world.catalog.get(tenant.shop.id, "LP", page_id)
    assert record is not None
    stored = LANDING_PAGES.from_record(record)
    after = replace(stored, version=stored.version + 1, **fields)
    api.world.catalog.commit(Commit(puts=[LANDING_PAGES.put(after)]))


def test_create__smallest_page__has_the_fields_of_the_contract(client: Client, tenant: Tenant) -> None:
    response = client.post("/landing-pages", FIRST)
    assert (response.status, response.headers["etag"]) == (201, 'W/"1"')
    page = response.json()
    assert page == {
        **FIRST,
        **NOTHING,
        "id": page["id"],
        "shop_id": tenant.shop.id,
        "page_type": "landing",
        "status": "draft",
        "publish_mode": "edge",
        "publish_host": "shop.example",
        "publish_path": None,
        "created_by": tenant.user_id,
        "versions": [],
        "publishes": [],
        "qa_runs": [],
        "content_briefs": [],
        "experiment": None,
        "created_at": "2026-03-02T09:00:00.000Z",
        "updated_at": "2026-03-02T09:00:00.000Z",
    }
    assert client.get(f"/landing-pages/{page['id']}").json() == page


def test_list__summary__has_the_fields_of_the_contract(client: Client) -> None:
    page = client.post("/landing-pages", WHOLE).json()
    moments = {name: page[name] for name in ("created_at", "updated_at")}
    counts = {"versions": 0, "publishes": 0, "qa_runs": 0}
    summary = {**WHOLE, **NOTHING, **moments, "id": page["id"], "status": "draft", "_count": counts}
    assert client.get("/landing-pages").json()["data"] == [summary]


@pytest.mark.parametrize(
    ("query", "count"),
    [
        ({"q": "GUIDE"}, 1),
        ({"q": "tips-"}, 1),
        ({"page_type": "quiz"}, 1),
        ({"publish_mode": "export"}, 0),
        ({"status": "draft"}, 2),
        ({"status": "published"}, 0),
        ({"sort": "name"}, 2),
        ({"updated_since": "2026-03-03T00:00:00Z"}, 0),
    ],
)
def test_list__of_each_filter(client: Client, query: dict[str, str], count: int) -> None:
    client.post("/landing-pages", FIRST)
    client.post("/landing-pages", {"name": "Advice", "slug": "tips-2", "page_type": "quiz"})
    assert len(client.get("/landing-pages", query=query).json()["data"]) == count


@pytest.mark.parametrize(
    "field",
    [
        {"name": ""},
        {"slug": "Big"},
        {"slug": ""},
        {"slug": None},
        {"page_type": "poster"},
        {"publish_mode": "mail"},
        {"publish_host": "https://shop.example"},
        {"publish_host": "shop.example:443"},
        {"publish_path": "guide"},
        {"publish_path": "/guide?x=1"},
        {"publish_path": "/%2Fapi"},
        {"publish_path": "/" + "x" * 512},
        {"status": "published"},
        {"seat": 1},
    ],
)
def test_create__of_a_bad_field__is_refused(client: Client, field: dict[str, Any]) -> None:
    assert client.post("/landing-pages", {**FIRST, **field}, checked=False).status == 400
    assert client.get("/landing-pages").json()["data"] == []


@pytest.mark.parametrize("path", ["/api", "/%61pi", "//api", "/x/../cart", "/Checkout", "/s/x.js", "/.well-known/a"])
def test_publish_path__that_is_reserved__is_422_in_every_spelling(
    client: Client, page: dict[str, Any], path: str
) -> None:
    for answer in (
        client.post("/landing-pages", {"name": "Other", "slug": "other", "publish_path": path}),
        client.patch(f"/landing-pages/{page['id']}", {"publish_path": path}),
    ):
        assert (answer.status, answer.code) == (422, "reserved_path")
        assert [field["path"] for field in answer.json()["error"]["fields"]] == ["publish_path"]


def test_publish_path__is_stored_in_one_spelling(client: Client, page: dict[str, Any]) -> None:
    path = f"/landing-pages/{page['id']}"
    assert client.patch(path, {"publish_path": "//Guides/./%73pring/"}).json()["publish_path"] == "/Guides/spring"
    assert client.patch(path, {"publish_path": None}).json()["publish_path"] is None


def test_publish_host__must_be_claimed_by_the_shop(api: MemoryApi, tenant: Tenant, client: Client) -> None:
    stranger = api.tenant("Stranger", domain="stranger.example")
    claim(api, tenant.shop.id, "pages.shop.example")
    claim(api, stranger.shop.id, "stranger.example")
    page = client.post("/landing-pages", {**FIRST, "publish_host": "PAGES.shop.example"}).json()
    assert page["publish_host"] == "pages.shop.example"
    path = f"/landing-pages/{page['id']}"
    for host in ("stranger.example", "unclaimed.example"):
        answers = [
            client.post("/landing-pages", {"name": "Other", "slug": "other", "publish_host": host}),
            client.patch(path, {"publish_host": host}),
        ]
        assert [(answer.status, answer.code) for answer in answers] == [(422, "url_not_allowed")] * 2
        # Nothing distinguishes a host of another shop from one without an owner.
        assert len({answer.json()["error"]["message"] for answer in answers}) == 1
    assert client.patch(path, {"publish_host": None}).json()["publish_host"] == "shop.example"


def test_slug__of_another_page__is_409_until_that_page_is_gone(client: Client, page: dict[str, Any]) -> None:
    other = client.post("/landing-pages", {"name": "Other", "slug": "other"}).json()
    for answer in (
        client.post("/landing-pages", FIRST),
        client.patch(f"/landing-pages/{other['id']}", {"slug": "spring-guide"}),
    ):
        assert (answer.status, answer.code) == (409, "slug_taken")
    assert client.delete(f"/landing-pages/{page['id']}").status == 204
    assert client.post("/landing-pages", FIRST).status == 201


def test_update__changes_the_given_fields__at_the_expected_version(client: Client, page: dict[str, Any]) -> None:
    path = f"/landing-pages/{page['id']}"
    answer = client.patch(path, {"name": "Second", "page_type": "quiz"}, headers={"if-match": 'W/"1"'})
    assert answer.json() == {**page, "name": "Second", "page_type": "quiz"}
    assert client.patch(path, {"name": "Third"}, headers={"if-match": 'W/"1"'}).status == 412
    same = client.patch(path, {"name": "Second"})
    assert same.headers["etag"] == 'W/"2"'


def test_archive__hides_the_page_and_refuses_changes__until_it_is_restored(
    client: Client, page: dict[str, Any]
) -> None:
    path = f"/landing-pages/{page['id']}"
    assert client.post(f"{path}/archive").json()["status"] == "archived"
    assert client.post(f"{path}/archive").status == 200
    assert client.get("/landing-pages").json()["data"] == []
    assert len(client.get("/landing-pages", query={"archived": "true"}).json()["data"]) == 1
    refused = client.patch(path, {"name": "Second"})
    assert (refused.status, refused.code) == (409, "invalid_state_transition")
    assert refused.json()["error"]["allowed_actions"] == ["unarchive"]
    assert refused.json()["current_status"] == "archived"
    assert client.post(f"{path}/unarchive").json()["status"] == "draft"
    assert client.patch(path, {"name": "Second"}).status == 200


def test_published_page__is_neither_archived_nor_deleted(
    api: MemoryApi, tenant: Tenant, client: Client, page: dict[str, Any]
) -> None:
    path = f"/landing-pages/{page['id']}"
    online = {"status": "published", "publishes": 1, "published_version_id": api.world.new_id()}
    set_fields(api, tenant, page["id"], **online)
    refused = client.post(f"{path}/archive")
    assert (refused.status, refused.json()["error"]["allowed_actions"]) == (409, ["publish", "rollback", "unpublish"])
    assert client.delete(path).code == "not_deletable"
    set_fields(api, tenant, page["id"], status="unpublished", published_version_id=None)
    answer = client.delete(path)
    assert (answer.status, answer.code) == (409, "not_deletable")
    assert client.post(f"{path}/archive").status == 200
    assert client.post(f"{path}/unarchive").json()["status"] == "unpublished"


def test_delete__is_gone(client: Client, page: dict[str, Any]) -> None:
    path = f"/landing-pages/{page['id']}"
    assert client.delete(path).status == 204
    assert client.get(path).status == 404


def test_limit__of_pages__holds_also_for_creations_at_the_same_time(
    api: MemoryApi, tenant: Tenant, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("abtest.services.pages.pages.MAX_PAGES", 3)
    pages, shop_id = LandingPages(api.world), tenant.shop.id
    caller = Caller(
        key_id="k", kind="shop", user_id=tenant.user_id, shop_id=shop_id, scopes=frozenset(), request_id="r"
    )
    race(*[partial(pages.create, caller, {"name": "P", "slug": f"p-{number}"}) for number in range(5)])
    for number in range(3):  # of the creations that raced, some lost every attempt
        client.post("/landing-pages", {"name": "P", "slug": f"q-{number}"})
    refused = client.post("/landing-pages", FIRST)
    assert (refused.status, refused.code) == (422, "limit_reached")
    assert len(client.get("/landing-pages").json()["data"]) == 3


def test_content_briefs__newest_of_the_page__is_shown_with_it(
    api: MemoryApi, client: Client, page: dict[str, Any]
) -> None:
    brief = {"format": "landing", "angle": "First", "landing_page_id": page["id"]}
    client.post("/content-briefs", brief)
    api.clock.advance(seconds=1)  # ids of one moment have no order
    newest = client.post("/content-briefs", {**brief, "angle": "Second"}).json()
    client.post("/content-briefs", {"format": "landing", "angle": "Of no page"})
    assert newest["landing_page_id"] == page["id"]
    assert client.get(f"/landing-pages/{page['id']}").json()["content_briefs"] == [newest]
    listed = client.get("/content-briefs", query={"landing_page_id": page["id"]}).json()["data"]
    assert [each["angle"] for each in listed] == ["Second", "First"]


def test_another_shop__finds_nothing(api: MemoryApi, page: dict[str, Any]) -> None:
    stranger = api.client(api.tenant("Stranger").admin)
    path = f"/landing-pages/{page['id']}"
    answers = [stranger.get(path), stranger.patch(path, {"name": "Mine"}), stranger.delete(path)]
    answers += [stranger.post(f"{path}/archive"), stranger.post(f"{path}/unarchive")]
    assert [answer.status for answer in answers] == [404] * 5
    assert stranger.post("/landing-pages", FIRST).status == 201
    brief = {"format": "landing", "angle": "Of another's page", "landing_page_id": page["id"]}
    assert stranger.post("/content-briefs", brief).status == 422


def test_changes__are_audited__newest_first(
    api: MemoryApi, tenant: Tenant, client: Client, page: dict[str, Any]
) -> None:
    path = f"/landing-pages/{page['id']}"
    api.clock.advance(minutes=1)  # rows of one moment have no order
    client.patch(path, {"publish_path": "/guide"})
    api.clock.advance(minutes=1)
    client.post(f"{path}/archive")
    rows, _ = api.world.catalog.audit(tenant.shop.id, entity_id=page["id"], limit=10)
    assert [row.action for row in rows] == ["landing_page.archive", "landing_page.update", "landing_page.create"]
    assert rows[1].diff == {"publish_path": [None, "/guide"]}
    assert {"status": ["draft", "archived"]}.items() <= rows[0].diff.items()
