"""One run of the roll-ups: every shop is counted, and what changed is written.

Documents are absolute and are computed from the ledger, so the next run repairs one that died anywhere. A lease keeps
two scheduled runs apart; should it fail, the store refuses the older write. A run ends in time, and the next one
continues behind it.
"""

import logging
from contextlib import closing
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from abtest.domain.ledger.shop_days import ShopDay
from abtest.kit.clock import parse_milliseconds, to_milliseconds
from abtest.ports.limits import Leases
from abtest.ports.metrics import Metrics
from abtest.ports.rollup_store import RollupStore
from abtest.ports.warehouse import DAYS_KEPT, LedgerCounter, OutOfTimeError, ShopCounted, ShopPlans
from abtest.services.context import World
from abtest.services.leases import Lease, LeaseLostError, lease
from abtest.services.rollups.cycle import Cycle
from abtest.services.rollups.work import Work, forget_ended, work_of
from abtest.services.rollups.writer import RollupWriter

_log = logging.getLogger(__name__)

LEASE = "rollup"

SETTLED_MS = 20 * 60 * 1000
"""Longer than any run takes: a slower run cannot overwrite a stored document that was counted before that."""


class RollupFailedError(Exception):
    """Some experiments or shops could not be counted, which `summary` names; the others were."""

    def __init__(self, summary: "RunSummary") -> None:
        super().__init__(f"not counted: {', '.join(summary.failed[:20])}")
        self.summary = summary


@dataclass(slots=True)
class RunSummary:
    """Work of a run, counted in experiments; `rows` were new, `days` of shops were written.

    `lag_seconds`: how long the oldest new row had been waiting since it was received. `left`: shops that had no turn.
    """

    counted: int = 0
    unchanged: int = 0
    failed: list[str] = field(default_factory=list)
    rows: int = 0
    days: int = 0
    lag_seconds: float = 0.0
    left: int = 0

    def or_fail(self) -> "RunSummary":
        """Return the summary. Raises RollupFailedError when anything failed, so that an alarm sees it."""
        if self.failed:
            raise RollupFailedError(self)
        return self


@dataclass(frozen=True, slots=True, kw_only=True)
class RollupRun:
    """Use case behind the roll-up schedule."""

    world: World
    counter: LedgerCounter
    store: RollupStore
    leases: Leases
    metrics: Metrics
    _days_stored_until: dict[str, int] = field(default_factory=dict)
    """By shop, the moment until which all of its days are stored."""
    _recent: dict[str, dict[str, tuple[int, ShopDay]]] = field(default_factory=dict)
    """Days by shop and date, with the moment of counting. The counter reports a change once, but a write may fail, or a
    slower run may still replace it by an earlier count."""

    def run(self, *, until: datetime | None = None) -> RunSummary | None:
        """Count what is new, soon after `until` no more; None while another run works.

        Begins behind the shop at which the run before ended. Raises RollupFailedError after trying everything.
        """
        owner, clock = self.world.new_id(), self.world.clock
        try:
            with lease(self.leases, LEASE, owner=owner, clock=clock) as held:
                if held is None:
                    return None
                summary = self._run(held, until)
        except LeaseLostError:
            return None
        return summary.or_fail()

    def run_shop(self, shop_id: str, *, until: datetime | None = None) -> RunSummary:
        """Count one shop now, in parallel to any other run. Raises RollupFailedError."""
        summary = self._roll_up(work_of(self.world, only=shop_id), until, None)
        self._report(summary)
        return summary.or_fail()

    def _run(self, held: Lease, until: datetime | None) -> RunSummary:
        forget_ended(self.world)
        # Before any listing: events that arrive during the run may be missing from its counts.
        cycle = Cycle(self.store, self.world.clock, held, began=self.world.now())
        if cycle.follows_death:
            # Reported now, because this run may die, too.
            _log.warning("rollup.killed", extra={"shop_id": cycle.shop_id})
            self.metrics.put({"RollupUnfinished": 1})
        work = work_of(self.world, after=cycle.shop_id, until=self._planned_until(until))
        summary = self._roll_up(work, until, cycle)
        if summary.left:
            _log.warning("rollup.unfinished", extra={"left": summary.left, "shop_id": cycle.shop_id})
        # The lag of one shop out of turn would silence the alarm about the others.
        self._report(
            summary,
            RollupLagSeconds=summary.lag_seconds,
            RollupUnfinished=int(summary.left > 0),
            ShopsLeft=summary.left,
        )
        return summary

    def _planned_until(self, until: datetime | None) -> datetime | None:
        """Return when planning must end, so that most of the time is left to count what was planned."""
        now = self.world.clock.now()
        return None if until is None else now + (until - now) / 3

    def _roll_up(self, work: Work, until: datetime | None, cycle: Cycle | None) -> RunSummary:
        summary = RunSummary(failed=work.failed, left=work.left + len(work.shops))
        shops = [replace(shop, days_until=self._days_until(shop.shop_id)) for shop in work.shops]
        begun: list[str] = []
        with closing(self.counter.refresh(shops, until=until)) as counts:
            for shop in shops:
                if until is not None and self.world.clock.now() >= until:
                    break
                if cycle is not None:
                    cycle.begin(shop.shop_id, failed=summary.failed, left=summary.left)
                begun = [shop.shop_id]
                try:
                    self._write(shop, next(counts), summary, cycle)
                except OutOfTimeError:
                    break
                begun, summary.left = [], summary.left - 1
                if cycle is not None:
                    cycle.counted()
        if cycle is not None:
            cycle.end(failed=summary.failed, uncounted=begun, left=summary.left)
        return summary

    def _report(self, summary: RunSummary, **more: float) -> None:
        counts = {"ExperimentsCounted": summary.counted, "RowsTaken": summary.rows}
        self.metrics.put({**counts, "ExperimentsNotCounted": len(summary.failed), **more})

    def _write(self, shop: ShopPlans, counted: ShopCounted, summary: RunSummary, cycle: Cycle | None) -> None:
        writer = RollupWriter(self.world, self.store, cycle.check) if cycle else RollupWriter(self.world, self.store)
        summary.failed += counted.failed
        summary.rows += counted.rows
        for plan in shop.plans:
            if plan.experiment_id not in counted.counts:
                continue
            try:
                is_written = writer.write(plan, counted.counts[plan.experiment_id])
                summary.counted += is_written
                summary.unchanged += not is_written
            except LeaseLostError:
                raise
            except Exception:
                _log.exception("rollup.not_written", extra={"experiment_id": plan.experiment_id})
                summary.failed.append(plan.experiment_id)
        self._write_days(writer, counted, summary)
        if counted.oldest is not None:
            waited = (to_milliseconds(self.world.clock.now()) - counted.oldest) / 1000
            summary.lag_seconds = max(summary.lag_seconds, waited)

    def _days_until(self, shop_id: str) -> int:
        """Moment until which all of the shop's days are stored; read from the store for a shop that is new here.

        A run writes its newest day last, so if that one is stored, so are those that it wrote before.
        """
        if shop_id not in self._days_stored_until:
            today = self.world.clock.now()
            first, last = today - timedelta(days=DAYS_KEPT), today + timedelta(days=1)
            days = self.store.shop_days(shop_id, f"{first:%Y-%m-%d}", f"{last:%Y-%m-%d}")
            newest = max(days, key=lambda day: str(day["date"]), default=None)
            self._days_stored_until[shop_id] = parse_milliseconds(newest["computed_at"]) if newest else 0
        return self._days_stored_until[shop_id]

    def _write_days(self, writer: RollupWriter, counted: ShopCounted, summary: RunSummary) -> None:
        now, recent = to_milliseconds(self.world.clock.now()), self._recent.setdefault(counted.shop_id, {})
        recent |= {date: (now, day) for date, day in counted.days.items()}
        try:
            summary.days += writer.write_days(counted.shop_id, {date: day for date, (_, day) in recent.items()})
        except LeaseLostError:
            raise
        except Exception:
            _log.exception("rollup.days_not_written", extra={"shop_id": counted.shop_id})
            summary.failed.append(counted.shop_id)
            return
        # After a failure the moment stays, so that days which were not counted are requested again.
        if not counted.failed:
            self._days_stored_until[counted.shop_id] = now
        for date in [date for date, (counted_at, _) in recent.items() if now - counted_at > SETTLED_MS]:
            del recent[date]
