"""Counter on Athena, without state: each run counts everything again.

A run's cost depends on the whole ledger, not on what is new. It is for ledgers that are too large for one process.
"""

import logging
from collections.abc import Generator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import datetime

from abtest.adapters.warehouse.athena import AthenaLedger, AthenaWarehouse
from abtest.adapters.warehouse.athena_client import QueryError
from abtest.domain.ledger.daily_counts import DailyCounts, date_of
from abtest.domain.ledger.events import DAY_MS, HOUR_MS
from abtest.domain.ledger.objects import hour_of, hour_of_key
from abtest.domain.ledger.shop_days import STITCH_MS, ShopDay
from abtest.kit.clock import Clock, to_milliseconds
from abtest.kit.errors import ServiceError
from abtest.ports.warehouse import DAYS_KEPT, LedgerObjectError, OutOfTimeError, ShopCounted, ShopPlans
from abtest.services.ledger_files import LedgerFiles

_log = logging.getLogger(__name__)

QUERIES_AT_ONCE = 8
"""Fewer than the quota of any account, so that people can still run queries."""
OVERLAP_MS = 3 * HOUR_MS
"""Objects written this long before the last update of a shop's days may be missing in them."""
DAYS_READ_MS = DAYS_KEPT * DAY_MS + STITCH_MS

_FAILURES = (QueryError, LedgerObjectError, ServiceError)


@dataclass(slots=True, kw_only=True)
class _Pending:
    """Queries of one shop that are in progress."""

    shop: ShopPlans
    counts: dict[str, Future[DailyCounts]] = field(default_factory=dict)
    days: Future[dict[str, ShopDay]]


@dataclass(frozen=True, slots=True, kw_only=True)
class AthenaCounter:
    """LedgerCounter over the whole ledger."""

    warehouse: AthenaWarehouse
    files: LedgerFiles
    clock: Clock

    def refresh(
        self, shops: Sequence[ShopPlans], *, until: datetime | None = None
    ) -> Generator[ShopCounted, None, None]:
        """Yield the counts of each shop. Several queries run in parallel; closing the iterator cancels the rest."""
        if not shops:
            return
        now = to_milliseconds(self.clock.now())
        index = self.files.index(min(shop.rows_since(now - DAYS_READ_MS) for shop in shops))
        written = self.files.raw_since(min(_fresh_from(shop, now) for shop in shops))
        with ExitStack() as stack:
            pool = ThreadPoolExecutor(QUERIES_AT_ONCE)
            stack.callback(pool.shutdown, cancel_futures=True)
            pending = []
            for shop in shops:
                files = index.of_shop(shop.shop_id)
                since = shop.rows_since(now - DAYS_READ_MS)
                ledger = stack.enter_context(self.warehouse.open(shop.shop_id, files, since=since))
                fresh = [key for key in written if hour_of_key(key) >= hour_of(_fresh_from(shop, now))]
                pending.append(_submit(pool, shop, ledger, fresh, now))
            for each in pending:
                if until is not None and self.clock.now() >= until:
                    raise OutOfTimeError
                yield _gathered(each)


def _submit(
    pool: ThreadPoolExecutor, shop: ShopPlans, ledger: AthenaLedger, fresh: Sequence[str], now: int
) -> _Pending:
    counts = {
        # The default binds this plan. A plain closure would see the last plan when its thread starts.
        plan.experiment_id: pool.submit(lambda plan=plan: DailyCounts.of(ledger.count(plan)))  # type: ignore[misc]
        for plan in shop.plans
    }
    return _Pending(shop=shop, counts=counts, days=pool.submit(_changed_days, ledger, shop.currency, fresh, now))


def _changed_days(ledger: AthenaLedger, currency: str, fresh: Sequence[str], now: int) -> dict[str, ShopDay]:
    # A row also changes the days of the week after it, because those look back for an order's or a visitor's earlier
    # rows.
    today, reach = now // DAY_MS, STITCH_MS // DAY_MS
    days = {day for first in ledger.touched_by(fresh) for day in range(first, first + reach + 1)}
    dates = [date_of(day) for day in sorted(days) if today - DAYS_KEPT <= day <= today + 1]
    return {date: ledger.day(date, currency) for date in dates}


def _gathered(pending: _Pending) -> ShopCounted:
    counts: dict[str, DailyCounts] = {}
    failed: dict[str, str] = {}
    for experiment_id, future in pending.counts.items():
        try:
            counts[experiment_id] = future.result()
        except _FAILURES as error:
            _log.warning("athena.not_counted", exc_info=error, extra={"experiment_id": experiment_id})
            failed[experiment_id] = str(error)
    days: dict[str, ShopDay] = {}
    try:
        days = pending.days.result()
    except _FAILURES as error:
        _log.warning("athena.days_not_counted", exc_info=error, extra={"shop_id": pending.shop.shop_id})
        failed[pending.shop.shop_id] = str(error)
    return ShopCounted(shop_id=pending.shop.shop_id, counts=counts, days=days, failed=failed)


def _fresh_from(shop: ShopPlans, now: int) -> int:
    """Return the moment from which written objects may have changed a day of the shop."""
    return max(now - DAYS_READ_MS, shop.days_until - OVERLAP_MS)
