"""The handover routes of the edge, the real ones, on a port of loopback; they can be slow, or away."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from abtest.kit.clock import SystemClock
from tests.support.handovers import HandoverServer


class HandoverEdge(ThreadingHTTPServer):
    """`routes` answer after `delay` seconds, or those of `delays` first; `asked` is what they were asked, by path."""

    daemon_threads = True
    block_on_close = False

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.server = HandoverServer(clock=SystemClock())
        self.delay = 0.0
        self.delays: list[float] = []
        self.asked: list[str] = []
        self.answers: list[Any] = []

    @property
    def url(self) -> str:
        """Where the SDK mints."""
        return f"http://127.0.0.1:{self.server_address[1]}/_svc/handover"

    def handle_error(self, request: object, client_address: object) -> None:
        """A browser that navigates away breaks its connections: no news."""


class _Handler(BaseHTTPRequestHandler):
    server: HandoverEdge

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"] or 0)).decode()
        self.server.asked.append(self.path)
        time.sleep(self.server.delays.pop(0) if self.server.delays else self.server.delay)
        event = {
            "rawPath": self.path,
            "headers": {name.lower(): value for name, value in self.headers.items()},
            "requestContext": {"http": {"method": "POST", "path": self.path, "sourceIp": "203.0.113.7"}},
            "isBase64Encoded": False,
            "body": body,
        }
        answer = self.server.server.routes.handover(event)
        self.server.answers.append(answer)
        self.send_response(answer["statusCode"])
        for name, value in answer["headers"].items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(answer["body"].encode())

    def log_message(self, *_: object) -> None:
        """Quiet."""


@contextmanager
def serve_edge() -> Iterator[HandoverEdge]:
    """The edge, as long as the context lives."""
    with HandoverEdge() as edge:
        thread = threading.Thread(target=edge.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        yield edge
        edge.shutdown()
        thread.join()
