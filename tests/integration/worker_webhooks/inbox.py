"""An endpoint of a shop: a real HTTP server on this machine that keeps what arrives."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass(frozen=True)
class Arrival:
    """One request."""

    headers: dict[str, str]
    body: bytes

    @property
    def delivery_id(self) -> str:
        return self.headers["x-service-delivery-id"]

    @property
    def event(self) -> str:
        return self.headers["x-service-event"]

    def json(self) -> Any:
        return json.loads(self.body)


@dataclass
class Inbox:
    """What arrived, in its order; `answer` gives the status of each, before which it may do what tests like."""

    port: int = 0
    answer: Callable[[Arrival], int] = lambda _: 200
    says: bytes = b"taken"
    arrived: list[Arrival] = field(default_factory=list)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/hook"

    @property
    def ids(self) -> list[str]:
        """Of the deliveries, as often as each arrived."""
        return [arrival.delivery_id for arrival in self.arrived]


@contextmanager
def inbox() -> Iterator[Inbox]:
    """A server until the context ends."""
    found = Inbox()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            arrival = Arrival({name.lower(): value for name, value in self.headers.items()}, body)
            found.arrived.append(arrival)
            text = found.says
            self.send_response(found.answer(arrival))
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)

        def log_message(self, *_: object) -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    found.port = server.server_port
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield found
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
