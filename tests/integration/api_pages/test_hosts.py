"""Hosts of published pages that the shop gives up."""

from __future__ import annotations

import pytest

from abtest.domain.settings.install_domains import claim_name
from abtest.http.factory import create_app, handler
from abtest.ports.catalog import Commit, Release
from abtest.services.pages.promises import promise_for_hosts
from abtest.wiring.api_settings import settings_uses
from api_settings.routes import ROUTERS as SETTINGS_ROUTERS
from tests.integration.api_pages.publishing import Page, claim, keep_promises, live_at
from tests.support.api import MemoryApi, Tenant
from tests.support.client import Client

HOST = "pages.shop.example"


@pytest.fixture
def page(client: Client) -> Page:
    """An approved page."""
    return Page.created(client)


def test_host__with_published_pages__is_not_given_up(
    api: MemoryApi, tenant: Tenant, client: Client, page: Page
) -> None:
    app = create_app(SETTINGS_ROUTERS, api.management.services(settings_uses(api.management)))
    settings = Client(handler(app), key=tenant.admin)
    address = "/settings/install-domains"
    claimed = settings.patch(address, {"additionalDomains": [HOST]})
    assert claimed.status == 200
    publish = page.published(host=HOST)
    body = {"additionalDomains": [], "expected_revision": claimed.json()["revision"]}
    refused = settings.patch(address, body)
    assert (refused.status, refused.code, refused.paths) == (409, "conflict", ["additionalDomains"])
    assert f"Lamp ({HOST})" in refused.json()["error"]["message"]
    assert live_at(api.management.blobs, "/lamp", HOST) == publish["id"]
    client.post(f"{page.path}/unpublish")
    assert settings.patch(address, body).json()["additionalDomains"] == []
    assert page.publish(host=HOST).code == "url_not_allowed"


def test_page__published_while_its_host_is_given_up__ends(api: MemoryApi, tenant: Tenant, page: Page) -> None:
    claim(api, tenant.shop.id, HOST)
    publish = page.published(host=HOST)
    # Both passed the check of the other.
    commit = Commit(
        releases=[Release(scope=None, name=claim_name(HOST))],
        outbox=[promise_for_hosts(api.world, tenant.shop.id, [HOST])],
    )
    api.world.catalog.commit(commit)
    for _ in range(2):
        keep_promises(api)
        shown = page.shown()
        assert (shown["status"], shown["published_version_id"]) == ("unpublished", None)
        assert [(each["id"], each["status"]) for each in page.publishes()] == [(publish["id"], "failed")]
        assert "no longer" in page.publishes()[0]["error"]
        assert live_at(api.management.blobs, "/lamp", HOST) is None

    # The address is free for the next owner of the host.
    stranger = api.tenant("Stranger", domain="stranger.example")
    claim(api, stranger.shop.id, HOST)
    theirs = Page.created(api.client(stranger.admin))
    assert theirs.published(host=HOST)["id"] == live_at(api.management.blobs, "/lamp", HOST)
    rollback = page.client.post(f"{page.path}/rollback", {"publish_id": publish["id"]})
    assert (rollback.status, rollback.code) == (422, "url_not_allowed")
