"""Entries of the feed, read once by a process as long as they fit: they are never changed."""

import logging
from collections import OrderedDict
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor

from abtest.domain.ledger.feed import FeedEntry, InvalidFeedEntryError, ShopNews, StoredEntry, feed_key
from abtest.ports.blobs import Blobs

_log = logging.getLogger(__name__)

AT_ONCE = 16
CACHED_BYTES = 64 * 1024 * 1024
"""Size of the entries that stay in memory, as text."""


class FeedEntries:
    """Entries in the ledger's bucket, for one thread. Every call may raise BlobsUnavailableError."""

    def __init__(self, ledger: Blobs, *, cached_bytes: int = CACHED_BYTES) -> None:
        self._ledger = ledger
        self._cached_bytes = cached_bytes
        self._stored: OrderedDict[int, StoredEntry] = OrderedDict()
        """Entries by offset, least recently read first."""
        self._objects: dict[int, frozenset[str]] = {}

    def entry(self, offset: int) -> FeedEntry | None:
        """Return an entry; None for one that does not exist or cannot be read."""
        stored = self.read(offset)
        try:
            return stored.entry() if stored else None
        except InvalidFeedEntryError as error:
            _log_damaged(offset, error)
            return None

    def news(self, offset: int, shop_id: str) -> ShopNews | None:
        """Return a shop's news in an entry; None without any, and for an entry that cannot be read."""
        stored = self.read(offset)
        try:
            return stored.news_of(shop_id) if stored else None
        except InvalidFeedEntryError as error:
            _log_damaged(offset, error)
            return None

    def read(self, offset: int) -> StoredEntry | None:
        """Return an entry as it is stored; None for one that does not exist or cannot be read."""
        stored = self._stored.pop(offset, None) or self._fetched(offset)
        if stored is not None:
            self._keep(offset, stored)
        return stored

    def fetch(self, offsets: Iterable[int]) -> None:
        """Read entries that are not in memory, many at once."""
        new = [offset for offset in offsets if offset not in self._stored]
        with ThreadPoolExecutor(AT_ONCE) as pool:
            for offset, stored in zip(new, pool.map(self._fetched, new), strict=True):
                if stored is not None:
                    self._keep(offset, stored)

    def objects(self, offsets: Iterable[int]) -> set[str]:
        """Return the names of raw objects in these entries, none for an entry that cannot be read."""
        given = list(offsets)
        new = [offset for offset in given if offset not in self._objects]
        with ThreadPoolExecutor(AT_ONCE) as pool:
            for offset, stored in zip(new, pool.map(self._known, new), strict=True):
                if stored is not None:
                    self._objects[offset] = frozenset(stored.objects)
        return {key for offset in given for key in self._objects.get(offset, ())}

    def forget_before(self, offset: int) -> None:
        """Forget the names in earlier entries."""
        self._objects = {known: keys for known, keys in self._objects.items() if known >= offset}

    def _known(self, offset: int) -> StoredEntry | None:
        return self._stored.get(offset) or self._fetched(offset)

    def _fetched(self, offset: int) -> StoredEntry | None:
        blob = self._ledger.get(feed_key(offset))
        if blob is None:
            return None
        try:
            stored = StoredEntry(blob.content)
            if stored.offset != offset:
                raise InvalidFeedEntryError("it has the number of another entry")
        except InvalidFeedEntryError as error:
            _log_damaged(offset, error)
            return None
        return stored

    def _keep(self, offset: int, stored: StoredEntry) -> None:
        self._stored[offset] = stored
        while len(self._stored) > 1 and sum(one.size for one in self._stored.values()) > self._cached_bytes:
            self._stored.popitem(last=False)


def _log_damaged(offset: int, error: InvalidFeedEntryError) -> None:
    _log.error("feed.damaged_entry", extra={"offset": offset, "reason": str(error)})
