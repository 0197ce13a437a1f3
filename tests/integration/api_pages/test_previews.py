"""Previews of landing pages while they are written: what is shown, refused and kept."""

from __future__ import annotations

from typing import Any

import pytest

from abtest.domain.preview.landing import page_key, read_page
from abtest.services.landing_previews import PER_MINUTE
from tests.support.api import MemoryApi
from tests.support.client import Client
from tests.support.landing import page as spec_with

SPEC = spec_with("steps", "stats")


@pytest.fixture
def path(client: Client) -> str:
    """Address of a page without versions."""
    page = client.post("/landing-pages", {"name": "Lamp", "slug": "lamp"}).json()
    return f"/landing-pages/{page['id']}"


def shown(api: MemoryApi, preview: dict[str, Any]) -> str:
    """Return the document that a preview shows."""
    blob = api.management.blobs.get(page_key(preview["session_id"]))
    assert blob is not None
    return read_page(blob.content).html


def test_preview__of_a_page_without_versions__has_its_name_as_title_and_makes_no_version(
    api: MemoryApi, client: Client, path: str
) -> None:
    before = client.get(path).json()
    preview = client.post(f"{path}/previews", {"spec": SPEC})
    assert preview.status == 201
    assert preview.json()["url"].partition("?")[0].endswith("/api/preview/page")
    html = shown(api, preview.json())
    assert "<title>Lamp</title>" in html
    assert "<h1>Ready in three minutes</h1>" in html
    assert client.get(path).json() == before


def test_preview__of_wrong_content__is_refused_as_a_version_is(client: Client, path: str) -> None:
    grammar = {**SPEC, "blocks": [{"type": "hero", "id": "top"}]}
    weak = {**SPEC, "theme": {"text": "#777777"}}
    for spec in (grammar, weak, spec_with("video")):
        refused, version = (client.post(f"{path}/{route}", {"spec": spec}) for route in ("previews", "versions"))
        assert refused.status == version.status
        assert refused.json()["error"]["fields"] == version.json()["error"]["fields"]


def test_preview__more_than_a_minute_allows__is_429(client: Client, path: str) -> None:
    statuses = [client.post(f"{path}/previews", {"spec": SPEC}).status for _ in range(PER_MINUTE + 1)]
    assert statuses == [201] * PER_MINUTE + [429]


def test_preview__of_a_page_that_is_not_there__is_404(client: Client) -> None:
    missing = "/landing-pages/0199d5a0-0000-7000-8000-00000000ffff/previews"
    assert client.post(missing, {"spec": SPEC}).status == 404
