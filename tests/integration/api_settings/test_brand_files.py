"""Brand files over HTTP: chosen by people, read by a worker, shown as excerpts with their state."""

from __future__ import annotations

import pytest

from abtest.adapters.documents.reader import PdfTexts
from abtest.domain.brand.excerpts import PROBLEMS, Problem
from tests.support.api import MemoryApi, Tenant
from tests.support.assets import caller_of
from tests.support.brand_files import BrandReading, Texts, announced_document, assets_of, excerpts, put, put_document
from tests.support.client import Client
from tests.support.documents import bomb, encrypted, pdf, unicode_pdf
from tests.support.media import SVG

BEING_READ = "(being read)"


@pytest.fixture
def client(api: MemoryApi, tenant: Tenant) -> Client:
    """A client with every scope."""
    return api.client(tenant.admin)


@pytest.fixture
def worker(api: MemoryApi) -> BrandReading:
    """The worker, with a reader that takes no time."""
    return BrandReading(api, Texts())


def test_files__by_a_key_that_may_not_read_assets__are_refused(api: MemoryApi, client: Client, tenant: Tenant) -> None:
    writer = api.client(api.key(["brand:write"], shop_id=tenant.shop.id).text)
    refused = writer.put("/brand-context", {"asset_ids": [put_document(api, tenant)], "summary": "x"})
    assert (refused.status, refused.json()["error"]["required_scope"]) == (403, "assets:read")
    assert client.get("/brand-context").json()["summary"] == ""
    assert writer.put("/brand-context", {"asset_ids": [], "summary": "Lamps."}).status == 200


def test_files__are_read_by_the_worker_and_shown(api: MemoryApi, client: Client, tenant: Tenant) -> None:
    worker = BrandReading(api, PdfTexts())
    guide = put_document(api, tenant, pdf("Our voice is warm.\nSay you."), "guide.pdf")
    scan = put_document(api, tenant, pdf(""), "scan.pdf")
    body = put(client, [guide, scan], summary="Lamps.")
    assert body["clientAssetExcerpts"] == [
        {"name": "guide.pdf", "excerpt": BEING_READ},
        {"name": "scan.pdf", "excerpt": BEING_READ},
    ]
    assert "asset_ids" not in body
    assert (body["hasProfile"], body["status"], body["promptBlock"]) == (True, "draft", "Brand: Lamps.")
    worker.work()
    assert excerpts(client) == [
        ("guide.pdf", "Our voice is warm.\nSay you."),
        ("scan.pdf", f"(cannot be read: {PROBLEMS['no_text']})"),
    ]
    context = client.get("/brand-context")
    assert context.headers["etag"] == 'W/"2"'
    assert context.json()["promptBlock"] == "Brand: Lamps.\n\nBrand files: guide.pdf:\nOur voice is warm.\nSay you."


@pytest.mark.parametrize(
    ("content", "problem"),
    [(encrypted(pdf("Secret")), "encrypted"), (pdf("Lost").replace(b"/Pages 2 0 R", b"/Pages 9 0 R"), "damaged")],
)
def test_file__that_cannot_be_read__shows_why(
    api: MemoryApi, client: Client, tenant: Tenant, content: bytes, problem: Problem
) -> None:
    put(client, [put_document(api, tenant, content)])
    BrandReading(api, PdfTexts()).work()
    assert excerpts(client) == [("guide.pdf", f"(cannot be read: {PROBLEMS[problem]})")]


def test_hostile_files__have_an_outcome_each_and_hold_no_other_up(
    api: MemoryApi, client: Client, tenant: Tenant
) -> None:
    text = unicode_pdf("0041", "0000", "D800", "202E", "0042")
    contents = [bomb(64), pdf(*["A page"] * 2000), text, pdf("Say you.")]
    put(client, [put_document(api, tenant, each, f"{place}.pdf") for place, each in enumerate(contents)])
    BrandReading(api, PdfTexts()).work()
    shown = dict(excerpts(client))
    assert shown["0.pdf"] == f"(cannot be read: {PROBLEMS['too_large']})"
    assert shown["1.pdf"].startswith("A page\nA page")
    assert shown["2.pdf"] == "A \ufffd B"
    assert shown["3.pdf"] == "Say you."


@pytest.mark.parametrize("kind", ["unknown", "foreign", "archived", "incomplete", "image"])
def test_id__of_an_asset_that_cannot_be_a_brand_file__is_refused_with_its_place(
    api: MemoryApi, client: Client, tenant: Tenant, worker: BrandReading, kind: str
) -> None:
    caller, good = caller_of(tenant), [put_document(api, tenant, name=f"{place}.pdf") for place in range(2)]
    bad = api.world.new_id()
    if kind == "foreign":
        bad = put_document(api, api.tenant("Other", domain="other.example"))
    elif kind == "archived":
        bad = put_document(api, tenant)
        assets_of(api).set_archived(caller, bad, True, expected_version=None)
    elif kind == "incomplete":
        bad = announced_document(api, tenant)
    elif kind == "image":
        bad = put_document(api, tenant, SVG, "icon.svg")
    refused = client.put("/brand-context", {"asset_ids": [*good, bad], "summary": "Lamps."}, checked=False)
    assert (refused.status, refused.json()["error"]["code"], refused.paths) == (
        422,
        "validation_failed",
        ["asset_ids[2]"],
    )
    assert (
        refused.json()["error"]["fields"][0]["message"]
        == {
            "unknown": "there is no such asset",
            "foreign": "there is no such asset",
            "archived": "the asset is archived",
            "incomplete": "the asset is not complete: upload its file and complete it first",
            "image": "must be a PDF document; the asset is image/svg+xml",
        }[kind]
    )
    assert client.get("/brand-context").headers["etag"] == 'W/"0"'
    assert worker.queue.sent == []


def test_ids__twice_or_too_many__are_refused(api: MemoryApi, client: Client, tenant: Tenant) -> None:
    asset_id = put_document(api, tenant)
    twice = client.put("/brand-context", {"asset_ids": [asset_id, asset_id.upper()]}, checked=False)
    assert (twice.status, twice.paths) == (400, ["asset_ids"])
    many = client.put("/brand-context", {"asset_ids": [api.world.new_id() for _ in range(21)]}, checked=False)
    assert (many.status, many.paths) == (422, ["asset_ids"])
    assert client.put("/brand-context", {"asset_ids": ["guide.pdf"]}, checked=False).status == 400
    assert client.put("/brand-context", {"asset_ids": None}, checked=False).status == 400
    assert client.get("/brand-context").headers["etag"] == 'W/"0"'


def test_asset__that_was_deleted__blocks_no_edit_and_keeps_its_text(
    api: MemoryApi, client: Client, tenant: Tenant, worker: BrandReading
) -> None:
    asset_id = put_document(api, tenant)
    put(client, [asset_id])
    worker.work()
    before = excerpts(client)
    assets_of(api).delete(caller_of(tenant), asset_id, expected_version=None)
    other = put_document(api, tenant, name="tone.pdf")
    assert put(client, [asset_id, other], summary="Lamps.")["summary"] == "Lamps."
    worker.work()
    assert excerpts(client)[:1] == before
    assert len(excerpts(client)) == 2
    assert put(client, [])["clientAssetExcerpts"] == []


def test_asset__that_is_deleted_before_it_is_read__shows_it(
    api: MemoryApi, client: Client, tenant: Tenant, worker: BrandReading
) -> None:
    asset_id = put_document(api, tenant)
    put(client, [asset_id])
    assets_of(api).delete(caller_of(tenant), asset_id, expected_version=None)
    worker.work()
    assert excerpts(client) == [("guide.pdf", "(cannot be read: the asset was deleted)")]


def test_edit__of_other_parts__keeps_the_files(
    api: MemoryApi, client: Client, tenant: Tenant, worker: BrandReading
) -> None:
    put(client, [put_document(api, tenant)])
    client.put("/brand-context", {"summary": "Lamps."})
    assert excerpts(client) == [("guide.pdf", BEING_READ)]
    worker.work()
    client.put("/brand-context", {"summary": "Lights."})
    assert excerpts(client)[0][1].startswith("text of")
    assert worker.queue.sent == []


def test_files__that_were_read__are_not_read_again(
    api: MemoryApi, client: Client, tenant: Tenant, worker: BrandReading
) -> None:
    first, second = (put_document(api, tenant, name=name) for name in ("a.pdf", "b.pdf"))
    put(client, [first])
    worker.work()
    assert [name for name, _ in excerpts(client)] == ["a.pdf"]
    put(client, [second, first])
    worker.work()
    assert [name for name, _ in excerpts(client)] == ["b.pdf", "a.pdf"]
    put(client, [second, first])
    assert worker.queue.sent == []
    assert isinstance(worker.documents, Texts)
    assert len(worker.documents.contents) == 2


def test_audit__of_files__has_their_ids(api: MemoryApi, client: Client, tenant: Tenant, worker: BrandReading) -> None:
    asset_id = put_document(api, tenant)
    put(client, [asset_id])
    worker.work()
    rows, _ = api.world.catalog.audit(tenant.shop.id, entity_id=tenant.shop.id, limit=5)
    (row,) = [row for row in rows if row.action == "settings.update_brand_context"]
    assert row.diff["asset_ids"] == [[], [asset_id]]
