"""A connection whose every read and write ends at the deadline, and that takes in no more than it may."""

import io
import socket
import ssl
from typing import Any

from abtest.adapters.outbound_http.deadline import Deadline
from abtest.ports.http_sender import HttpUnreachableError

_PIECE = 16 * 1024


class Wire:
    """What http.client takes for a socket: it asks for `sendall`, `makefile` and `close` only.

    A byte a second holds nobody: each read waits for what is left of the whole, not for a time of its own.
    """

    def __init__(self, connected: socket.socket, deadline: Deadline, max_bytes: int) -> None:
        self._socket = connected
        self._deadline = deadline
        self._room = max_bytes
        self.has_sent = False
        """Whether the whole request was written; told by who writes it."""
        self.has_received = False
        """Whether any byte of an answer came."""
        self.has_ended = False
        """Whether somebody read to where the other side hung up."""
        self.has_surplus = False
        """Whether more came than the answer that was read."""

    def sendall(self, content: Any) -> None:
        """Write all of it in pieces."""
        left = memoryview(content).cast("B")
        while left:
            self._socket.settimeout(self._deadline.left())
            left = left[self._socket.send(left[:_PIECE]) :]

    def makefile(self, _mode: str) -> io.BufferedReader:
        """The reader of the answer."""
        return _Reader(_Incoming(self), self)

    def receive(self, into: Any) -> int:
        """Read what is there, as `recv_into`. Raises HttpUnreachableError when more comes than may."""
        self._socket.settimeout(self._deadline.left())
        count = self._socket.recv_into(into)
        self._room -= count
        self.has_received |= count > 0
        self.has_ended |= count == 0
        if self._room < 0:
            raise HttpUnreachableError("the answer is larger than it may be", "protocol")
        return count

    def allow(self, more: int) -> None:
        """From here on so many bytes may come."""
        self._room = more

    def close(self) -> None:
        """Nothing: http.client lets go before the answer is read; whoever connected closes."""


class _Incoming(io.RawIOBase):
    def __init__(self, wire: Wire) -> None:
        self._wire = wire
        self.is_over = False

    def readable(self) -> bool:
        return True

    def readinto(self, into: Any) -> int | None:
        return None if self.is_over else self._wire.receive(into)


class _Reader(io.BufferedReader):
    """Reads ahead; http.client closes it where the answer ends, and what it holds then belongs to no answer."""

    def __init__(self, incoming: _Incoming, wire: Wire) -> None:
        super().__init__(incoming, _PIECE)
        self._incoming = incoming
        self._wire = wire

    def close(self) -> None:
        if not self.closed:
            self._incoming.is_over = True
            self._wire.has_surplus |= bool(self.peek())
        super().close()


def secured(raw: socket.socket, context: ssl.SSLContext, host: str, deadline: Deadline) -> socket.socket:
    """The connection under TLS, whose certificate is held against the host's name. Raises HttpUnreachableError."""
    raw.settimeout(deadline.left())
    try:
        return context.wrap_socket(raw, server_hostname=host)
    except TimeoutError:
        raise deadline.passed() from None
    except (OSError, ValueError) as error:
        raise HttpUnreachableError(f"{host}: {error}", "tls") from error
