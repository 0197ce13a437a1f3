"""Repeatable requests: a second run of the same request makes the same ids and secrets as the first one.

A run that ends without an answer may have stored its work. Because the second run names the same things, it finds
them instead of making others.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import datetime, timedelta
from hashlib import shake_256


class RepeatableRun:
    """Moments and bits that depend only on when the first run began and on a secret seed.

    `is_repeated` marks the second run and later ones, which look for the work of an earlier one.
    """

    def __init__(self, begun_at: datetime, seed: bytes, *, is_repeated: bool) -> None:
        self.is_repeated = is_repeated
        self._moment = begun_at
        self._seed = seed
        self._drawn = 0

    def next_moment(self) -> datetime:
        """Return a moment that is a microsecond after the one before, so that ids keep their order."""
        self._moment += timedelta(microseconds=1)
        return self._moment

    def bits(self, count: int) -> int:
        """Return the next integer of at most `count` bits, which only the seed predicts."""
        self._drawn += 1
        digest = shake_256(self._drawn.to_bytes(8, "big") + self._seed).digest(count // 8 + 1)
        return int.from_bytes(digest, "big") & (1 << count) - 1


_current: ContextVar[RepeatableRun | None] = ContextVar("repeatable_run", default=None)


def current_run() -> RepeatableRun | None:
    """Return the run of the request that is being served, None for one that cannot be repeated."""
    return _current.get()


@contextmanager
def serving(run: RepeatableRun) -> Iterator[None]:
    """Make this the current run."""
    token = _current.set(run)
    try:
        yield
    finally:
        _current.reset(token)
