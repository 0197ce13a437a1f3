"""The software of another shop, shopped through the rewriting in a frame of another origin: django-oscar."""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Frame, Page, expect

from tests.browser.preview.conftest import shown
from tests.e2e.oscar.server import running_shop
from tests.support.previewed import PreviewedShop, Proxy, served

pytestmark = pytest.mark.browser
NOTEBOOK = "Notebook with dotted pages"


@pytest.fixture(scope="module")
def oscar(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Host of the shop."""
    with running_shop(tmp_path_factory.mktemp("oscar"), "http://127.0.0.1:9/s/none.js") as url:
        yield urlsplit(url).netloc


@pytest.fixture
def proxies(oscar: str) -> Iterator[list[Proxy]]:
    """Two sessions, each with its own jar."""
    first, second = Proxy(PreviewedShop(oscar)), Proxy(PreviewedShop(oscar), token="0ther")
    with served(first.answer, "127.0.0.1") as one, served(second.answer, "127.0.0.1") as other:
        first.base, second.base = f"http://{one}", f"http://{other}"
        yield [first, second]


def follow(frame: Frame, selector: str) -> None:
    """Click, and wait for the next page."""
    with frame.expect_navigation():
        frame.click(selector)
    frame.wait_for_function("window.__svcPreview")


def test_shopping__through_the_preview__fills_the_basket_of_this_session_only(
    page: Page, proxies: list[Proxy], console: str
) -> None:
    first, second = proxies
    frame = shown(page, first.address("/"))
    frame.fill("#id_q", "notebook")
    follow(frame, "form:has(#id_q) [type=submit]")
    assert frame.evaluate("document.URL").endswith("/search/?q=notebook")
    assert frame.url == first.address("/search/?q=notebook"), "the address of a link to it"
    follow(frame, ".product_pod h3 a")
    expect(frame.locator(".product_main h1")).to_have_text(NOTEBOOK)
    follow(frame, ".add-to-basket button")
    follow(frame, "button[onclick*=basket]")
    expect(frame.locator("#content_inner")).to_contain_text(NOTEBOOK)
    follow(frame, "a[href*='checkout']")
    frame.fill("input[name=username]", "ada@shop.example")
    frame.check("input[value=anonymous]")
    follow(frame, "button[type=submit]:has-text('Continue')")
    expect(frame.locator("input[name=first_name]")).to_be_visible()
    frame = shown(page, first.address("/accounts/login/"))
    expect(frame.locator("#login_form input[type=password]")).to_be_visible()
    frame = shown(page, second.address("/basket/"))
    expect(frame.locator("#content_inner")).to_contain_text("Your cart is empty")
    assert page.url == console
    assert page.context.cookies() == []
