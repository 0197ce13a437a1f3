"""One shop's roll-ups: what is new is counted, what changed is written, then the shop's progress.

Documents are absolute and are computed from the ledger, so a run that died anywhere is repeated by the next one, from
the shop's stored state or from scratch. A lease keeps two runs of a shop apart; should it fail, the store refuses the
older write.
"""

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime

from abtest.kit.clock import from_milliseconds, parse_milliseconds, timestamp, to_milliseconds
from abtest.ports.limits import Leases
from abtest.ports.metrics import Metrics
from abtest.ports.rollup_store import RollupStore, ShopProgress
from abtest.ports.warehouse import ShopCounted, ShopCounter, ShopPlans, UnitsAtWorkError
from abtest.services.context import World
from abtest.services.leases import Lease, LeaseLostError, lease
from abtest.services.rollups.work import ShopWork, shop_work
from abtest.services.rollups.writer import RollupWriter

_log = logging.getLogger(__name__)


class ShopHeldError(Exception):
    """Another worker counts the shop at the moment."""


@dataclass(slots=True, kw_only=True)
class ShopSummary:
    """Work on one shop.

    `counted`: roll-ups that were written, `unchanged` those that were not; `written`: the experiments and
    personalizations that they are of. `rows` were new, `days` of the shop were written. `lag_seconds`: how long the
    oldest new row had been waiting since it was received. `is_whole`: nothing is left behind the offset that was to be
    reached.
    """

    counted: int = 0
    unchanged: int = 0
    written: set[str] = field(default_factory=set)
    failed: list[str] = field(default_factory=list)
    rows: int = 0
    days: int = 0
    lag_seconds: float | None = None
    is_whole: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class ShopRun:
    """Use case behind the roll-up queue and refreshes."""

    world: World
    counter: ShopCounter
    store: RollupStore
    leases: Leases
    metrics: Metrics

    def run(self, shop_id: str, *, head: int, listed_at: int, until: datetime | None = None) -> ShopSummary:
        """Count one shop up to the feed's offset `head`, which has what the ledger held at `listed_at` (Unix ms).

        Raises ShopHeldError while another worker counts it, and UnitsAtWorkError where workers have been sent for
        units of it, the last of whom sends for the shop again. A shop that cannot be counted is `failed`.
        """
        owner = self.world.new_id()
        try:
            with lease(self.leases, f"rollup#{shop_id}", owner=owner, clock=self.world.clock) as held:
                if held is None:
                    raise ShopHeldError(shop_id)
                summary = self._run(shop_id, head, listed_at, until, held)
        except LeaseLostError as error:
            raise ShopHeldError(shop_id) from error
        lag: dict[str, float] = {}
        if summary.lag_seconds is not None:
            delay = max(0, to_milliseconds(self.world.clock.now()) - listed_at) / 1000
            lag = {"RollupLagSeconds": summary.lag_seconds, "RollupDelaySeconds": delay}
        counts = {"ExperimentsCounted": summary.counted, "RowsTaken": summary.rows}
        self.metrics.put({**counts, "ExperimentsNotCounted": len(summary.failed), **lag})
        return summary

    def _run(self, shop_id: str, head: int, listed_at: int, until: datetime | None, held: Lease) -> ShopSummary:
        before = self.store.shop_progress(shop_id)
        work = shop_work(self.world.catalog, shop_id, self.world.now())
        if before is not None and before.offset >= head and before.plans == work.digest:
            # What failed is tried again by a later listing only: a message that is repeated must not start units again.
            is_tried_again = bool(before.failed) and timestamp(from_milliseconds(listed_at)) > before.until
            if not is_tried_again:
                return ShopSummary(failed=sorted(before.failed))
        days_until = parse_milliseconds(before.days_until) if before and before.days_until else 0
        known = before.held if before else 0
        plans = replace(work.plans, days_until=days_until, held=known, listed_at=listed_at)
        try:
            counted = self.counter.count(plans, head=head, stored=before.state if before else None, until=until)
        except UnitsAtWorkError:
            raise
        except Exception:
            # Noted, so that the dispatcher tries the shop again after a while and not at each of its runs.
            _log.exception("rollup.shop_not_counted", extra={"shop_id": shop_id})
            counted = not_counted(before, plans)
        summary = ShopSummary(failed=[*work.failed, *counted.failed], rows=counted.rows)
        summary.is_whole = counted.offset >= head
        self._write(work, counted, summary, held.check)
        held.check()
        self._note(before, work, counted, summary, listed_at)
        return summary

    def _write(self, work: ShopWork, counted: ShopCounted, summary: ShopSummary, check: Callable[[], None]) -> None:
        writer = RollupWriter(self.world, self.store, check, counted.offset)
        for plan in work.plans.plans:
            if plan.experiment_id in counted.counts:
                with kept_apart(summary, plan.experiment_id):
                    is_written = writer.write(plan, counted.counts[plan.experiment_id])
                    summary.counted += is_written
                    summary.unchanged += not is_written
                    if is_written and plan.experiment_id in work.records:
                        summary.written.add(work.records[plan.experiment_id])
        with kept_apart(summary, counted.shop_id):
            summary.days = writer.write_days(counted.shop_id, counted.days)
        if counted.oldest is not None:
            summary.lag_seconds = max(0, to_milliseconds(self.world.clock.now()) - counted.oldest) / 1000

    def _note(
        self,
        before: ShopProgress | None,
        work: ShopWork,
        counted: ShopCounted,
        summary: ShopSummary,
        listed_at: int,
    ) -> None:
        """Store how far the shop is counted."""
        now, shop_id = self.world.now(), work.plans.shop_id
        if before is not None and counted.offset < before.offset:
            # Some plans of a shop that is counted from scratch: the state has them, and the next run the others.
            self.store.put_shop_progress(replace(before, counted_at=now, state=counted.state, held=counted.held))
            return
        # Only a run that took everything knows that nothing of the ledger at that moment is left.
        reached = timestamp(from_milliseconds(listed_at)) if summary.is_whole else ""
        # After a failure, or with a rest, the moment stays: then the days since are requested again.
        days_until = before.days_until if before else ""
        if shop_id not in summary.failed:
            days_until = max(days_until, reached)
        self.store.put_shop_progress(
            ShopProgress(
                shop_id=shop_id,
                offset=counted.offset,
                until=max(before.until if before else "", reached),
                counted_at=now,
                plans=work.digest,
                plans_since=work.changed_at or now,
                days_until=days_until,
                failed=frozenset(summary.failed),
                state=counted.state,
                held=counted.held,
            )
        )


@contextmanager
def kept_apart(summary: ShopSummary, name: str) -> Iterator[None]:
    """Note an error as the failure of what has this id: it must not keep the rest from being written."""
    try:
        yield
    except LeaseLostError:
        raise
    except Exception:
        _log.exception("rollup.not_written", extra={"id": name})
        summary.failed.append(name)


def not_counted(before: ShopProgress | None, plans: ShopPlans) -> ShopCounted:
    """Return that nothing of a shop could be counted: its roll-ups and its progress stay as they are."""
    return ShopCounted(
        shop_id=plans.shop_id,
        failed={plans.shop_id: "not counted"},
        offset=before.offset if before else 0,
        state=before.state if before else None,
        held=before.held if before else 0,
    )
