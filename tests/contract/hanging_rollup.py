"""A worker that begins to count a shop and then hangs in the middle: `python -m tests.contract.hanging_rollup NAMES`.

Writes "counting" once it holds the shop's lease. It works on the engine of its environment.
"""

import sys
from datetime import datetime

from abtest.adapters.dynamo import DynamoCatalog, DynamoLeases, DynamoRollupStore
from abtest.adapters.s3 import S3Blobs
from abtest.kit.clock import SystemClock
from abtest.kit.ids import SystemRandomness
from abtest.ports.rollup_store import StoredState
from abtest.ports.warehouse import ShopCounted, ShopPlans
from abtest.services.context import World
from abtest.services.rollups import ShopRun
from tests.support.memory.metrics import MemoryMetrics


class HangingCounter:
    """Counter that never finishes."""

    def count(
        self, shop: ShopPlans, *, head: int, stored: StoredState | None, until: datetime | None = None
    ) -> ShopCounted:
        sys.stdout.write("counting\n")
        sys.stdout.flush()
        sys.stdin.read()  # until this process is killed, or its parent has died
        raise AssertionError(f"{shop} {head} {stored} {until}")


def main(shop_id: str, catalog: str, blobs: str, ephemeral: str, rollups: str) -> None:
    """Run on these resources."""
    ShopRun(
        world=World(catalog=DynamoCatalog(catalog, S3Blobs(blobs)), clock=SystemClock(), random=SystemRandomness()),
        counter=HangingCounter(),
        store=DynamoRollupStore(rollups),
        leases=DynamoLeases(ephemeral),
        metrics=MemoryMetrics(),
    ).run(shop_id, head=0, listed_at=0)


if __name__ == "__main__":
    main(*sys.argv[1:])
