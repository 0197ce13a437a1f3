"""Previews next to the pages themselves: the share of pixels that differ, and the time that the proxy adds."""

import mimetypes
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from io import BytesIO
from pathlib import Path
from statistics import median
from tempfile import mkdtemp
from urllib.parse import urlsplit

import requests
from PIL import Image, ImageChops
from playwright.sync_api import Page, sync_playwright

from tests.browser.pages.conftest import PACKAGES
from tests.e2e.oscar.server import running_shop
from tests.support.browser import launch
from tests.support.previewed import Answer, PreviewedShop, Received, served
from tests.support.previewing import Proxy, proxied_shop

GOAL = 0.001
VIEWPORTS = ((1280, 800), (390, 844))
OSCAR = (
    "/search/?q=notebook",
    "/catalogue/notebook-with-dotted-pages_1/",
    "/basket/",
    "/accounts/login/",
    "/checkout/",
)
ROUNDS = 15


def report() -> None:
    """Print both for each page: the templates of shops from npm, and pages of django-oscar."""
    print(f"Pixels off, of the whole page at {len(VIEWPORTS)} widths (goal: <= {GOAL:.1%})")
    with ExitStack() as stack:
        shops = {folder.name: _template(folder / "dist") for folder in sorted(PACKAGES.glob("startbootstrap-*"))}
        sites: list[tuple[str, str, tuple[str, ...]]] = [
            (name, stack.enter_context(shop), ("/index.html",)) for name, shop in shops.items()
        ]
        product = stack.enter_context(
            running_shop(Path(mkdtemp(prefix="bench-preview-")), "http://127.0.0.1:9/s/none.js")
        )
        sites.append(("django-oscar", urlsplit(product).netloc, OSCAR))
        browser = launch(stack.enter_context(sync_playwright()), is_whole=False)
        for name, host, paths in sites:
            with proxied_shop(PreviewedShop(host)) as proxy:
                for path in paths:
                    off = max(
                        _off(browser.new_page(viewport={"width": w, "height": h}), proxy, path) for w, h in VIEWPORTS
                    )
                    print(f"  {name + path:<66} {off:.3%}   {_added_milliseconds(proxy, path):.1f} ms added")
        browser.close()


@contextmanager
def _template(folder: Path) -> Iterator[str]:
    def answer(request: Received) -> Answer:
        path = folder / request.path.partition("?")[0].lstrip("/")
        kind = mimetypes.guess_type(path.name)[0] or "text/plain"
        return (200, {"content-type": kind}, path.read_bytes()) if path.is_file() else (404, {}, b"")

    with served(answer, "127.0.0.1") as host:
        yield host


def _off(page: Page, proxy: Proxy, path: str) -> float:
    """Return the share of pixels of the page that its preview shows differently."""
    page.emulate_media(reduced_motion="reduce")
    page.route("**", lambda route: route.continue_() if "//127.0.0.1" in route.request.url else route.abort())
    original, preview = (_picture(page, url) for url in (f"http://{proxy.shop.host}{path}", proxy.address(path)))
    page.close()
    if original.size != preview.size:
        return 1.0
    histogram = ImageChops.difference(original, preview).convert("L").histogram()
    return sum(histogram[1:]) / (original.width * original.height)


def _picture(page: Page, url: str) -> Image.Image:
    page.goto(url, wait_until="load")
    return Image.open(BytesIO(page.screenshot(full_page=True))).convert("RGB")


def _added_milliseconds(proxy: Proxy, path: str) -> float:
    """Return what the proxy adds to a page: rewriting, jar, headers, and one more hop on this machine."""
    seconds: dict[str, list[float]] = {"page": [], "preview": []}
    with requests.Session() as session:
        for _ in range(ROUNDS):
            for name, url in (("page", f"http://{proxy.shop.host}{path}"), ("preview", proxy.address(path))):
                seconds[name].append(session.get(url, timeout=30).elapsed.total_seconds())
    return 1000 * (median(seconds["preview"]) - median(seconds["page"]))
