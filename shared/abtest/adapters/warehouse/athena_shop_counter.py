"""Counting of one shop by Athena: the whole of it again at each call, and no state."""

from contextlib import closing
from dataclasses import dataclass, replace
from datetime import datetime

from abtest.adapters.warehouse.athena_counter import AthenaCounter
from abtest.ports.rollup_store import StoredState
from abtest.ports.warehouse import ShopCounted, ShopPlans


@dataclass(frozen=True, slots=True)
class AthenaShopCounter:
    """ShopCounter over the whole ledger, which has everything up to any offset of the feed."""

    counter: AthenaCounter

    def count(
        self,
        shop: ShopPlans,
        *,
        head: int,
        stored: StoredState | None,  # noqa: ARG002 - a state of the other engine is of no use here
        until: datetime | None = None,
    ) -> ShopCounted:
        """Count the shop; see ShopCounter."""
        with closing(self.counter.refresh([shop], until=until)) as counts:
            return replace(next(counts), offset=head)
