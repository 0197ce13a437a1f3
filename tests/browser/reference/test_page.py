"""The reference page as a reader sees it: rendered under its policy, from this host alone, at two widths."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qsl, urlsplit

import pytest
from playwright.sync_api import Browser, Page

from api_settings.routes import ROUTERS
from tests.support.api import MemoryApi
from tests.support.client import BASE, Client

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def host() -> Iterator[str]:
    """The settings function behind a plain HTTP server; it has no other pages and files than the API."""
    client = Client(MemoryApi(ROUTERS).handler)
    one_at_a_time = threading.Lock()

    class Gateway(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            address = urlsplit(self.path)
            path, query = address.path.removeprefix(BASE), dict(parse_qsl(address.query, keep_blank_values=True))
            headers = {"Accept-Encoding": self.headers.get("Accept-Encoding", "")}
            with one_at_a_time:
                asyncio.set_event_loop(loop)
                answer = client.get(path, query=query, headers=headers, checked=False)
            self.send_response(answer.status)
            for name, value in answer.headers.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(answer.body)

        def log_message(self, *_: object) -> None:
            """Write nothing."""

    loop = asyncio.new_event_loop()
    server = ThreadingHTTPServer(("127.0.0.1", 0), Gateway)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()
    with one_at_a_time:  # the browser may have requested something at the last moment
        loop.close()


@dataclass
class Reader:
    """A tab with the page, and what went wrong in it."""

    page: Page
    host: str
    problems: list[str] = field(default_factory=list)
    foreign: set[str] = field(default_factory=set)

    def open(self, address: str = "") -> None:
        """Open the page and wait until its first heading is rendered."""
        self.page.on("console", lambda message: self.problems.append(message.text) if message.type == "error" else None)
        self.page.on("pageerror", lambda error: self.problems.append(str(error)))
        self.page.on("request", lambda request: self.note(request.url))
        self.page.goto(f"{self.host}{BASE}/docs{address}")
        self.page.locator("h1").first.wait_for(timeout=60_000)

    def note(self, url: str) -> None:
        """Keep the host of a request that leaves ours."""
        if not url.startswith((self.host, "data:", "blob:")):
            self.foreign.add(url)

    def check(self) -> None:
        """Check that nothing went wrong, and that the page fits the window."""
        self.page.wait_for_load_state("networkidle")
        assert self.problems == []
        assert self.foreign == set()
        assert self.page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@pytest.fixture(params=[1280, 390])
def reader(request: pytest.FixtureRequest, browser: Browser, host: str) -> Iterator[Reader]:
    context = browser.new_context(viewport={"width": request.param, "height": 900})
    yield Reader(context.new_page(), host)
    context.close()


def test_page__under_its_policy__shows_routes_and_curl_without_errors(reader: Reader) -> None:
    reader.open("#reference/tag/experiments/POST/experiments")
    reader.page.get_by_text("--request POST").first.wait_for(timeout=60_000)
    reader.check()


def test_guide__opened_by_its_link__shows_its_text(reader: Reader) -> None:
    reader.open()
    # The menu has a link of the same name, to the tag; which of them is first depends on what is drawn already.
    reader.page.locator("a[href*='api=webhooks']").first.click()
    reader.page.wait_for_url("**/docs?api=webhooks**")
    reader.page.get_by_role("heading", name="Verify the signature").first.wait_for(timeout=60_000)
    reader.check()


def test_menu__on_a_wide_page__has_edge_routes_last(browser: Browser, host: str) -> None:
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    reader = Reader(context.new_page(), host)
    reader.open()
    links = reader.page.locator("a[href*='#reference/tag/']")
    links.first.wait_for(timeout=60_000)
    tags = links.evaluate_all("links => links.map(link => link.getAttribute('href').split('/')[2])")
    assert tags[-1] == "edge"
    assert len(set(tags)) > 10
    context.close()
