"""Workers that are killed: at every kind of write, before and after it, and at random moments."""

import random
from collections.abc import Iterator, Mapping
from typing import Any

from abtest.domain.ledger.partitions import MOST_ROWS
from abtest.services.leases import LEASE_SECONDS
from benchmarks.scale.queueing import DISPATCH_SECONDS
from benchmarks.scale.rounds import Site, WrongCountError, site
from benchmarks.scale.settings import Sizes
from benchmarks.scale.shops import Shops
from benchmarks.scale.table import Figure, say

WRITES = ("state", "outcomes", "documents", "days", "progress")
LATER_WRITES, OUTCOMES = 2, 2
FEW, MANY = 200, 800
"""New rows of each shop: with many, its state is stored again."""

ROWS = 5_000
"""Rows of the largest shops, which are divided while units are killed, and joined again afterwards."""


def kills(sizes: Sizes, seed: int) -> list[Figure]:
    """Kill workers and compare what the next ones store. Raises WrongCountError."""
    shops = Shops(count=sizes.kill_shops, experiments=sizes.kill_experiments, large=ROWS, second=ROWS)
    chance = random.Random(seed)
    killed: dict[str, int] = dict.fromkeys([*WRITES, "random"], 0)
    slowest = 0.0
    with site(shops, days=3, seed=seed) as here:
        here.arrive(dict.fromkeys(shops.numbers, 10))
        here.fleet.dispatch(everything=True)
        here.fleet.work()
        for name, fates, moments in _strokes(sizes, chance):
            here.arrive(dict.fromkeys(shops.numbers, MANY if name == "state" else FEW))
            here.fleet.dispatch(everything=True)
            dead = here.fleet.work(fates=fates, kills=moments, most_rows=_most_rows(name)).killed
            killed[name] += len(dead)
            slowest = max(slowest, _recover(here, name) if dead else 0.0)
        say(f"workers killed: {killed}")
    yield_of = [Figure(what=f"workers killed at {name}", value=number) for name, number in killed.items()]
    return [
        *yield_of,
        Figure(what="killed: roll-ups that differ from a count of all rows", value=0, target=0),
        Figure(what="killed: counted again after", value=slowest, unit="s", target=LEASE_SECONDS + DISPATCH_SECONDS),
    ]


def _strokes(sizes: Sizes, chance: random.Random) -> Iterator[tuple[str, list[Mapping[str, Any]], list[float]]]:
    """Name, fates and moments of kills of each round, a worker each."""
    for name in WRITES:
        # A unit stores one outcome, and the strokes are for as many units.
        at = {"documents": [1, LATER_WRITES], "outcomes": [1] * OUTCOMES}.get(name, [1])
        yield name, [{"of": name, "at": number, "after": after} for number in at for after in (False, True)], []
    left = sizes.random_kills
    while left > 0:
        moments = [chance.uniform(0, 1.0) for _ in range(min(left, sizes.kill_shops))]
        left -= len(moments)
        yield "random", [], moments


def _most_rows(name: str) -> int:
    return ROWS // 2 if name == "outcomes" else MOST_ROWS


def _recover(here: Site, name: str) -> float:
    """Let the schedule go on. Return the seconds from the kill until everything was counted."""
    waited = 0.0
    for _ in range(3):
        here.place.go_to(here.place.now() + int(DISPATCH_SECONDS * 1000))
        waited += DISPATCH_SECONDS
        if not here.fleet.dispatch(everything=True).sent:
            break
        here.fleet.work(most_rows=_most_rows(name))
        here.require_right(here.place.shops.numbers, f"after workers were killed ({name})")
        return waited
    raise WrongCountError(f"after workers were killed ({name}): the schedule sends no messages for their shops")
