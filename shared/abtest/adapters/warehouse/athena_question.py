"""A run's question to Athena about one shop: all its plans and changed days, together, or apart where that is too much.

Athena refuses what is too long, and ends what reads or holds too much. Then the question is divided, so that one large
experiment does not take the shop's others with it.
"""

import logging
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import datetime

from abtest.adapters.warehouse.athena import AthenaLedger, AthenaWarehouse, KeptRows
from abtest.adapters.warehouse.athena_client import QueryDeadlineError, QueryError, QueryTooLargeError
from abtest.adapters.warehouse.kept_rows_sql import Needed
from abtest.domain.ledger.daily_counts import DailyCounts, date_of
from abtest.domain.ledger.events import DAY_MS
from abtest.domain.ledger.margins import OVERLAP_MS
from abtest.domain.ledger.objects import ShopFiles, hour_of
from abtest.domain.ledger.plans import CountingPlan
from abtest.domain.ledger.shop_days import STITCH_MS, ShopDay
from abtest.kit.clock import Clock, to_milliseconds
from abtest.kit.errors import ServiceError
from abtest.ports.warehouse import DAYS_KEPT, LedgerObjectError, OutOfTimeError, ShopCounted, ShopPlans

_log = logging.getLogger(__name__)

PLANS_AT_ONCE = 25
"""Most plans of one statement: all rows of its result are in memory, 20,000 a plan with many segments."""
_REACH = STITCH_MS // DAY_MS

_FAILURES = (QueryError, LedgerObjectError, ServiceError)
_TOO_LARGE = (QueryTooLargeError, QueryDeadlineError)


def days_from(now: int) -> int:
    """Return the moment (Unix ms) from which rows matter to the days that a run may update."""
    return (now // DAY_MS - DAYS_KEPT - _REACH) * DAY_MS


@dataclass(frozen=True, slots=True, kw_only=True)
class AthenaShops:
    """Counts of whole shops. Each call counts everything again, by `at_once` queries in parallel."""

    warehouse: AthenaWarehouse
    clock: Clock
    at_once: int

    def count(self, shop: ShopPlans, files: ShopFiles, *, until: datetime | None = None) -> ShopCounted:
        """Return the counts of a shop from these objects. A plan that fails does not stop the others.

        Raises OutOfTimeError soon after `until`.
        """

        def check_time() -> None:
            if until is not None and self.clock.now() >= until:
                raise OutOfTimeError

        now = to_milliseconds(self.clock.now())
        with self.warehouse.open(shop.shop_id, files, since=shop.rows_since(days_from(now))) as ledger:
            question = _Question(ledger=ledger, shop=shop, now=now, at_once=self.at_once, check_time=check_time)
            # Plans that need the oldest rows are at the end, so that they are first to be divided from the others.
            question.ask(sorted(shop.plans, key=lambda plan: -plan.since), with_days=True)
        return ShopCounted(shop_id=shop.shop_id, counts=question.counts, days=question.days, failed=question.failed)


@dataclass(slots=True, kw_only=True)
class _Question:
    """A question about one shop, and what was answered so far."""

    ledger: AthenaLedger
    shop: ShopPlans
    now: int
    at_once: int
    check_time: Callable[[], None]
    counts: dict[str, DailyCounts] = field(default_factory=dict)
    days: dict[str, ShopDay] = field(default_factory=dict)
    failed: dict[str, str] = field(default_factory=dict)

    def ask(self, plans: Sequence[CountingPlan], *, with_days: bool) -> None:
        """Answer everything from one reading of the ledger, or from several where one is too large."""
        self.check_time()
        needed = Needed(plans=plans, days_from=days_from(self.now) if with_days else None)
        with ExitStack() as stack:
            try:
                rows = stack.enter_context(self.ledger.kept(needed))
            except _FAILURES as error:
                self._divide(plans, error, with_days=with_days)
                return
            # Left before the rows are removed: it waits for all that began.
            pool = stack.enter_context(ThreadPoolExecutor(self.at_once))
            parts = [plans[start : start + PLANS_AT_ONCE] for start in range(0, len(plans), PLANS_AT_ONCE)]
            pending = [pool.submit(self._count, rows, part) for part in parts]
            if with_days:
                pending.append(pool.submit(self._count_days, rows))
            for each in pending:
                each.result()

    def _divide(self, plans: Sequence[CountingPlan], error: Exception, *, with_days: bool) -> None:
        """Ask for less at a time after an error, if it may help."""
        if isinstance(error, _TOO_LARGE) and with_days and plans:
            self.ask(plans, with_days=False)
            self.ask((), with_days=True)
        elif isinstance(error, _TOO_LARGE) and len(plans) > 1:
            for half in _halves(plans):
                self.ask(half, with_days=False)
        else:
            self._fail(plans, error)
            if with_days:
                self._fail_days(error)

    def _count(self, rows: KeptRows, plans: Sequence[CountingPlan]) -> None:
        self.check_time()
        try:
            counted = rows.counts(plans)
        except _FAILURES as error:
            if isinstance(error, _TOO_LARGE) and len(plans) > 1:
                for half in _halves(plans):
                    self._count(rows, half)
            else:
                self._fail(plans, error)
        else:
            for plan, counts in zip(plans, counted, strict=True):
                self.counts[plan.experiment_id] = DailyCounts.of(counts)

    def _count_days(self, rows: KeptRows) -> None:
        self.check_time()
        fresh = max(days_from(self.now), self.shop.days_until - OVERLAP_MS)
        today = self.now // DAY_MS
        try:
            touched = rows.touched_since(date_of(hour_of(fresh) // DAY_MS))
            # A row also changes the days of the week after it, because those look back for an order's or a visitor's
            # earlier rows.
            days = {day for first in touched for day in range(first, first + _REACH + 1)}
            dates = [date_of(day) for day in sorted(days) if today - DAYS_KEPT <= day <= today + 1]
            self.days = rows.days(dates, self.shop.currency)
        except _FAILURES as error:
            self._fail_days(error)

    def _fail(self, plans: Sequence[CountingPlan], error: Exception) -> None:
        for plan in plans:
            _log.warning("athena.not_counted", exc_info=error, extra={"experiment_id": plan.experiment_id})
            self.failed[plan.experiment_id] = str(error)

    def _fail_days(self, error: Exception) -> None:
        _log.warning("athena.days_not_counted", exc_info=error, extra={"shop_id": self.shop.shop_id})
        self.failed[self.shop.shop_id] = str(error)


def _halves(plans: Sequence[CountingPlan]) -> tuple[Sequence[CountingPlan], Sequence[CountingPlan]]:
    middle = len(plans) // 2
    return plans[:middle], plans[middle:]
