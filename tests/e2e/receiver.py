"""A shop's server that receives webhooks, and can be away."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from time import monotonic, sleep
from typing import Any

from tools.local.testing import free_ports

PATIENCE = 60
"""Seconds for what takes two when nobody else needs the machine."""

Row = dict[str, Any]


@dataclass(frozen=True)
class Arrival:
    """A request that reached the shop."""

    body: bytes
    headers: dict[str, str]

    @property
    def told(self) -> Row:
        told: Row = json.loads(self.body)
        return told

    @property
    def about(self) -> Row:
        """The event's own fields."""
        return {name: value for name, value in self.told.items() if name not in ("delivery_id", "timestamp")}


@dataclass
class Receiver:
    """A shop's server, always at the same address, that can be away."""

    port: int = field(default_factory=lambda: free_ports(1)[0])
    arrived: list[Arrival] = field(default_factory=list)
    _server: ThreadingHTTPServer | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/hooks"

    def start(self) -> None:
        arrived = self.arrived

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                arrived.append(Arrival(body, dict(self.headers.items())))
                self.send_response(204)
                self.end_headers()

            def log_message(self, *_: object) -> None:
                return

        self._server = ThreadingHTTPServer(("127.0.0.1", self.port), Handler)
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()

    def stop(self) -> None:
        if self._server is not None:
            self._server.shutdown()
            self._server.server_close()
            self._server = None

    def arrivals(self, count: int) -> list[Arrival]:
        """Of those, after so many have arrived in all, the last."""
        eventually(lambda: len(self.arrived) >= count, f"{count} arrivals")
        assert len(self.arrived) == count
        return self.arrived


def eventually(is_so: Callable[[], bool], what: str, found: Callable[[], object] = lambda: "") -> None:
    """Wait until something is so."""
    began = monotonic()
    while not is_so():
        assert monotonic() - began < PATIENCE, f"there were never {what}; {found()}"
        sleep(0.1)
