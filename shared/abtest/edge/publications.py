"""Published objects, read through a cache in the process.

Objects are immutable, so a body stays cached as long as memory allows; only the pointer is read again, once a second.
When the store fails or takes too long, the body that was served last is served again. What comes late replaces it: the
read goes on next to the following requests. Lambda freezes it in between, and then it may be lost.
"""

import logging
from base64 import b64encode
from collections import OrderedDict
from dataclasses import dataclass
from datetime import datetime, timedelta
from threading import Lock
from typing import Literal

from abtest.domain.delivery.manifest import (
    ACTIVE,
    DEFAULT_ENVIRONMENT,
    Encoding,
    Pointer,
    chunk_key,
    object_key,
    pointer_key,
    read_pointer,
)
from abtest.kit.clock import Clock
from abtest.kit.deadlines import within
from abtest.kit.errors import NotFoundError
from abtest.ports import waits
from abtest.ports.blobs import Blobs, BlobsUnavailableError

POINTER_KEPT = timedelta(seconds=1)
CACHE_BYTES = 48 << 20

Artifact = Literal["config", "snippet", "chunk"]
CacheState = Literal["hit", "miss", "stale", "bypass"]

_log = logging.getLogger(__name__)
_Key = tuple[str, str, Artifact, Encoding]


@dataclass(frozen=True, slots=True)
class Body:
    """Variant ready to be sent: the hash of the plain bytes, and the variant's bytes in base 64."""

    sha256: str
    base64: str


@dataclass(slots=True)
class _Entry:
    body: Body
    read_at: datetime
    """When the read of this body began: one that began earlier must not replace it."""
    checked_at: datetime
    is_stale: bool = False


class Publications:
    """Cached reads of the delivery bucket."""

    def __init__(self, blobs: Blobs, clock: Clock) -> None:
        self._blobs = blobs
        self._clock = clock
        self._entries: OrderedDict[_Key, _Entry] = OrderedDict()
        self._bytes = 0
        self._lock = Lock()

    def read(
        self, artifact: Artifact, shop_id: str, environment: str, encoding: Encoding, *, fresh: bool = False
    ) -> tuple[Body, CacheState]:
        """Return the body of the shop's environment, or of its ACTIVE one; `fresh` reads the store in any case.

        Raises NotFoundError when nothing was ever published there, BlobsUnavailableError when the store fails and
        nothing is cached.
        """
        key = (shop_id, environment, artifact, encoding)
        entry = self._entries.get(key)
        # Read without the lock: entries are replaced as a whole, and one that was dropped just now is still valid.
        if entry is not None and not fresh and self._clock.now() - entry.checked_at < POINTER_KEPT:
            return entry.body, "stale" if entry.is_stale else "hit"
        try:
            seconds = waits.EDGE.publication if entry is None else waits.EDGE.copy
            body = within(seconds, lambda: self.refresh(key, entry), group="publications")
        except NotFoundError:
            raise
        except Exception as error:
            _log.warning("publication.unreadable", exc_info=error, extra={"shop_id": shop_id})
            if entry is None:
                raise BlobsUnavailableError from error
            entry.is_stale = True
            entry.checked_at = self._clock.now()  # so that not every request waits for a store that fails
            return entry.body, "stale"
        return body, "bypass" if fresh else "miss"

    def refresh(self, key: _Key, entry: _Entry | None) -> Body:
        """Load and cache a body; it may end after its caller has gone. Raises NotFoundError, BlobsUnavailableError."""
        began = self._clock.now()
        try:
            body = self.load(key, entry)
        # Removed, so that a failing store does not bring back what was withdrawn.
        except NotFoundError:
            with self._lock:
                if self._is_older(key, began):
                    self._forget(key)
            raise
        self.keep(key, body, began)
        return body

    def chunk(self, shop_id: str, file: str, encoding: Encoding) -> Body:
        """Return a chunk of the shop by the last part of its address, which is a valid one.

        Raises NotFoundError when the shop never had it, BlobsUnavailableError.
        """
        key: _Key = (shop_id, file, "chunk", encoding)
        entry = self._entries.get(key)
        if entry is not None:
            return entry.body
        blob = self._blobs.get(chunk_key(shop_id, file, encoding))
        if blob is None:
            raise NotFoundError("there is no such file")
        body = Body(file.partition(".")[0], b64encode(blob.content).decode())
        self.keep(key, body, self._clock.now())
        return body

    def load(self, key: _Key, entry: _Entry | None) -> Body:
        """Read pointer and body; the cached body is used while its hash is current. Raises NotFoundError."""
        shop_id, environment, artifact, encoding = key
        pointer = self.pointer(shop_id, environment or DEFAULT_ENVIRONMENT)
        if pointer is not None and environment == ACTIVE and pointer.active != DEFAULT_ENVIRONMENT:
            # A publication flips the default first: a new active environment may not be there for another moment.
            pointer = self.pointer(shop_id, pointer.active) or pointer
        if pointer is None:
            raise NotFoundError("nothing is published for this shop and environment")
        published = pointer.config if artifact == "config" else pointer.snippet
        if entry is not None and entry.body.sha256 == published.sha256:
            return entry.body
        blob = self._blobs.get(object_key(published.sha256, encoding))
        if blob is None:
            raise BlobsUnavailableError
        return Body(published.sha256, b64encode(blob.content).decode())

    def pointer(self, shop_id: str, environment: str) -> Pointer | None:
        """Read the pointer of an environment; None where nothing is published."""
        blob = self._blobs.get(pointer_key(shop_id, environment))
        return None if blob is None else read_pointer(blob.content)

    def keep(self, key: _Key, body: Body, began: datetime) -> None:
        """Cache a body, unless the read of the cached one began later; the oldest go when memory is short."""
        with self._lock:
            if not self._is_older(key, began):
                return
            self._forget(key)
            self._entries[key] = _Entry(body, read_at=began, checked_at=self._clock.now())
            self._bytes += len(body.base64)
            # One body stays even if it exceeds the limit alone; otherwise each request would read it again.
            while self._bytes > CACHE_BYTES and len(self._entries) > 1:
                self._forget(next(iter(self._entries)))

    def _is_older(self, key: _Key, began: datetime) -> bool:
        present = self._entries.get(key)
        return present is None or present.read_at <= began

    def _forget(self, key: _Key) -> None:
        dropped = self._entries.pop(key, None)
        if dropped is not None:
            self._bytes -= len(dropped.body.base64)
