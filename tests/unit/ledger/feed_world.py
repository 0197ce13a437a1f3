"""A ledger with its feed, and processes that write objects of several shops."""

from __future__ import annotations

import gzip
from collections import Counter

from abtest.domain.ledger.compacted_hours import CompactedHour
from abtest.domain.ledger.events import Row
from abtest.domain.ledger.feed import FEED, FeedEntry, read_entry
from abtest.domain.ledger.manifests import Section, manifest_key, sectioned
from abtest.domain.ledger.objects import compacted_key, raw_key
from abtest.kit import canonical_json
from abtest.kit.clock import ManualClock, from_milliseconds, to_milliseconds
from abtest.services.ledger_feed import LedgerFeed
from tests.support.memory import MemoryBlobs
from tests.unit.ledger.streams import BEGIN, ledger_object, row

MINE, OTHER = "shop-a", "shop-b"


class World:
    """A ledger whose store has a right clock, and processes with clocks of their own."""

    def __init__(self) -> None:
        self.time = ManualClock(from_milliseconds(BEGIN))
        self.ledger = MemoryBlobs(lambda: to_milliseconds(self.time.now()))
        self.feed = LedgerFeed(self.ledger, self.time)
        self.rows = 0

    @property
    def now(self) -> int:
        return to_milliseconds(self.time.now())

    def rows_of(self, shops: str) -> list[Row]:
        """New rows, one for each letter: `a` of shop-a."""
        self.rows += len(shops)
        first = self.rows - len(shops)
        return [
            row(event_id=f"e-{first + number}", shop_id=f"shop-{shop}", received_at=self.now)
            for number, shop in enumerate(shops)
        ]

    def write(self, shops: str, name: str = "", *, manifest: bool = True, at: int | None = None) -> str:
        rows = self.rows_of(shops)
        key = raw_key([name or rows[0]["event_id"]], self.now if at is None else at)
        content, made = sectioned(key, rows)
        self.put(key, content)
        if manifest:
            self.put(manifest_key(key), made.encoded())
        return key

    def write_as_before(self, shops: str) -> str:
        """Write an object as releases without manifests did."""
        rows = self.rows_of(shops)
        key = raw_key([rows[0]["event_id"]], self.now)
        self.put(key, ledger_object(rows))
        return key

    def put(self, key: str, content: bytes) -> None:
        self.ledger.put(key, content, content_type="x")

    def compact(self, hour: int, *keys: str) -> None:
        self.put(compacted_key(hour), CompactedHour(raw=frozenset(keys), events=(), rows=1).encoded())

    def entries(self) -> list[FeedEntry]:
        """Return all entries, the newest first."""
        return [
            read_entry(stored.blob.content)
            for key, stored in sorted(self.ledger.objects.items())
            if key.startswith(FEED)
        ]

    def named(self) -> Counter[str]:
        return Counter(key for entry in self.entries() for key in entry.objects)

    def read(self, sections: list[Section], shop_id: str = MINE) -> list[str]:
        """Return the ids of the shop's events in sections."""
        event_ids = []
        for one in sections:
            lines = gzip.decompress(self.ledger.part(one.key, one.offset, one.length) or b"").splitlines()
            rows = map(canonical_json.loads, lines)
            event_ids += [line["event_id"] for line in rows if line["shop_id"] == shop_id]
        return event_ids

    def news(self, shop_id: str = MINE, after: int | None = None) -> list[str]:
        """Return the ids of a shop's events behind an offset, by default the offset before the first entry."""
        newest = self.feed.newest()
        assert newest is not None
        after = newest.first - 1 if after is None else after
        head = newest.heads.get(shop_id, 0)
        news = self.feed.news(shop_id, after=after, head=head)
        return self.read([section for each in news for section in each.sections], shop_id)


def advanced(feed: LedgerFeed) -> FeedEntry:
    entry = feed.advance().entry
    assert entry is not None
    return entry


def advanced_after(world: World, *objects: str) -> FeedEntry:
    for shops in objects:
        world.write(shops)
    return advanced(world.feed)
