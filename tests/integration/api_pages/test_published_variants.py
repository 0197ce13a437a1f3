"""Publishes of a page with an experiment: each variation's version is checked, marked and part of the snapshot."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from tests.integration.api_pages.publishing import HOST, Page, claim, html_of, manifest_at
from tests.integration.api_pages.test_experiments import AT_LAMP, CONTROL, TREATMENT, keep
from tests.support.api import MemoryApi, Tenant
from tests.support.client import Client
from tests.support.landing import page as spec_with
from tests.support.landing_qa import approved

PATH = "/lamp"


@pytest.fixture
def page(api: MemoryApi, tenant: Tenant, client: Client) -> Page:
    """An approved page with two versions."""
    claim(api, tenant.shop.id, HOST)
    page = Page.created(client, versions=0, publish_path=PATH)
    for number in (1, 2):
        page.add_version(f"Edition {number}")
        api.clock.advance(seconds=1)  # ids of one moment have no order
    return page


def link(page: Page, experiment_id: str, control: str, treatment: str) -> None:
    """Link the page to the experiment."""
    body = {"experiment_id": experiment_id, "versions": {CONTROL: control, TREATMENT: treatment}}
    answer = page.client.put(f"{page.path}/experiment", body)
    assert answer.status == 200, answer.body


def titles(api: MemoryApi) -> Mapping[str, bytes]:
    """Return the beginning of each document of the address, by variation."""
    manifest = manifest_at(api.management.blobs, PATH)
    assert manifest is not None
    documents = {"base": manifest.base, **manifest.variants}
    return {name: html_of(api.management.blobs, each.sha256)[:400] for name, each in documents.items()}


def test_publish__of_a_page_with_an_experiment__has_a_marked_document_for_each_variation(
    api: MemoryApi, tenant: Tenant, page: Page
) -> None:
    second, first = (version["id"] for version in page.shown()["versions"])
    experiment_id = keep(api, tenant)
    plain = page.published()
    link(page, experiment_id, first, second)
    # The link alone changes nothing.
    assert set(titles(api)) == {"base"}
    api.clock.advance(seconds=1)
    page.published()
    manifest = manifest_at(api.management.blobs, PATH)
    assert manifest is not None
    assert manifest.experiment_id == experiment_id
    assert {name: each.version_id for name, each in manifest.variants.items()} == {CONTROL: first, TREATMENT: second}
    shown = titles(api)
    assert b"svc-served" not in shown["base"]
    for variation, edition in ((CONTROL, 1), (TREATMENT, 2)):
        mark = f'<meta name="svc-served" content="{experiment_id}:{variation}"><script'.encode()
        assert mark in shown[variation]
        assert f"<title>Edition {edition}</title>".encode() in shown[variation]

    page.client.delete(f"{page.path}/experiment")
    assert titles(api) == shown
    api.clock.advance(seconds=1)
    page.client.post(f"{page.path}/rollback", {"publish_id": plain["id"]})
    assert set(titles(api)) == {"base"}
    with_variants = page.publishes()[1]["id"]
    api.clock.advance(seconds=1)
    page.client.post(f"{page.path}/rollback", {"publish_id": with_variants})
    assert titles(api) == shown


def test_version_of_a_variation__without_approval__is_409(api: MemoryApi, tenant: Tenant, page: Page) -> None:
    approved_id = page.shown()["current_version_id"]
    draft = page.client.post(f"{page.path}/versions", {"spec": spec_with("steps")}).json()
    link(page, keep(api, tenant), approved_id, draft["id"])
    refused = page.publish(version_id=approved_id)
    assert (refused.status, refused.code, page.publishes()) == (409, "qa_required", [])
    approved(page.client, page.id)
    page.published(version_id=approved_id)


def test_experiment__of_another_address__is_422_at_the_publish(api: MemoryApi, tenant: Tenant, page: Page) -> None:
    current = page.shown()["current_version_id"]
    link(page, keep(api, tenant, targeting={"pageRules": [AT_LAMP]}), current, current)
    refused = page.publish(path="/light")
    assert (refused.status, refused.paths, page.publishes()) == (422, ["experiment_id"], [])
    page.published(path=PATH)
