"""The counters that the simulation's workers use: the one place that knows which they are."""

from abtest.adapters.warehouse.shop_counter import DuckDbShopCounter
from abtest.adapters.warehouse.shop_units import DuckDbShopUnits
from abtest.kit.clock import Clock
from abtest.ports.blobs import Blobs
from abtest.ports.queue import Queue
from abtest.services.ledger_feed import LedgerFeed
from abtest.services.rollups import DividedCounter


class Counters:
    """Counters with nothing in their folder."""

    def __init__(self, ledger: Blobs, feed: LedgerFeed, clock: Clock) -> None:
        self.ledger = ledger
        self.clock = clock
        self.whole = DuckDbShopCounter(ledger, clock, feed)
        self.units = DuckDbShopUnits(self.whole, clock)

    def shops(self, queue: Queue, most_rows: int) -> DividedCounter:
        """The counter of shops, which divides those with more rows."""
        return DividedCounter(
            whole=self.whole,
            units=self.units,
            ledger=self.ledger,
            queue=queue,
            clock=self.clock,
            most_rows=most_rows,
        )
