"""A process that begins to roll up and then hangs in the middle of it: `python -m tests.contract.hanging_rollup NAMES`.

Writes "counting" once it holds the lease and has begun a shop. It works on the engine of its environment.
"""

import sys
from collections.abc import Generator, Sequence
from datetime import datetime

from abtest.adapters.dynamo import DynamoCatalog, DynamoLeases, DynamoRollupStore
from abtest.adapters.s3 import S3Blobs
from abtest.kit.clock import SystemClock
from abtest.kit.ids import SystemRandomness
from abtest.ports.warehouse import ShopCounted, ShopPlans
from abtest.services.context import World
from abtest.services.rollups import RollupRun
from tests.support.memory.metrics import MemoryMetrics


class HangingCounter:
    """Counter that never finishes a shop."""

    def refresh(
        self, shops: Sequence[ShopPlans], *, until: datetime | None = None
    ) -> Generator[ShopCounted, None, None]:
        sys.stdout.write("counting\n")
        sys.stdout.flush()
        sys.stdin.read()  # until this process is killed, or its parent has died
        yield ShopCounted(shop_id=f"{shops} until {until}")


def main(catalog: str, blobs: str, ephemeral: str, rollups: str) -> None:
    """Run on these resources."""
    RollupRun(
        world=World(catalog=DynamoCatalog(catalog, S3Blobs(blobs)), clock=SystemClock(), random=SystemRandomness()),
        counter=HangingCounter(),
        store=DynamoRollupStore(rollups),
        leases=DynamoLeases(ephemeral),
        metrics=MemoryMetrics(),
    ).run()


if __name__ == "__main__":
    main(*sys.argv[1:])
