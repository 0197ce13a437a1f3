"""One shop of many rows: its first count at two sizes, and by each way that counts a large shop."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from abtest.domain.ledger.objects import events_prefix
from abtest.services.rollups.divided import BYTES_A_ROW
from benchmarks.scale.fleet import Work
from benchmarks.scale.rounds import Site, WrongCountError, site
from benchmarks.scale.settings import Sizes
from benchmarks.scale.shops import Shops, experiment_id, shop_id
from benchmarks.scale.table import Figure, say

QUARTER = 4
LINEAR = 1.3
"""Share of four times a quarter's time that the whole may take."""

Ways = Mapping[str, Callable[[Site], Work]]
"""Ways of counting everything that a site's queue has, by name. All must store equal roll-ups."""

PARTITIONS = 4


def in_partitions(here: Site) -> Work:
    """Count the shop in so many partitions."""
    estimated = sum(entry.size for entry in here.place.bare.list(events_prefix(shop_id(1)))) // BYTES_A_ROW
    # In the middle of the sizes that are divided into so many.
    work = here.fleet.work(most_rows=2 * estimated // (PARTITIONS - 1))
    if len(work.units) < PARTITIONS:
        raise WrongCountError(f"a shop of about {estimated:,} rows was not divided")
    return work


WAYS: Ways = {
    "one worker": lambda here: here.fleet.work(most_rows=10**12),
    f"{PARTITIONS} partitions": in_partitions,
}


def large(sizes: Sizes, seed: int, ways: Ways = WAYS) -> list[Figure]:
    """Measure a quarter of the large shop and all of it, by each way. Raises WrongCountError."""
    return list(_figures(sizes, seed, ways))


def _figures(sizes: Sizes, seed: int, ways: Ways) -> Iterator[Figure]:
    cpu: dict[tuple[int, str], float] = {}
    for rows in (sizes.large // QUARTER, sizes.large):
        stored: dict[str, Any] = {}
        for name, work in ways.items():
            shops = Shops(count=1, experiments=sizes.experiments, large=rows, second=rows)
            with site(shops, days=sizes.days, seed=seed) as here:
                here.arrive({1: 10})
                here.fleet.dispatch(everything=True)
                done = work(here)
                stored[name] = _rollups(here)
            cpu[rows, name] = done.cpu
            longest = max((unit.cpu for unit in done.units), default=0.0)
            say(f"{rows:,} rows by {name}: {done.cpu:.1f} CPU s, the longest unit {longest:.1f}")
            yield Figure(what=f"{rows / 1e6:g} million rows of one shop, {name}: CPU", value=done.cpu, unit="s")
        (first, expected), *others = stored.items()
        if wrong := [name for name, rollups in others if rollups != expected]:
            raise WrongCountError(f"{rows:,} rows: {wrong} store other roll-ups than {first}")
    one_worker = next(iter(ways))
    for name in ways:
        ratio = cpu[sizes.large, name] / (QUARTER * cpu[sizes.large // QUARTER, one_worker])
        what = f"the whole, {name}, next to four times a quarter by {one_worker}"
        # What one worker cannot do in proportion is what partitions are for.
        yield Figure(what=what, value=ratio, target=None if name == one_worker else LINEAR)


def _rollups(here: Site) -> list[Any]:
    """Sources of the roll-ups, which are digests of their counts, and the shop's days."""
    store = here.place.store
    totals = [store.totals(experiment_id(1, number), 1) for number in range(here.place.shops.experiments)]
    return [each and each["source"] for each in totals]
