"""Socket for http.client whose reads and writes end at the deadline, and that limits the bytes received."""

import io
import socket
import ssl
from typing import Any

from abtest.adapters.outbound_http.deadline import Deadline
from abtest.ports.http_sender import HttpUnreachableError

_PIECE = 16 * 1024


class Wire:
    """Replacement of a socket for http.client, which only calls `sendall`, `makefile` and `close`.

    Each read waits at most for the rest of the whole deadline, so a receiver that sends a byte per second cannot block.
    """

    def __init__(self, connected: socket.socket, deadline: Deadline, max_bytes: int) -> None:
        self._socket = connected
        self._deadline = deadline
        self._room = max_bytes
        self.has_sent = False
        """True once the whole request was written; set by the writer."""
        self.has_received = False
        """True once any byte of a response was received."""
        self.has_ended = False
        """True once the other side has closed the connection."""
        self.has_surplus = False
        """True if more bytes were received than those of the response."""

    def sendall(self, content: Any) -> None:
        """Write the content in pieces."""
        left = memoryview(content).cast("B")
        while left:
            self._socket.settimeout(self._deadline.left())
            # Not `sendall` of the socket: each wait must end at the deadline, which is read again for each piece.
            left = left[self._socket.send(left[:_PIECE]) :]

    def makefile(self, _mode: str) -> io.BufferedReader:
        """Return the reader of the response."""
        return _Reader(_Incoming(self), self)

    def receive(self, into: Any) -> int:
        """Read available bytes, as `recv_into` does. Raises HttpUnreachableError beyond the limit."""
        self._socket.settimeout(self._deadline.left())
        count = self._socket.recv_into(into)
        self._room -= count
        self.has_received |= count > 0
        self.has_ended |= count == 0
        if self._room < 0:
            raise HttpUnreachableError("the response is larger than allowed", "protocol")
        return count

    def allow(self, more: int) -> None:
        """Set the number of bytes that may be received from now on."""
        self._room = more

    def close(self) -> None:
        """Do nothing: http.client closes before the response is read. The owner closes the connection."""


class _Incoming(io.RawIOBase):
    def __init__(self, wire: Wire) -> None:
        self._wire = wire
        self.is_over = False

    def readable(self) -> bool:
        return True

    def readinto(self, into: Any) -> int | None:
        # None means that no bytes are available: `peek` then returns buffered bytes only and does not wait for more.
        return None if self.is_over else self._wire.receive(into)


class _Reader(io.BufferedReader):
    """Buffered reader, which http.client closes at the end of the response. Bytes left then are a surplus."""

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
    """Return the connection with TLS, its certificate checked for the host. Raises HttpUnreachableError."""
    raw.settimeout(deadline.left())
    try:
        return context.wrap_socket(raw, server_hostname=host)
    except TimeoutError:
        raise deadline.passed() from None
    except (OSError, ValueError) as error:
        raise HttpUnreachableError(f"{host}: {tls_problem(error)}", "tls") from error


def tls_problem(error: Exception) -> str:
    """Return the reason without the names and lines of OpenSSL's source."""
    if isinstance(error, ssl.SSLCertVerificationError):
        return f"certificate verify failed: {error.verify_message}"
    return "the TLS handshake failed"
