"""Landing pages that are exported as one file."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.integration.api_pages.publishing import HOST, Page, claim, live_at
from tests.integration.api_pages.test_assets import assets, spec, upload
from tests.support.api import MemoryApi, Tenant
from tests.support.assets import ORIGIN
from tests.support.client import Client
from tests.support.landing_qa import approved
from tests.support.media import encoded, gradient

__all__ = ["assets", "upload"]


@pytest.fixture
def page(api: MemoryApi, tenant: Tenant, client: Client) -> Page:
    """An approved page that is exported."""
    claim(api, tenant.shop.id, HOST)
    return Page.created(client, publish_mode="export")


def test_export__is_one_file_with_its_policy__and_at_no_address(
    api: MemoryApi, tenant: Tenant, client: Client, page: Page
) -> None:
    publish = page.published()
    assert (publish["url"], publish["error"]) == ("https://shop.example/lamp", None)
    assert page.shown()["status"] == "published"
    address = f"{page.path}/publishes/{publish['id']}/export"
    answer = client.get(address)
    assert answer.status == 200
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert answer.headers["content-disposition"] == 'attachment; filename="lamp.html"'
    assert client.get(address, headers={"if-none-match": answer.headers["etag"]}).status == 304
    html = answer.body.decode()
    snippet = f'<script async="" src="https://edge.test/s/{tenant.shop.id}.js"></script>'
    policy = html.split('<meta http-equiv="Content-Security-Policy" content="')[1].split('">')[0]
    assert html.index("Content-Security-Policy") < html.index(snippet)
    assert "img-src data:; font-src data:; media-src data:" in policy
    assert "frame-ancestors" not in policy
    # Whatever else a page loads would be an element or an address of its style sheet.
    assert html.count(" src=") == 1
    assert "url(" not in html
    # Nothing is served: another page may have the address.
    assert not [key for key in api.management.blobs.objects if key.startswith("pages/routes/")]
    other = Page.created(client, slug="other", publish_path="/lamp").published()
    assert live_at(api.management.blobs, "/lamp") == other["id"]
    assert client.get(f"{page.path}/publishes/{other['id']}/export").status == 404


def test_export__again_and_taken_back__keeps_each_file(api: MemoryApi, client: Client, page: Page) -> None:
    first = page.published()["id"]
    api.clock.advance(seconds=1)
    page.add_version("Second")
    second = page.published()["id"]
    addresses = [f"{page.path}/publishes/{each}/export" for each in (first, second)]
    titles = [client.get(each).body.decode().split("<title>")[1][:9] for each in addresses]
    assert titles == ["Edition 1", "Second</t"]
    assert [each["status"] for each in page.publishes()] == ["published", "superseded"]
    api.clock.advance(seconds=1)
    client.post(f"{page.path}/rollback", {"publish_id": first})
    newest = page.publishes()[0]["id"]
    assert client.get(f"{page.path}/publishes/{newest}/export").body == client.get(addresses[0]).body
    assert client.post(f"{page.path}/unpublish").json()["status"] == "unpublished"


def test_page_that_becomes_an_export__leaves_its_address(api: MemoryApi, client: Client, page: Page) -> None:
    client.patch(page.path, {"publish_mode": "edge"})
    publish = page.published()
    assert live_at(api.management.blobs, "/lamp") == publish["id"]
    assert client.get(f"{page.path}/publishes/{publish['id']}/export").status == 404
    client.patch(page.path, {"publish_mode": "export"})
    api.clock.advance(seconds=1)
    page.published()
    assert live_at(api.management.blobs, "/lamp") is None


def test_export__of_another_shop_or_page__is_404(api: MemoryApi, client: Client, page: Page) -> None:
    publish = page.published()["id"]
    other = Page.created(client, slug="other", publish_mode="export")
    stranger = api.client(api.tenant("Stranger", domain="stranger.example").admin)
    answers = [stranger.get(f"{page.path}/publishes/{publish}/export")]
    answers += [client.get(f"{each}/publishes/{publish}/export") for each in (other.path, "/landing-pages/" + publish)]
    assert [answer.status for answer in answers] == [404] * 3


def test_export__of_a_page_with_assets__has_them_inside(
    api: MemoryApi, client: Client, page: Page, upload: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    icon, photo = upload(), upload("photo.png", encoded(gradient(size=(1300, 900)), "PNG"))
    answer = client.post(f"{page.path}/versions", {"spec": spec(icon, photo)})
    assert answer.status == 201, answer.body
    approved(client, page.id, work=page.work)
    publish = page.published()["id"]
    html = client.get(f"{page.path}/publishes/{publish}/export").body.decode()
    assert html.count('src="data:image/svg+xml;base64,') == html.count('src="data:image/webp;base64,') == 1
    assert 'width="1300" height="900"' in html
    assert "srcset" not in html
    assert ORIGIN not in html
    monkeypatch.setattr("abtest.services.pages.inlined.MAX_BYTES", 1000)
    refused = page.publish()
    assert (refused.status, refused.code) == (422, "limit_reached")
    assert len(page.publishes()) == 1
    api.management.files.blobs.objects.clear()
    assert page.publish().paths == ["version_id"]
