"""One browser for all tests of the SDK; a shop and a clean profile for each."""

from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

from tests.browser.sdk.shop import Shop, serve
from tests.support.browser import launch

Open = Callable[..., Page]


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    """Headless Chromium that looks like a shopper's."""
    with sync_playwright() as playwright:
        found = launch(playwright)
        yield found
        found.close()


@pytest.fixture
def shop() -> Iterator[Shop]:
    """A shop on a port of its own."""
    yield from serve(Shop())


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    """A profile without cookies."""
    context = browser.new_context()
    context.set_default_timeout(8000)
    yield context
    context.close()


@pytest.fixture
def open_page(context: BrowserContext, shop: Shop) -> Iterator[Open]:
    """Opens a path of the shop. In the end, no page may have seen an error that nobody caught."""
    errors: list[str] = []

    def open_path(path: str = "/", page: Page | None = None) -> Page:
        if page is None:
            page = context.new_page()
            page.on("pageerror", lambda error: errors.append(str(error)))
        page.goto(shop.url + path)
        return page

    yield open_path
    assert errors == []
