"""Install domains over HTTP: whose host it is, and what happens between two commits."""

from typing import Any

import pytest

from abtest.kit.errors import DatabaseBusyError
from abtest.ports.catalog import Commit
from abtest.services.shops import Shops
from tests.support.api import MemoryApi, Tenant
from tests.support.client import Answer, Client

ADDRESS = "/settings/install-domains"
Json = dict[str, Any]


@pytest.fixture
def other(api: MemoryApi) -> Client:
    return api.client(api.tenant("Other", domain="other.example").admin)


def hosts(prefix: str, count: int) -> list[str]:
    return [f"{prefix}{number}.example" for number in range(count)]


def write(client: Client, **fields: Any) -> Answer:
    """A write by somebody who has just read."""
    return client.patch(ADDRESS, {**fields, "expected_revision": client.get(ADDRESS).json()["revision"]})


def test_install_domains__written__change_the_shop_in_the_same_breath(client: Client, tenant: Tenant) -> None:
    answer = client.patch(ADDRESS, {"domain": "New.example", "additionalDomains": ["WWW.new.example"]})
    assert answer.status == 200
    shown = answer.json()
    assert (shown["domain"], shown["additionalDomains"]) == ("new.example", ["www.new.example"])
    assert shown["storeOrigins"] == ["https://new.example", "https://www.new.example"]
    assert client.get("/shop").json()["domain"] == "new.example"
    assert client.get("/shop").headers["etag"] == 'W/"2"'
    partly = write(client, additionalDomains=[]).json()
    assert (partly["domain"], partly["additionalDomains"]) == ("new.example", [])
    assert client.get("/shop").headers["etag"] == 'W/"2"', "the shop did not change"


def test_install_domains__second_write__needs_the_revision_of_the_first(client: Client) -> None:
    first = client.patch(ADDRESS, {"additionalDomains": ["a.example"], "expected_revision": "initial"})
    assert first.status == 200
    for stated in ({}, {"expected_revision": None}, {"expected_revision": "initial"}):
        refused = client.patch(ADDRESS, {"additionalDomains": [], **stated})
        assert (refused.status, refused.code) == (409, "version_conflict")
        (problem,) = refused.json()["error"]["fields"]
        assert problem["path"] == "expected_revision"
        is_named = stated.get("expected_revision") is not None
        assert problem["message"].startswith("is not the present revision" if is_named else "is required")
    assert (
        client.patch(ADDRESS, {"expected_revision": first.json()["revision"]}).json()["revision"]
        == (first.json()["revision"])
    )


def test_install_domains__first_write_with_a_revision_that_never_was__is_refused(client: Client) -> None:
    assert client.patch(ADDRESS, {"expected_revision": "2026-03-02T09:00:00.000Z"}).code == "version_conflict"


@pytest.mark.parametrize(
    ("body", "status", "paths"),
    [
        ({"additionalDomains": hosts("a", 50)}, 200, []),
        ({"additionalDomains": hosts("a", 51)}, 400, ["additionalDomains"]),
        ({"additionalDomains": ["a.example", "A.example"]}, 422, ["additionalDomains[1]"]),
        ({"additionalDomains": ["shop.example"]}, 422, ["additionalDomains[0]"]),
        ({"domain": "a.example", "additionalDomains": ["a.example"]}, 422, ["additionalDomains[0]"]),
        ({"domain": "http://a.example"}, 400, ["domain"]),
        ({"domain": None}, 400, ["domain"]),
        ({"domain": "a" * 64 + ".example"}, 400, ["domain"]),
        ({"domain": "a" * 63 + ".example"}, 200, []),
        ({"domain": "a.example."}, 400, ["domain"]),
        ({"shop_id": "x"}, 400, ["shop_id"]),
    ],
)
def test_install_domains__at_and_past_each_border__are_taken_or_refused_with_the_place(
    client: Client, body: Json, status: int, paths: list[str]
) -> None:
    answer = client.patch(ADDRESS, body)
    assert answer.status == status
    if status != 200:
        assert answer.paths == paths
        assert client.get(ADDRESS).json()["revision"] == "initial"


@pytest.mark.parametrize(
    ("body", "path"),
    [({"domain": "mine.example"}, "domain"), ({"additionalDomains": ["a.example", "mine.example"]}, None)],
)
def test_install_domains__of_another_shop__are_a_conflict_that_does_not_say_whose(
    client: Client, other: Client, tenant: Tenant, body: Json, path: str | None
) -> None:
    write(client, additionalDomains=["mine.example"])
    refused = write(other, **body)
    assert (refused.status, refused.code) == (409, "conflict")
    assert refused.paths == [path or "additionalDomains[1]"]
    assert tenant.shop.id not in refused.body.decode()
    assert tenant.shop.name not in refused.json()["error"]["message"]
    assert other.get(ADDRESS).json()["revision"] == "initial"
    write(client, additionalDomains=[])
    assert write(other, **body).status == 200


def test_install_domains__fifty_one_exchanged_for_fifty_one__gives_all_back(client: Client, other: Client) -> None:
    """More names than one commit may touch."""
    assert write(client, domain="d.example", additionalDomains=hosts("a", 50)).status == 200
    exchanged = write(client, domain="e.example", additionalDomains=hosts("b", 50))
    assert (exchanged.status, exchanged.json()["precompile"]["status"]) == (200, "ok")
    assert client.get(ADDRESS).headers["etag"] == exchanged.headers["etag"]
    assert client.get(ADDRESS).json()["revision"] == exchanged.json()["revision"]
    assert write(other, domain="d.example", additionalDomains=hosts("a", 50)).status == 200
    assert write(other, additionalDomains=["b49.example"]).code == "conflict"


def test_install_domains__not_all_given_back__stand_and_are_made_good_by_the_next_write(
    api: MemoryApi, client: Client, other: Client
) -> None:
    write(client, domain="d.example", additionalDomains=hosts("a", 50))
    commit = api.management.catalog.commit

    def busy(change: Commit) -> None:
        if change.releases and not change.claims:
            raise DatabaseBusyError
        commit(change)

    api.management.catalog.commit = busy  # type: ignore[method-assign]
    assert write(client, domain="e.example", additionalDomains=hosts("b", 50)).status == 200
    api.management.catalog.commit = commit  # type: ignore[method-assign]
    assert client.get(ADDRESS).json()["domain"] == "e.example"
    assert write(other, additionalDomains=["d.example"]).code == "conflict"
    assert write(client, domain="e.example").status == 200
    assert write(other, additionalDomains=["d.example", *hosts("a", 49)]).status == 200


def test_install_domains__shop_changed_meanwhile__are_written_all_the_same(
    api: MemoryApi, client: Client, tenant: Tenant
) -> None:
    commit = api.management.catalog.commit

    def overtaken(change: Commit) -> None:
        if change.claims:
            api.management.catalog.commit = commit  # type: ignore[method-assign]
            Shops(api.world, api.management.publication).operate(tenant.shop.id, {"platform": "other"})
        commit(change)

    api.management.catalog.commit = overtaken  # type: ignore[method-assign]
    assert client.patch(ADDRESS, {"domain": "new.example"}).status == 200
    shop = client.get("/shop").json()
    assert (shop["platform"], shop["domain"]) == ("other", "new.example")
