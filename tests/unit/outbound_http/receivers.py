"""Receivers that keep connections open, and say by script what each request is answered with."""

from __future__ import annotations

import socket
import struct
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field


class Last(bytes):
    """What is said before hanging up."""


class Reset(Last):
    """What is said before giving the connection up in the hardest way there is."""


@dataclass
class Receiver:
    """Answers requests on connections that stay open; `script(connection, request)` says with what, both from 0.

    None hangs up without a word. `requests` says on which connection each arrived.
    """

    script: Callable[[int, int], bytes | None]
    port: int = 0
    requests: list[int] = field(default_factory=list)
    left: threading.Event = field(default_factory=threading.Event)
    """A client hung up."""
    open: list[socket.socket] = field(default_factory=list)

    def serve(self, server: socket.socket, context: object) -> None:
        threads: list[threading.Thread] = []
        with suppress(OSError):
            while True:
                connection, _ = server.accept()
                if context:
                    connection = context.wrap_socket(connection, server_side=True)  # type: ignore[attr-defined]
                self.open.append(connection)
                threads.append(threading.Thread(target=self._talk, args=(connection, len(threads))))
                threads[-1].start()
        for connection in self.open:
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
        for thread in threads:
            thread.join()

    def _talk(self, connection: socket.socket, number: int) -> None:
        with suppress(OSError), connection:
            for request in range(1000):
                if not _whole_request(connection):
                    self.left.set()
                    return
                self.requests.append(number)
                said = self.script(number, request)
                if said is None:
                    return
                connection.sendall(said)
                if isinstance(said, Reset):
                    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                if isinstance(said, Last):
                    return


def _whole_request(connection: socket.socket) -> bytes:
    found = b""
    while b"\r\n\r\n" not in found:
        piece = connection.recv(65536)
        if not piece:
            return b""
        found += piece
    head, _, body = found.partition(b"\r\n\r\n")
    length = next((int(line[15:]) for line in head.split(b"\r\n") if line.startswith(b"Content-Length:")), 0)
    while len(body) < length:
        body += connection.recv(65536)
    return head + body


@contextmanager
def receiving(script: Callable[[int, int], bytes | None], context: object = None) -> Iterator[Receiver]:
    receiver = Receiver(script)
    with socket.create_server(("127.0.0.1", 0)) as server:
        receiver.port = server.getsockname()[1]
        thread = threading.Thread(target=receiver.serve, args=(server, context))
        thread.start()
        try:
            yield receiver
        finally:
            server.shutdown(socket.SHUT_RDWR)
            thread.join()
