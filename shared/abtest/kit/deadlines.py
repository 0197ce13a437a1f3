"""Calls that are waited for only so long. Each runs in a thread, because nothing else bounds a lookup of a host name.

The end of a wait does not end the call: what it does after its result still happens, and it keeps its connection.
Lambda freezes threads between two invocations, so such a call may end at the next one, or never.
"""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import BoundedSemaphore, Lock, local
from typing import TypeVar

THREADS = 6
"""Calls of one group at one time. With all of them in use, a further call fails at once and waits for no thread."""

T = TypeVar("T")


class DeadlineError(Exception):
    """Call without a result at its deadline."""


class NotStartedError(DeadlineError):
    """Call that was not made, because no thread was free for it."""


class Deadline:
    """Deadline of a call, for what is called inside it in the same thread."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._is_missed = False
        self._on_missed: Callable[[], None] | None = None

    @property
    def is_awaited(self) -> bool:
        """Return whether a caller still waits for the call; no one ever does with a deadline of 0 s."""
        return self.seconds > 0 and not self._is_missed

    def watched(self, call: Callable[[], T], on_missed: Callable[[], None]) -> T:
        """Return the result of a call; `on_missed` is called if the deadline passes during it."""
        self._on_missed = on_missed
        try:
            return call()
        finally:
            self._on_missed = None

    def miss(self) -> None:
        """Note that the wait is over."""
        on_missed = self._on_missed if self.is_awaited else None
        self._is_missed = True
        if on_missed:
            on_missed()


class _Group:
    """Threads of one group: calls that hang take none from another group."""

    def __init__(self) -> None:
        self.pool = ThreadPoolExecutor(THREADS, thread_name_prefix="within")
        self.free = BoundedSemaphore(THREADS)


_groups: dict[str, _Group] = {}
_lock = Lock()
_thread = local()


def current() -> Deadline | None:
    """Return the deadline of the call that this thread makes, if there is one."""
    deadline: Deadline | None = getattr(_thread, "deadline", None)
    return deadline


def within(seconds: float, call: Callable[[], T], *, group: str) -> T:
    """Return the result of the call, or raise its error. `group` names what may hang: a service, or its use.

    Raises DeadlineError after so many seconds, and NotStartedError at once where it cannot begin.

    A call inside such a call has the deadline of the outer one, so it needs no thread.
    """
    if current() is not None:
        return call()
    with _lock:
        threads = _groups[group] = _groups.get(group) or _Group()
    if not threads.free.acquire(blocking=False):
        raise NotStartedError(f"all threads of {group} are in use")
    deadline = Deadline(seconds)
    try:
        running = threads.pool.submit(_run, call, deadline, threads.free)
    except RuntimeError as error:
        threads.free.release()
        raise NotStartedError("the process is ending") from error
    try:
        return running.result(seconds)
    except TimeoutError as error:
        # The call raised a TimeoutError of its own, or ended between the deadline and this line.
        if running.done():
            return running.result()
        deadline.miss()
        raise DeadlineError(f"no result within {seconds} s") from error


def _run(call: Callable[[], T], deadline: Deadline, free: BoundedSemaphore) -> T:
    _thread.deadline = deadline
    try:
        return call()
    finally:
        _thread.deadline = None
        free.release()
