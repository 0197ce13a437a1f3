"""Servers on this machine that the outbound client meets, and a net in which they have names and addresses."""

from __future__ import annotations

import re
import socket
import ssl
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

import trustme

from abtest.adapters.outbound_http import Limits, OutboundHttp
from abtest.domain.egress.targets import PublicOnly

Talk = Callable[[socket.socket, bytes], None]
"""Answers one connection, given what the client sent up to the empty line."""

PUBLIC_ADDRESS = "93.184.215.14"


def answer(status: str = "200 OK", body: bytes = b"", **headers: str) -> bytes:
    """One HTTP answer; names of headers are written with underscores."""
    lines = {"Content-Length": str(len(body)), **{name.replace("_", "-"): value for name, value in headers.items()}}
    head = "".join(f"{name}: {value}\r\n" for name, value in lines.items())
    return f"HTTP/1.1 {status}\r\n{head}\r\n".encode() + body


def says(content: bytes) -> Talk:
    """Sends this and closes."""
    return lambda connection, _: connection.sendall(content)


@contextmanager
def listening(talk: Talk, context: ssl.SSLContext | None = None) -> Iterator[tuple[int, list[bytes]]]:
    """A server, its port, and the heads of the requests that came."""
    heads: list[bytes] = []
    with socket.create_server(("127.0.0.1", 0)) as server:
        thread = threading.Thread(target=_serve, args=(server, talk, context, heads))
        thread.start()
        try:
            yield server.getsockname()[1], heads
        finally:
            # A listening socket that is only closed keeps its accept waiting.
            server.shutdown(socket.SHUT_RDWR)
            thread.join()


def _serve(server: socket.socket, talk: Talk, context: ssl.SSLContext | None, heads: list[bytes]) -> None:
    while True:
        try:
            connection, _ = server.accept()
        except OSError:
            return
        try:
            with context.wrap_socket(connection, server_side=True) if context else connection as spoken:
                head = _head(spoken)
                heads.append(head)
                talk(spoken, head)
        except OSError:
            connection.close()  # the client went away, as clients under test do


def _head(connection: socket.socket) -> bytes:
    """The request, its body read to the end: a server that closes with bytes unread resets what it has just said."""
    found = b""
    while b"\r\n\r\n" not in found and (piece := connection.recv(65536)):
        found += piece
    head, _, body = found.partition(b"\r\n\r\n")
    told = re.search(rb"(?i)\r\ncontent-length: *([0-9]+)", head)
    length = int(told[1]) if told else 0
    while len(body) < length and (piece := connection.recv(65536)):
        body += piece
    return found


@dataclass
class Net:
    """Names with addresses, addresses with ports of this machine; what was looked up and dialled is kept."""

    names: dict[str, Sequence[str]] = field(default_factory=dict)
    ports: dict[str, int] = field(default_factory=dict)
    looked_up: list[str] = field(default_factory=list)
    dialled: list[str] = field(default_factory=list)

    def resolve(self, host: str, _port: int) -> Sequence[str]:
        self.looked_up.append(host)
        if host not in self.names:
            raise OSError("no such name")
        return self.names[host]

    def dial(self, address: str, _port: int, seconds: float) -> socket.socket:
        self.dialled.append(address)
        return socket.create_connection(("127.0.0.1", self.ports[address]), timeout=seconds)

    def sender(
        self, authority: trustme.CA | None = None, *, allow_loopback: bool = False, limits: Limits | None = None
    ) -> OutboundHttp:
        """A client in this net, for addresses of customers."""
        context = ssl.create_default_context()
        if authority:
            authority.configure_trust(context)
        rules = PublicOnly(allow_loopback=allow_loopback)
        return OutboundHttp(rules, limits, resolve=self.resolve, dial=self.dial, context=context)


def certified(authority: trustme.CA, *names: str) -> ssl.SSLContext:
    """What a server with these names speaks TLS with."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert(*names).configure_cert(context)
    return context
