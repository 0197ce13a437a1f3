"""A counter for workers that has no stored state: the incremental counter over one shop's part of the ledger."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from typing import Any

from abtest.adapters.warehouse.incremental_counter import IncrementalCounter
from abtest.domain.ledger.manifests import Section
from abtest.domain.ledger.objects import RAW
from abtest.kit.clock import Clock
from abtest.ports.blobs import Blob, BlobEntry, Blobs
from abtest.ports.warehouse import ShopCounted, ShopPlans, StoredState
from abtest.services.ledger_feed import LedgerFeed


class _OwnRows:
    """The ledger of one shop: raw objects are its sections, as the feed names them."""

    def __init__(self, ledger: Blobs, sections: dict[str, Section]) -> None:
        self._ledger = ledger
        self.sections = sections

    def __getattr__(self, name: str) -> Any:
        return getattr(self._ledger, name)

    def get(self, key: str) -> Blob | None:
        section = self.sections.get(key)
        if section is None:
            return self._ledger.get(key)
        content = self._ledger.part(key, section.offset, section.length)
        return None if content is None else Blob(content=content, etag="", metadata={})

    def list(self, prefix: str, *, after: str | None = None) -> Iterator[BlobEntry]:
        if not prefix.startswith(RAW):
            yield from self._ledger.list(prefix, after=after)
            return
        for key, section in sorted(self.sections.items()):
            if key.startswith(prefix) and (after is None or key > after):
                yield BlobEntry(key=key, size=section.length)


class EachShopAlone:
    """ShopCounter whose state is gone with its process."""

    def __init__(self, ledger: Blobs, feed: LedgerFeed, clock: Clock) -> None:
        self._ledger, self._feed, self._clock = ledger, feed, clock
        self._counters: dict[str, tuple[IncrementalCounter, _OwnRows]] = {}
        self._offsets: dict[str, int] = {}

    def count(
        self, shop: ShopPlans, *, head: int, stored: StoredState | None, until: datetime | None = None
    ) -> ShopCounted:
        del stored
        newest = self._feed.newest()
        after = self._offsets.get(shop.shop_id, newest.first - 1 if newest else 0)
        news = self._feed.news(shop.shop_id, after=after, head=head) if newest and head else []
        if shop.shop_id not in self._counters:
            own = _OwnRows(self._ledger, {})
            self._counters[shop.shop_id] = IncrementalCounter(own, self._clock), own
        counter, own = self._counters[shop.shop_id]
        own.sections |= {section.key: section for one in news for section in one.sections}
        (counted,) = counter.refresh([shop], until=until)
        self._offsets[shop.shop_id] = max(head, after)
        return replace(counted, offset=max(head, after), rows=sum(one.rows for one in news))
