"""Audit of stored roll-ups: they are counted from the raw ledger and must equal the stored ones exactly.

Events arrive while it runs. A stored roll-up was counted from the raw objects that its run listed: those stored first,
up to some moment before `computed_at`. `through`, the newest event that was counted, gives that moment to within a few
objects; the roll-up is right when one of these gives exactly its numbers. So the audit needs no lease of the roll-ups,
and later events raise no alarm.
"""

import logging
from collections.abc import Callable
from dataclasses import asdict, dataclass
from datetime import datetime

from abtest.domain.ledger.cells import Counts
from abtest.domain.ledger.daily_counts import DailyCounts
from abtest.domain.ledger.differences import Difference
from abtest.domain.ledger.margins import STORE_APART_MS
from abtest.domain.ledger.plans import CountingPlan
from abtest.domain.ledger.rollup_documents import source_of
from abtest.kit.clock import parse_milliseconds
from abtest.ports.rollup_store import RollupStore
from abtest.ports.warehouse import OutOfTimeError, Warehouse
from abtest.services.audit.outcome import MAX_REPORTED, Audited
from abtest.services.audit.shop_rows import Pieces, ShopRows
from abtest.services.context import World
from abtest.services.recompute import Stored, differences_from, stored_of

_log = logging.getLogger(__name__)

MAX_CUTS = 20
"""Number of moments with the same `through` that are tried, from either end."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanAudit:
    """Comparison of a plan's stored roll-up with the raw ledger."""

    world: World
    warehouse: Warehouse
    store: RollupStore

    def audit(self, plan: CountingPlan, rows: ShopRows, outcome: Audited, *, until: datetime) -> None:
        """Compare one stored roll-up with the rows of its shop. One that is missing or half written is not compared.

        Raises OutOfTimeError, LedgerObjectError, BlobsUnavailableError and DatabaseBusyError.
        """
        stored = stored_of(self.store, plan)
        if stored.summary.totals is None or not stored.summary.is_whole:
            return
        if self.is_of_another_plan(stored, plan):
            outcome.changed.append(plan.experiment_id)
            return
        counted_by = parse_milliseconds(stored.summary.totals["computed_at"]) + STORE_APART_MS

        def check() -> None:
            if self.world.clock.now() >= until:
                raise OutOfTimeError("the plan could not be counted as often as necessary within the worker's time")

        pieces = rows.pieces(since=plan.since, until=counted_by, check=check)
        counting = _Counting(self.warehouse, plan, pieces, check)
        differing = _differing(stored, plan, counting)
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


@dataclass(frozen=True, slots=True)
class _Counting:
    """Counts of a plan over its pieces; `check` is called before each."""

    warehouse: Warehouse
    plan: CountingPlan
    pieces: Pieces
    check: Callable[[], None]

    def count(self, end: int, *, start: int = 0) -> Counts:
        """Return the counts of the raw pieces from `start` to `end`."""
        self.check()
        files = self.pieces.files(end, start=start)
        with self.warehouse.open(self.plan.shop_id, files, since=self.plan.since) as opened:
            return opened.count(self.plan)

    def first_cut(self, received_at: int, *, low: int = 0) -> int:
        """Return the least number of pieces with an event received then or later, one more than all if none is.

        Fewer than `low` have none. Bisection that counts each half alone, because `through` is a maximum.
        """
        known, high = max(0, low - 1), len(self.pieces.raw) + 1
        while low < high:
            middle = (low + high) // 2
            if (self.count(middle, start=known).through or 0) < received_at:
                known, low = middle, middle + 1
            else:
                high = middle
        return low


def _differing(stored: Stored, plan: CountingPlan, counting: _Counting) -> list[Difference]:
    """Differences from all pieces; none if those stored up to some moment give exactly the stored numbers."""
    # The cheap case first: mostly no event came late, and one count settles it.
    in_the_end = list(differences_from(stored, plan, counting.count(len(counting.pieces.raw))))
    if not in_the_end:
        return []
    through = stored.counts.through or 0
    # `through` never falls as objects are added, so bisection finds the range of cuts that have the stored one.
    first = counting.first_cut(through)
    cuts = range(first, counting.first_cut(through + 1, low=first))
    for cut in [*cuts[::-1][:MAX_CUTS], *cuts[: max(0, len(cuts) - MAX_CUTS)][:MAX_CUTS]]:
        if not list(differences_from(stored, plan, counting.count(cut))):
            return []
    return in_the_end
