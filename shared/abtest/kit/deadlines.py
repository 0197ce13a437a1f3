"""Calls that are waited for only so long. Each runs in a thread, because nothing else bounds a lookup of a host name.

The end of a wait does not end the call: what it does after its result still happens, and it keeps its connection.
Lambda freezes threads between two invocations, so such a call may end at the next one, or never.
"""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import BoundedSemaphore, local
from typing import TypeVar

THREADS = 16
"""Calls of this process at one time. With all of them in use, a further call fails at once and waits for no thread."""

T = TypeVar("T")
_pool = ThreadPoolExecutor(THREADS, thread_name_prefix="within")
_free = BoundedSemaphore(THREADS)
_thread = local()


class DeadlineError(Exception):
    """Call without a result at its deadline."""


class NotStartedError(DeadlineError):
    """Call that was not made, because no thread was free for it."""


def within(seconds: float, call: Callable[[], T]) -> T:
    """Return the result of the call, or raise its error.

    Raises DeadlineError after so many seconds, and NotStartedError at once where it cannot begin.

    A call inside such a call has the deadline of the outer one, so it needs no thread.
    """
    if getattr(_thread, "is_bounded", False):
        return call()
    if not _free.acquire(blocking=False):
        raise NotStartedError("all threads are in use")
    try:
        running = _pool.submit(_run, call)
    except RuntimeError as error:
        _free.release()
        raise NotStartedError("the process is ending") from error
    try:
        return running.result(seconds)
    except TimeoutError as error:
        # The call raised a TimeoutError of its own, or ended between the deadline and this line.
        if running.done():
            return running.result()
        raise DeadlineError(f"no result within {seconds} s") from error


def _run(call: Callable[[], T]) -> T:
    _thread.is_bounded = True
    try:
        return call()
    finally:
        _free.release()
