"""Connections to checked addresses, and the pool that keeps them for the next request of a session."""

import select
import socket
import ssl
import threading
from collections import defaultdict
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

from abtest.adapters.outbound_http.deadline import Deadline
from abtest.adapters.outbound_http.wire import secured
from abtest.domain.egress.targets import Target
from abtest.ports.http_sender import HttpUnreachableError

Dial = Callable[[str, int, float], socket.socket]
"""Function that connects to an address and port within a number of seconds, or raises OSError."""

MAX_IDLE = 8
"""Idle connections kept per origin; any more are closed."""


class Origin(NamedTuple):
    """Scheme, host and port of a connection. The host is part of it, because TLS certificates are checked by name."""

    scheme: str
    host: str
    port: int


@dataclass(frozen=True, slots=True, eq=False)
class Connection:
    """Open connection with its origin and its checked remote address."""

    socket: socket.socket
    origin: Origin
    address: str

    def close(self) -> None:
        """Close the connection."""
        self.socket.close()

    @property
    def is_quiet(self) -> bool:
        """Return whether nothing was received since the last response, so that the connection can be used again."""
        # Unrequested bytes are either the end of the connection or a response that belongs to no request.
        # Bytes that TLS has already decrypted are not visible to poll.
        if isinstance(self.socket, ssl.SSLSocket) and self.socket.pending():
            return False
        # Not select.select, which fails for file descriptors above 1,023.
        poll = select.poll()
        poll.register(self.socket, select.POLLIN)
        return not poll.poll(0)


def system_dial(address: str, port: int, seconds: float) -> socket.socket:
    """Return a TCP connection. Raises OSError."""
    connected = socket.create_connection((address, port), timeout=seconds)
    # Headers and body are two writes; Nagle's algorithm would delay the second one.
    connected.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return connected


class Connector:
    """Factory of connections, with TLS where the scheme needs it."""

    def __init__(self, dial: Dial, context: ssl.SSLContext | None) -> None:
        self._dial = dial
        # Made at its first use, because reading the certificate authorities is slow.
        self._context = cache(lambda: context or ssl.create_default_context())

    def connect(self, target: Target, addresses: Sequence[str], deadline: Deadline) -> Connection:
        """Return a connection to one of the addresses. Raises HttpUnreachableError."""
        raw, address = self._dial_any(target, addresses, deadline)
        origin = origin_of(target)
        if target.scheme == "http":
            return Connection(raw, origin, address)
        try:
            return Connection(secured(raw, self._context(), target.host, deadline), origin, address)
        except BaseException:
            raw.close()
            raise

    def _dial_any(self, target: Target, addresses: Sequence[str], deadline: Deadline) -> tuple[socket.socket, str]:
        """Connect to the first address that responds. Each one may use its share of the remaining time."""
        problem: OSError | None = None
        for number, address in enumerate(addresses):
            try:
                return self._dial(address, target.port, deadline.left() / (len(addresses) - number)), address
            except OSError as error:
                problem = error
        # A passed deadline is reported as a timeout, not as the error of the last address.
        deadline.left()
        reason = "the connection was refused" if isinstance(problem, ConnectionRefusedError) else "it cannot be reached"
        raise HttpUnreachableError(f"no server responds at {target.authority}: {reason}", "connect") from problem


class Idle:
    """Pool of a session's idle connections. It is thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._waiting: defaultdict[Origin, list[Connection]] = defaultdict(list)
        self._is_closed = False

    def take(self, origin: Origin, addresses: Collection[str]) -> Connection | None:
        """Return the newest usable connection to one of the addresses, or None. Unusable ones are closed."""
        while True:
            with self._lock:
                waiting = self._waiting[origin]
                connection = waiting.pop() if waiting else None
            if connection is None or (connection.address in addresses and connection.is_quiet):
                return connection
            connection.close()

    def give(self, connection: Connection) -> None:
        """Keep the connection if the session is open and has room for it, and close it otherwise."""
        with self._lock:
            waiting = self._waiting[connection.origin]
            is_kept = not self._is_closed and len(waiting) < MAX_IDLE
            if is_kept:
                waiting.append(connection)
        if not is_kept:
            connection.close()

    def close(self) -> None:
        """Close all connections, and from now on each one that is given back."""
        with self._lock:
            self._is_closed = True
            connections = [connection for waiting in self._waiting.values() for connection in waiting]
            self._waiting.clear()
        for connection in connections:
            connection.close()


def origin_of(target: Target) -> Origin:
    """Return the origin of a target."""
    return Origin(target.scheme, target.host, target.port)
