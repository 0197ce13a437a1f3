"""A shop that Node renders with React, and the edge that it asks: the real assignment route and the real snippet."""

from __future__ import annotations

import fcntl
import json
import subprocess
import threading
from base64 import b64decode
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from abtest.domain.delivery.manifest import ACTIVE
from abtest.edge.publications import Publications
from abtest.storefront import bundle
from tests.browser.sdk.shop import JAVASCRIPT, PATIENCE
from tests.support.assigning import Server, event_of
from tests.support.delivered import flag, keep
from tests.support.storefronts import SHOP_ID, Storefront
from tools.project_copy import ROOT

PACKAGE = ROOT / "clients/javascript"
SDK_TYPES = ROOT / "shared/abtest/storefront/svc.d.ts"
SHOP_HOST = "react.example"
Json = dict[str, Any]


class Edge(ThreadingHTTPServer):
    """The edge of one shop, which has a flag; `server` is what is published there."""

    daemon_threads = True
    block_on_close = False

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.server = Server(Storefront(bundle=bundle()))
        keep(self.server.storefront.catalog, flag(key="limit", on_value=7))

    @property
    def url(self) -> str:
        """Address for the shop's server and for pages."""
        return f"http://127.0.0.1:{self.server_address[1]}"

    def snippet(self) -> bytes:
        """The snippet as it is published."""
        storefront = self.server.storefront
        body, _ = Publications(storefront.blobs, storefront.clock).read("snippet", SHOP_ID, ACTIVE, "identity")
        return b64decode(body.base64)

    def handle_error(self, request: object, client_address: object) -> None:
        """Ignore connections that a browser has closed."""


class _Handler(BaseHTTPRequestHandler):
    server: Edge

    def do_GET(self) -> None:
        self._reply(200, {"content-type": JAVASCRIPT}, self.server.snippet())

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"] or 0)).decode()
        given = {name.lower(): value for name, value in self.headers.items() if name.lower() != "accept-encoding"}
        event = event_of("POST", self.path, query=None, headers=given, body=body)
        answer = self.server.server.routes.assign(event)
        content = b64decode(answer["body"]) if answer["isBase64Encoded"] else answer["body"].encode()
        self._reply(answer["statusCode"], answer["headers"], content)

    def _reply(self, status: int, headers: dict[str, str], content: bytes) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: object) -> None:
        """Write nothing."""


@dataclass
class ReactShop:
    """The shop in a profile of a visitor. `problems` are errors and warnings of pages."""

    url: str
    edge: Edge
    page: Page
    events: list[Json] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.page.on("pageerror", lambda error: self.problems.append(str(error)))
        self.page.on("console", lambda message: self._note(message.type, message.text))
        self.page.context.route("https://edge.example/**", self._take)

    def _note(self, kind: str, text: str) -> None:
        if kind in ("error", "warning"):
            self.problems.append(text)

    def _take(self, route: Any) -> None:
        self.events += json.loads(route.request.post_data or "{}").get("events", [])
        route.fulfill(status=202, json={}, headers={"access-control-allow-origin": "*"})

    def open(self, path: str = "/") -> str:
        """Open a page, and return the markup of its title as the server sent it, once React has taken it over."""
        response = self.page.goto(self.url + path)
        assert response is not None
        assert response.ok, response.text()
        self.page.wait_for_function("window.hydrated")
        return response.text().partition("<h1>")[2].partition("</h1>")[0]

    def title(self) -> str:
        """The title that the visitor sees."""
        return self.page.inner_text("h1")

    def rendered(self) -> list[str]:
        """The titles that React has rendered on this page, each once, in their order."""
        titles: list[str] = self.page.evaluate("[...new Set(rendered)]")
        return titles

    def visitor_id(self) -> str:
        """The visitor of the profile's cookie."""
        (cookie,) = [each for each in self.page.context.cookies() if each.get("name") == "svc_v"]
        return str(cookie.get("value", "")).partition(".")[0]

    def wait_events(self, kind: str) -> list[Json]:
        """The events of a type, once there is one."""
        for _ in range(int(PATIENCE * 40)):
            events = [event for event in self.events if event["type"] == kind]
            if events:
                return events
            self.page.wait_for_timeout(25)
        raise AssertionError([event["type"] for event in self.events])


@pytest.fixture(scope="session")
def built_package() -> None:
    """Build the package, whose modules the shop bundles; once, as other processes may be bundling them."""
    assert (PACKAGE / "node_modules").is_dir(), "make setup, or npm ci in clients/javascript"
    sources = [*(PACKAGE / "src").iterdir(), PACKAGE / "tools" / "build.mjs", SDK_TYPES]
    with (PACKAGE / "node_modules" / ".build.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        built = PACKAGE / "LICENSE"  # the build writes it last
        if not built.exists() or built.stat().st_mtime < max(source.stat().st_mtime for source in sources):
            subprocess.run(["node", "tools/build.mjs"], cwd=PACKAGE, check=True, timeout=120)


@pytest.fixture(scope="module")
def shop_server(built_package: None) -> Iterator[tuple[Edge, str]]:
    """The edge and the address of the shop, one for all tests of a module: to start Node takes a second."""
    script = Path(__file__).with_name("serve.mjs")
    with Edge() as edge:
        thread = threading.Thread(target=edge.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        command = ["node", str(script), edge.url, edge.server.key]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as node:
            assert node.stdout is not None
            port = node.stdout.readline().strip()
            assert port, "the shop's server has not started"
            yield edge, f"http://{SHOP_HOST}:{port}"
            node.communicate()  # closes its input, which ends it
        edge.shutdown()
        thread.join()


@pytest.fixture
def react_shop(shop_server: tuple[Edge, str], browser: Browser) -> Iterator[ReactShop]:
    """The shop in a clean profile. In the end, no page may have written an error or a warning."""
    edge, url = shop_server
    context = browser.new_context()
    context.set_default_timeout(PATIENCE * 1000)
    shop = ReactShop(url, edge, context.new_page())
    yield shop
    context.close()
    assert shop.problems == []
