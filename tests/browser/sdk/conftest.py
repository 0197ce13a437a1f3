"""A shop and a clean profile for each test of the SDK."""

from collections.abc import Callable, Iterator
from typing import Literal

import pytest
from playwright.sync_api import Browser, BrowserContext, Page

from tests.browser.sdk.shop import PATIENCE, Shop, serve

Open = Callable[..., Page]
WaitUntil = Literal["commit", "domcontentloaded", "load"]


def quick(open_at: Callable[[], Page], script: str, below: float) -> Page:
    """The first of at most five pages whose wait is shorter, ms: a busy machine delays a page, and hurries none."""
    waits = []
    for _ in range(5):
        page = open_at()
        waits.append(page.evaluate(script))
        if waits[-1] < below:
            return page
    raise AssertionError(waits)


@pytest.fixture
def shop() -> Iterator[Shop]:
    """A shop on a port of its own."""
    yield from serve(Shop())


@pytest.fixture
def context(request: pytest.FixtureRequest) -> Iterator[BrowserContext]:
    """A profile without cookies; with the mark `whole_browser` in a browser that opens tabs."""
    is_whole = request.node.get_closest_marker("whole_browser") is not None
    browser: Browser = request.getfixturevalue("whole_browser" if is_whole else "browser")
    context = browser.new_context()
    context.set_default_timeout(PATIENCE * 1000)
    yield context
    context.close()


@pytest.fixture
def open_page(context: BrowserContext, shop: Shop) -> Iterator[Open]:
    """Opens a path of the shop. In the end, no page may have seen an error that nobody caught."""
    errors: list[str] = []

    def open_path(path: str = "/", page: Page | None = None, until: WaitUntil = "load") -> Page:
        if page is None:
            page = context.new_page()
            page.on("pageerror", lambda error: errors.append(str(error)))
        page.goto(shop.url + path, wait_until=until)
        return page

    yield open_path
    assert errors == []
