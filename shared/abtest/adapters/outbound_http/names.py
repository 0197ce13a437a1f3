"""Name resolution within a deadline, which the resolver of the operating system does not have."""

import queue
import socket
import threading
from collections import deque
from collections.abc import Callable, Sequence

from abtest.adapters.outbound_http.deadline import Deadline
from abtest.ports.http_sender import HttpUnreachableError

Resolve = Callable[[str, int], Sequence[str]]
"""Function from a host and port to addresses as text; raises OSError. A zone stays in the text, to be refused later."""

MAX_ADDRESSES = 32
MAX_IDLE_RESOLVERS = 16
"""Approximate number of threads kept for the next lookup. More are started when needed, and end with their lookup."""

_Answers = queue.SimpleQueue[Sequence[str] | Exception]


def system_resolve(host: str, port: int) -> Sequence[str]:
    """Return the distinct addresses of a host from the operating system's resolver. Raises OSError."""
    addresses: dict[str, None] = {}
    for family, _, _, _, resolved in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM):
        address: tuple[object, ...] = resolved
        text = str(address[0])
        scope = address[3] if family == socket.AF_INET6 else 0
        addresses[f"{text}%{scope}" if scope and "%" not in text else text] = None
    return list(addresses)


def look_up(resolve: Resolve, host: str, port: int, deadline: Deadline) -> Sequence[str]:
    """Return the addresses of a name. Raises HttpUnreachableError without addresses or after the deadline."""
    answers: _Answers = queue.SimpleQueue()
    try:
        while not (resolver := _idle.pop()).is_alive:
            pass
    except IndexError:
        resolver = _Resolver()
    # A lookup that hangs is abandoned with its thread: it holds no connection, and the operating system ends it.
    resolver.lookups.put((resolve, host, port, answers))
    try:
        answer = answers.get(timeout=deadline.left())
    except queue.Empty:
        raise deadline.passed() from None
    if isinstance(answer, Exception):
        raise HttpUnreachableError(f"{host} does not resolve", "dns") from answer
    if not 0 < len(answer) <= MAX_ADDRESSES:
        raise HttpUnreachableError(f"{host} has {len(answer)} addresses", "dns")
    return answer


class _Resolver:
    """Thread that resolves names. Starting one takes longer than most lookups, so it is kept for the next."""

    def __init__(self) -> None:
        self.lookups: queue.SimpleQueue[tuple[Resolve, str, int, _Answers]] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._run, name="name lookup", daemon=True)
        self._thread.start()

    @property
    def is_alive(self) -> bool:
        """Return whether the thread runs; it does not in a process that was forked from its own."""
        return self._thread.is_alive()

    def _run(self) -> None:
        stays = True
        while stays:
            resolve, host, port, answers = self.lookups.get()
            answer: Sequence[str] | Exception
            try:
                answer = resolve(host, port)
            except (OSError, UnicodeError) as error:
                answer = error
            stays = len(_idle) < MAX_IDLE_RESOLVERS
            if stays:
                # Before the result is handed over, so that the caller's next lookup can already use this thread.
                _idle.append(self)
            answers.put(answer)
            # Otherwise these values would stay in memory until the next lookup.
            del resolve, answers, answer


# Operations of a deque are atomic, so threads share it without a lock; only its length may be out of date.
_idle: deque[_Resolver] = deque()
