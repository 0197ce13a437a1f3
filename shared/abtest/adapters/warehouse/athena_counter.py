"""Counter on Athena, without state: each run counts everything again.

A run's cost depends on the whole ledger, not on what is new. It is for ledgers that are too large for one process.
"""

from collections.abc import Generator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import datetime

from abtest.adapters.warehouse.athena import AthenaWarehouse
from abtest.adapters.warehouse.athena_question import AthenaShops, days_from
from abtest.kit.clock import Clock, to_milliseconds
from abtest.ports.warehouse import OutOfTimeError, ShopCounted, ShopPlans
from abtest.services.ledger_files import LedgerFiles

QUERIES_AT_ONCE = 8
"""Shops counted in parallel: fewer than the quota of any account, so that people can still run queries."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AthenaCounter:
    """Counter of shops over the whole ledger."""

    warehouse: AthenaWarehouse
    files: LedgerFiles
    clock: Clock

    def refresh(
        self, shops: Sequence[ShopPlans], *, until: datetime | None = None
    ) -> Generator[ShopCounted, None, None]:
        """Yield the counts of each shop. Several are counted in parallel; closing the iterator cancels the rest."""
        if not shops:
            return
        oldest = days_from(to_milliseconds(self.clock.now()))
        index = self.files.index(min(shop.rows_since(oldest) for shop in shops))
        counter = AthenaShops(warehouse=self.warehouse, clock=self.clock, at_once=1)
        with ExitStack() as stack:
            pool = ThreadPoolExecutor(QUERIES_AT_ONCE)
            stack.callback(pool.shutdown, cancel_futures=True)
            pending = [pool.submit(counter.count, shop, index.of_shop(shop.shop_id), until=until) for shop in shops]
            for each in pending:
                if until is not None and self.clock.now() >= until:
                    raise OutOfTimeError
                yield each.result()
