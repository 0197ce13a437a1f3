"""Uncounted rows of each shop, from the newest entries of the feed."""

from collections.abc import Mapping

from abtest.domain.ledger.dispatching import Backlog
from abtest.domain.ledger.feed import FeedEntry
from abtest.ports.blobs import Blobs
from abtest.services.feed_entries import FeedEntries

ENTRIES_BACK = 320
"""Entries that are read at most: a day and more at an interval of five minutes. Older rows are taken to be of then."""

_CACHED_BYTES = 1


class Backlogs:
    """Reader of backlogs, for one thread. It keeps sums by shop of the entries that it has read."""

    def __init__(self, ledger: Blobs) -> None:
        self._entries = FeedEntries(ledger, cached_bytes=_CACHED_BYTES)
        self._arrivals: dict[int, Mapping[str, Backlog]] = {}

    def of(self, newest: FeedEntry | None, offsets: Mapping[str, int]) -> dict[str, Backlog]:
        """Return the backlogs of shops that are not counted up to their heads; `offsets`: up to where they are.

        Calls may raise BlobsUnavailableError.
        """
        if newest is None:
            return {}
        behind = {shop_id for shop_id, head in newest.heads.items() if head > offsets.get(shop_id, 0)}
        lowest = max(min((offsets.get(shop_id, 0) for shop_id in behind), default=newest.offset), 0)
        lowest = max(lowest, newest.offset - ENTRIES_BACK, newest.first - 1)
        self._arrivals = {offset: sums for offset, sums in self._arrivals.items() if offset > lowest}
        backlogs: dict[str, Backlog] = {}
        first_seen = newest.began_at
        for offset in range(newest.offset, lowest, -1):
            arrivals = self._arrivals_of(offset, newest)
            for shop_id in arrivals.keys() & behind:
                if offset > offsets.get(shop_id, 0):
                    backlogs[shop_id] = plus(backlogs.get(shop_id), arrivals[shop_id])
            first_seen = min([first_seen, *(backlog.oldest for backlog in arrivals.values())])
        unseen = Backlog(rows=1, oldest=first_seen)
        return {shop_id: backlogs.get(shop_id, unseen) for shop_id in behind}

    def _arrivals_of(self, offset: int, newest: FeedEntry) -> Mapping[str, Backlog]:
        """Return the new rows in an entry by shop; none for one that does not exist or cannot be read."""
        if offset not in self._arrivals:
            entry = newest if offset == newest.offset else self._entries.entry(offset)
            news = entry.shops if entry else {}
            self._arrivals[offset] = {
                shop_id: Backlog(rows=one.rows, oldest=one.oldest) for shop_id, one in news.items()
            }
        return self._arrivals[offset]


def plus(one: Backlog | None, other: Backlog) -> Backlog:
    """Return both together."""
    return other if one is None else Backlog(rows=one.rows + other.rows, oldest=min(one.oldest, other.oldest))
