"""The reference page and its files, from a folder as `make setup` writes it."""

import gzip
import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from abtest.domain.profiles.robots import Robots
from abtest.http import reference
from abtest.services.profiles.profiler import ABOUT_VISITS
from tests.support.api import MemoryApi
from tests.support.client import Client
from tools.reference_files import GUIDES, linked, title_of

SCRIPT = b"const scalar = 1;\n" * 500


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The folder of the files; caches of the page are empty before and after."""
    caches = (reference.rendered, reference.guides, reference.script_name)
    monkeypatch.setattr(reference, "folder", lambda: tmp_path)
    (tmp_path / "renderer.js.gz").write_bytes(gzip.compress(SCRIPT))
    guide = {"title": "Web</script>hooks", "text": "How to *verify*."}
    (tmp_path / "guides.json").write_text(json.dumps({"webhooks": guide}))
    for cache in caches:
        cache.cache_clear()
    yield tmp_path
    for cache in caches:
        cache.cache_clear()


@pytest.fixture
def anyone(api: MemoryApi) -> Client:
    """A client without a key."""
    return api.client()


def test_page__served__runs_scripts_of_this_host_alone(anyone: Client) -> None:
    page = anyone.get("/docs")
    policy = page.headers["content-security-policy"]
    assert policy.startswith("default-src 'none'; script-src 'self' 'sha256-")
    assert "http" not in policy
    html = page.body.decode()
    assert f'<script src="docs/{reference.script_name()}">' in html
    assert '"slug": "webhooks"' in html
    assert html.count("</script>") == 2, "no title ends the script"
    assert '<link rel="icon" href="data:,">' in html, "browsers ask for /favicon.ico otherwise, and log its 404"
    assert "img-src 'self' data:;" in policy


@pytest.mark.parametrize("query", [{"api": "webhooks"}, {"utm_source": "x"}, {"api": ""}])
def test_page__with_a_query__is_the_same_page(anyone: Client, query: dict[str, str]) -> None:
    page = anyone.get("/docs", query=query)
    assert (page.status, page.body) == (200, anyone.get("/docs").body)
    assert page.headers["content-type"].startswith("text/html")


def test_files_of_the_page__with_a_query__are_still_refused(anyone: Client) -> None:
    answer = anyone.get("/docs/webhooks.json", query={"api": "webhooks"}, checked=False)
    assert (answer.status, answer.code) == (400, "unknown_property")


def test_renderer__served__is_packed_and_kept_by_browsers(anyone: Client) -> None:
    address = f"/docs/{reference.script_name()}"
    packed = anyone.get(address, headers={"Accept-Encoding": "gzip"}, checked=False)
    assert (packed.status, packed.headers["content-encoding"], packed.headers["vary"]) == (
        200,
        "gzip",
        "Accept-Encoding",
    )
    assert gzip.decompress(packed.body) == SCRIPT
    assert packed.headers["cache-control"] == "public, max-age=31536000, immutable"
    assert packed.headers["content-type"].startswith("text/javascript")
    plain = anyone.get(address, checked=False)
    assert (plain.body, "content-encoding" in plain.headers) == (SCRIPT, False)


def test_guide__served__is_a_document_without_routes(anyone: Client) -> None:
    answer = anyone.get("/docs/webhooks.json", checked=False)
    document = answer.json()
    assert (document["info"]["description"], document["paths"]) == ("How to *verify*.", {})


@pytest.mark.parametrize("name", ["nothing.json", "webhooks", "renderer-0000000000000000.js", "..%2Fopenapi.json"])
def test_file__unknown__is_404(anyone: Client, name: str) -> None:
    answer = anyone.get(f"/docs/{name}", checked=False)
    assert answer.status == 404


def test_page__without_its_files__still_names_the_document(anyone: Client, folder: Path) -> None:
    for file in folder.iterdir():
        file.unlink()
    page = anyone.get("/docs")
    assert b'href="openapi.json"' in page.body
    assert anyone.get(f"/docs/{reference.script_name()}", checked=False).status == 404


def test_guides__of_the_project__have_titles_and_links_that_the_page_resolves() -> None:
    docs = Path(__file__).parents[3] / "docs"
    for name in GUIDES:
        text = (docs / f"{name}.md").read_text()
        assert title_of(text), name
        assert ".md)" not in linked(text), name
    source = (
        "# T\nSee [events](events.md#money), [this](adr/0001-x.md), [that](https://a.example/), ![p](figures/p.png)."
    )
    assert linked(source) == "See [events](?api=events), this, [that](https://a.example/), ."


def test_guide__that_our_visits_name__explains_them_and_how_to_stop_them() -> None:
    assert ABOUT_VISITS in GUIDES
    text = linked((Path(__file__).parents[3] / "docs" / f"{ABOUT_VISITS}.md").read_text())
    first = text.partition("\n## ")[2].partition("\n## ")[0]
    assert first.startswith("Visits in your logs")
    (rules,) = re.findall(r"```\n(.*?)```", first, re.DOTALL)
    assert not Robots(rules).allows("https://store.example/")
