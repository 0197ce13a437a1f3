"""Pages and libraries nobody here wrote, from npm, and what looks at each frame of them."""

import json
import re
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page

from tests.browser.sdk.shop import PATIENCE, Shop, serve

HERE = Path(__file__).parent
PACKAGES = HERE / "node_modules"
ELSEWHERE = re.compile(r"^https?://(?!127\.0\.0\.1|localhost)")
Open = Callable[..., Page]

SAMPLER = """<script>
  // Each frame: what `look` says of the page. Notes only what differs from the frame before, and how many came.
  window.frames_ = []; window.count_ = 0;
  window.sample_ = (look) => {
    (function sample() {
      const seen = JSON.stringify(look());
      count_++;
      if (frames_.at(-1) !== seen) frames_.push(seen);
      requestAnimationFrame(sample);
    })();
  };
  // A text that can be seen, or null: opacity counts, of what is around it too.
  window.seen_ = (selector) => {
    const element = document.querySelector(selector);
    if (!element) return null;
    let opacity = 1;
    for (let e = element; e; e = e.parentElement) opacity *= +getComputedStyle(e).opacity;
    return opacity && getComputedStyle(element).visibility === 'visible' ? element.textContent : null;
  };
</script>"""


def installed(package: str) -> Path:
    """The folder of a package. Fails where it is not installed."""
    folder = PACKAGES / package
    assert folder.is_dir(), f"{package} is not installed: make setup, or npm ci in tests/browser/pages"
    return folder


@pytest.fixture
def shop() -> Iterator[Shop]:
    """A shop on a port of its own."""
    yield from serve(Shop())


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    """A profile without cookies, which reaches nothing but this machine."""
    context = browser.new_context()
    context.set_default_timeout(PATIENCE * 1000)

    # A pattern, not a function: then other requests do not wait for this process, which may be waiting for them.
    context.route(ELSEWHERE, lambda route: route.abort())
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


@pytest.fixture(scope="session")
def react_page() -> dict[str, Any]:
    """Markup as the server renders it, and the script that takes it over."""
    installed("react-dom")
    done = subprocess.run(
        ["node", HERE / "react" / "render.mjs"], capture_output=True, text=True, check=True, timeout=60
    )
    page: dict[str, Any] = json.loads(done.stdout)
    return page
