"""Rounds of the whole fleet: the first count of every shop, then news of a part of the shops, then a flood of one."""

import time
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from abtest.domain.ledger.events import DAY_MS
from benchmarks.scale.checks import behind, differences
from benchmarks.scale.fleet import Fleet, Work
from benchmarks.scale.queueing import Simulation, UnitTimes
from benchmarks.scale.rows import Generator
from benchmarks.scale.settings import WORKERS, Sizes
from benchmarks.scale.shops import BEGINS, Shops
from benchmarks.scale.table import Figure, say
from benchmarks.scale.world import Place

FIVE_MINUTES_MS = 5 * 60_000
COLD_SECONDS = WORKERS * 15 * 60
FRESH_SECONDS = 3_600.0
"""Time since experiments began in the model of the queue: rows hardly wait for others then, so the load is highest."""


class WrongCountError(Exception):
    """Roll-ups that are not what a count from scratch gives, or shops that were left behind."""


@dataclass(slots=True)
class Site:
    """A world in a folder, and time that goes on in it."""

    place: Place
    fleet: Fleet
    generator: Generator
    rows: int = 0

    def arrive(self, totals: dict[int, int]) -> None:
        """Five minutes go by, in which so many rows of these shops are received."""
        starts = self.place.now()
        self.generator.news(totals, starts=starts, span=FIVE_MINUTES_MS - 1_000)
        self.place.go_to(starts + FIVE_MINUTES_MS)

    def require_right(self, numbers: Iterable[int], when: str) -> None:
        """Raises WrongCountError unless nothing is behind and these shops' roll-ups are right."""
        if left := behind(self.place):
            raise WrongCountError(f"{when}: {len(left)} shops are behind their heads, among them {left[0]}")
        if wrong := differences(self.place, numbers):
            raise WrongCountError(f"{when}: {len(wrong)} roll-ups differ from a count of all rows: {wrong[:5]}")


@contextmanager
def site(shops: Shops, *, days: int, seed: int) -> Iterator[Site]:
    """A world with a history of so many days, ten minutes after its end."""
    with TemporaryDirectory(prefix="scale-") as name:
        folder = Path(name)
        place = Place.made(folder, shops, seed)
        generator = Generator(shops, place.bare, seed=seed)
        rows = generator.history(days, folder / "made")
        place.go_to(BEGINS + days * DAY_MS + 2 * FIVE_MINUTES_MS)
        with Fleet(place) as fleet:
            yield Site(place, fleet, generator, rows)


@dataclass(slots=True)
class Measured:
    """Costs of the rounds: the work of each, and the dispatcher's CPU seconds at each."""

    work: dict[str, Work] = field(default_factory=dict)
    dispatch_cpu: dict[str, float] = field(default_factory=dict)
    dispatch_spent: dict[str, Counter[str]] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)


def rounds(sizes: Sizes, seed: int) -> tuple[list[Figure], Measured]:
    """Measure them. Raises WrongCountError."""
    measured, shops, began = Measured(), sizes.world(), time.perf_counter()
    with site(shops, days=sizes.days, seed=seed) as here:
        say(f"{here.rows:,} rows of {shops.count:,} shops made in {time.perf_counter() - began:.0f} s")
        small = list(shops.numbers)[-sizes.checked :]
        here.arrive(dict.fromkeys(shops.numbers, 10))
        _round(here, "cold", measured)
        here.require_right(small, "after the first count")
        for name, share in (("warm 5 %", 20), ("warm 10 %", 10)):
            # Neither with the few large shops, whose rounds are measured by themselves.
            numbers = list(shops.numbers)[1::share]
            here.arrive(dict.fromkeys(numbers, sizes.news))
            _round(here, name, measured)
            here.require_right(small, f"after the round {name}")
        here.place.go_to(here.place.now() + FIVE_MINUTES_MS)
        _round(here, "nothing new", measured)
        flooded = len(shops.numbers) // 10 + 1
        here.arrive({flooded: sizes.flood})
        _round(here, "flood", measured)
        here.require_right([flooded, *small], "after the flood")
    return list(_figures(sizes, measured, here.rows)), measured


def _round(here: Site, name: str, measured: Measured) -> None:
    began = time.perf_counter()
    here.fleet.dispatch(everything=True)
    measured.dispatch_cpu[name] = here.fleet.dispatch_cpu
    measured.dispatch_spent[name] = here.fleet.dispatch_spent
    work = measured.work[name] = here.fleet.work()
    measured.seconds[name] = time.perf_counter() - began
    if failed := sum(unit.failed for unit in work.units):
        raise WrongCountError(f"{name}: {failed} plans were not counted")
    say(f"{name}: {len(work.units)} units, {work.cpu:.1f} CPU s, {measured.seconds[name]:.0f} s by the clock")


def _figures(sizes: Sizes, measured: Measured, rows: int) -> Iterator[Figure]:
    cold, five, ten = (measured.work[name] for name in ("cold", "warm 5 %", "warm 10 %"))
    names = f"{sizes.shops:,} shops × {sizes.experiments} experiments"
    share = sizes.shops / Sizes().shops
    yield Figure(what=f"cold, {names}, {rows / 1e6:.1f} million rows: CPU of all units", value=cold.cpu, unit="s",
                 target=COLD_SECONDS * share)  # fmt: skip
    longest = max(cold.units, key=lambda unit: unit.cpu)
    yield Figure(what="cold: the longest unit", value=longest.cpu, unit="s CPU", target=15 * 60)
    yield Figure(what="cold: shops behind their heads afterwards", value=0, target=0)
    dispatch = max(measured.dispatch_cpu["warm 5 %"], measured.dispatch_cpu["warm 10 %"])
    yield Figure(what="warm: CPU of the dispatcher", value=dispatch, unit="s", target=10)
    yield Figure(what="warm, nothing new: CPU of the dispatcher", value=measured.dispatch_cpu["nothing new"], unit="s")
    yield Figure(what="warm, nothing new: shops counted", value=len(measured.work["nothing new"].units), target=0)
    # Medians: what others do on the machine changes from round to round, and lengthens some units.
    each = [median(unit.cpu for unit in work.units) for work in (five, ten)]
    yield Figure(what="warm, news in 5 %: CPU of a unit, median", value=each[0], unit="s")
    yield Figure(what="warm, news in 10 %: CPU of a unit, median", value=each[1], unit="s")
    yield Figure(what="warm: CPU a shop with news, 10 % next to 5 %, difference", value=abs(each[1] / each[0] - 1),
                 target=0.2)  # fmt: skip
    yield from _flood(sizes, measured)


def unit_times(measured: Measured, flood: int) -> UnitTimes:
    """Times of a unit for the model of the queue: of CPU, because others work on this machine."""
    small = median(unit.cpu for unit in measured.work["warm 10 %"].units)
    flooded = measured.work["flood"]
    each_row = max(0.0, flooded.cpu - small * len(flooded.units)) / flood
    most = max((unit.rows for unit in flooded.units), default=flood)
    return UnitTimes(each=small, each_row=each_row, most_rows=max(1, most if len(flooded.units) > 1 else flood * 10))


def _flood(sizes: Sizes, measured: Measured) -> Iterator[Figure]:
    times = unit_times(measured, sizes.flood)
    yield Figure(what="a flood: CPU of a million new rows of one shop", value=times.each_row * 1e6, unit="s")
    # A million events a day a hundred shops, by Zipf's law, and one of the larger ones is flooded.
    count = Sizes().shops
    weights = {f"shop {number}": 1 / number for number in range(1, count + 1)}
    rates = {name: weight / sum(weights.values()) * 10_000_000 / 86_400 for name, weight in weights.items()}
    for are_fair in (True, False):
        model = {
            "without": Simulation(rates=rates, times=times, are_fair=are_fair, measured_for=FRESH_SECONDS),
            "with": Simulation(
                rates=rates | {"shop 10": 1_000.0}, times=times, are_fair=are_fair, measured_for=FRESH_SECONDS
            ),
        }
        for simulation in model.values():
            simulation.run(4 * 3600)
        before, after = (model[name].p95(model[name].lags, without="shop 10") for name in ("without", "with"))
        queue = "fair queue" if are_fair else "queue without groups"
        yield Figure(what=f"{queue}: p95 of others' lag, without a flood", value=before, unit="s")
        yield Figure(what=f"{queue}: p95 of others' lag, with a flood", value=after, unit="s", target=1.5 * before)
        waits = [model[name].p95(model[name].waits, without="shop 10") for name in ("without", "with")]
        yield Figure(what=f"{queue}: p95 from message to roll-up, without a flood", value=waits[0], unit="s")
        yield Figure(what=f"{queue}: p95 from message to roll-up, with a flood", value=waits[1], unit="s")
