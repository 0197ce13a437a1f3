"""Counting of one shop by Athena: the whole of it again at each call, and no state.

A call's cost depends on the shop's whole history, not on what is new. It is for shops that are too large for a process.
"""

from dataclasses import replace
from datetime import datetime

from abtest.adapters.warehouse.athena import AthenaWarehouse
from abtest.adapters.warehouse.athena_question import AthenaShops, days_from
from abtest.kit.clock import Clock, to_milliseconds
from abtest.ports.rollup_store import StoredState
from abtest.ports.warehouse import ShopCounted, ShopPlans
from abtest.services.shop_objects import ShopObjects

QUERIES_AT_ONCE = 1
"""Queries of one process at a time: so all workers together have as many as there are workers (RollupConcurrency)."""


class AthenaShopCounter:
    """ShopCounter for one process and one thread, over all that the ledger has, which is what any offset stands for."""

    def __init__(self, warehouse: AthenaWarehouse, objects: ShopObjects, clock: Clock) -> None:
        self._shops = AthenaShops(warehouse=warehouse, clock=clock, at_once=QUERIES_AT_ONCE)
        self._objects = objects
        self._clock = clock

    def count(
        self,
        shop: ShopPlans,
        *,
        head: int,
        stored: StoredState | None,  # noqa: ARG002 - a state of the other engine is of no use here
        until: datetime | None = None,
    ) -> ShopCounted:
        """Count the shop; see ShopCounter."""
        since = shop.rows_since(days_from(to_milliseconds(self._clock.now())))
        files = self._objects.of_shop(shop.shop_id, since)
        return replace(self._shops.count(shop, files, until=until), offset=head)
