"""An endpoint of a shop: a real HTTP server on this machine that keeps what arrives."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from email.message import Message
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from abtest.domain.webhooks import envelope


@dataclass(frozen=True)
class Arrival:
    """A request that came whole. Its headers are found however they are written, and listed as they came."""

    headers: Message
    body: bytes

    @property
    def delivery_id(self) -> str:
        """Which delivery it is an attempt of."""
        return str(self.headers["X-Service-Delivery-Id"])

    @property
    def event(self) -> str:
        return str(self.headers["X-Service-Event"])

    @property
    def told(self) -> dict[str, Any]:
        told: dict[str, Any] = json.loads(self.body)
        return told

    @property
    def about(self) -> dict[str, Any]:
        """The event's own fields."""
        return {name: value for name, value in self.told.items() if name not in ("delivery_id", "timestamp")}

    def is_signed_by(self, secret: str) -> bool:
        """Whether both signatures, and both ids, are as they must be."""
        at, name = int(self.headers["webhook-timestamp"]), self.headers["webhook-id"]
        standard = envelope.standard_signature(secret, self.body, delivery_id=name, at=at)
        return (
            name == self.delivery_id
            and standard in self.headers["webhook-signature"].split(" ")
            and self.headers["X-Service-Signature"] == envelope.service_signature(secret, self.body)
        )


@dataclass
class Inbox:
    """What arrived, in its order; `answer` gives the status of each, before which it may do what tests like."""

    port: int = 0
    """Its own choice when it starts for the first time, and from then on the same."""

    answer: Callable[[Arrival], int] = lambda _: 200
    says: bytes = b"taken"
    arrived: list[Arrival] = field(default_factory=list)
    _server: _Server | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/hooks"

    @property
    def ids(self) -> list[str]:
        """Of the deliveries, as often as each arrived."""
        return [arrival.delivery_id for arrival in self.arrived]

    def start(self) -> None:
        """Be there."""
        self._server = _Server(self)
        self.port = self._server.server_port
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()

    def stop(self) -> None:
        """Be away, for those who kept a connection, too."""
        if self._server is not None:
            self._server.shutdown()
            self._server.server_close()
            self._server.hang_up()
            self._server = None


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128
    """Connections that wait to be accepted; of more than the usual five, some wait for seconds."""

    def __init__(self, inbox: Inbox) -> None:
        super().__init__(("127.0.0.1", inbox.port), _Handler)
        self.inbox = inbox
        self._connections: list[socket.socket] = []

    def get_request(self) -> tuple[socket.socket, Any]:
        connection, address = super().get_request()
        self._connections.append(connection)
        return connection, address

    def hang_up(self) -> None:
        for connection in self._connections:
            with suppress(OSError):  # most are closed by now
                connection.shutdown(socket.SHUT_RDWR)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def do_POST(self) -> None:
        inbox, body = self.server.inbox, self.rfile.read(int(self.headers["Content-Length"]))
        arrival = Arrival(self.headers, body)
        inbox.arrived.append(arrival)
        status = inbox.answer(arrival)
        self.send_response(status)
        if status == HTTPStatus.NO_CONTENT:
            self.end_headers()
            return
        self.send_header("Content-Length", str(len(inbox.says)))
        self.end_headers()
        self.wfile.write(inbox.says)

    def log_message(self, *_: object) -> None:
        return
