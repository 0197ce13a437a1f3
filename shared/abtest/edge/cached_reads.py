"""Reads of published objects through a cache in the process, which outlives a store that fails.

What a key names may change, so it is read again once a second. When the store fails or takes too long, the value that
was served last is served again. What comes late replaces it: the read goes on next to the following requests. Lambda
freezes it in between, and then it may be lost.
"""

import logging
from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from datetime import datetime, timedelta
from operator import attrgetter
from threading import Lock
from typing import Generic, Literal, TypeVar

from abtest.kit.clock import Clock
from abtest.kit.deadlines import within
from abtest.kit.errors import NotFoundError
from abtest.ports import waits
from abtest.ports.blobs import BlobsUnavailableError
from abtest.ports.waits import EdgeWaits

KEPT = timedelta(seconds=1)
CACHE_BYTES = 48 << 20

CacheState = Literal["hit", "miss", "stale", "bypass"]
Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")

_log = logging.getLogger(__name__)


@dataclass(slots=True)
class _Entry(Generic[Value]):
    value: Value
    read_at: datetime
    """When the read of this value began: one that began earlier must not replace it."""
    checked_at: datetime
    is_stale: bool = False


class CachedReads(Generic[Key, Value]):
    """Cache of what `load` reads for a key; `size` is the bytes that a value takes.

    `load` also gets the cached value, so that it reads only what has changed. It may raise NotFoundError, which removes
    the value, and BlobsUnavailableError. `group` names the threads that reads share; `cold` is the wait without a copy.
    """

    def __init__(
        self,
        load: Callable[[Key, Value | None], Value],
        *,
        size: Callable[[Value], int],
        clock: Clock,
        group: str,
        cold: Callable[[EdgeWaits], float] = attrgetter("publication"),
    ) -> None:
        self._load = load
        self._size = size
        self._clock = clock
        self._group = group
        self._cold = cold
        self._entries: OrderedDict[Key, _Entry[Value]] = OrderedDict()
        self._bytes = 0
        self._lock = Lock()

    def read(self, key: Key, *, fresh: bool = False) -> tuple[Value, CacheState]:
        """Return the value of a key; `fresh` reads the store in any case.

        Raises NotFoundError where `load` does, BlobsUnavailableError when the store fails and nothing is cached.
        """
        entry = self._entries.get(key)
        # Read without the lock: entries are replaced as a whole, and one that was dropped just now is still valid.
        if entry is not None and not fresh and self._clock.now() - entry.checked_at < KEPT:
            return entry.value, "stale" if entry.is_stale else "hit"
        try:
            seconds = self._cold(waits.EDGE) if entry is None else waits.EDGE.copy
            value = within(seconds, lambda: self._refresh(key, entry), group=self._group)
        except NotFoundError:
            raise
        except Exception as error:
            _log.warning("publication.unreadable", exc_info=error, extra={"key": str(key)})
            if entry is None:
                raise BlobsUnavailableError from error
            entry.is_stale = True
            entry.checked_at = self._clock.now()  # so that not every request waits for a store that fails
            return entry.value, "stale"
        return value, "bypass" if fresh else "miss"

    def fixed(self, key: Key) -> Value:
        """Return the value of a key that never changes. Raises NotFoundError, BlobsUnavailableError."""
        entry = self._entries.get(key)
        if entry is not None:
            return entry.value
        value = self._load(key, None)
        self.keep(key, value, self._clock.now())
        return value

    def keep(self, key: Key, value: Value, began: datetime) -> None:
        """Cache a value, unless the read of the cached one began later; the oldest go when memory is short."""
        with self._lock:
            if not self._is_older(key, began):
                return
            self._forget(key)
            self._entries[key] = _Entry(value, read_at=began, checked_at=self._clock.now())
            self._bytes += self._size(value)
            # One value stays even if it exceeds the limit alone; otherwise each request would read it again.
            while self._bytes > CACHE_BYTES and len(self._entries) > 1:
                self._forget(next(iter(self._entries)))

    def _refresh(self, key: Key, entry: _Entry[Value] | None) -> Value:
        # It may end after its caller has gone.
        began = self._clock.now()
        try:
            value = self._load(key, None if entry is None else entry.value)
        # Removed, so that a failing store does not bring back what was withdrawn.
        except NotFoundError:
            with self._lock:
                if self._is_older(key, began):
                    self._forget(key)
            raise
        self.keep(key, value, began)
        return value

    def _is_older(self, key: Key, began: datetime) -> bool:
        present = self._entries.get(key)
        return present is None or present.read_at <= began

    def _forget(self, key: Key) -> None:
        dropped = self._entries.pop(key, None)
        if dropped is not None:
            self._bytes -= self._size(dropped.value)
