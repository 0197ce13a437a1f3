"""Landing pages under the checks of a QA run, in one Chromium for all of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, Request, Route

from abtest.domain.browsing.viewport import Viewport
from abtest.domain.qa.facts import Look
from abtest.ports.browser import CANCELLED, ConsoleEntry, PageRequest, Picture
from abtest.services.pages.looks import look_at
from tests.browser.landing.conftest import answer_asset, answer_snippet
from tests.support.landing import ASSETS, EDGE, SITE

LookAt = Callable[..., Look]

TIMED = {"timing-allow-origin": "*"}
"""Lets a page know how many bytes a file of another origin has, as the edge of assets does."""


class OpenPage:
    """Visit of a page that Playwright has open."""

    def __init__(self, page: Page) -> None:
        self._page = page
        self.status = 200
        self.console: list[ConsoleEntry] = []
        self.requests: list[PageRequest] = []
        page.on("console", self._note)
        page.on("pageerror", lambda error: self.console.append(_entry("exception", str(error))))
        page.on("requestfinished", lambda request: self._requested(request, None))
        page.on("requestfailed", lambda request: self._requested(request, request.failure))

    @property
    def url(self) -> str:
        """Address of the document."""
        return self._page.url

    def evaluate(self, script: str, argument: Any = None) -> Any:
        """Call a function in the page."""
        return self._page.evaluate(script, argument)

    def resize(self, width: int, height: int) -> None:
        """Give the window another size."""
        self._page.set_viewport_size({"width": width, "height": height})

    def picture(self, *, full_page: bool) -> Picture:
        """Refuse: these tests look at facts only."""
        raise NotImplementedError

    def _note(self, message: ConsoleMessage) -> None:
        is_refused = "Content Security Policy" in message.text
        if is_refused or message.type == "error":
            self.console.append(_entry("violation" if is_refused else "error", message.text))

    def _requested(self, request: Request, failure: str | None) -> None:
        response = request.response()
        self.requests.append(
            PageRequest(
                url=request.url,
                method=request.method,
                resource_type=request.resource_type,
                status=response.status if response else None,
                failure=CANCELLED if failure == "net::ERR_ABORTED" else failure,
            )
        )


def _entry(level: Any, text: str) -> ConsoleEntry:
    return ConsoleEntry(level=level, text=text, url="")


@pytest.fixture
def look(browser: Browser) -> Iterator[LookAt]:
    """Looks at HTML with a policy, as it would be published at the address of the site of these tests."""
    contexts: list[BrowserContext] = []

    def look_at_html(
        html: bytes,
        policy: str | None,
        viewport: Viewport,
        answers: Mapping[str, tuple[int, str, bytes]] | None = None,
        *,
        at_all_widths: bool = False,
    ) -> Look:
        context = browser.new_context(
            viewport={"width": viewport.width, "height": viewport.height},
            device_scale_factor=viewport.device_scale,
            has_touch=viewport.touch,
            is_mobile=viewport.touch,
            reduced_motion="reduce",
        )
        contexts.append(context)
        context.route("**/*", lambda route: _answer(route, html, policy, answers or {}))
        page = context.new_page()
        visit = OpenPage(page)
        page.goto(SITE.canonical_address)
        page.evaluate("() => { for (const image of document.images) image.loading = 'eager'; }")
        page.wait_for_function("() => [...document.images].every((image) => image.complete)")
        gathered = look_at(visit, viewport, at_all_widths=at_all_widths)
        page.close()
        return gathered

    yield look_at_html
    for context in contexts:
        context.close()


def _answer(route: Route, html: bytes, policy: str | None, answers: Mapping[str, tuple[int, str, bytes]]) -> None:
    url = route.request.url
    named = next((part for part in answers if part in url), None)
    if named is not None:
        status, content_type, body = answers[named]
        route.fulfill(status=status, body=body, headers={"content-type": content_type, **TIMED})
    elif url == SITE.canonical_address:
        headers = {"content-type": "text/html; charset=utf-8"}
        route.fulfill(body=html, headers=headers | ({"content-security-policy": policy} if policy else {}))
    elif url.startswith(EDGE):
        answer_snippet(route)
    elif url.startswith(ASSETS):
        answer_asset(route)
    else:
        route.fulfill(status=404, body="")
