"""The first runs after a release that counted all shops in one process: what is stored stays as it is."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from abtest.adapters.warehouse.shop_counter import DuckDbShopCounter
from abtest.kit.ids import SystemRandomness
from abtest.services.context import World
from abtest.services.ledger_feed import LedgerFeed
from tests.support.compaction import Compacting
from tests.support.counting import Counting
from tests.support.rolled_shops import EXPERIMENT_OF, SHOPS, RolledShops


def counting(shops: RolledShops) -> Counting:
    """A process with the embedded engine."""
    return Counting(
        world=World(catalog=shops.catalog, clock=shops.clock, random=SystemRandomness()),
        counter=DuckDbShopCounter(shops.ledger, shops.clock, LedgerFeed(shops.ledger, shops.clock)),
        ledger=shops.ledger,
        store=shops.store,
        leases=shops.leases,
        metrics=shops.metrics,
    )


def as_before_the_release(shops: RolledShops) -> None:
    """Roll-ups and raw objects alone: no feed, no manifests, no states, no progress."""
    for key in list(shops.ledger.objects):
        if not key.startswith(("raw/", "events/", "compacted/")):
            shops.ledger.delete(key)
    shops.store.forget_progress()


def stored_numbers(shops: RolledShops) -> list[object]:
    """Generations and counts that are stored."""
    totals = [shops.store.totals(experiment_id, 1) or {} for experiment_id in EXPERIMENT_OF.values()]
    days = [shops.store.shop_days(shop_id, "2000-01-01", "2100-01-01") for shop_id in SHOPS]
    return [*((each["generation"], each["source"]) for each in totals), *days]


def compacted(shops: RolledShops) -> None:
    shops.clock.advance(hours=2)
    Compacting(clock=shops.clock, ledger=shops.ledger).run()


@pytest.mark.parametrize("before", [lambda _: None, compacted], ids=["raw", "compacted"])
def test_first_runs__of_what_an_earlier_release_stored__change_no_number(
    before: Callable[[RolledShops], None],
) -> None:
    shops = RolledShops()
    shops.arrive(5)
    counting(shops).count()
    before(shops)
    stored = stored_numbers(shops)
    for _ in range(2):
        as_before_the_release(shops)
        process = counting(shops)
        process.count()
        assert stored_numbers(shops) == stored
        assert [progress.failed for progress in shops.store.progress_of_shops()] == [frozenset()] * 5
    shops.arrive(2)
    process.count()
    assert shops.visitors() == [7] * 5
