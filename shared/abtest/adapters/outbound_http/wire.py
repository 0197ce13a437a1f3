"""A connection whose every read and write ends at the deadline, and that takes in no more than it may."""

import io
import socket
import ssl
from collections.abc import Callable
from typing import Any

from abtest.adapters.outbound_http.deadline import Deadline
from abtest.ports.http_sender import HttpUnreachableError

Dial = Callable[[str, int, float], socket.socket]
"""Connects to an address within so many seconds; raises OSError."""

_PIECE = 16 * 1024


def system_dial(address: str, port: int, seconds: float) -> socket.socket:
    """A TCP connection."""
    return socket.create_connection((address, port), timeout=seconds)


class Wire:
    """What http.client takes for a socket: it asks for `sendall`, `makefile` and `close` only.

    A byte a second holds nobody: each read waits for what is left of the whole, not for a time of its own.
    """

    def __init__(self, connected: socket.socket, deadline: Deadline, max_bytes: int) -> None:
        self._socket = connected
        self._deadline = deadline
        self._room = max_bytes

    def sendall(self, content: Any) -> None:
        """Write all of it in pieces."""
        left = memoryview(content).cast("B")
        while left:
            self._socket.settimeout(self._deadline.left())
            left = left[self._socket.send(left[:_PIECE]) :]

    def makefile(self, _mode: str) -> io.BufferedReader:
        """The reader of the answer."""
        return io.BufferedReader(_Incoming(self), _PIECE)

    def receive(self, into: Any) -> int:
        """Read what is there, as `recv_into`. Raises HttpUnreachableError when more comes than may."""
        self._socket.settimeout(self._deadline.left())
        count = self._socket.recv_into(into)
        self._room -= count
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

    def readable(self) -> bool:
        return True

    def readinto(self, into: Any) -> int:
        return self._wire.receive(into)


def secured(raw: socket.socket, context: ssl.SSLContext, host: str, deadline: Deadline) -> socket.socket:
    """The connection under TLS, whose certificate is held against the host's name. Raises HttpUnreachableError."""
    raw.settimeout(deadline.left())
    try:
        return context.wrap_socket(raw, server_hostname=host)
    except TimeoutError:
        raise deadline.passed() from None
    except (OSError, ValueError) as error:
        raise HttpUnreachableError(f"{host}: {error}", "tls") from error
