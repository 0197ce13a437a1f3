"""A shop on a port of this machine: what is previewed."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

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
