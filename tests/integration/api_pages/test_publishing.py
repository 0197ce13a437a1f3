"""Publishing over HTTP: what the API answers, what the catalog holds, and what the edge reads."""

from __future__ import annotations

import gzip
from dataclasses import replace
from typing import Any

import brotli
import pytest

from abtest.domain.brand.context import BrandContext
from abtest.domain.settings.defaults import RECORD_ID
from abtest.domain.settings.runtime import INSTALL_DOMAINS
from abtest.ports.catalog import Commit, Head, Put, Record
from abtest.services.pages.pages import LANDING_PAGES
from tests.integration.api_pages.publishing import Page, claim, html_of, live_at, manifest_at
from tests.integration.api_pages.test_brand_gates import store
from tests.support.api import MemoryApi, Tenant
from tests.support.client import Client
from tests.support.landing import block
from tests.support.landing import page as spec_with
from tests.support.landing_qa import approved
from tests.support.memory import MemoryBlobs

OTHER_HOST = "pages.shop.example"
MOMENT = "2026-03-02T09:00:00.000Z"
_DEFAULTS = Record(
    head=Head(shop_id="", kind="SET", id=RECORD_ID, version=1, created_at=MOMENT, updated_at=MOMENT),
    body={"require_landing_qa": False},
)


@pytest.fixture(autouse=True)
def _hosts(api: MemoryApi, tenant: Tenant) -> None:
    """Hosts that the shop has claimed."""
    for host in (tenant.shop.domain, OTHER_HOST):
        claim(api, tenant.shop.id, host)


@pytest.fixture
def page(client: Client) -> Page:
    """A page with two versions."""
    return Page.created(client, versions=2, publish_path="/lamp")


@pytest.fixture
def delivery(api: MemoryApi) -> MemoryBlobs:
    """The bucket that the edge reads."""
    return api.management.blobs


def test_publish__has_the_fields_of_the_contract__and_is_online(
    tenant: Tenant, page: Page, delivery: MemoryBlobs
) -> None:
    current = page.shown()["current_version"]
    answer = page.publish()
    publish = answer.json()
    assert (answer.status, answer.headers["etag"]) == (201, 'W/"2"')
    assert publish == {
        "id": publish["id"],
        "landing_page_id": page.id,
        "version_id": current["id"],
        "url": "https://shop.example/lamp",
        "host": "shop.example",
        "path": "/lamp",
        "status": "published",
        "published_by": tenant.user_id,
        "published_at": "2026-03-02T09:00:00.000Z",
        "error": None,
    }
    shown = page.shown()
    assert (shown["status"], shown["published_version_id"]) == ("published", current["id"])
    assert shown["published_version"] == shown["current_version"]
    assert shown["publishes"] == [publish]
    assert page.client.get("/landing-pages").json()["data"][0]["_count"]["publishes"] == 1

    manifest = manifest_at(delivery, "/lamp")
    assert manifest is not None
    assert (manifest.revision, manifest.status, manifest.publish_id) == (1, "live", publish["id"])
    assert (manifest.shop_id, manifest.landing_page_id) == (tenant.shop.id, page.id)
    assert (manifest.base.version_id, manifest.base.version_number) == (current["id"], 2)
    assert manifest.base.policy == current["render_manifest"]["policy"]
    # At the address that the version was rendered for, these are the very bytes that were checked.
    html = html_of(delivery, manifest.base.sha256)
    assert manifest.base.sha256 == current["render_manifest"]["sha256"]
    assert len(html) == manifest.base.bytes
    assert gzip.decompress(html_of(delivery, manifest.base.sha256, "gzip")) == html
    assert brotli.decompress(html_of(delivery, manifest.base.sha256, "br")) == html


def test_publish__of_a_version_at_another_address__is_rendered_for_it(page: Page, delivery: MemoryBlobs) -> None:
    first = page.shown()["versions"][1]
    publish = page.published(version_id=first["id"], host=OTHER_HOST, path="//Guides/./%6camp/")
    assert (publish["version_id"], publish["url"]) == (first["id"], f"https://{OTHER_HOST}/Guides/lamp")
    manifest = manifest_at(delivery, "/Guides/lamp", OTHER_HOST)
    assert manifest is not None
    html = html_of(delivery, manifest.base.sha256)
    assert f'<link rel="canonical" href="https://{OTHER_HOST}/Guides/lamp">'.encode() in html
    assert b"<title>Edition 1</title>" in html
    shown = page.shown()
    # The version in work keeps its place, and the page the address.
    assert (shown["status"], shown["publish_host"], shown["publish_path"]) == ("ready", OTHER_HOST, "/Guides/lamp")


def test_publish__without_path__is_at_the_slug(client: Client, delivery: MemoryBlobs) -> None:
    page = Page.created(client, slug="autumn")
    assert page.published()["url"] == "https://shop.example/autumn"
    assert live_at(delivery, "/autumn")


def test_second_publish__supersedes_the_first__and_lists_are_newest_first(
    api: MemoryApi, page: Page, delivery: MemoryBlobs
) -> None:
    made = []
    for _ in range(5):
        api.clock.advance(seconds=1)
        made.append(page.published()["id"])
    listed = page.publishes()
    assert [(each["id"], each["status"]) for each in listed] == [
        (each, "published" if each == made[-1] else "superseded") for each in reversed(made)
    ]
    assert page.shown()["publishes"] == listed[:3]
    first = page.client.get(f"{page.path}/publishes", query={"limit": "2"}).json()
    cursor = first["pagination"]["next_cursor"]
    rest = page.client.get(f"{page.path}/publishes", query={"limit": "9", "cursor": cursor}).json()
    assert first["data"] + rest["data"] == listed
    manifest = manifest_at(delivery, "/lamp")
    assert manifest is not None
    assert (manifest.revision, manifest.publish_id) == (5, made[-1])


def test_new_version__after_a_publish__changes_nothing_online(page: Page, delivery: MemoryBlobs) -> None:
    publish = page.published()
    page.add_version("Third")
    assert (page.shown()["status"], live_at(delivery, "/lamp")) == ("ready", publish["id"])
    assert page.shown()["published_version_id"] == publish["version_id"]


def test_qa__is_required_of_the_version__unless_the_shop_turns_it_off(
    api: MemoryApi, tenant: Tenant, page: Page, delivery: MemoryBlobs
) -> None:
    answer = page.client.post(f"{page.path}/versions", {"spec": spec_with("steps")})
    refused = page.publish()
    assert (refused.status, refused.code) == (409, "qa_required")
    assert "version 3" in refused.json()["error"]["message"]
    assert page.publish(override_gate={"reason": "The gate is not the QA"}).code == "qa_required"
    assert page.published(version_id=page.shown()["versions"][1]["id"])["id"] == live_at(delivery, "/lamp")

    record = replace(_DEFAULTS, head=replace(_DEFAULTS.head, shop_id=tenant.shop.id))
    api.world.catalog.commit(Commit(puts=[Put(record=record, expected_version=0)]))
    assert page.published()["version_id"] == answer.json()["id"]


def fail(api: MemoryApi, tenant: Tenant, page: Page, *keys: str) -> None:
    """Let checks of every version of a page fail."""
    catalog = api.world.catalog
    for version in page.shown()["versions"]:
        record = catalog.get(tenant.shop.id, "LPR", version["id"], parent_id=page.id)
        assert record is not None
        for check in record.body["gate_report"]["checks"]:
            check["status"] = "fail" if check["key"] in keys else check["status"]
        failed = replace(record, head=replace(record.head, version=record.head.version + 1))
        catalog.commit(Commit(puts=[Put(record=failed, expected_version=record.head.version)]))


def test_gate__that_failed__is_422_with_the_checks__unless_it_is_overridden(
    api: MemoryApi, tenant: Tenant, page: Page, delivery: MemoryBlobs
) -> None:
    fail(api, tenant, page, "size_budget", "images_have_alt")
    refused = page.publish()
    assert (refused.status, refused.code) == (422, "gate_failed")
    assert [check["key"] for check in refused.json()["error"]["checks"]] == ["images_have_alt", "size_budget"]
    assert page.publishes() == []
    assert live_at(delivery, "/lamp") is None

    reason = {"reason": "The campaign starts at noon"}
    launcher = api.key(["landing_pages:read", "landing_pages:publish"], shop_id=tenant.shop.id)
    lacking = Page(api.client(launcher.text), page.id).publish(override_gate=reason)
    assert (lacking.status, lacking.json()["error"]["required_scope"]) == (403, "shop:write")
    assert page.publish(override_gate={}).status == 400
    assert page.published(override_gate=reason)["error"] is None
    rows, _ = api.world.catalog.audit(tenant.shop.id, entity_id=page.id, limit=9)
    noted = {row.action: row.diff.get("override_gate") for row in rows}
    assert noted["landing_page.publish"] == [None, reason["reason"]]
    checks = {row.action: row.diff.get("overridden_checks") for row in rows}
    assert checks["landing_page.publish"] == [None, ["images_have_alt", "size_budget"]]


def test_brand_context__of_the_moment__decides_and_not_that_of_the_report(
    api: MemoryApi, tenant: Tenant, page: Page, delivery: MemoryBlobs
) -> None:
    live = page.published()["id"]
    store(api, tenant, BrandContext(mode="strict"))
    refused = page.publish()
    assert (refused.status, refused.code) == (422, "gate_failed")
    assert [check["key"] for check in refused.json()["error"]["checks"]] == ["brand_banned_phrases"]
    assert live_at(delivery, "/lamp") == live
    # A rollback has no gates, and repeats what was online.
    assert page.client.post(f"{page.path}/rollback", {"publish_id": live}).status == 200
    store(api, tenant, BrandContext(mode="off"), version=2)
    page.published()


@pytest.mark.parametrize("key", ["html_valid", "no_external_script", "csp_safe"])
def test_gate__that_protects_visitors__is_never_overridden(
    api: MemoryApi, tenant: Tenant, page: Page, key: str
) -> None:
    fail(api, tenant, page, key)
    refused = page.publish(override_gate={"reason": "Trust me"})
    assert (refused.status, refused.code, page.publishes()) == (422, "gate_failed", [])


@pytest.mark.parametrize(
    ("fields", "status", "code", "place"),
    [
        ({"host": "unclaimed.example"}, 422, "url_not_allowed", "host"),
        ({"host": "stranger.example"}, 422, "url_not_allowed", "host"),
        ({"host": "edge.test"}, 422, "url_not_allowed", "host"),
        ({"host": "d1.cloudfront.net"}, 422, "url_not_allowed", "host"),
        ({"path": "/*"}, 400, "invalid_request", "path"),
        ({"path": "/%61pi/x"}, 422, "reserved_path", "path"),
        ({"path": "/x/../Cart"}, 422, "reserved_path", "path"),
        ({"path": "guide"}, 400, "invalid_request", "path"),
        ({"path": "/a%2Fb"}, 400, "invalid_request", "path"),
        ({"host": "https://shop.example"}, 400, "invalid_request", "host"),
        ({"version_id": "0192a3b4-0000-7000-8000-0000000000ee"}, 422, "validation_failed", "version_id"),
        ({"version_id": 1}, 400, "invalid_request", "version_id"),
        ({"status": "published"}, 400, "unknown_property", "status"),
    ],
)
def test_publish__of_a_bad_field__is_refused_and_changes_nothing(
    api: MemoryApi, page: Page, fields: dict[str, Any], status: int, code: str, place: str
) -> None:
    stranger = api.tenant("Stranger", domain="stranger.example")
    claim(api, stranger.shop.id, "stranger.example")
    for own in ("edge.test", "d1.cloudfront.net"):  # claimed before pages existed
        claim(api, page.shown()["shop_id"], own)
    before = page.shown()
    answer = page.client.post(f"{page.path}/publish", fields, checked=False)
    assert (answer.status, answer.code, answer.paths) == (status, code, [place])
    assert (page.shown(), page.publishes()) == (before, [])


def test_publish__of_a_page_without_version_or_of_an_archived_one__is_refused(client: Client) -> None:
    page = Page.created(client, versions=0)
    assert (page.publish().status, page.publish().paths) == (422, ["version_id"])
    client.post(f"{page.path}/archive")
    archived = page.publish()
    assert (archived.status, archived.json()["error"]["allowed_actions"]) == (409, ["unarchive"])


def test_route__of_another_page__is_409_until_that_page_leaves_it(client: Client, delivery: MemoryBlobs) -> None:
    first, second = (Page.created(client, slug=slug, publish_path="/lamp") for slug in ("first", "second"))
    live = first.published()["id"]
    refused = second.publish()
    assert (refused.status, refused.code, second.publishes()) == (409, "route_taken", [])
    assert (second.shown()["status"], live_at(delivery, "/lamp")) == ("ready", live)
    assert second.publish(host=OTHER_HOST).status == 201
    assert client.post(f"{first.path}/unpublish").status == 200
    assert second.published(host="shop.example")["id"] == live_at(delivery, "/lamp")
    assert live_at(delivery, "/lamp", OTHER_HOST) is None


def test_moved_page__is_at_its_new_address_and_gone_from_the_old_one(
    api: MemoryApi, page: Page, delivery: MemoryBlobs
) -> None:
    first = page.published()
    api.clock.advance(seconds=1)  # ids of one moment have no order
    second = page.published(path="/light")
    assert (live_at(delivery, "/light"), live_at(delivery, "/lamp")) == (second["id"], None)
    old = manifest_at(delivery, "/lamp")
    assert old is not None
    assert (old.status, old.publish_id, old.revision) == ("gone", first["id"], 2)
    assert [each["status"] for each in page.publishes()] == ["published", "superseded"]


def test_unpublish__takes_the_page_offline__once(page: Page, delivery: MemoryBlobs) -> None:
    refused = page.client.post(f"{page.path}/unpublish")
    assert (refused.status, refused.code) == (409, "invalid_state_transition")
    assert refused.json()["error"]["allowed_actions"] == ["qa-runs", "publish", "archive"]
    page.published()
    for _ in range(2):
        shown = page.client.post(f"{page.path}/unpublish").json()
        assert (shown["status"], shown["published_version_id"], shown["published_version"]) == (
            "unpublished",
            None,
            None,
        )
        assert [each["status"] for each in shown["publishes"]] == ["unpublished"]
        manifest = manifest_at(delivery, "/lamp")
        assert manifest is not None
        assert (manifest.status, manifest.revision) == ("gone", 2)
    assert page.published()["id"] == live_at(delivery, "/lamp")


def test_rollback__is_a_new_publish_of_an_old_one__with_its_address_and_without_gates(
    api: MemoryApi, tenant: Tenant, page: Page, delivery: MemoryBlobs
) -> None:
    first_version = page.shown()["versions"][1]["id"]
    first = page.published(version_id=first_version)
    api.clock.advance(seconds=1)
    before = manifest_at(delivery, "/lamp")
    second = page.published(path="/light")
    api.clock.advance(seconds=1)
    fail(api, tenant, page, "html_valid")
    shown = page.client.post(f"{page.path}/rollback", {"publish_id": first["id"]}).json()
    assert (shown["status"], shown["published_version_id"]) == ("published", first_version)
    assert shown["current_version_id"] == second["version_id"]
    newest = page.publishes()[0]
    assert newest["id"] not in (first["id"], second["id"])
    kept = ("version_id", "host", "path", "url", "status")
    assert [newest[name] for name in kept] == [first[name] for name in kept]
    after = manifest_at(delivery, "/lamp")
    assert before is not None
    assert after is not None
    assert (after.status, after.publish_id, after.base) == ("live", newest["id"], before.base)
    assert live_at(delivery, "/light") is None
    # Once more, it changes nothing.
    same = page.client.post(f"{page.path}/rollback", {"publish_id": newest["id"]})
    assert (same.status, same.json(), len(page.publishes())) == (200, shown, 3)


def store_hosts(api: MemoryApi, tenant: Tenant, version: int, *additional: str) -> None:
    """Store the install domains of the shop."""
    head = Head(
        shop_id=tenant.shop.id,
        kind="SET",
        id=INSTALL_DOMAINS,
        version=version,
        created_at=MOMENT,
        updated_at=MOMENT,
    )
    record = Record(head=head, body={"additional": list(additional), "held": []})
    api.world.catalog.commit(Commit(puts=[Put(record=record, expected_version=version - 1)]))


def test_form__that_posts_to_a_host_given_up__is_published_and_taken_back_no_more(
    api: MemoryApi, tenant: Tenant, page: Page
) -> None:
    store_hosts(api, tenant, 1, OTHER_HOST)
    spec = spec_with(blocks=[block("form", action=f"https://{OTHER_HOST}/x")])
    page.client.post(f"{page.path}/versions", {"spec": spec})
    approved(page.client, page.id)
    first = page.published()["id"]
    api.clock.advance(seconds=1)
    page.published(version_id=page.shown()["versions"][1]["id"])
    store_hosts(api, tenant, 2)
    for refused in (page.publish(), page.client.post(f"{page.path}/rollback", {"publish_id": first})):
        assert (refused.status, refused.paths) == (422, ["spec.blocks[0].action"])


def test_rollback__to_a_publish_that_the_page_does_not_have__is_422(client: Client, page: Page) -> None:
    other = Page.created(client, slug="other").published()["id"]
    never = page.client.post(f"{page.path}/rollback", {"publish_id": other})
    assert (never.status, never.code) == (409, "invalid_state_transition")
    page.published()
    for publish_id in (other, page.id):
        refused = page.client.post(f"{page.path}/rollback", {"publish_id": publish_id})
        assert (refused.status, refused.code, refused.paths) == (422, "validation_failed", ["publish_id"])


def test_if_match__of_another_version__is_412(page: Page, delivery: MemoryBlobs) -> None:
    old = {"if-match": 'W/"1"'}
    assert page.client.post(f"{page.path}/publish", {}, headers=old).status == 412
    publish = page.published()
    for verb, body in (("unpublish", None), ("rollback", {"publish_id": publish["id"]})):
        assert page.client.post(f"{page.path}/{verb}", body, headers=old).status == 412
    assert live_at(delivery, "/lamp") == publish["id"]


def test_another_shop__finds_nothing(api: MemoryApi, page: Page, delivery: MemoryBlobs) -> None:
    publish = page.published()
    stranger = api.tenant("Stranger", domain="stranger.example")
    claim(api, stranger.shop.id, "stranger.example")
    theirs = Page(api.client(stranger.admin), page.id)
    rollback = theirs.client.post(f"{page.path}/rollback", {"publish_id": publish["id"]})
    answers = [theirs.publish(), rollback, theirs.client.post(f"{page.path}/unpublish")]
    assert [each.status for each in (*answers, theirs.client.get(f"{page.path}/publishes"))] == [404] * 4
    own = Page.created(theirs.client)
    assert own.publish(host="shop.example").code == "url_not_allowed"
    assert own.publish(version_id=publish["version_id"]).code == "validation_failed"
    own.published()
    assert theirs.client.post(f"{own.path}/rollback", {"publish_id": publish["id"]}).code == "validation_failed"
    assert live_at(delivery, "/lamp") == publish["id"]


def test_publish_scope__is_needed__and_follows_from_no_other(api: MemoryApi, tenant: Tenant, page: Page) -> None:
    writer = api.key(["landing_pages:write"], shop_id=tenant.shop.id)
    client = api.client(writer.text)
    bodies: list[tuple[str, Any]] = [("publish", {}), ("unpublish", None), ("rollback", {"publish_id": page.id})]
    for verb, body in bodies:
        answer = client.post(f"{page.path}/{verb}", body)
        assert (answer.status, answer.json()["error"]["required_scope"]) == (403, "landing_pages:publish")
    assert client.get(f"{page.path}/publishes").status == 200


def test_published_page__is_stored_whole(api: MemoryApi, tenant: Tenant, page: Page) -> None:
    publish = page.published()
    record = api.world.catalog.get(tenant.shop.id, "LP", page.id)
    assert record is not None
    stored = LANDING_PAGES.from_record(record)
    assert stored.live is not None
    assert (stored.live.publish_id, stored.latest_publish_id) == (publish["id"], publish["id"])


def test_publish__and_each_move__drop_the_addresses_from_the_caches_of_their_hosts(
    page: Page, caplog: pytest.LogCaptureFixture
) -> None:
    def dropped() -> list[tuple[str, list[str]]]:
        orders = [vars(record) for record in caplog.records if record.getMessage() == "cdn.invalidated"]
        caplog.clear()
        return [(order["host"], order["paths"]) for order in orders]

    caplog.set_level("INFO")
    assert page.publish().status == 201
    assert dropped() == [("shop.example", ["/lamp", "/lamp?*"])]
    assert page.publish(host=OTHER_HOST, path="/light").status == 201
    assert sorted(dropped()) == [(OTHER_HOST, ["/light", "/light?*"]), ("shop.example", ["/lamp", "/lamp?*"])]
