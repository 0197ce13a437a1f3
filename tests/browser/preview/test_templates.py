"""Templates of shops from npm: their preview looks as the page itself."""

from __future__ import annotations

import mimetypes
from collections.abc import Iterator
from functools import partial
from io import BytesIO
from pathlib import Path

import pytest
from PIL import Image, ImageChops
from playwright.sync_api import Browser, Page

from tests.browser.pages.conftest import ELSEWHERE, installed
from tests.support.previewed import Answer, PreviewedShop, Received, served
from tests.support.previewing import Proxy, proxied_shop

pytestmark = pytest.mark.browser
TEMPLATES = ["startbootstrap-shop-homepage", "startbootstrap-shop-item"]
MOST_OFF = 0.001


def answer_from(folder: Path, request: Received) -> Answer:
    """A file of the template, or of Bootstrap, which the template loads from another host."""
    path = folder / request.path.partition("?")[0].lstrip("/")
    if not path.is_file():
        return 404, {}, b""
    return 200, {"content-type": mimetypes.guess_type(path.name)[0] or "text/plain"}, path.read_bytes()


@pytest.fixture(params=TEMPLATES)
def proxy(request: pytest.FixtureRequest) -> Iterator[Proxy]:
    """The template as a shop, and a session of its preview."""
    folder = installed(request.param) / "dist"
    answer = partial(answer_from, folder)
    with served(answer, "shop.example") as host, proxied_shop(PreviewedShop(host)) as proxy:
        yield proxy


def picture(page: Page, url: str) -> Image.Image:
    """Return the whole page as a picture."""
    page.goto(url, wait_until="load")
    return Image.open(BytesIO(page.screenshot(full_page=True))).convert("RGB")


def test_preview__of_a_template__has_the_pixels_of_the_page(browser: Browser, proxy: Proxy) -> None:
    context = browser.new_context(viewport={"width": 1280, "height": 800}, reduced_motion="reduce")
    context.route(ELSEWHERE, lambda route: route.continue_() if "shop.example" in route.request.url else route.abort())
    page = context.new_page()
    original = picture(page, f"http://{proxy.shop.host}/index.html")
    preview = picture(page, proxy.address("/index.html"))
    assert page.evaluate("document.URL") == f"http://{proxy.shop.host}/index.html"
    assert preview.size == original.size
    histogram = ImageChops.difference(original, preview).convert("L").histogram()
    assert sum(histogram[1:]) <= MOST_OFF * original.width * original.height
    assert len(original.getcolors(1 << 24) or []) > 20, "a page with its styles"
    context.close()
