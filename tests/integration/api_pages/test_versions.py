"""Versions of landing pages over HTTP: written and rendered once, listed, read, restored."""

from __future__ import annotations

from hashlib import sha256
from typing import Any

import pytest

from abtest.services.pages.children import version_in
from abtest.services.pages.pages import LANDING_PAGES
from tests.integration.api_pages.test_pages import set_fields
from tests.support.api import MemoryApi, Tenant
from tests.support.client import Client
from tests.support.landing import BLOCKS, block
from tests.support.landing import page as spec_with

SPEC = spec_with("steps", "stats", "faq", "comparison")
SEO = {"title": "The lamp", "description": "A desk lamp that follows daylight, made to be repaired for thirty years."}


@pytest.fixture
def path(client: Client) -> str:
    """Address of the versions of a stored page."""
    page = client.post("/landing-pages", {"name": "Lamp", "slug": "lamp", "publish_path": "/lamp"}).json()
    return f"/landing-pages/{page['id']}/versions"


def create(api: MemoryApi, client: Client, path: str, **fields: Any) -> dict[str, Any]:
    """Create a version, a second after what was before."""
    api.clock.advance(seconds=1)  # ids of one moment have no order
    answer = client.post(path, {"spec": SPEC, **fields})
    assert answer.status == 201, answer.body
    body: dict[str, Any] = answer.json()
    return body


def checks(version: dict[str, Any]) -> dict[str, str]:
    """Status of each check of the gate report."""
    return {check["key"]: check["status"] for check in version["gate_report"]["checks"]}


def test_create__with_everything__has_the_fields_of_the_contract(
    api: MemoryApi, tenant: Tenant, client: Client, path: str
) -> None:
    brief = client.post("/content-briefs", {"format": "landing", "angle": "Light"}).json()
    claim = {"text": "48,000 lamps in use", "evidence_ref": "sales", "status": "supported"}
    version = create(api, client, path, brief_id=brief["id"], claims=[claim], seo_manifest=SEO)
    html = api.management.blobs.get(version["html_key"])
    assert html is not None
    assert version["html_key"] == f"pages/html/{sha256(html.content).hexdigest()}"
    assert b'<link rel="canonical" href="https://shop.example/lamp">' in html.content
    assert version == {
        "id": version["id"],
        "landing_page_id": path.split("/")[2],
        "version_number": 1,
        "spec": SPEC,
        "brief_id": brief["id"],
        "brief_snapshot": brief,
        "gate_report": version["gate_report"],
        "claims": [claim],
        "seo_manifest": SEO,
        "render_manifest": version["render_manifest"],
        "r2_prefix": None,
        "html_key": version["html_key"],
        "created_by": tenant.user_id,
        "created_at": "2026-03-02T09:00:01.000Z",
    }
    assert version["render_manifest"]["bytes"] == len(html.content)
    assert version["gate_report"]["passed"] is True
    assert checks(version) == {
        **dict.fromkeys(("html_valid", "no_external_script", "images_have_alt", "title_and_description"), "pass"),
        **dict.fromkeys(("canonical", "claims_have_evidence", "size_budget", "csp_safe", "links_resolve"), "pass"),
        "brand_banned_phrases": "pass",
    } | {"links_resolve": "warn"}
    assert client.get(f"{path}/1").json() == client.get(f"{path}/{version['id'].upper()}").json() == version


def test_create__without_claims_and_seo__proposes_both(api: MemoryApi, client: Client, path: str) -> None:
    version = create(api, client, path)
    assert version["claims"][0] == {"text": "48,000 lamps in use", "evidence_ref": "sales", "status": "unreviewed"}
    assert version["seo_manifest"] == {"title": "Lamp"}
    assert (checks(version)["claims_have_evidence"], checks(version)["title_and_description"]) == ("pass", "warn")


def test_page__shows_its_versions__newest_first_and_ten_at_most(api: MemoryApi, client: Client, path: str) -> None:
    created = [create(api, client, path)["id"] for _ in range(12)]
    page = client.get(path.removesuffix("/versions")).json()
    assert [version["id"] for version in page["versions"]] == created[:1:-1]
    assert page["current_version"]["id"] == page["current_version_id"] == created[-1]
    (summary,) = client.get("/landing-pages").json()["data"]
    assert summary["_count"]["versions"] == 12
    assert summary["current_version"]["id"] == created[-1]
    first = client.get(path, query={"limit": 8}).json()
    rest = client.get(path, query={"limit": 8, "cursor": first["pagination"]["next_cursor"]}).json()
    assert [version["version_number"] for version in first["data"] + rest["data"]] == list(range(12, 0, -1))


def test_restore__makes_a_version_current__and_keeps_all(api: MemoryApi, client: Client, path: str) -> None:
    first, second = create(api, client, path), create(api, client, path, seo_manifest=SEO)
    page = client.post(f"{path}/1/restore").json()
    assert (page["current_version_id"], page["status"]) == (first["id"], "draft")
    repeated = client.post(f"{path}/{first['id']}/restore")
    assert repeated.headers["etag"] == 'W/"4"'
    assert [version["id"] for version in repeated.json()["versions"]] == [second["id"], first["id"]]
    assert create(api, client, path)["version_number"] == 3


def test_new_version__of_a_published_page__makes_it_a_draft_that_stays_online(
    api: MemoryApi, tenant: Tenant, client: Client, path: str
) -> None:
    first = create(api, client, path)
    online = {"status": "published", "publishes": 1, "published_version_id": first["id"]}
    set_fields(api, tenant, path.split("/")[2], **online)
    create(api, client, path)
    page = client.get(path.removesuffix("/versions")).json()
    assert (page["status"], page["published_version"]["id"]) == ("draft", first["id"])
    assert client.post(f"{path}/1/restore").json()["status"] == "published"


@pytest.mark.parametrize(
    ("fields", "status", "code", "place"),
    [
        ({"spec": {}}, 400, "invalid_request", "spec.format"),
        ({"spec": {**SPEC, "html": "<script>"}}, 400, "unknown_property", "spec.html"),
        ({"spec": {**SPEC, "theme": {"text": "#eeeeee"}}}, 422, "validation_failed", "spec.theme.text"),
        ({"spec": spec_with("image")}, 422, "validation_failed", "spec.blocks[0].image.asset_id"),
        ({"brief_id": "0192e4a0-ffff-7000-8000-000000000000"}, 422, "validation_failed", "brief_id"),
        ({"claims": [{"text": "", "status": "supported"}]}, 400, "invalid_request", "claims[0].text"),
        ({"seo_manifest": {"title": "x" * 71}}, 400, "invalid_request", "seo_manifest.title"),
        ({"version_number": 7}, 400, "unknown_property", "version_number"),
    ],
)
def test_create__of_a_bad_field__is_refused_and_named(
    client: Client, path: str, fields: dict[str, Any], status: int, code: str, place: str
) -> None:
    answer = client.post(path, {"spec": SPEC, **fields}, checked=False)
    assert (answer.status, answer.code) == (status, code)
    assert place in answer.paths
    assert client.get(path).json()["data"] == []


def test_form__that_posts_to_a_host_of_another__is_422(client: Client, path: str) -> None:
    form = block("form", action="https://evil.example/in")
    answer = client.post(path, {"spec": {**spec_with("steps"), "blocks": [form]}})
    assert (answer.status, answer.paths) == (422, ["spec.blocks[0].action"])
    assert (
        client.post(
            path,
            {"spec": {**spec_with("steps"), "blocks": [BLOCKS["form"] | form | {"action": "https://shop.example/in"}]}},
        ).status
        == 201
    )


def test_spec__over_256_kb__is_413(client: Client, path: str) -> None:
    long = {"type": "text", "body": "x" * 9000}
    blocks = [{**long, "id": f"b{number}"} for number in range(30)]
    answer = client.post(path, {"spec": {**SPEC, "blocks": blocks}})
    assert (answer.status, answer.code) == (413, "payload_too_large")


def test_version__over_48_kb_besides_its_spec__is_413_and_stores_nothing(
    api: MemoryApi, client: Client, path: str
) -> None:
    claims = [{"text": f"{number}{'x' * 8000}"} for number in range(5)]
    quotes = [{"quote": "x" * 9000, "name": str(number)} for number in range(6)]
    proposing = {**SPEC, "blocks": [{"type": "testimonials", "id": "t", "items": quotes}]}
    before = list(api.management.delivery.list("pages/"))
    for fields in ({"claims": [*claims, *claims]}, {"spec": proposing}):
        answer = client.post(path, {"spec": SPEC, **fields})
        assert (answer.status, answer.code) == (413, "payload_too_large")
        assert "claims, seo_manifest and brief of a version" in answer.json()["error"]["message"]
    assert list(api.management.delivery.list("pages/")) == before
    assert client.post(path, {"spec": SPEC, "claims": claims}).status == 201
    assert client.post(path, {"spec": proposing, "claims": []}).status == 201


def test_limit__of_versions__is_422(api: MemoryApi, client: Client, path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("abtest.services.pages.versions.MAX_VERSIONS", 2)
    for _ in range(2):
        create(api, client, path)
    answer = client.post(path, {"spec": SPEC})
    assert (answer.status, answer.code) == (422, "limit_reached")


def test_archived_page__takes_no_version(api: MemoryApi, client: Client, path: str) -> None:
    create(api, client, path)
    client.post(f"{path.removesuffix('/versions')}/archive")
    for answer in (client.post(path, {"spec": SPEC}), client.post(f"{path}/1/restore")):
        assert (answer.status, answer.json()["error"]["allowed_actions"]) == (409, ["unarchive"])


def test_version__of_another_page_or_shop__is_404(api: MemoryApi, client: Client, path: str) -> None:
    version = create(api, client, path)
    other = client.post("/landing-pages", {"name": "Other", "slug": "other"}).json()["id"]
    stranger = api.client(api.tenant("Stranger").admin)
    answers = [client.get(f"/landing-pages/{other}/versions/{version['id']}"), client.get(f"{path}/2")]
    answers += [client.post(f"/landing-pages/{other}/versions/{version['id']}/restore")]
    answers += [stranger.get(path), stranger.get(f"{path}/1"), stranger.post(path, {"spec": SPEC})]
    assert [answer.status for answer in answers] == [404] * 6
    assert client.get(f"{path}/first").status == 400


def test_delete__page_with_many_versions__takes_them_along(
    api: MemoryApi, tenant: Tenant, client: Client, path: str
) -> None:
    page_id = path.split("/")[2]
    version, *_ = [create(api, client, path) for _ in range(45)]
    record = api.world.catalog.get(tenant.shop.id, "LPV", version["id"], parent_id=page_id)
    assert record is not None
    assert version_in(record).version_number == 1
    assert client.delete(path.removesuffix("/versions")).status == 204
    assert api.world.catalog.list(tenant.shop.id, "LPV", limit=9, parent_id=page_id).heads == []
    assert api.world.catalog.get(tenant.shop.id, LANDING_PAGES.kind, page_id) is None


def test_creation__is_audited_with_its_number(api: MemoryApi, tenant: Tenant, client: Client, path: str) -> None:
    version = create(api, client, path)
    rows, _ = api.world.catalog.audit(tenant.shop.id, entity_id=path.split("/")[2], limit=1)
    assert rows[0].action == "landing_page.add_version"
    assert rows[0].diff["version_number"] == [None, 1]
    assert rows[0].diff["current_version_id"] == [None, version["id"]]
