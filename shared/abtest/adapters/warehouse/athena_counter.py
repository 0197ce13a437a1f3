"""The counter that remembers nothing: each run has Athena count everything anew, at the interval that is paid for.

A run costs what there is, not what is new; so it is for ledgers that outgrow what one process can hold.
"""

import logging
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, field

from abtest.adapters.warehouse.athena import AthenaLedger, AthenaWarehouse
from abtest.adapters.warehouse.athena_client import QueryError
from abtest.domain.ledger.daily_counts import DailyCounts, date_of
from abtest.domain.ledger.events import DAY_MS, HOUR_MS
from abtest.domain.ledger.objects import hour_of, hour_of_key
from abtest.domain.ledger.shop_days import STITCH_MS, ShopDay
from abtest.kit.clock import Clock, to_milliseconds
from abtest.kit.errors import ServiceError
from abtest.ports.warehouse import DAYS_KEPT, LedgerObjectError, ShopCounted, ShopPlans
from abtest.services.ledger_files import LedgerFiles

_log = logging.getLogger(__name__)

QUERIES_AT_ONCE = 8
"""Fewer than any account may run at once, so that people can still ask something."""
OVERLAP_MS = 3 * HOUR_MS
"""What was written so long before a shop's days last stood is in them."""
DAYS_READ_MS = DAYS_KEPT * DAY_MS + STITCH_MS

_FAILURES = (QueryError, LedgerObjectError, ServiceError)


@dataclass(slots=True, kw_only=True)
class _Asked:
    """What is under way for one shop."""

    shop: ShopPlans
    counts: dict[str, Future[DailyCounts]] = field(default_factory=dict)
    days: Future[dict[str, ShopDay]]


@dataclass(frozen=True, slots=True, kw_only=True)
class AthenaCounter:
    """A LedgerCounter over everything that the ledger holds."""

    warehouse: AthenaWarehouse
    files: LedgerFiles
    clock: Clock

    def refresh(self, wanted: Sequence[ShopPlans]) -> Iterator[ShopCounted]:
        """Shop by shop; several queries run at once. Who stops listening cancels the rest.

        Another shop is first each time: where a run is too short for all, none is always left out.
        """
        if not wanted:
            return
        first = self.warehouse.queries.random.bits(32) % len(wanted)
        wanted = [*wanted[first:], *wanted[:first]]
        now = to_milliseconds(self.clock.now())
        index = self.files.index(min(shop.rows_since(now - DAYS_READ_MS) for shop in wanted))
        written = self.files.raw_since(min(_fresh_from(shop, now) for shop in wanted))
        with ExitStack() as stack:
            pool = ThreadPoolExecutor(QUERIES_AT_ONCE)
            stack.callback(pool.shutdown, cancel_futures=True)
            asked = []
            for shop in wanted:
                files = index.of_shop(shop.shop_id)
                since = shop.rows_since(now - DAYS_READ_MS)
                ledger = stack.enter_context(self.warehouse.open(shop.shop_id, files, since=since))
                fresh = [key for key in written if hour_of_key(key) >= hour_of(_fresh_from(shop, now))]
                asked.append(_ask(pool, shop, ledger, fresh, now))
            for shop_asked in asked:
                yield _gathered(shop_asked)


def _ask(pool: ThreadPoolExecutor, shop: ShopPlans, ledger: AthenaLedger, fresh: Sequence[str], now: int) -> _Asked:
    counts = {
        plan.experiment_id: pool.submit(lambda plan=plan: DailyCounts.of(ledger.count(plan)))  # type: ignore[misc]
        for plan in shop.plans
    }
    return _Asked(shop=shop, counts=counts, days=pool.submit(_days, ledger, shop.currency, fresh, now))


def _days(ledger: AthenaLedger, currency: str, fresh: Sequence[str], now: int) -> dict[str, ShopDay]:
    return {date: ledger.day(date, currency) for date in _dates(ledger.touched_by(fresh), now)}


def _dates(touched: Iterable[int], now: int) -> list[str]:
    """Days that may have changed: an order's stitch and a visitor's gap look a week back."""
    today, reach = now // DAY_MS, STITCH_MS // DAY_MS
    days = {day for first in touched for day in range(first, first + reach + 1)}
    return [date_of(day) for day in sorted(days) if today - DAYS_KEPT <= day <= today + 1]


def _gathered(asked: _Asked) -> ShopCounted:
    counts: dict[str, DailyCounts] = {}
    failed: dict[str, str] = {}
    for experiment_id, future in asked.counts.items():
        try:
            counts[experiment_id] = future.result()
        except _FAILURES as error:
            _log.warning("athena.not_counted", exc_info=error, extra={"experiment_id": experiment_id})
            failed[experiment_id] = str(error)
    days: dict[str, ShopDay] = {}
    try:
        days = asked.days.result()
    except _FAILURES as error:
        _log.warning("athena.days_not_counted", exc_info=error, extra={"shop_id": asked.shop.shop_id})
        failed[asked.shop.shop_id] = str(error)
    return ShopCounted(shop_id=asked.shop.shop_id, counts=counts, days=days, failed=failed)


def _fresh_from(shop: ShopPlans, now: int) -> int:
    """What was written from then on may have changed a day of the shop."""
    return max(now - DAYS_READ_MS, shop.days_until - OVERLAP_MS)
