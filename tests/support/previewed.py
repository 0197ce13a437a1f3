"""A shop, and the preview proxy around it without accounts: the pure functions with sockets, for tests in a browser."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from abtest.domain.preview.addresses import PreviewSite, absolute, proxied, requested, requested_module
from abtest.domain.preview.css import rewrite_stylesheet
from abtest.domain.preview.headers import request_headers, response_headers
from abtest.domain.preview.html import rewrite_html
from abtest.domain.preview.jar import Jar
from abtest.domain.preview.state import PageState
from abtest.storefront import bridge

NOW = datetime(2026, 11, 23, 12, tzinfo=UTC)
Answer = tuple[int, dict[str, str], bytes]


@dataclass(frozen=True)
class Received:
    """Request as the shop received it."""

    method: str
    path: str
    headers: dict[str, str]
    body: str


@dataclass
class PreviewedShop:
    """Contents by path, and what was requested. `pages` answer by path without query; unknown ones are 404."""

    host: str = ""
    pages: dict[str, Callable[[Received], Answer]] = field(default_factory=dict)
    received: list[Received] = field(default_factory=list)

    def page(self, path: str, body: str, content_type: str = "text/html; charset=utf-8", **headers: str) -> None:
        """Serve a text; names of headers with an underscore for each hyphen."""
        shown = {name.replace("_", "-"): value for name, value in headers.items()}
        self.pages[path] = lambda _: (200, {"content-type": content_type, **shown}, body.encode())

    def answer(self, request: Received) -> Answer:
        self.received.append(request)
        answer = self.pages.get(request.path.partition("?")[0])
        return answer(request) if answer else (404, {"content-type": "text/plain"}, b"not found")

    def requests_of(self, path: str) -> list[Received]:
        """Return what was requested at a path."""
        return [each for each in list(self.received) if each.path.partition("?")[0] == path]


@dataclass
class Proxy:
    """Session of one browser: its jar, and what the bridge reported."""

    shop: PreviewedShop
    base: str = ""
    token: str = "t0ken"
    jar: Jar = field(default_factory=Jar)
    reported: list[dict[str, str]] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def site(self) -> PreviewSite:
        return PreviewSite(base=self.base, token=self.token, hosts=frozenset({self.shop.host}), bridge=bridge())

    def address(self, path: str) -> str:
        """Return the address of a page of the shop at the proxy."""
        return proxied(self.site, f"http://{self.shop.host}{path}")

    def answer(self, request: Received) -> Answer:
        path, _, query = request.path.partition("?")
        if path == "/api/preview/state":
            return self._report(json.loads(request.body))
        if path.startswith("/api/preview/m/"):
            return self._forward(request, requested_module(path, query).url, is_script=True)
        if path != "/api/preview":
            return 404, {}, b""
        target = requested(query)
        if not target.is_canonical and request.method == "GET" and target.url:
            return 302, {"location": proxied(self.site, target.url)}, b""
        return self._forward(request, target.url)

    def _report(self, report: dict[str, str]) -> Answer:
        with self.lock:
            self.reported.append(report)
            self.jar = self.jar.written(report["url"], report["cookie"], NOW)
        return 204, {}, b""

    def _forward(self, request: Received, url: str | None, *, is_script: bool = False) -> Answer:
        target = absolute(url or "")
        if target is None or target.host not in self.site.hosts:
            return 403, {}, b""
        cookie = self.jar.cookie_header(target.href, NOW)
        headers = request_headers(request.headers, site=self.site, target_url=target.href, jar_cookie=cookie)
        connection = HTTPConnection("127.0.0.1", int(target.host.partition(":")[2]), timeout=10)
        connection.request(request.method, target.path + target.query, request.body.encode() or None, headers)
        response = connection.getresponse()
        body = response.read()
        connection.close()
        with self.lock:
            lines = [value for name, value in response.getheaders() if name.lower() == "set-cookie"]
            self.jar = self.jar.stored(target.href, lines, NOW)
        shown = response_headers(response.getheaders(), site=self.site, target_url=target.href, as_module=is_script)
        return response.status, dict(shown), self._rewritten(body, dict(shown).get("content-type", ""), target.href)

    def _rewritten(self, body: bytes, content_type: str, url: str) -> bytes:
        if content_type.startswith("text/html"):
            state = PageState(cookie=self.jar.visible(url, NOW))
            return rewrite_html(body, content_type, page_url=url, site=self.site, state=state)
        if content_type.startswith("text/css"):
            return rewrite_stylesheet(body, content_type, page_url=url, site=self.site)
        return body


@contextmanager
def served(answer: Callable[[Received], Answer], name: str) -> Iterator[str]:
    """Serve answers on a port of its own; yields host and port."""

    class Handler(BaseHTTPRequestHandler):
        def _respond(self) -> None:
            length = int(self.headers.get("content-length", 0))
            headers = {key.lower(): value for key, value in self.headers.items()}
            body = self.rfile.read(length).decode()
            status, shown, content = answer(Received(self.command, self.path, headers, body))
            self.send_response(status)
            for key, value in shown.items():
                self.send_header(key, value)
            self.send_header("content-length", str(len(content)))
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(content)

        # Names of the standard library.
        do_GET = do_HEAD = do_POST = do_PUT = do_PATCH = do_DELETE = do_OPTIONS = _respond  # noqa: N815

        def log_message(self, *arguments: object) -> None:
            """Log nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield f"{name}:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
