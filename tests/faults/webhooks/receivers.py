"""A shop's server under TLS, and the ways in which it receives badly: of raw sockets, as no HTTP server would do so."""

from __future__ import annotations

import socket
import ssl
import struct
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property, partial
from http.client import parse_headers
from io import BytesIO

import trustme

from abtest.adapters.outbound_http import Limits, OutboundHttp
from abtest.domain.egress.targets import PublicOnly
from tests.support.inbox import Arrival
from tests.unit.outbound_http.servers import PUBLIC_ADDRESS, Net, answer, certified

NAME = "shop.example"
URL = f"https://{NAME}/hooks"
SECONDS, SHORT = 10.0, 0.4
"""For a whole exchange: as the service has it, and where a test waits for its end."""

_PATIENCE = 15.0

Behaviour = Callable[[socket.socket], None]
"""What happens once a request was read whole."""


def says(status: str, body: bytes = b"", **headers: str) -> Behaviour:
    """Answers."""
    return lambda connection: connection.sendall(answer(status, body, **headers))


TAKES = says("204 No Content", Connection="close")
"""Accepts, and announces that it closes: otherwise the next request may be written to a connection that is closing."""


@dataclass
class Receiver:
    """What came so far, and what happens to what comes: the behaviours in turn, the last of them from then on."""

    net: Net = field(default_factory=Net)
    authority: trustme.CA = field(default_factory=trustme.CA)
    behaviours: Sequence[Behaviour] = (TAKES,)
    requests: list[Arrival] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)
    gone: threading.Event = field(default_factory=threading.Event)
    """Set at the end: who waits to waste the client's time may stop."""

    def hears(self, connection: socket.socket) -> None:
        """Take a request, and behave."""
        request = _whole(connection)
        if request is None:
            return
        with self.lock:
            self.requests.append(request)
            number = len(self.requests)
        self.behaviours[min(number, len(self.behaviours)) - 1](connection)

    def sender(self, seconds: float = SECONDS) -> OutboundHttp:
        """The client as workers have it, in the net where this receiver is."""
        limits = Limits(seconds=seconds, body_bytes=64 * 1024)
        return OutboundHttp(PublicOnly(), limits, resolve=self.net.resolve, dial=self.net.dial, context=self.trusting)

    @cached_property
    def trusting(self) -> ssl.SSLContext:
        """What the client speaks TLS with: it trusts the receiver's authority, and no other."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        self.authority.configure_trust(context)
        return context

    @contextmanager
    def up(self, context: ssl.SSLContext | None = None) -> Iterator[Receiver]:
        """Listening under its name, with its certificate or another; each connection in a thread of its own."""
        with socket.create_server(("127.0.0.1", 0), backlog=64) as server:
            talk = partial(self._talk, context=context or certified(self.authority, NAME))
            thread = threading.Thread(target=_accept, args=(server, talk))
            thread.start()
            self.net.names[NAME] = [PUBLIC_ADDRESS]
            self.net.ports[PUBLIC_ADDRESS] = server.getsockname()[1]
            self.gone.clear()
            try:
                yield self
            finally:
                self.gone.set()
                # A listening socket that is only closed keeps its accept waiting.
                server.shutdown(socket.SHUT_RDWR)
                thread.join()

    def _talk(self, connection: socket.socket, context: ssl.SSLContext) -> None:
        try:
            with context.wrap_socket(connection, server_side=True) as spoken:
                spoken.settimeout(_PATIENCE)
                self.hears(spoken)
        except OSError:
            connection.close()  # the client went away, as it does from most of these

    def hangs(self, seconds: float) -> Behaviour:
        """Answers, too late."""

        def behave(connection: socket.socket) -> None:
            self.gone.wait(seconds)
            TAKES(connection)

        return behave

    def trickles(self, first: bytes, drop: bytes, pause: float = 0.05) -> Behaviour:
        """Begins an answer, and then a drop at a time: for a limit of each read it is always in time."""

        def behave(connection: socket.socket) -> None:
            connection.sendall(first)
            while not self.gone.wait(pause):
                connection.sendall(drop)

        return behave

    def floods(self, head: bytes, piece: bytes, times: int) -> Behaviour:
        """Answers with so many pieces."""

        def behave(connection: socket.socket) -> None:
            connection.sendall(head)
            for _ in range(times):
                connection.sendall(piece)

        return behave


def resets(connection: socket.socket) -> None:
    """Gives the connection up in the hardest way there is, without an answer."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    connection.close()


def hangs_up(connection: socket.socket) -> None:
    """Closes without an answer."""


def breaks_off(connection: socket.socket) -> None:
    """Closes in the middle of an answer, before its body."""
    connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\nX-Half: a")


def _accept(server: socket.socket, talk: Callable[[socket.socket], None]) -> None:
    threads = []
    while True:
        try:
            connection, _ = server.accept()
        except OSError:
            break
        threads.append(threading.Thread(target=talk, args=(connection,)))
        threads[-1].start()
    for thread in threads:
        thread.join()


def _whole(connection: socket.socket) -> Arrival | None:
    """The request; None where the client went away before its end."""
    found = b""
    while b"\r\n\r\n" not in found:
        if not (piece := connection.recv(65536)):
            return None
        found += piece
    head, _, body = found.partition(b"\r\n\r\n")
    headers = parse_headers(BytesIO(head.partition(b"\r\n")[2] + b"\r\n\r\n"))
    while len(body) < int(headers["Content-Length"]):
        if not (piece := connection.recv(65536)):
            return None
        body += piece
    return Arrival(headers, body)
