"""Recomputation: roll-ups are counted from the raw ledger and written where the stored ones differ.

It runs in parallel to the schedule, without a lease. The generation to write is fixed before the raw ledger is listed,
so a run that writes meanwhile has seen more, and the store refuses the older write. Then it is counted again.
"""

import logging
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from abtest.domain.ledger.cells import Counts
from abtest.domain.ledger.daily_counts import DailyCounts, date_of
from abtest.domain.ledger.differences import Difference, day_differences, differences
from abtest.domain.ledger.events import DAY_MS
from abtest.domain.ledger.objects import ShopFiles, hour_of_key
from abtest.domain.ledger.plans import CountingPlan
from abtest.domain.ledger.rollup_documents import (
    counts_of,
    rollup_documents,
    shop_day_document,
    shop_day_of,
)
from abtest.domain.ledger.shop_days import ShopDay
from abtest.ports.blobs import Blobs
from abtest.ports.rollup_store import Document, RollupStore, RollupSummary
from abtest.ports.warehouse import ShopLedger, ShopPlans, Warehouse
from abtest.services.context import World
from abtest.services.ledger_files import LedgerFiles
from abtest.services.rollups.work import work_of

_log = logging.getLogger(__name__)

ATTEMPTS = 3
# Before and after all dates, as text.
FIRST_DATE, LAST_DATE = "0000-01-01", "9999-12-31"
EARLIER_DAYS = 8
"""Days between an event and its arrival at most: seven, and one for the date line."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """Progress of a run, in experiments; `objects` of the raw ledger are read for the present shop."""

    shop_id: str
    done: int
    total: int
    objects: int


@dataclass(slots=True)
class Recomputed:
    """Outcome of a run. `differing`: stored and counted values, by experiment id or by `shop id/date`."""

    experiments: int = 0
    days: int = 0
    differing: dict[str, list[Mapping[str, Any]]] = field(default_factory=dict)
    written: int = 0
    overtaken: list[str] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True, kw_only=True)
class Stored:
    """Stored roll-up, read before anything is counted."""

    summary: RollupSummary
    counts: Counts
    slices: Sequence[str]
    """Day and segment items that are not empty, under the names of the totals' digests."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recompute:
    """Use case behind the operator's command."""

    world: World
    ledger: Blobs
    warehouse: Warehouse
    store: RollupStore
    progress: Callable[[Progress], None] = lambda _: None

    def run(self, *, shop_id: str | None = None, experiment_id: str | None = None, dry_run: bool = False) -> Recomputed:
        """Recompute all, one shop or one experiment; with `dry_run` nothing is written."""
        work = work_of(self.world, only=shop_id)
        outcome = Recomputed(failed=list(work.failed))
        chosen = [
            replace(shop, plans=[plan for plan in shop.plans if experiment_id in (None, plan.experiment_id)])
            for shop in work.shops
        ]
        # A run for all experiments also recomputes days, which shops without experiments have too.
        shops = [shop for shop in chosen if shop.plans or experiment_id is None]
        total = sum(len(shop.plans) for shop in shops)
        for shop in shops:
            try:
                self._shop(shop, outcome, total, with_days=experiment_id is None, dry_run=dry_run)
            except Exception:
                # One shop that cannot be counted must not keep the others from being counted.
                _log.exception("recompute.shop_failed", extra={"shop_id": shop.shop_id})
                outcome.failed.append(shop.shop_id)
        return outcome

    def _shop(self, shop: ShopPlans, outcome: Recomputed, total: int, *, with_days: bool, dry_run: bool) -> None:
        # The schedule writes at the same time; what it overtook is counted again, from the stored state it left.
        waiting: Sequence[CountingPlan] = shop.plans
        for attempt in range(ATTEMPTS):
            if not waiting and not (with_days and attempt == 0):
                return
            waiting = self._attempt(
                shop, waiting, outcome, total, with_days=with_days and attempt == 0, dry_run=dry_run
            )
        outcome.overtaken += [plan.experiment_id for plan in waiting]

    def _attempt(
        self,
        shop: ShopPlans,
        plans: Sequence[CountingPlan],
        outcome: Recomputed,
        total: int,
        *,
        with_days: bool,
        dry_run: bool,
    ) -> list[CountingPlan]:
        """Count the plans once, and return those that another run overtook."""
        stored = {plan.experiment_id: stored_of(self.store, plan) for plan in plans}
        days = self._stored_days(shop.shop_id) if with_days else {}
        since = 0 if with_days else min(plan.since for plan in plans)
        raw = tuple(LedgerFiles(self.ledger).raw_since(max(since, DAY_MS)))
        overtaken: list[CountingPlan] = []
        with self.warehouse.open(shop.shop_id, ShopFiles(raw=raw), since=since) as opened:
            for plan in plans:
                self.progress(Progress(shop_id=shop.shop_id, done=outcome.experiments, total=total, objects=len(raw)))
                try:
                    done = self._recompute(opened, plan, stored[plan.experiment_id], outcome, dry_run=dry_run)
                    outcome.experiments += done
                    overtaken += [] if done else [plan]
                except Exception:
                    # One experiment that cannot be counted must not keep the others from being counted.
                    _log.exception("recompute.failed", extra={"experiment_id": plan.experiment_id})
                    outcome.failed.append(plan.experiment_id)
            if with_days:
                self._days(opened, shop, possible_dates(raw, days), days, outcome, dry_run=dry_run)
        return overtaken

    def _recompute(
        self, opened: ShopLedger, plan: CountingPlan, stored: Stored, outcome: Recomputed, *, dry_run: bool
    ) -> bool:
        """Count one plan. Return False when another run wrote meanwhile."""
        counts = opened.count(plan)
        differing = list(differences_from(stored, plan, counts))
        if not differing:
            return True
        if not dry_run:
            if not self._write(plan, DailyCounts.of(counts), stored):
                return False
            outcome.written += 1
        outcome.differing[plan.experiment_id] = [asdict(difference) for difference in differing]
        return True

    def _write(self, plan: CountingPlan, counts: DailyCounts, stored: Stored) -> bool:
        # Every item is written, whatever is stored: a digest in the totals does not show that its item was damaged.
        everything = {"digests": dict.fromkeys(stored.slices, "")}
        documents = rollup_documents(
            plan,
            counts,
            generation=stored.summary.next_generation,
            computed_at=self.world.now(),
            stored=everything,
        )
        return self.store.put(documents.totals, documents.days, documents.segments)

    def _stored_days(self, shop_id: str) -> Mapping[str, Document]:
        documents = self.store.shop_days(shop_id, FIRST_DATE, LAST_DATE)
        return {document["date"]: document for document in documents}

    def _days(
        self,
        opened: ShopLedger,
        shop: ShopPlans,
        dates: Iterable[str],
        stored: Mapping[str, Document],
        outcome: Recomputed,
        *,
        dry_run: bool,
    ) -> None:
        for date in dates:
            day, present = opened.day(date, shop.currency), stored.get(date)
            outcome.days += 1
            before = shop_day_of(present) if present else None
            # A day without events has no document, so there is nothing to write or to report.
            if before == day or (before is None and not day.events):
                continue
            name, document = f"{shop.shop_id}/{date}", self._document(day, present)
            if not dry_run and not self.store.put_shop_day(document):
                outcome.overtaken.append(name)
                continue
            outcome.written += not dry_run
            outcome.differing[name] = [asdict(difference) for difference in day_differences(present or {}, document)]

    def _document(self, day: ShopDay, present: Document | None) -> Document:
        generation = present["generation"] + 1 if present else 1
        return shop_day_document(day, generation=generation, computed_at=self.world.now())


def stored_of(store: RollupStore, plan: CountingPlan) -> Stored:
    """Read all items of a plan's stored roll-up, one by one."""
    name = (plan.experiment_id, plan.measurement_epoch)
    summary = store.summary(*name)
    days, segments = store.days(*name, FIRST_DATE, LAST_DATE), store.segments(*name, FIRST_DATE, LAST_DATE)
    items = [("DAY", day) for day in days] + [("SEG", segment) for segment in segments]
    slices = [f"{kind}#{item['date']}" for kind, item in items if has_counts(item)]
    counts = Counts() if summary.totals is None else counts_of(summary.totals, days, segments)
    return Stored(summary=summary, counts=counts, slices=slices)


def differences_from(stored: Stored, plan: CountingPlan, counts: Counts) -> Iterator[Difference]:
    """Differences between the stored roll-up and these counts; a single one where the roll-up is missing."""
    totals = stored.summary.totals
    if totals is None:
        yield Difference(where="roll-up", standing=None, counted="missing")
        return
    if not stored.summary.is_whole:
        yield Difference(where="roll-up", standing="half written", counted="whole")
    yield from differences(stored.counts, counts)
    # `generation` and `computed_at` differ in each run and are left out of the comparison below.
    expected = rollup_documents(plan, DailyCounts.of(counts), generation=0, computed_at="", stored=None).totals
    if sorted(stored.slices) != sorted(expected["digests"]):
        yield Difference(where="items", standing=sorted(stored.slices), counted=sorted(expected["digests"]))
    for name in sorted(expected.keys() - {"generation", "computed_at"}):
        if totals.get(name) != expected[name]:
            yield Difference(where=f"totals {name}", standing=totals.get(name), counted=expected[name])


def has_counts(item: Document) -> bool:
    """Return whether a day or segment item counts anything."""
    return bool(item["cells"] or any(item["goals"].values()) or any(item["money"].values()))


def possible_dates(raw: Sequence[str], stored: Iterable[str]) -> list[str]:
    """Dates that may have events: those of the raw hours and of the week before, and the stored ones."""
    written = {hour_of_key(key) // DAY_MS for key in raw}
    days = {day - earlier for day in written for earlier in range(EARLIER_DAYS + 1)}
    return sorted({date_of(day) for day in days} | set(stored))
