"""Looking names up within a deadline: the system's resolver takes as long as it likes."""

import queue
import socket
import threading
from collections import deque
from collections.abc import Callable, Sequence

from abtest.adapters.outbound_http.deadline import Deadline
from abtest.ports.http_sender import HttpUnreachableError

Resolve = Callable[[str, int], Sequence[str]]
"""The addresses of a name, as texts; raises OSError. A zone stays in the text, so that it can be refused."""

MAX_ADDRESSES = 32
MAX_IDLE_ASKERS = 16
"""Threads that wait for the next question, about; more are begun where more is asked at once, and end with it."""

_Answers = queue.SimpleQueue[Sequence[str] | Exception]


def system_resolve(host: str, port: int) -> Sequence[str]:
    """What the machine's resolver says."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(_text(family, address) for family, _, _, _, address in found))


def look_up(resolve: Resolve, host: str, port: int, deadline: Deadline) -> Sequence[str]:
    """The addresses of a name. Raises HttpUnreachableError where there are none, or too late."""
    answers: _Answers = queue.SimpleQueue()
    # A resolver that hangs is left behind with its thread; it holds no connection, and gives up by itself.
    _idle_asker().questions.put((resolve, host, port, answers))
    try:
        answer = answers.get(timeout=deadline.left())
    except queue.Empty:
        raise deadline.passed() from None
    if isinstance(answer, Exception):
        raise HttpUnreachableError(f"{host} does not resolve: {answer}", "dns") from answer
    if not 0 < len(answer) <= MAX_ADDRESSES:
        raise HttpUnreachableError(f"{host} has {len(answer)} addresses", "dns")
    return answer


class _Asker:
    """A thread that asks resolvers: to begin one takes longer than most questions, so it stays for the next."""

    def __init__(self) -> None:
        self.questions: queue.SimpleQueue[tuple[Resolve, str, int, _Answers]] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._run, name="name lookup", daemon=True)
        self._thread.start()

    @property
    def is_alive(self) -> bool:
        """False in a process that was forked from the one where it began."""
        return self._thread.is_alive()

    def _run(self) -> None:
        stays = True
        while stays:
            resolve, host, port, answers = self.questions.get()
            answer: Sequence[str] | Exception
            try:
                answer = resolve(host, port)
            except (OSError, UnicodeError) as error:
                answer = error
            stays = len(_idle) < MAX_IDLE_ASKERS
            if stays:
                _idle.append(self)
            answers.put(answer)
            del resolve, answers, answer


_idle: deque[_Asker] = deque()


def _idle_asker() -> _Asker:
    try:
        while not (asker := _idle.pop()).is_alive:
            pass
    except IndexError:
        return _Asker()
    return asker


def _text(family: int, address: tuple[object, ...]) -> str:
    text = str(address[0])
    scope = address[3] if family == socket.AF_INET6 else 0
    return f"{text}%{scope}" if scope and "%" not in text else text
