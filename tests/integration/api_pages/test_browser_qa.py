"""QA runs with a browser whose pages are scripted: statuses, pictures, findings, and attempts that end early."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, cast

import pytest
from PIL import Image

from abtest.adapters.images import PillowCodec
from abtest.domain.browsing.viewport import Viewport
from abtest.ports.browser import Answers, Browser, BrowserLostError, PageFailedError, Picture, Visit
from abtest.services.assets.pictures import Pictures
from abtest.services.assets.uses import AssetLibrary
from abtest.services.pages.browser_qa import BrowserQa
from abtest.services.pages.documents import PageDocuments
from abtest.services.pages.inlined import InlinedAssets
from tests.integration.api_pages.test_versions import create
from tests.support.api import MemoryApi
from tests.support.client import Client
from tests.support.landing_checks import PromptChecks
from tests.support.landing_qa import checked
from tests.support.media import encoded

LISTS = ("texts", "small_texts", "controls", "images", "shifts", "long_tasks", "resources", "barriers", "forms")
LAYOUT: dict[str, Any] = {"width": 390, "scroll_width": 390, "past_the_edge": [], "absent": []}
FACTS: dict[str, Any] = {
    "lang": "en",
    "viewport_meta": "width=device-width",
    "headings": [{"selector": "h1", "words": "the heading"}],
    "nodes": 40,
    "layout": LAYOUT,
    **{name: [] for name in LISTS},
    "largest_paint": None,
}
PHONE, DESKTOP = "390x844@2-touch", "1280x800@1"


@dataclass
class ScriptedQa:
    """Browsers that show the page as it is answered. `problems` are raised, one for each visit."""

    facts: dict[str, Any] = field(default_factory=lambda: dict(FACTS))
    problems: list[Exception | None] = field(default_factory=list)
    documents: list[tuple[str, dict[str, str], bytes]] = field(default_factory=list)
    statuses: list[str] = field(default_factory=list)
    status: Any = None
    work: Any = None
    url = "https://shop.example/lamp"
    requests: Any = ()
    console: Any = ()

    @contextmanager
    def open(self, *, may_reach: Collection[str] = ()) -> Iterator[Browser]:
        """Return the browser itself."""
        assert may_reach == {"edge.test:443", "assets.test:443"}
        yield cast(Browser, self)

    @contextmanager
    def visit(
        self, url: str, viewport: Viewport, *, answers: Answers | None = None, init_script: str | None = None
    ) -> Iterator[Visit]:
        """Open the page, as a crawler does: the snippet shows it no experiment."""
        assert answers is not None
        assert "'webdriver', {get: () => true}" in (init_script or "")
        self.statuses.append(self.status())
        if self.problems and (problem := self.problems.pop(0)):
            raise problem
        document = answers(url)
        assert document is not None
        self.documents.append((url, dict(document.headers), document.body))
        events, tracker = answers("https://edge.test/events"), answers("https://track.example/a.gif")
        assert (events and events.status, tracker and tracker.status) == (202, 403)
        assert answers("https://edge.test/s/shop.js") is None
        yield cast(Visit, self)

    def evaluate(self, script: str, argument: Any = None) -> Any:
        """Return the facts, or the layout of another width."""
        return {"layout": LAYOUT} if argument and argument["mode"] == "layout" else self.facts

    def resize(self, width: int, height: int) -> None:
        """Do nothing."""

    def picture(self, *, full_page: bool) -> Picture:
        """Return a small picture."""
        assert full_page
        return Picture(png=encoded(Image.new("RGB", (8, 8)), "PNG"), width=8, height=8, is_truncated=False)


@pytest.fixture
def page_id(api: MemoryApi, client: Client) -> str:
    """A page with one version."""
    page_id: str = client.post("/landing-pages", {"name": "Lamp", "slug": "lamp", "publish_path": "/lamp"}).json()["id"]
    create(api, client, f"/landing-pages/{page_id}/versions")
    return page_id


@pytest.fixture
def shown(api: MemoryApi, client: Client, page_id: str) -> ScriptedQa:
    """The browser of the worker."""
    base = api.management
    scripted = ScriptedQa()
    scripted.status = lambda: client.get(f"/landing-pages/{page_id}/qa-runs").json()["data"][0]["status"]
    library = AssetLibrary(catalog=base.catalog, assets_base_url="https://assets.test")
    queue = cast(PromptChecks, base.page_queue)
    queue.held = True
    scripted.work = queue.work
    queue.in_browser = BrowserQa(
        browsers=scripted,
        documents=PageDocuments(delivery=base.delivery, library=library, inlined=InlinedAssets(files=base.files)),
        pictures=Pictures(world=base.world, files=base.files, codec=PillowCodec()),
        origin="https://assets.test",
        own_urls=("https://edge.test", "https://assets.test"),
    )
    return scripted


def test_run__in_a_browser__shows_the_stored_document_at_its_address_and_keeps_pictures(
    api: MemoryApi, client: Client, page_id: str, shown: ScriptedQa
) -> None:
    run = checked(client, page_id, shown.work)
    assert (run["status"], shown.statuses) == ("passed", ["running"] * 2)
    version = client.get(f"/landing-pages/{page_id}/versions/1").json()
    ((url, headers, html), other) = shown.documents
    stored = api.management.delivery.get(version["html_key"])
    assert stored is not None
    assert (url, html) == (other[0], other[2]) == ("https://shop.example/lamp", stored.content)
    assert headers["Content-Security-Policy"] == version["render_manifest"]["policy"]
    assert list(run["screenshots"]) == sorted([PHONE, DESKTOP])
    picture = client.get(f"/landing-pages/{page_id}/qa-runs/{run['id']}").json()["screenshots"][PHONE]
    assert picture["public_url"].startswith(f"https://assets.test/a/{picture['asset_id']}/")
    assert {each["check"] for each in run["findings"]} <= {"title_and_description", "claims_have_evidence"}


def test_run__of_a_page_with_a_problem__fails_with_its_element(client: Client, page_id: str, shown: ScriptedQa) -> None:
    shown.facts["controls"] = [{"selector": "#cta a", "words": "the link “Buy”", "problem": "invisible", "by": None}]
    run = checked(client, page_id, shown.work)
    assert run["status"] == "failed"
    finding = run["findings"][-1]
    assert (finding["check"], finding["selector"], finding["viewport"]) == ("controls", "#cta a", None)
    assert finding["message"].startswith("the link “Buy” cannot be seen")


def test_run__whose_page_fails_in_one_window__has_the_other(client: Client, page_id: str, shown: ScriptedQa) -> None:
    shown.problems = [PageFailedError("did not load within 30 s")]
    run = checked(client, page_id, shown.work)
    assert (run["status"], list(run["screenshots"])) == ("failed", [DESKTOP])
    (finding,) = [each for each in run["findings"] if each["check"] == "browser"]
    assert finding["viewport"]["width"] == 390
    assert "did not load within 30 s" in finding["message"]


def test_run__whose_browser_is_lost__is_begun_again_and_doubles_no_picture(
    api: MemoryApi, client: Client, page_id: str, shown: ScriptedQa
) -> None:
    queue = cast(PromptChecks, api.management.page_queue)
    client.post(f"/landing-pages/{page_id}/qa-runs")
    (message,) = queue.waiting
    shown.problems = [None, BrowserLostError("the browser ended")]
    with pytest.raises(BrowserLostError):
        queue.carry_out(message)
    api.clock.advance(minutes=5)
    queue.carry_out(message)
    queue.carry_out(message)
    (run,) = client.get(f"/landing-pages/{page_id}/qa-runs").json()["data"]
    assert (run["status"], len(run["screenshots"]), len(shown.documents)) == ("passed", 2, 3)


def test_run__that_is_rejected_while_it_runs__stays_rejected(
    api: MemoryApi, client: Client, page_id: str, shown: ScriptedQa
) -> None:
    status = shown.status

    def reject() -> str:
        run = client.get(f"/landing-pages/{page_id}/qa-runs").json()["data"][0]
        client.post(f"/landing-pages/{page_id}/qa-runs/{run['id']}/reject", {"note": "Not yet"})
        current: str = status()
        return current

    shown.status = reject
    run = checked(client, page_id, shown.work)
    assert (run["status"], run["findings"][-1]["message"]) == ("rejected", "Not yet")
