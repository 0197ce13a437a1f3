"""Ids of a large shop's events and orders."""

from __future__ import annotations

import tracemalloc
from array import array

import duckdb

from abtest.adapters.warehouse.ids_copy import IdsCopy
from abtest.domain.ledger.partitions import Unit
from tests.support.ledgers import SHOP

TIED = 200_000


def test_tied__all_visitors_of_a_large_shop__need_little_more_memory_than_their_hashes() -> None:
    database = duckdb.connect()
    copy = IdsCopy(database, "memory", SHOP, Unit("ids", 0, 1), 0, is_stored=False)
    database.execute("INSERT INTO tied SELECT range FROM range($1) ORDER BY hash(range)", [TIED])
    tracemalloc.start()
    content = copy.tied()
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert list(array("Q", content)) == list(range(TIED))
    assert most < 5 * len(content)
