"""Auto-stop and Guardian at all running experiments: the schedules' messages, and a worker's turns at new counts."""

import time
from collections.abc import Iterator
from datetime import timedelta
from typing import Any, cast

from abtest.kit.clock import ManualClock, from_milliseconds
from abtest.kit.ids import SystemRandomness
from abtest.ports.catalog import Catalog
from abtest.services.context import World
from abtest.services.decisions.dispatch import DecisionDispatch
from abtest.services.decisions.messages import decision_message
from abtest.services.experiments.store import ExperimentStore
from abtest.services.publication.budget import CodeBudget
from abtest.services.storefronts import Storefronts
from benchmarks.scale.settings import WORKERS, Sizes
from benchmarks.scale.shops import BEGINS, Shops, ShopsCatalog, experiment_id, shop_id
from benchmarks.scale.table import Figure, say
from tests.support.autostopping import CONTROL, TREATMENT, Publisher, totals
from tests.support.deciding import Deciders
from tests.support.memory import MemoryBlobs, MemoryLeases, MemoryQueue, MemoryRollupStore

LOOKED_AT = 10
"""Shops whose experiments have turns; the others are taken to be alike."""

DISPATCH_SECONDS = 30
LOOK_SECONDS = 600


class NotDecidedError(Exception):
    """Experiments that had no turn."""


def decisions(sizes: Sizes, seed: int) -> list[Figure]:
    """Measure the dispatch of all experiments, and turns at those of some shops."""
    del seed
    return list(_figures(sizes))


def _figures(sizes: Sizes) -> Iterator[Figure]:
    shops = sizes.world()
    clock = ManualClock(from_milliseconds(BEGINS) + timedelta(days=10))
    catalog, queue, running = ShopsCatalog(shops), MemoryQueue(), shops.count * shops.experiments
    world = World(catalog=cast(Catalog, catalog), clock=clock, random=SystemRandomness())
    began = time.process_time()
    for task in ("guardian", "autostop"):
        DecisionDispatch(world=world, queue=queue).run(cast(Any, task))
    spent = time.process_time() - began
    say(f"{len(queue.bodies)} messages for {running:,} running experiments")
    yield Figure(what=f"{running:,} running experiments: CPU of both schedules", value=spent, unit="s",
                 target=DISPATCH_SECONDS)  # fmt: skip
    numbers = list(shops.numbers)[: min(LOOKED_AT, shops.count)]
    cpu = sum(_turns(shops, catalog, number, clock) for number in numbers)
    each = cpu / len(numbers) / shops.experiments
    yield Figure(what="a look and a check at new counts: CPU", value=each * 1000, unit="ms")
    what = f"all {running:,} looked at by {WORKERS} workers, by CPU"
    yield Figure(what=what, value=each * running / WORKERS, unit="s", target=LOOK_SECONDS)


def _turns(shops: Shops, catalog: ShopsCatalog, number: int, clock: ManualClock) -> float:
    """Return the CPU seconds of the turns at a second generation of all experiments of a shop."""
    own, rollups = catalog.of(number), MemoryRollupStore()
    world = World(catalog=own, clock=clock, random=SystemRandomness())
    store = ExperimentStore(world, Storefronts(own, Publisher()), CodeBudget(MemoryBlobs()))
    worker = Deciders(store=store, rollups=rollups, leases=MemoryLeases()).worker
    ids = [experiment_id(number, each) for each in range(shops.experiments)]
    message = decision_message(shop_id(number), ("autostop", "guardian"), ids)
    spent = 0.0
    for generation in (1, 2):
        for each in range(shops.experiments):
            counts = {
                CONTROL: (2_000 * generation, 200 * generation),
                TREATMENT: (2_000 * generation, 205 * generation),
            }
            made = totals(shops.experiment(number, each), generation, counts)
            rollups.put(made, {}, {})
        began = time.process_time()
        outcome = worker.carry_out(message)
        spent = time.process_time() - began
        if any(task["failed"] or task["left"] for task in outcome.values()):
            raise NotDecidedError(f"shop {number}: {outcome}")
    return spent
