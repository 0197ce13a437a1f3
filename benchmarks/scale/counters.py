"""The counter that the simulation's workers use: the one place that knows which it is."""

from abtest.adapters.warehouse.shop_counter import DuckDbShopCounter
from abtest.kit.clock import Clock
from abtest.ports.blobs import Blobs
from abtest.ports.warehouse import ShopCounter
from abtest.services.ledger_feed import LedgerFeed


def counter_of(ledger: Blobs, feed: LedgerFeed, clock: Clock) -> ShopCounter:
    """Return a counter with nothing in its folder."""
    return DuckDbShopCounter(ledger, clock, feed)
