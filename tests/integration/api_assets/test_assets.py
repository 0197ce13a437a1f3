"""Assets over HTTP; the suite in tests/unit/aggregates has what all resources promise."""

from base64 import b64encode
from functools import partial
from typing import Any

import pytest

from abtest.adapters.images import PillowCodec
from abtest.domain.assets import model
from abtest.domain.assets.types import TYPES, AssetType
from abtest.http.factory import create_app, handler
from abtest.ports.catalog import Commit, StaleVersionError
from abtest.services.assets.assets import Assets
from abtest.services.assets.uploads import AssetUploads
from abtest.wiring.api_experiments import experiments_uses
from abtest.wiring.api_flags import flags_uses
from abtest.wiring.api_personalizations import personalizations_uses
from api_experiments import routes as experiments
from api_flags import routes as flags
from api_personalizations import routes as personalizations
from tests.contract.records import race
from tests.support.api import MemoryApi, Tenant
from tests.support.assets import ORIGIN, caller_of, direct, fetched, stored
from tests.support.client import Client
from tests.support.media import SAMPLES, SVG, ZIP, decoded, encoded, gradient
from tests.support.memory import MemoryAssetFiles, MemorySessions

UNKNOWN = "0192e4a0-ffff-7000-8000-000000000000"


def test_create__with_its_file__has_the_fields_of_the_contract(client: Client, tenant: Tenant) -> None:
    response = client.post("/assets", direct("Größe (1).SVG", name="Size"))
    asset = response.json()
    assert (response.status, response.headers["etag"]) == (201, 'W/"1"')
    assert asset == {
        "id": asset["id"],
        "name": "Size",
        "file_name": "Gro-e-1.svg",
        "mime_type": "image/svg+xml",
        "size_bytes": asset["size_bytes"],
        "public_url": asset["public_url"],
        "created_at": "2026-03-02T09:00:00.000Z",
        "updated_at": "2026-03-02T09:00:00.000Z",
        "archived_at": None,
        "archived_by": None,
    }
    assert asset["public_url"].startswith(f"{ORIGIN}/a/{asset['id']}/")
    assert asset["public_url"].endswith("/Gro-e-1.svg")
    assert client.get(f"/assets/{asset['id']}").json() == asset


@pytest.mark.parametrize("asset_type", TYPES, ids=lambda each: each.mime_type)
def test_create__of_each_type__is_served_under_its_address(
    client: Client, files: MemoryAssetFiles, asset_type: AssetType
) -> None:
    asset = stored(client, f"file.{asset_type.extensions[0]}", SAMPLES[asset_type], mime_type=asset_type.mime_type)
    answer = fetched(files, asset["public_url"].removeprefix(ORIGIN))
    assert (answer["statusCode"], answer["headers"]["Content-Type"]) == (200, asset_type.mime_type)
    assert ("Content-Disposition" in answer["headers"]) == asset_type.is_attachment


def test_create__of_a_large_picture__stores_its_renditions(client: Client, files: MemoryAssetFiles) -> None:
    asset = stored(client, "big.png", encoded(gradient(size=(1000, 400)), "PNG"))
    folder = asset["public_url"].removeprefix(f"{ORIGIN}/").rpartition("/")[0]
    assert sorted(files.blobs.objects) == [f"{folder}/big.png", f"{folder}/w480.webp", f"{folder}/w960.webp"]
    assert decoded(files.blobs.objects[f"{folder}/w480.webp"].blob.content).size == (480, 192)


def test_create__of_a_file_named_as_a_rendition__keeps_both_apart(client: Client, files: MemoryAssetFiles) -> None:
    content = encoded(gradient(size=(1000, 400)), "WEBP")
    asset = stored(client, "w480.webp", content)
    assert asset["file_name"] == "image-w480.webp"
    assert files.blobs.objects[asset["public_url"].removeprefix(f"{ORIGIN}/")].blob.content == content


@pytest.mark.parametrize(
    ("body", "status", "path"),
    [
        ({"file_name": "a.svg"}, 422, "content_base64"),
        ({"file_name": "a.svg", "size_bytes": 4}, 422, "content_base64"),
        ({**direct(), "size_bytes": 4}, 422, "size_bytes"),
        ({**direct(), "sha256": "0" * 64}, 422, "sha256"),
        ({"file_name": "a.svg", "content_base64": "%%%"}, 400, "content_base64"),
        ({"file_name": "a.svg", "content_base64": 7}, 400, "content_base64"),
        ({"file_name": "a.svg", "content_base64": None}, 400, "content_base64"),
        ({"file_name": "a.svg", "content_base64": "A" * 4_194_308}, 400, "content_base64"),
        ({"file_name": "a.svg", "size_bytes": 0, "sha256": "0" * 64}, 400, "size_bytes"),
        ({"file_name": "a.svg", "size_bytes": 20 * 2**20 + 1, "sha256": "0" * 64}, 422, "size_bytes"),
        ({"file_name": "a.svg", "size_bytes": 4, "sha256": "xyz"}, 400, "sha256"),
        ({"file_name": "", "content_base64": ""}, 400, "file_name"),
        ({"name": "", **direct()}, 400, "name"),
        (direct("???.svg"), 422, "file_name"),
        (direct(content=b""), 422, "content"),
    ],
)
def test_create__of_a_bad_body__is_refused(client: Client, body: dict[str, Any], status: int, path: str) -> None:
    answer = client.post("/assets", body, checked=False)
    assert (answer.status, answer.paths[0]) == (status, path)
    assert client.get("/assets").json()["data"] == []


@pytest.mark.parametrize(
    ("body", "path"),
    [
        (direct("a.png"), "file_name"),
        (direct("a.html", b"<!doctype html><p>"), "content"),
        (direct("a.zip", ZIP), "content"),
        (direct("a.svg", SVG, mime_type="image/png"), "mime_type"),
        ({"file_name": "a.js", "size_bytes": 4, "sha256": "0" * 64}, "file_name"),
        ({"file_name": "a.png", "size_bytes": 4, "sha256": "0" * 64, "mime_type": "text/html"}, "mime_type"),
    ],
)
def test_create__of_another_type__is_unsupported(client: Client, body: dict[str, Any], path: str) -> None:
    answer = client.post("/assets", body)
    assert (answer.status, answer.code, answer.paths) == (422, "unsupported_asset_type", [path])


@pytest.mark.parametrize(
    ("query", "count"),
    [
        ({}, 2),
        ({"mime_type": "image/png"}, 1),
        ({"mime_type": "image/gif"}, 0),
        ({"q": "ICON"}, 1),
        ({"q": "trowel"}, 1),
        ({"archived": "true"}, 0),
        ({"sort": "name"}, 2),
        ({"updated_since": "2026-03-03T00:00:00Z"}, 0),
    ],
)
def test_list__of_each_filter(client: Client, query: dict[str, str], count: int) -> None:
    stored(client)
    stored(client, "photo.png", encoded(gradient(), "PNG"), name="Trowel")
    assert len(client.get("/assets", query=query).json()["data"]) == count


def test_archive__hides_it_until_it_is_taken_back(client: Client, tenant: Tenant, files: MemoryAssetFiles) -> None:
    asset = stored(client)
    path = f"/assets/{asset['id']}"
    archived = client.post(f"{path}/archive").json()
    assert (archived["archived_at"], archived["archived_by"]) == ("2026-03-02T09:00:00.000Z", tenant.user_id)
    assert client.get("/assets").json()["data"] == []
    assert client.get("/assets", query={"archived": "all"}).json()["data"] == [archived]
    assert fetched(files, asset["public_url"].removeprefix(ORIGIN))["statusCode"] == 200
    back = client.post(f"{path}/unarchive").json()
    assert (back["archived_at"], back["archived_by"]) == (None, None)
    assert client.get("/assets").json()["data"] == [back]


def test_update__of_the_name__keeps_the_address(client: Client) -> None:
    asset = stored(client)
    path = f"/assets/{asset['id']}"
    answer = client.patch(path, {"name": "New"}, headers={"if-match": 'W/"1"'})
    assert answer.json() == {**asset, "name": "New"}
    assert client.patch(path, {"name": "Newer"}, headers={"if-match": 'W/"1"'}).status == 412
    for refused in ({"name": None}, {"file_name": "x.svg"}):
        assert client.patch(path, refused, checked=False).status == 400


def test_delete__is_gone_but_its_address_answers(client: Client, files: MemoryAssetFiles) -> None:
    asset = stored(client)
    path = f"/assets/{asset['id']}"
    assert client.delete(path, headers={"if-match": 'W/"2"'}).status == 412
    assert client.delete(path).status == 204
    assert client.get(path).status == client.delete(path).status == client.patch(path, {"name": "x"}).status == 404
    assert fetched(files, asset["public_url"].removeprefix(ORIGIN))["statusCode"] == 200


def test_asset__of_another_shop__does_not_exist(api: MemoryApi, client: Client) -> None:
    path = f"/assets/{stored(client)['id']}"
    other = api.client(api.tenant("Other").admin)
    answers = [
        other.get(path),
        other.patch(path, {"name": "Mine"}),
        other.delete(path),
        other.post(f"{path}/complete"),
        other.post(f"{path}/archive"),
        other.post(f"{path}/unarchive"),
    ]
    assert {answer.status for answer in answers} == {404}
    assert other.get("/assets").json()["data"] == []


def test_scopes__read_and_write(api: MemoryApi, tenant: Tenant) -> None:
    reader = api.client(api.key(["assets:read"], shop_id=tenant.shop.id).text)
    assert reader.get("/assets").status == 200
    answer = reader.post("/assets", direct())
    assert (answer.status, answer.json()["required_scope"]) == (403, "assets:write")
    writer = api.client(api.key(["assets:write"], shop_id=tenant.shop.id).text)
    assert writer.post("/assets", direct()).status == 201


def test_limits__of_count_and_bytes__count_what_is_deleted_again(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("abtest.services.assets.quota.MAX_ASSETS", 2)
    first, _ = stored(client), stored(client)
    answer = client.post("/assets", direct())
    assert (answer.status, answer.code) == (422, "limit_reached")
    assert client.delete(f"/assets/{first['id']}").status == 204
    stored(client)
    monkeypatch.setattr("abtest.services.assets.quota.MAX_ASSETS", 9)
    monkeypatch.setattr("abtest.services.assets.quota.MAX_SHOP_BYTES", 3 * len(SVG))
    stored(client)
    assert client.post("/assets", direct()).code == "limit_reached"


def test_limit__of_creations_at_once__is_kept(
    api: MemoryApi, tenant: Tenant, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("abtest.services.assets.quota.MAX_ASSETS", 3)
    fields = {"file_name": "a.svg", "content_base64": SVG}
    uploads = AssetUploads(Assets(api.world, ORIGIN), api.management.asset_files, PillowCodec())
    race(*[partial(uploads.create, caller_of(tenant), fields)] * 8)
    for _ in range(3):  # of the creations that raced, some may have lost every attempt
        client.post("/assets", direct())
    assert client.post("/assets", direct()).code == "limit_reached"
    assert len(client.get("/assets").json()["data"]) == 3


def test_deletion__overtaken_by_many_others__is_done_all_the_same(
    api: MemoryApi, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    asset = stored(client)
    commit, lost = api.world.catalog.commit, iter(range(15))

    def overtaken(changes: Commit) -> None:
        # Another deletion changed the shop's quota since it was read.
        if changes.removes and next(lost, None) is not None:
            raise StaleVersionError("the quota changed")
        commit(changes)

    monkeypatch.setattr(api.world.catalog, "commit", overtaken)
    assert client.delete(f"/assets/{asset['id']}").status == 204
    assert next(lost, None) is None


def test_repeated_creation__with_its_key__stores_one_asset(client: Client, files: MemoryAssetFiles) -> None:
    headers = {"idempotency-key": "one"}
    files.blobs.available = False
    assert client.post("/assets", direct(), headers=headers).status == 503
    assert client.get("/assets").json()["data"] == []
    files.blobs.available = True
    asset = client.post("/assets", direct(), headers=headers).json()
    assert client.post("/assets", direct(), headers=headers).json() == asset
    assert client.get("/assets").json()["data"] == [asset]
    assert list(files.blobs.objects) == [asset["public_url"].removeprefix(f"{ORIGIN}/")]


def test_changes__are_audited(api: MemoryApi, tenant: Tenant, client: Client) -> None:
    asset = stored(client)
    client.patch(f"/assets/{asset['id']}", {"name": "New"})
    client.delete(f"/assets/{asset['id']}")
    rows, _ = api.world.catalog.audit(tenant.shop.id, entity_id=asset["id"], limit=10)
    assert sorted(row.action for row in rows) == ["asset.create", "asset.delete", "asset.update"]


def test_largest_direct_upload__fits_into_a_request(client: Client) -> None:
    content = SAMPLES[TYPES[5]]
    padding = model.MAX_DIRECT_BYTES - len(content) - 8
    free = (8 + padding).to_bytes(4, "big") + b"free" + bytes(padding)
    body = {"file_name": "film.mp4", "content_base64": b64encode(content + free).decode()}
    assert client.post("/assets", body).json()["size_bytes"] == model.MAX_DIRECT_BYTES


@pytest.mark.parametrize("kind", ["experiment", "personalization", "flag"])
def test_delete__of_an_asset_whose_address_is_in_code__is_409_until_that_is_archived(
    api: MemoryApi, client: Client, tenant: Tenant, kind: str
) -> None:
    asset = stored(client)
    base = api.management
    css, base = f".sale {{ background: url({asset['public_url']}) }}", api.management
    routers, uses, body = {
        "experiment": (
            experiments.ROUTERS,
            experiments_uses(base, MemorySessions()),
            {"name": "Sale", "experiment_css": css},
        ),
        "personalization": (
            personalizations.ROUTERS,
            personalizations_uses(base),
            {"key": "sale", "name": "Sale", "experience": {"key": "one", "custom_css": css}},
        ),
        "flag": (
            flags.ROUTERS,
            flags_uses(base),
            {"key": "sale", "name": "Sale", "on_value": {"banner": asset["public_url"]}},
        ),
    }[kind]
    other = Client(handler(create_app(routers, base.services(uses))), key=tenant.admin)
    made = other.post(f"/{kind}s", body).json()
    answer = client.delete(f"/assets/{asset['id']}")
    assert (answer.status, answer.code) == (409, "asset_in_use")
    assert answer.json()["used_by"] == [{"kind": kind, "id": made["id"], "name": "Sale"}]
    assert other.post(f"/{kind}s/{made['id']}/archive").status == 200
    assert client.delete(f"/assets/{asset['id']}").status == 204
