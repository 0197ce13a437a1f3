"""Writer of roll-ups: it stores only what changed, and never replaces a newer document."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from abtest.domain.ledger.daily_counts import DailyCounts
from abtest.domain.ledger.plans import CountingPlan
from abtest.domain.ledger.rollup_documents import (
    rollup_documents,
    shop_day_document,
    shop_day_of,
    source_of,
)
from abtest.domain.ledger.shop_days import ShopDay
from abtest.kit.clock import from_milliseconds, timestamp
from abtest.ports.rollup_store import Document, RollupStore
from abtest.services.context import World


@dataclass(frozen=True, slots=True)
class RollupWriter:
    """Writer that updates stored roll-ups to the counts."""

    world: World
    store: RollupStore
    check: Callable[[], None] = lambda: None
    """Raises an error where the writer may not write any more; called between reading a version and writing the next.
    """
    offset: int = 0
    """Offset of the feed up to which the counts are. What was counted up to a later one is not replaced: two workers
    may count a shop where a lease failed, and the slower one must not write last."""

    def write(self, plan: CountingPlan, counts: DailyCounts) -> bool:
        """Write the roll-up. Return False when the stored one is the same, or another run was faster.

        The store reports what a run left half written; that is then written again as a whole.
        """
        summary = self.store.summary(plan.experiment_id, plan.measurement_epoch)
        totals, through = summary.totals, counts.rest.through
        newest = None if through is None else timestamp(from_milliseconds(through))
        is_current = totals is not None and totals["source"] == source_of(plan, counts) and totals["through"] == newest
        if (is_current and summary.is_whole) or self._is_older_than(totals):
            return False
        documents = rollup_documents(
            plan,
            counts,
            generation=summary.next_generation,
            computed_at=self.world.now(),
            # Without stored totals every item is written, because digests of a half-written roll-up prove nothing.
            stored=summary.totals if summary.is_whole else None,
        )
        self.check()
        return self.store.put({**documents.totals, "offset": self.offset}, documents.days, documents.segments)

    def write_days(self, shop_id: str, days: Mapping[str, ShopDay]) -> int:
        """Write days that differ from the stored ones, the newest last, and count them. New empty days are skipped."""
        if not days:
            return 0
        stored = {document["date"]: document for document in self.store.shop_days(shop_id, min(days), max(days))}
        written = 0
        # Oldest first: the newest stored day shows a later process that all earlier ones were written.
        for date, day in sorted(days.items()):
            present = stored.get(date)
            if not self._is_older_than(present) and (shop_day_of(present) != day if present else day.events):
                generation = present["generation"] + 1 if present else 1
                document = shop_day_document(day, generation=generation, computed_at=self.world.now())
                self.check()
                written += self.store.put_shop_day({**document, "offset": self.offset})
        return written

    def _is_older_than(self, stored: Document | None) -> bool:
        return stored is not None and stored.get("offset", 0) > self.offset
