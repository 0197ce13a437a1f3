"""The nightly audit: a sample of roll-ups is counted from the raw ledger and must equal what stands, to the last digit.

Events arrive while it looks. What stands was counted from the raw objects that stood when that run listed them: those
stored first, up to some moment before `computed_at`. `through`, the newest event that was counted, tells to within a
few objects which moment; the roll-up is right when one of them gives exactly its numbers. So it needs no lease, and
what came later raises no alarm. Compacted hours are compared with their raw objects as well, event by event.
"""

import logging
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime
from hashlib import sha256

from abtest.domain.ledger.cells import Counts
from abtest.domain.ledger.compacted_hours import HourFiles
from abtest.domain.ledger.daily_counts import DailyCounts
from abtest.domain.ledger.differences import Difference
from abtest.domain.ledger.events import HOUR_MS
from abtest.domain.ledger.objects import RAW, ShopFiles, hour_of, is_raw, raw_hour, raw_start
from abtest.domain.ledger.plans import CountingPlan
from abtest.domain.ledger.rollup_documents import source_of
from abtest.kit.clock import parse_milliseconds, to_milliseconds
from abtest.ports.blobs import Blobs
from abtest.ports.hours import Hours
from abtest.ports.metrics import Metrics
from abtest.ports.rollup_store import RollupStore
from abtest.ports.warehouse import ShopPlans, Warehouse
from abtest.services.context import World
from abtest.services.ledger_files import LedgerFiles
from abtest.services.recompute import Stored, found_in, stored_of
from abtest.services.rollups.work import work_of

_log = logging.getLogger(__name__)

CLOCKS_APART_MS = 60_000
"""How far the clocks of the store and of who computed may be apart."""
MAX_CUTS = 20
"""How many moments with the same `through` are tried, from either end."""
TOLD = 20
LOOK_BACK_HOURS = 7 * 24
MAX_HOURS = 24


@dataclass(slots=True)
class Audited:
    """What a run looked at. `changed` were edited since they were counted, so that nothing could be compared."""

    seed: str
    equal: list[str] = field(default_factory=list)
    different: list[str] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)
    hours: int = 0
    different_hours: list[str] = field(default_factory=list)
    left: int = 0


class AuditFailedError(Exception):
    """Some of the sample could not be counted; what differs is told by the metric."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Audit:
    """The use case behind the audit schedule."""

    world: World
    ledger: Blobs
    warehouse: Warehouse
    hours: Hours
    store: RollupStore
    metrics: Metrics

    def run(self, *, until: datetime) -> Audited:
        """Audit the day's sample; nothing is begun after `until`. Raises AuditFailedError after trying everything."""
        work = work_of(self.world)
        found = Audited(seed=self.world.now()[:10], failed=list(work.failed))
        self._audit_hours(found, until)
        for plan in self._in_time(list(_sample(work.shops, found.seed)), found, until):
            try:
                self._audit(plan, found)
            except Exception:
                _log.exception("audit.failed", extra={"experiment_id": plan.experiment_id})
                found.failed.append(plan.experiment_id)
        _log.info("audit.done", extra=asdict(found))
        self.metrics.put(
            {
                "RollupDifference": len(found.different),
                "CompactionDifference": len(found.different_hours),
                "RollupsAudited": len(found.equal) + len(found.different),
            }
        )
        if found.failed:
            raise AuditFailedError(f"not audited: {', '.join(found.failed[:TOLD])}")
        return found

    def _in_time(self, plans: Sequence[CountingPlan], found: Audited, until: datetime) -> Iterator[CountingPlan]:
        for number, plan in enumerate(plans):
            if self.world.clock.now() >= until:
                found.left = len(plans) - number
                return
            yield plan

    def _audit(self, plan: CountingPlan, found: Audited) -> None:
        stored = stored_of(self.store, plan)
        if stored.summary.totals is None or not stored.summary.is_whole:
            return
        if self._is_of_another_plan(stored, plan):
            found.changed.append(plan.experiment_id)
            return
        differing = self._differing(stored, plan)
        (found.different if differing else found.equal).append(plan.experiment_id)
        for difference in differing[:TOLD]:
            about = {"experiment_id": plan.experiment_id, "shop_id": plan.shop_id, **asdict(difference)}
            _log.error("audit.difference", extra=about)

    def _is_of_another_plan(self, stored: Stored, plan: CountingPlan) -> bool:
        """Whether what stands was counted by a plan that is no longer this one: the experiment was edited since.

        Or by a release that counted less.
        """
        totals = stored.summary.totals or {}
        if "covariates" not in totals or (plan.has_sessions and "sessions" not in totals):
            return True
        if totals["source"] == source_of(plan, DailyCounts.of(stored.counts)):
            return False
        names = {"variations": set(plan.variation_ids), "goals": {goal.goal_id for goal in plan.goals}}
        if totals["currency"] != plan.currency or any(set(totals[name]) != found for name, found in names.items()):
            return True
        record = self.world.catalog.get(plan.shop_id, "EXP", plan.experiment_id)
        return record is not None and record.head.updated_at > totals["computed_at"]

    def _differing(self, stored: Stored, plan: CountingPlan) -> list[Difference]:
        """Nothing, if what was stored up to some moment gives the numbers that stand; else what differs in the end."""
        raw = self._raw_until(stored, plan)
        in_the_end = list(found_in(stored, plan, self._counted(plan, raw)))
        if not in_the_end:
            return []
        through = stored.counts.through or 0
        cuts = range(self._first_cut(plan, raw, through), self._first_cut(plan, raw, through + 1))
        for cut in [*cuts[::-1][:MAX_CUTS], *cuts[: max(0, len(cuts) - MAX_CUTS)][:MAX_CUTS]]:
            if not list(found_in(stored, plan, self._counted(plan, raw[:cut]))):
                return []
        return in_the_end

    def _raw_until(self, stored: Stored, plan: CountingPlan) -> Sequence[str]:
        """Raw objects in the order in which they were stored, as far as what stands can hold them."""
        computed_at = (stored.summary.totals or {})["computed_at"]
        until = parse_milliseconds(computed_at) + CLOCKS_APART_MS
        entries = [entry for entry in self.ledger.list(RAW, after=raw_start(plan.since)) if is_raw(entry.key)]
        return [
            entry.key
            for entry in sorted(entries, key=lambda entry: (entry.modified, entry.key))
            if entry.modified <= until
        ]

    def _first_cut(self, plan: CountingPlan, raw: Sequence[str], received_at: int) -> int:
        """How many objects hold an event received then or later, by bisection; one more than there are if none does."""
        low, high = 0, len(raw) + 1
        while low < high:
            middle = (low + high) // 2
            if middle <= len(raw) and (self._counted(plan, raw[:middle]).through or 0) < received_at:
                low = middle + 1
            else:
                high = middle
        return low

    def _counted(self, plan: CountingPlan, raw: Sequence[str]) -> Counts:
        with self.warehouse.open(plan.shop_id, ShopFiles(raw=tuple(raw)), since=plan.since) as opened:
            return opened.count(plan)

    def _audit_hours(self, found: Audited, until: datetime) -> None:
        now = to_milliseconds(self.world.clock.now())
        compacted = [
            hour
            for hour in LedgerFiles(self.ledger).hours(hour_of(now) - LOOK_BACK_HOURS * HOUR_MS, hour_of(now))
            if hour.compacted is not None
        ]
        for hour in sorted(compacted, key=lambda hour: _drawn(found.seed, str(hour.hour)))[:MAX_HOURS]:
            if self.world.clock.now() >= until:
                return
            try:
                self._audit_hour(hour, found)
            except Exception:
                _log.exception("audit.hour_failed", extra={"hour": raw_hour(hour.hour)})
                found.failed.append(raw_hour(hour.hour))

    def _audit_hour(self, hour: HourFiles, found: Audited) -> None:
        if hour.compacted is None:
            return
        compared = self.hours.compared(sorted(hour.compacted.raw), hour.compacted.events)
        found.hours += 1
        if compared.missing or compared.foreign:
            found.different_hours.append(raw_hour(hour.hour))
            _log.error("audit.hour_difference", extra={"hour": raw_hour(hour.hour), **asdict(compared)})


def _sample(shops: Sequence[ShopPlans], seed: str) -> Iterator[CountingPlan]:
    """All plans in the day's own order: one of each shop in turn, then another of each."""
    drawn = [sorted(shop.plans, key=lambda plan: _drawn(seed, plan.experiment_id)) for shop in shops]
    drawn.sort(key=lambda plans: _drawn(seed, plans[0].shop_id) if plans else "")
    for turn in range(max(map(len, drawn), default=0)):
        yield from (plans[turn] for plans in drawn if turn < len(plans))


def _drawn(seed: str, name: str) -> str:
    return sha256(f"{seed} {name}".encode()).hexdigest()
