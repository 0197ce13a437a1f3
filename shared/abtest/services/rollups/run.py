"""One run of the roll-ups: every shop is counted, and what changed is written.

Documents are absolute and the ledger is the truth, so a run that dies anywhere is repaired by the next one. A lease
keeps two scheduled runs apart; should it fail, the store refuses whichever is older.
"""

import logging
from dataclasses import dataclass, field, replace
from datetime import timedelta

from abtest.domain.ledger.shop_days import ShopDay
from abtest.kit.clock import parse_milliseconds, to_milliseconds
from abtest.ports.limits import Leases
from abtest.ports.metrics import Metrics
from abtest.ports.rollup_store import Reach, RollupStore
from abtest.ports.warehouse import DAYS_KEPT, LedgerCounter, ShopCounted, ShopPlans
from abtest.services.context import World
from abtest.services.rollups.work import Work, forget_ended, work_of
from abtest.services.rollups.writer import RollupWriter

_log = logging.getLogger(__name__)

LEASE, LEASE_SECONDS = "rollup", 900

SETTLED_MS = 20 * 60 * 1000
"""Longer than any run lives: what was counted before that and stands is not written over by one that was slower."""

MAX_MISSING = 5000
"""What fails for more than these fails for all."""


class RollupFailedError(Exception):
    """Some experiments or shops could not be counted; the others were; `tally` says which."""

    def __init__(self, tally: "Tally") -> None:
        super().__init__(f"not counted: {', '.join(tally.failed[:20])}")
        self.tally = tally


@dataclass(slots=True)
class Tally:
    """What a run did, in experiments. `rows` were new, `days` of shops written.

    `lag_seconds`: how long the oldest new row had been waiting since it was received.
    """

    counted: int = 0
    unchanged: int = 0
    failed: list[str] = field(default_factory=list)
    rows: int = 0
    days: int = 0
    lag_seconds: float = 0.0

    def or_fail(self) -> "Tally":
        """The tally. Raises RollupFailedError when anything failed, so that an alarm hears of it."""
        if self.failed:
            raise RollupFailedError(self)
        return self


@dataclass(frozen=True, slots=True, kw_only=True)
class RollupRun:
    """The use case behind the roll-up schedule."""

    world: World
    counter: LedgerCounter
    store: RollupStore
    leases: Leases
    metrics: Metrics
    _days_standing: dict[str, int] = field(default_factory=dict)
    """By shop, until when its days stand at least."""
    _recent: dict[str, dict[str, tuple[int, ShopDay]]] = field(default_factory=dict)
    """Days by shop and date, with when they were counted: the counter tells of a change once, and a write may fail, or
    a slower run may yet put what it counted earlier in its place."""

    def run(self) -> Tally | None:
        """Count what is new; None when another run is at it. Raises RollupFailedError after trying everything."""
        owner = self.world.new_id()
        if not self.leases.acquire(LEASE, owner=owner, seconds=LEASE_SECONDS, now=self.world.clock.now()):
            return None
        try:
            forget_ended(self.world)
            return self._run_all()
        finally:
            self.leases.release(LEASE, owner=owner)

    def _run_all(self) -> Tally:
        began = self.world.now()
        tally = self._roll_up(work_of(self.world), tells_lag=True)
        if len(tally.failed) <= MAX_MISSING:
            self.store.put_reach(Reach(until=began, missing=frozenset(tally.failed)))
        return tally.or_fail()

    def run_shop(self, shop_id: str) -> Tally:
        """Count one shop now, beside whatever run is at it. Raises RollupFailedError."""
        return self._roll_up(work_of(self.world, only=shop_id), tells_lag=False).or_fail()

    def _roll_up(self, work: Work, *, tells_lag: bool) -> Tally:
        """`tells_lag`: of one shop out of turn the lag says nothing of the others, whose alarm it would quieten."""
        tally = Tally(failed=work.failed)
        wanted = {shop.shop_id: replace(shop, days_until=self._days_until(shop.shop_id)) for shop in work.shops}
        for counted in self.counter.refresh(list(wanted.values())) if wanted else ():
            self._write(wanted[counted.shop_id], counted, tally)
        lag = {"RollupLagSeconds": tally.lag_seconds} if tells_lag else {}
        self.metrics.put(
            {
                "ExperimentsCounted": tally.counted,
                "RowsTaken": tally.rows,
                "ExperimentsNotCounted": len(tally.failed),
                **lag,
            }
        )
        return tally

    def _write(self, shop: ShopPlans, counted: ShopCounted, tally: Tally) -> None:
        writer = RollupWriter(self.world, self.store)
        tally.failed += counted.failed
        tally.rows += counted.rows
        for plan in shop.plans:
            if plan.experiment_id not in counted.counts:
                continue
            try:
                is_written = writer.write(plan, counted.counts[plan.experiment_id])
                tally.counted += is_written
                tally.unchanged += not is_written
            except Exception:
                _log.exception("rollup.not_written", extra={"experiment_id": plan.experiment_id})
                tally.failed.append(plan.experiment_id)
        self._write_days(writer, counted, tally)
        self._note_lag(counted, tally)

    def _days_until(self, shop_id: str) -> int:
        """When all of the shop's days were last known to stand; of a shop that is new here the store is asked.

        A run writes its newest day last, so if that one stands, so does what had to be written before it.
        """
        if shop_id not in self._days_standing:
            today = self.world.clock.now()
            first, last = today - timedelta(days=DAYS_KEPT), today + timedelta(days=1)
            days = self.store.shop_days(shop_id, f"{first:%Y-%m-%d}", f"{last:%Y-%m-%d}")
            newest = max(days, key=lambda day: str(day["date"]), default=None)
            self._days_standing[shop_id] = parse_milliseconds(newest["computed_at"]) if newest else 0
        return self._days_standing[shop_id]

    def _write_days(self, writer: RollupWriter, counted: ShopCounted, tally: Tally) -> None:
        now, recent = to_milliseconds(self.world.clock.now()), self._recent.setdefault(counted.shop_id, {})
        recent |= {date: (now, day) for date, day in counted.days.items()}
        try:
            tally.days += writer.write_days(counted.shop_id, {date: day for date, (_, day) in recent.items()})
        except Exception:
            _log.exception("rollup.days_not_written", extra={"shop_id": counted.shop_id})
            tally.failed.append(counted.shop_id)
            return
        if not counted.failed:
            self._days_standing[counted.shop_id] = now
        for date in [date for date, (counted_at, _) in recent.items() if now - counted_at > SETTLED_MS]:
            del recent[date]

    def _note_lag(self, counted: ShopCounted, tally: Tally) -> None:
        if counted.oldest is not None:
            waited = (to_milliseconds(self.world.clock.now()) - counted.oldest) / 1000
            tally.lag_seconds = max(tally.lag_seconds, waited)
