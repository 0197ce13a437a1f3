"""Opening connections to addresses that were checked, and keeping them for the next request of a session."""

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
"""Connects to an address within so many seconds; raises OSError."""

MAX_IDLE = 8
"""Connections with one origin that wait for the next request; what is given back beyond that is closed."""


class Origin(NamedTuple):
    """What a connection was made for: a certificate is held against a name, so the address alone does not tell."""

    scheme: str
    host: str
    port: int


@dataclass(frozen=True, slots=True, eq=False)
class Connection:
    """A connection, what it was made for, and the checked address at its other end."""

    socket: socket.socket
    origin: Origin
    address: str

    def close(self) -> None:
        """Hang up."""
        self.socket.close()

    @property
    def is_quiet(self) -> bool:
        """Whether nothing came since the last answer: what comes unasked is a goodbye, or an answer to no question."""
        if isinstance(self.socket, ssl.SSLSocket) and self.socket.pending():
            return False
        poll = select.poll()
        poll.register(self.socket, select.POLLIN)
        return not poll.poll(0)


def system_dial(address: str, port: int, seconds: float) -> socket.socket:
    """A TCP connection that sends at once: head and body are two writes, and the second is not to wait."""
    connected = socket.create_connection((address, port), timeout=seconds)
    connected.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return connected


class Connector:
    """Opens connections."""

    def __init__(self, dial: Dial, context: ssl.SSLContext | None) -> None:
        self._dial = dial
        # Made when first needed: the store of authorities takes a while to read.
        self._context = cache(lambda: context or ssl.create_default_context())

    def connect(self, target: Target, addresses: Sequence[str], deadline: Deadline) -> Connection:
        """With one of the addresses. Raises HttpUnreachableError."""
        raw, address = self._reached(target, addresses, deadline)
        origin = origin_of(target)
        if target.scheme == "http":
            return Connection(raw, origin, address)
        try:
            return Connection(secured(raw, self._context(), target.host, deadline), origin, address)
        except BaseException:
            raw.close()
            raise

    def _reached(self, target: Target, addresses: Sequence[str], deadline: Deadline) -> tuple[socket.socket, str]:
        """The first of the addresses that answers; one that is silent leaves the others their share of the time."""
        problem: OSError | None = None
        for number, address in enumerate(addresses):
            try:
                return self._dial(address, target.port, deadline.left() / (len(addresses) - number)), address
            except OSError as error:
                problem = error
        deadline.left()
        reason = problem.strerror or problem if problem else "it has no address"
        raise HttpUnreachableError(f"nothing answers at {target.authority}: {reason}", "connect") from problem


class Idle:
    """Connections of a session that wait for its next request. Threads may share it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._waiting: defaultdict[Origin, list[Connection]] = defaultdict(list)
        self._is_closed = False

    def take(self, origin: Origin, addresses: Collection[str]) -> Connection | None:
        """The one that waits the shortest, whose other end the name still stands for; others are closed on the way."""
        while (connection := self._last(origin)) is not None:
            if connection.address in addresses and connection.is_quiet:
                return connection
            connection.close()
        return None

    def give(self, connection: Connection) -> None:
        """Keep it, if there is room and the session goes on."""
        with self._lock:
            waiting = self._waiting[connection.origin]
            is_kept = not self._is_closed and len(waiting) < MAX_IDLE
            if is_kept:
                waiting.append(connection)
        if not is_kept:
            connection.close()

    def close(self) -> None:
        """Close all, and from now on what is given back."""
        with self._lock:
            self._is_closed = True
            found = [connection for waiting in self._waiting.values() for connection in waiting]
            self._waiting.clear()
        for connection in found:
            connection.close()

    def _last(self, origin: Origin) -> Connection | None:
        with self._lock:
            waiting = self._waiting[origin]
            return waiting.pop() if waiting else None


def origin_of(target: Target) -> Origin:
    """What connections to the target are kept under."""
    return Origin(target.scheme, target.host, target.port)
