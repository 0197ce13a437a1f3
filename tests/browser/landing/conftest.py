"""Landing pages as they are served: at their address, with their policy, from generated pictures."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, Route

from abtest.contract.page_specs import spec_of
from abtest.domain.pages.render import RenderedPage, render
from tests.browser.pages.conftest import installed
from tests.support.landing import ASSETS, EDGE, LIBRARY, SEO, SITE, png

Open = Callable[..., Page]

ICON = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24" width="24" height="24" fill="none" stroke="#1f4fd1" '
    'stroke-width="1.6" stroke-linecap="round" stroke-linejoin="round"><path d="M12 3v3m6.4-.4-2.1 2.1M21 12h-3M3 12h3'
    'M5.6 5.6l2.1 2.1"/><circle cx="12" cy="14" r="4"/><path d="M9 21h6"/></svg>'
)
WATCH = """
window.served = document.querySelector('meta[name=svc-served]')?.content ?? null;
window.shifts = [];
new PerformanceObserver((list) => {
  shifts.push(...list.getEntries().filter((one) => !one.hadRecentInput).map((one) => one.value));
}).observe({ type: 'layout-shift', buffered: true });
"""
"""The snippet of these tests: it notes the mark of the page, and what moves."""

SCALE = 20


def rendered(document: dict[str, Any], **more: Any) -> RenderedPage:
    """Return the page of a spec as JSON."""
    return render(spec_of(document), assets=LIBRARY, seo=SEO, site=SITE, **more)


@pytest.fixture
def serve(browser: Browser) -> Iterator[Open]:
    """Opens a page at its future address. In the end none has complained, or requested anything but its own."""
    contexts: list[BrowserContext] = []
    complaints: list[str] = []
    origins: set[str] = set()

    def open_page(
        shown: RenderedPage,
        width: int = 1280,
        height: int = 800,
        held: list[Route] | None = None,
        edge: Callable[[Route], None] = answer_snippet,
    ) -> Page:
        context = browser.new_context(viewport={"width": width, "height": height}, reduced_motion="reduce")
        contexts.append(context)

        def answer(route: Route) -> None:
            url = urlsplit(route.request.url)
            origins.add(f"{url.scheme}://{url.netloc}")
            if route.request.url == SITE.canonical_address:
                headers = {"content-type": "text/html; charset=utf-8", "content-security-policy": shown.policy}
                route.fulfill(body=shown.html, headers=headers)
            elif route.request.url.startswith(EDGE):
                edge(route)
            else:
                answer_asset(route) if held is None else held.append(route)

        context.route("**/*", answer)
        page = context.new_page()
        page.on("console", lambda message: complaints.append(message.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.goto(SITE.canonical_address, wait_until="load" if held is None else "domcontentloaded")
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert complaints == []
    assert origins <= {"https://shop.example", EDGE, ASSETS}, json.dumps(sorted(origins))


def answer_snippet(route: Route) -> None:
    """Answer the request of the snippet."""
    route.fulfill(body=WATCH, content_type="text/javascript")


def answer_asset(route: Route) -> None:
    """Answer the request of a picture; tests with held requests call it themselves."""
    path = urlsplit(route.request.url).path
    if path.endswith(".svg"):
        route.fulfill(body=ICON, content_type="image/svg+xml")
        return
    asset = next(each for each in LIBRARY.values() if f"/{path.split('/')[2]}/" in each.url)
    size = (asset.width or SCALE) // SCALE, (asset.height or SCALE) // SCALE
    route.fulfill(body=png(*size), content_type="image/png")


@pytest.fixture(scope="session")
def axe() -> str:
    """The text of axe-core."""
    return (installed("axe-core") / "axe.min.js").read_text(encoding="utf-8")
