"""Shops built from the ledger one after another by one process, which keeps names of settled hours between them."""

from __future__ import annotations

from random import Random

import pytest

from abtest.adapters.warehouse.shop_counter import DuckDbShopCounter
from abtest.domain.ledger.events import DAY_MS, Row
from abtest.domain.ledger.manifests import manifest_key, sectioned
from abtest.domain.ledger.objects import COMPACTED, EVENTS, raw_key
from abtest.domain.ledger.plans import CountingPlan
from abtest.domain.ledger.reference import count
from abtest.kit.clock import ManualClock, from_milliseconds, to_milliseconds
from abtest.ports.warehouse import LedgerObjectError, ShopPlans
from abtest.services.ledger_feed import LedgerFeed
from tests.support.compaction import Compacting
from tests.support.ledgers import BEGIN, GOALS, OTHER_SHOP, SHOP, plan, random_ledger
from tests.support.memory import MemoryBlobs

PLANS = {
    SHOP: plan(GOALS[0], GOALS[6]),
    OTHER_SHOP: plan(GOALS[0], GOALS[6], experiment_id="exp-2", shop_id=OTHER_SHOP),
}


class World:
    """A ledger, and one process that has no copy of a shop before it counts it."""

    def __init__(self) -> None:
        self.clock = ManualClock(from_milliseconds(BEGIN + 10 * DAY_MS))
        self.ledger = MemoryBlobs(lambda: to_milliseconds(self.clock.now()))
        self.counter = DuckDbShopCounter(self.ledger, self.clock, LedgerFeed(self.ledger, self.clock))
        self.rows: list[Row] = []

    def write(self, seed: int) -> None:
        rows = [{**each, "shop_id": shop} for shop in PLANS for each in random_ledger(seed, 20)]
        key = raw_key([f"m-{seed}"], to_milliseconds(self.clock.now()))
        content, manifest = sectioned(key, rows)  # type: ignore[arg-type]
        self.ledger.put(key, content, content_type="application/x-ndjson")
        self.ledger.put(manifest_key(key), manifest.encoded(), content_type="application/json")
        self.rows += rows  # type: ignore[arg-type]

    def compact(self) -> None:
        Compacting(clock=self.clock, ledger=self.ledger).run()

    def check(self, each: CountingPlan) -> None:
        """Build the shop, as if others had taken its place in the process, and compare it with the reference."""
        self.counter._shelf.drop(each.shop_id)
        shop = ShopPlans(shop_id=each.shop_id, currency="EUR", plans=[each])
        entry = LedgerFeed(self.ledger, self.clock).advance().entry
        assert entry is not None
        counted = self.counter.count(shop, head=entry.heads[each.shop_id], stored=None)
        assert counted.counts[each.experiment_id].whole() == count(self.rows, each)


@pytest.mark.parametrize("seed", range(3))
def test_build__hours_are_compacted_between_shops__has_all_rows(seed: int) -> None:
    chance, world = Random(seed), World()
    for number in range(18):
        world.write(number)
        world.clock.advance(minutes=chance.choice([1, 10, 40, 150, 600]))
        if chance.random() < 0.4:
            world.compact()
        if chance.random() < 0.5:
            world.check(chance.choice(list(PLANS.values())))
    for each in PLANS.values():
        world.check(each)


def test_build__file_of_a_settled_hour_is_gone__raises_and_then_reads_the_hour_again() -> None:
    world = World()
    world.write(1)
    world.check(PLANS[SHOP])
    world.clock.advance(hours=10)
    world.compact()
    world.check(PLANS[SHOP])
    for zone in (EVENTS, COMPACTED):
        for entry in list(world.ledger.list(zone)):
            world.ledger.delete(entry.key)
    with pytest.raises(LedgerObjectError, match=EVENTS):
        world.check(PLANS[OTHER_SHOP])
    world.check(PLANS[OTHER_SHOP])
