"""Assets of a shop on its landing pages, and their uses."""

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from abtest.adapters.images import PillowCodec
from abtest.ports.catalog import Commit
from abtest.services.assets.assets import Assets
from abtest.services.assets.uploads import AssetUploads
from abtest.services.assets.uses import MAX_NEW_USES, AssetInUseError
from abtest.wiring.api_assets import assets_uses
from tests.integration.api_pages.publishing import HOST, Page, claim, manifest_at
from tests.integration.api_pages.publishing import html_of as published_html
from tests.support.api import MemoryApi, Tenant
from tests.support.assets import ORIGIN, announced, caller_of
from tests.support.client import Client
from tests.support.media import MP4, SVG, WOFF2, encoded, gradient

UNKNOWN = "0192e4a0-ffff-7000-8000-000000000000"
Act = Callable[[], object]
CTA = {"type": "cta", "id": "end", "heading": "Buy", "links": [{"label": "Buy", "href": "/"}]}


@pytest.fixture
def assets(api: MemoryApi) -> Assets:
    """Use cases of assets on the same catalog."""
    made = assets_uses(api.management)[Assets]
    assert isinstance(made, Assets)
    return made


@pytest.fixture
def upload(api: MemoryApi, assets: Assets, tenant: Tenant) -> Callable[..., str]:
    """Store a file for a shop, and return the id of its asset."""

    def uploaded(file_name: str = "icon.svg", content: bytes = SVG, of: Tenant = tenant) -> str:
        uploads = AssetUploads(assets, api.management.files, PillowCodec())
        return uploads.create(caller_of(of), {"file_name": file_name, "content_base64": content}).id

    return uploaded


@pytest.fixture
def page(client: Client) -> str:
    """The address of a landing page."""
    return f"/landing-pages/{client.post('/landing-pages', {'name': 'Lamp', 'slug': 'lamp'}).json()['id']}"


def spec(*asset_ids: str, **theme: Any) -> dict[str, Any]:
    """A spec with an image of each asset."""
    blocks = [
        {"type": "image", "id": f"i{number}", "image": {"asset_id": each, "decorative": True}}
        for number, each in enumerate(asset_ids)
    ]
    return {"format": 1, "lang": "en", "theme": theme, "blocks": [*blocks, CTA]}


def html_of(api: MemoryApi, version: dict[str, Any]) -> str:
    """The stored HTML of a version."""
    blob = api.management.delivery.get(version["html_key"])
    assert blob is not None
    return blob.content.decode()


def test_version__with_assets__shows_them_at_their_addresses(
    api: MemoryApi, client: Client, page: str, upload: Callable[..., str], assets: Assets, tenant: Tenant
) -> None:
    photo, font, film = (
        upload("photo.png", encoded(gradient(size=(1000, 400)), "PNG")),
        upload("font.woff2", WOFF2),
        upload("film.mp4", MP4),
    )
    video = {"type": "video", "id": "v", "asset_id": film, "poster_asset_id": photo, "title": "Film"}
    document = spec(photo, font={"asset_id": font})
    version = client.post(f"{page}/versions", {"spec": {**document, "blocks": [video, *document["blocks"]]}})
    assert version.status == 201, version.body
    html = html_of(api, version.json())
    for asset_id in (photo, font, film):
        assert f"{ORIGIN}/{assets.get(tenant.shop.id, asset_id).file_key}" in html
    assert f"/w480.webp 480w, {ORIGIN}" in html
    assert f"img-src {ORIGIN}; font-src {ORIGIN}; media-src {ORIGIN};" in version.json()["render_manifest"]["policy"]
    assert sorted(version.json()["render_manifest"]["asset_ids"]) == sorted([photo, font, film])


def test_version__with_an_asset_that_may_not_be_used__is_422_with_its_path(
    api: MemoryApi, client: Client, page: str, upload: Callable[..., str], assets: Assets, tenant: Tenant
) -> None:
    archived = upload()
    assets.set_archived(caller_of(tenant), archived, True, expected_version=None)
    uploads = AssetUploads(assets, api.management.files, PillowCodec())
    incomplete = uploads.create(caller_of(tenant), announced("a.svg", SVG)).id
    foreign = upload(of=api.tenant("Other", domain="other.example"))
    for asset_id in (UNKNOWN, archived, incomplete, foreign, upload("film.mp4", MP4)):
        answer = client.post(f"{page}/versions", {"spec": spec(asset_id)})
        assert (answer.status, answer.paths) == (422, ["spec.blocks[0].image.asset_id"]), asset_id
    answer = client.post(
        f"{page}/versions", {"spec": spec(), "seo_manifest": {"title": "A", "og_image_asset_id": foreign}}
    )
    assert (answer.status, answer.paths) == (422, ["seo_manifest.og_image_asset_id"])


def test_version__with_a_file_that_browsers_would_be_redirected_to__is_422_with_its_path(
    client: Client, page: str, upload: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    photo = upload("photo.png", encoded(gradient(size=(1000, 400)), "PNG"))
    icon, font, film = upload(), upload("font.woff2", WOFF2), upload("film.mp4", MP4)
    video = {"type": "video", "id": "v", "asset_id": film, "poster_asset_id": photo, "title": "Film"}
    fitting = spec(photo)
    monkeypatch.setattr("abtest.domain.assets.facts.MAX_SERVED_BYTES", 8)
    answer = client.post(f"{page}/versions", {"spec": spec(photo, icon, font={"asset_id": font})})
    assert (answer.status, sorted(answer.paths)) == (422, ["spec.blocks[1].image.asset_id", "spec.theme.font.asset_id"])
    assert "at most 4 MiB" in answer.json()["error"]["message"]
    # Films are loaded in parts, and a picture in a rendition.
    answer = client.post(f"{page}/versions", {"spec": {**fitting, "blocks": [video, *fitting["blocks"]]}})
    assert answer.status == 201, answer.body


def test_delete__of_a_used_asset__names_five_pages_until_they_are_gone(
    client: Client, upload: Callable[..., str], assets: Assets, tenant: Tenant
) -> None:
    asset_id, pages = upload(), []
    for number in range(6):
        pages.append(client.post("/landing-pages", {"name": f"Page {number}", "slug": f"p-{number}"}).json()["id"])
        for _ in range(2):
            assert client.post(f"/landing-pages/{pages[-1]}/versions", {"spec": spec(asset_id)}).status == 201
    delete = partial(assets.delete, caller_of(tenant), asset_id, expected_version=None)
    with pytest.raises(AssetInUseError, match="and 1 more") as refused:
        delete()
    named = refused.value.extra["used_by"]
    assert len(named) == len({user["id"] for user in named} & set(pages)) == 5
    assert {user["kind"] for user in named} == {"landing page"}
    for page_id in pages:
        assert client.delete(f"/landing-pages/{page_id}").status == 204
    delete()


def test_use__leaves_the_asset_as_people_changed_it(
    client: Client, page: str, upload: Callable[..., str], assets: Assets, tenant: Tenant
) -> None:
    before = assets.get(tenant.shop.id, asset_id := upload())
    for _ in range(3):
        client.post(f"{page}/versions", {"spec": spec(asset_id)})
    after = assets.get(tenant.shop.id, asset_id)
    assert (after.version, after.updated_at, len(after.used_by)) == (before.version + 1, before.updated_at, 1)


def before_the_next_commit(api: MemoryApi, monkeypatch: pytest.MonkeyPatch, function_id: str, act: Act) -> None:
    """Let another function act between a request's reads and its commit."""
    catalog = api.management.catalog
    commit = catalog.commit

    def raced(change: Commit) -> None:
        if change.audit:  # not the note of a key's last use
            monkeypatch.setattr(catalog, "commit", commit)
            with catalog.under(function_id):
                act()
        commit(change)

    monkeypatch.setattr(catalog, "commit", raced)


def test_use__while_the_asset_is_deleted__is_422(
    api: MemoryApi,
    client: Client,
    page: str,
    upload: Callable[..., str],
    assets: Assets,
    tenant: Tenant,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asset_id = upload()
    delete = partial(assets.delete, caller_of(tenant), asset_id, expected_version=None)
    before_the_next_commit(api, monkeypatch, "ApiAssets", delete)
    answer = client.post(f"{page}/versions", {"spec": spec(asset_id)})
    assert (answer.status, answer.paths) == (422, ["spec.blocks[0].image.asset_id"])


def test_deletion__while_the_asset_is_used__is_409(
    api: MemoryApi,
    client: Client,
    page: str,
    upload: Callable[..., str],
    assets: Assets,
    tenant: Tenant,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asset_id = upload()
    use = partial(client.post, f"{page}/versions", {"spec": spec(asset_id)})
    before_the_next_commit(api, monkeypatch, "ApiPages", use)
    with pytest.raises(AssetInUseError):
        assets.delete(caller_of(tenant), asset_id, expected_version=None)


def test_uses__of_many_pages_at_once__are_all_recorded(
    client: Client, upload: Callable[..., str], assets: Assets, tenant: Tenant
) -> None:
    asset_id = upload()
    pages = [client.post("/landing-pages", {"name": "P", "slug": f"p-{n}"}).json()["id"] for n in range(4)]
    for page_id in pages:
        assert client.post(f"/landing-pages/{page_id}/versions", {"spec": spec(asset_id)}).status == 201
    assert {use.id for use in assets.get(tenant.shop.id, asset_id).used_by} == set(pages)


def test_assets__that_one_version_adds__are_limited_by_the_transaction(
    client: Client, page: str, upload: Callable[..., str]
) -> None:
    ids = [upload() for _ in range(MAX_NEW_USES + 1)]
    answer = client.post(f"{page}/versions", {"spec": spec(*ids)})
    assert (answer.status, answer.code) == (422, "limit_reached")
    assert client.post(f"{page}/versions", {"spec": spec(*ids[1:])}).status == 201
    assert client.post(f"{page}/versions", {"spec": spec(*ids)}).status == 201


def test_publish__at_another_address__shows_assets_that_were_archived_since(
    api: MemoryApi, client: Client, upload: Callable[..., str], assets: Assets, tenant: Tenant
) -> None:
    claim(api, tenant.shop.id, HOST)
    page, asset_id = Page.created(client, versions=0), upload()
    page.add_version(spec=spec(asset_id))
    assets.set_archived(caller_of(tenant), asset_id, True, expected_version=None)
    page.published(path="/elsewhere")
    manifest = manifest_at(api.management.delivery, "/elsewhere")
    assert manifest is not None
    html = published_html(api.management.delivery, manifest.base.sha256).decode()
    assert f'src="{ORIGIN}/{assets.get(tenant.shop.id, asset_id).file_key}"' in html
