"""Looking names up within a deadline: the system's resolver takes as long as it likes."""

import queue
import socket
import threading
from collections.abc import Callable, Sequence

from abtest.adapters.outbound_http.deadline import Deadline
from abtest.ports.http_sender import HttpUnreachableError

Resolve = Callable[[str, int], Sequence[str]]
"""The addresses of a name, as texts; raises OSError. A zone stays in the text, so that it can be refused."""

MAX_ADDRESSES = 32


def system_resolve(host: str, port: int) -> Sequence[str]:
    """What the machine's resolver says."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(_text(family, address) for family, _, _, _, address in found))


def look_up(resolve: Resolve, host: str, port: int, deadline: Deadline) -> Sequence[str]:
    """The addresses of a name. Raises HttpUnreachableError where there are none, or too late."""
    answers: queue.SimpleQueue[Sequence[str] | Exception] = queue.SimpleQueue()

    def ask() -> None:
        try:
            answers.put(resolve(host, port))
        except (OSError, UnicodeError) as error:
            answers.put(error)

    # A resolver that hangs is left behind; it holds no connection, and gives up by itself.
    threading.Thread(target=ask, name="name lookup", daemon=True).start()
    try:
        answer = answers.get(timeout=deadline.left())
    except queue.Empty:
        raise deadline.passed() from None
    if isinstance(answer, Exception):
        raise HttpUnreachableError(f"{host} does not resolve: {answer}", "dns") from answer
    if not 0 < len(answer) <= MAX_ADDRESSES:
        raise HttpUnreachableError(f"{host} has {len(answer)} addresses", "dns")
    return answer


def _text(family: int, address: tuple[object, ...]) -> str:
    text = str(address[0])
    scope = address[3] if family == socket.AF_INET6 else 0
    return f"{text}%{scope}" if scope and "%" not in text else text
