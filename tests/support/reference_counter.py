"""A counter of pure Python: the reference over all news of a shop, for tests that need no engine."""

from __future__ import annotations

import gzip
from collections.abc import Callable, Iterable
from datetime import datetime

from abtest.domain.ledger import reference
from abtest.domain.ledger.columns import row_of_line
from abtest.domain.ledger.daily_counts import DailyCounts
from abtest.domain.ledger.events import Row
from abtest.domain.ledger.manifests import Section
from abtest.kit.clock import Clock
from abtest.ports.blobs import Blobs
from abtest.ports.rollup_store import StoredState
from abtest.ports.warehouse import ShopCounted, ShopPlans
from abtest.services.ledger_feed import LedgerFeed


class ReferenceCounter:
    """Counts every shop from the first row on.

    `happens` is called before each shop, `shops` has those that were counted.

    At most `entries` entries of the feed are new in one call.
    """

    def __init__(self, ledger: Blobs, clock: Clock, *, entries: int = 1000) -> None:
        self._ledger, self._feed = ledger, LedgerFeed(ledger, clock)
        self._entries = entries
        self._counted: dict[str, int] = {}
        self.shops: list[str] = []
        self.happens: Callable[[str], object] = lambda _: None

    def count(
        self, shop: ShopPlans, *, head: int, stored: StoredState | None, until: datetime | None = None
    ) -> ShopCounted:
        self.happens(shop.shop_id)
        self.shops.append(shop.shop_id)
        before = self._counted.get(shop.shop_id, 0)
        newest = self._feed.newest()
        # A shop without rows has no head; the offset before the feed's first entry is before all news.
        news = self._feed.news(shop.shop_id, after=newest.first - 1, head=head) if newest and head else []
        new = [one for one in news if one.offset > before][: self._entries]
        reached = new[-1].offset if new else before
        whole = reached if len([one for one in news if one.offset > reached]) else max(head, before)
        rows = [row for one in news if one.offset <= reached for row in self._rows(one.sections, shop.shop_id)]
        self._counted[shop.shop_id] = whole
        return ShopCounted(
            shop_id=shop.shop_id,
            counts={plan.experiment_id: DailyCounts.of(reference.count(rows, plan)) for plan in shop.plans},
            rows=sum(one.rows for one in new),
            oldest=min((one.oldest for one in new), default=None),
            offset=whole,
            state=stored,
            held=len(rows),
        )

    def _rows(self, sections: Iterable[Section], shop_id: str) -> list[Row]:
        rows: list[Row] = []
        for section in sections:
            content = self._ledger.part(section.key, section.offset, section.length)
            assert content is not None
            lines = [row_of_line(line) for line in gzip.decompress(content).splitlines()]
            rows += [row for row in lines if row is not None and row["shop_id"] == shop_id]
        return rows
