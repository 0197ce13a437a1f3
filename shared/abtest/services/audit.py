"""Nightly audit: a sample of roll-ups is counted from the raw ledger and must equal the stored ones exactly.

Events arrive while it runs. A stored roll-up was counted from the raw objects that its run listed: those stored first,
up to some moment before `computed_at`. `through`, the newest event that was counted, gives that moment to within a few
objects; the roll-up is right when one of these gives exactly its numbers. So the audit needs no lease, and later events
raise no alarm. Compacted hours are compared with their raw objects as well, event by event, and raw objects with their
manifests.
"""

import logging
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime
from hashlib import sha256

from abtest.domain.ledger.cells import Counts
from abtest.domain.ledger.compacted_hours import HourFiles
from abtest.domain.ledger.daily_counts import DailyCounts
from abtest.domain.ledger.differences import Difference
from abtest.domain.ledger.events import HOUR_MS
from abtest.domain.ledger.manifest_checks import manifest_differences
from abtest.domain.ledger.manifests import manifest_key, read_manifest
from abtest.domain.ledger.margins import STORE_APART_MS
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
from abtest.services.recompute import Stored, differences_from, stored_of
from abtest.services.rollups.work import work_of

_log = logging.getLogger(__name__)

MAX_CUTS = 20
"""Number of moments with the same `through` that are tried, from either end."""
MAX_REPORTED = 20
LOOK_BACK_HOURS = 7 * 24
MAX_HOURS = 24


@dataclass(slots=True)
class Audited:
    """Outcome of a run. `changed` were edited since they were counted, so that nothing could be compared."""

    seed: str
    equal: list[str] = field(default_factory=list)
    different: list[str] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)
    hours: int = 0
    different_hours: list[str] = field(default_factory=list)
    different_manifests: list[str] = field(default_factory=list)
    left: int = 0


class AuditFailedError(Exception):
    """Some of the sample could not be counted; the metric reports differences."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Audit:
    """Use case behind the audit schedule."""

    world: World
    ledger: Blobs
    warehouse: Warehouse
    hours: Hours
    store: RollupStore
    metrics: Metrics

    def run(self, *, until: datetime) -> Audited:
        """Audit the day's sample; nothing is begun after `until`. Raises AuditFailedError after trying everything."""
        work = work_of(self.world)
        outcome = Audited(seed=self.world.now()[:10], failed=list(work.failed))
        self._audit_hours(outcome, until)
        plans = sampled(work.shops, outcome.seed)
        for number, plan in enumerate(plans):
            if self.world.clock.now() >= until:
                outcome.left = len(plans) - number
                break
            try:
                self.audit(plan, outcome)
            except Exception:
                _log.exception("audit.failed", extra={"experiment_id": plan.experiment_id})
                outcome.failed.append(plan.experiment_id)
        _log.info("audit.done", extra=asdict(outcome))
        self.metrics.put(
            {
                "RollupDifference": len(outcome.different),
                "CompactionDifference": len(outcome.different_hours) + len(outcome.different_manifests),
                "RollupsAudited": len(outcome.equal) + len(outcome.different),
            }
        )
        if outcome.failed:
            raise AuditFailedError(f"not audited: {', '.join(outcome.failed[:MAX_REPORTED])}")
        return outcome

    def audit(self, plan: CountingPlan, outcome: Audited) -> None:
        """Compare one stored roll-up with the raw ledger. One that is missing or half written is not compared."""
        stored = stored_of(self.store, plan)
        if stored.summary.totals is None or not stored.summary.is_whole:
            return
        if self.is_of_another_plan(stored, plan):
            outcome.changed.append(plan.experiment_id)
            return
        differing = self._differing(stored, plan)
        (outcome.different if differing else outcome.equal).append(plan.experiment_id)
        for difference in differing[:MAX_REPORTED]:
            about = {"experiment_id": plan.experiment_id, "shop_id": plan.shop_id, **asdict(difference)}
            _log.error("audit.difference", extra=about)

    def is_of_another_plan(self, stored: Stored, plan: CountingPlan) -> bool:
        """Return whether the experiment was edited since the roll-up was counted, or the release counted less then."""
        totals = stored.summary.totals or {}
        has_steps = any(goal.has_covariate_steps for goal in plan.goals)
        is_older = "covariates" not in totals or (plan.has_sessions and "sessions" not in totals)
        if is_older or (has_steps and "covariate_steps" not in totals):
            return True
        if totals["source"] == source_of(plan, DailyCounts.of(stored.counts)):
            return False
        names = {"variations": set(plan.variation_ids), "goals": {goal.goal_id for goal in plan.goals}}
        if totals["currency"] != plan.currency or any(set(totals[name]) != ids for name, ids in names.items()):
            return True
        record = self.world.catalog.get(plan.shop_id, "EXP", plan.experiment_id)
        # Timestamps have one fixed width, so they compare as text.
        return record is not None and record.head.updated_at > totals["computed_at"]

    def _differing(self, stored: Stored, plan: CountingPlan) -> list[Difference]:
        """Differences from all raw objects; none if the objects up to some moment give exactly the stored numbers."""
        until = parse_milliseconds((stored.summary.totals or {})["computed_at"]) + STORE_APART_MS
        entries = [entry for entry in self.ledger.list(RAW, after=raw_start(plan.since)) if is_raw(entry.key)]
        # The order in which a run's listing could see them; the key breaks ties, so that each audit tries the same
        # cuts.
        entries.sort(key=lambda entry: (entry.modified, entry.key))
        raw = [entry.key for entry in entries if entry.modified <= until]
        # The cheap case first: mostly no event came late, and one count settles it.
        in_the_end = list(differences_from(stored, plan, self._counted(plan, raw)))
        if not in_the_end:
            return []
        through = stored.counts.through or 0
        # `through` never falls as objects are added, so bisection finds the range of cuts that have the stored one.
        cuts = range(self._first_cut(plan, raw, through), self._first_cut(plan, raw, through + 1))
        for cut in [*cuts[::-1][:MAX_CUTS], *cuts[: max(0, len(cuts) - MAX_CUTS)][:MAX_CUTS]]:
            if not list(differences_from(stored, plan, self._counted(plan, raw[:cut]))):
                return []
        return in_the_end

    def _first_cut(self, plan: CountingPlan, raw: Sequence[str], received_at: int) -> int:
        """Least number of objects with an event received then or later, by bisection; one more than all if none is."""
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

    def _audit_hours(self, outcome: Audited, until: datetime) -> None:
        now = to_milliseconds(self.world.clock.now())
        hours = LedgerFiles(self.ledger).hours(hour_of(now) - LOOK_BACK_HOURS * HOUR_MS, hour_of(now))
        compacted = [hour for hour in hours if hour.documents]
        for hour in sorted(compacted, key=lambda each: drawn(outcome.seed, str(each.hour)))[:MAX_HOURS]:
            if self.world.clock.now() >= until:
                return
            try:
                self._audit_hour(hour, outcome)
            except Exception:
                _log.exception("audit.hour_failed", extra={"hour": raw_hour(hour.hour)})
                outcome.failed.append(raw_hour(hour.hour))

    def _audit_hour(self, hour: HourFiles, outcome: Audited) -> None:
        documents = [(each.group, each.compacted) for each in hour.documents if each.compacted is not None]
        compared = [self.hours.compared(sorted(each.raw), each.events, group=group) for group, each in documents]
        outcome.hours += 1
        differing = [each for each in compared if each.missing or each.foreign]
        outcome.different_hours += [raw_hour(hour.hour)] if differing else []
        for each in differing:
            _log.error("audit.hour_difference", extra={"hour": raw_hour(hour.hour), **asdict(each)})
        for key in hour.raw:
            self._audit_manifest(key, outcome)

    def _audit_manifest(self, key: str, outcome: Audited) -> None:
        """Compare the manifest of a raw object with the object: rows that it does not name are not counted."""
        blob, stored = self.ledger.get(key), self.ledger.get(manifest_key(key))
        if blob is None or stored is None:  # one without a manifest gets it from the object, when it is entered
            return
        differences = manifest_differences(read_manifest(stored.content), blob.content)
        outcome.different_manifests += [key] if differences else []
        if differences:
            _log.error("audit.manifest_difference", extra={"object": key, "differences": differences[:MAX_REPORTED]})


def sampled(shops: Sequence[ShopPlans], seed: str) -> list[CountingPlan]:
    """Order all plans by the day's seed: one of each shop in turn, then another of each."""
    by_shop = [sorted(shop.plans, key=lambda plan: drawn(seed, plan.experiment_id)) for shop in shops]
    by_shop.sort(key=lambda plans: drawn(seed, plans[0].shop_id) if plans else "")
    turns = range(max(map(len, by_shop), default=0))
    return [plans[turn] for turn in turns for plans in by_shop if turn < len(plans)]


def drawn(seed: str, name: str) -> str:
    """Sort key that orders names at random, in the same way for one seed."""
    return sha256(f"{seed} {name}".encode()).hexdigest()
