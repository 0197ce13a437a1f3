"""Writing what was counted: only what changed, and never over what is newer."""

from collections.abc import Mapping
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
from abtest.ports.rollup_store import RollupStore, RollupSummary
from abtest.services.context import World


@dataclass(frozen=True, slots=True)
class RollupWriter:
    """Brings the store to what was counted, from whatever stands there."""

    world: World
    store: RollupStore

    def write(self, plan: CountingPlan, counts: DailyCounts) -> bool:
        """Whether anything was written: not when it stands already, nor when another run was faster.

        What a run leaves half written is told by the store, and then written anew as a whole.
        """
        summary = self.store.summary(plan.experiment_id, plan.measurement_epoch)
        if _stands(summary, plan, counts):
            return False
        documents = rollup_documents(
            plan,
            counts,
            generation=summary.next_generation,
            computed_at=self.world.now(),
            stored=summary.totals if summary.is_whole else None,
        )
        return self.store.put(documents.totals, documents.days, documents.segments)

    def write_days(self, shop_id: str, days: Mapping[str, ShopDay]) -> int:
        """How many of these days were written: those that do not stand already, empty ones apart; the newest last."""
        if not days:
            return 0
        standing = {found["date"]: found for found in self.store.shop_days(shop_id, min(days), max(days))}
        written = 0
        for date, day in sorted(days.items()):
            present = standing.get(date)
            if shop_day_of(present) != day if present else day.events:
                generation = present["generation"] + 1 if present else 1
                document = shop_day_document(day, generation=generation, computed_at=self.world.now())
                written += self.store.put_shop_day(document)
        return written


def _stands(summary: RollupSummary, plan: CountingPlan, counts: DailyCounts) -> bool:
    totals, through = summary.totals, counts.rest.through
    return (
        totals is not None
        and summary.is_whole
        and totals["source"] == source_of(plan, counts)
        and totals["through"] == (None if through is None else timestamp(from_milliseconds(through)))
    )
