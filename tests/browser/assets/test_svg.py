"""Sanitised SVG in Chromium: it runs nothing, loads nothing, and looks as the file that was uploaded."""

from __future__ import annotations

import base64
import threading
from collections.abc import Iterator, Mapping
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from io import BytesIO

import pytest
from PIL import Image, ImageChops
from playwright.sync_api import Browser, Page

from abtest.adapters.images import PillowCodec
from abtest.domain.assets.errors import InvalidAssetError
from abtest.domain.assets.svg import sanitised
from tests.support.harmless_svg import DRAWINGS, icons
from tests.support.hostile_svg import HOSTILE
from tests.support.sizes import sized

pytestmark = pytest.mark.browser

WAYS = ('<img src="{0}">', '<object data="{0}" type="image/svg+xml"></object>', '<iframe src="{0}"></iframe>')
"""An <iframe> shows a document of its own, as the address bar would."""

ICONS_IN_GATE = 100


class Origin(ThreadingHTTPServer):
    """Host of a page with every file of a set, and of the addresses that hostile files request."""

    daemon_threads = True
    request_queue_size = 256

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Files)
        self.files: dict[str, Mapping[str, bytes]] = {}
        self.hits: set[str] = set()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


class Files(BaseHTTPRequestHandler):
    """`/page/<set>`, `/file/<set>/<name>` and `/hit/<set>/<name>`."""

    server: Origin

    def do_GET(self) -> None:
        kind, _, rest = self.path.removeprefix("/").partition("?")[0].partition("/")
        group, _, name = rest.partition("/")
        body, mime_type = b"", "text/plain"
        if kind == "hit":
            self.server.hits.add(f"{group}/{name}")
        elif kind == "page":
            files = (f"/file/{group}/{each}" for each in self.server.files[group])
            body, mime_type = "".join(way.format(file) for file in files for way in WAYS).encode(), "text/html"
        elif kind == "file":
            body, mime_type = self.server.files[group].get(name, b""), "image/svg+xml"
        self.send_response(200)
        self.send_header("Content-Type", mime_type)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Write nothing."""


@pytest.fixture
def origin() -> Iterator[Origin]:
    """An origin on a port of its own."""
    with Origin() as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def hostile(origin: Origin, group: str) -> dict[str, bytes]:
    """Every hostile file, with addresses that name the set and the file."""
    return {
        name: text.replace("HIT", f"{origin.address}/hit/{group}/{name}").encode() for name, text in HOSTILE.items()
    }


def test_hostile_files__sanitised__make_no_request_in_any_place(browser: Browser, origin: Origin) -> None:
    clean = {}
    for name, content in hostile(origin, "clean").items():
        with suppress(InvalidAssetError):
            clean[name] = sanitised(content, PillowCodec().clean).content
    assert len(clean) > 80, "most files are mended, not refused"
    origin.files = {"clean": clean, "raw": hostile(origin, "raw")}
    page = browser.new_context().new_page()
    messages: list[str] = []
    page.on("console", lambda message: messages.append(message.text))
    page.on("dialog", lambda dialog: messages.append(dialog.message))
    page.goto(f"{origin.address}/page/clean", wait_until="networkidle")
    assert messages == []
    # The same files as they were uploaded, in the same browser: the tricks work, and what clean files began has ended.
    page.goto(f"{origin.address}/page/raw", wait_until="networkidle")
    assert len({hit for hit in origin.hits if hit.startswith("raw/")}) >= 80
    assert [hit for hit in origin.hits if hit.startswith("clean/")] == []


def screenshot(page: Page, files: Mapping[str, bytes]) -> Image.Image:
    """Pixels of a page with each file as an image, in the order of the names."""
    sources = (base64.b64encode(files[name]).decode() for name in sorted(files))
    images = "".join(f'<img width="40" height="40" src="data:image/svg+xml;base64,{source}">' for source in sources)
    page.set_content(f'<body style="margin:0">{images}')
    page.wait_for_function("[...document.images].every(image => image.complete && image.naturalWidth)")
    return Image.open(BytesIO(page.screenshot(full_page=True))).convert("RGB")


def test_harmless_files__sanitised__keep_every_pixel(browser: Browser) -> None:
    known = icons()
    assert len(known) == 2078
    chosen = sorted(known)[:: sized(1, len(known) // ICONS_IN_GATE)]
    files = {name: known[name] for name in chosen} | DRAWINGS
    page = browser.new_context(viewport={"width": 1200, "height": 900}).new_page()
    before = screenshot(page, files)
    after = screenshot(page, {name: sanitised(content, PillowCodec().clean).content for name, content in files.items()})
    assert before.size == after.size
    assert ImageChops.difference(before, after).getbbox() is None
    assert len(before.getcolors(1 << 24) or ()) > 100, "something is drawn"
