"""Who comes and what they do: random visits of a shop, by what its experiments do to shoppers."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush
from typing import Any

import numpy

MINUTE = 60_000
HOUR = 60 * MINUTE
Event = Mapping[str, Any]
Pair = tuple[float, float]
"""Of the control and of the treatment."""


@dataclass(frozen=True, kw_only=True)
class Effect:
    """What the two arms of an experiment do to shoppers. `spends`: a factor on what an order is worth.

    `is_shown`, `fails`: the chance that a visit meets the variation, and that the SDK reports an error of it.
    """

    reaches: Pair = (0.2, 0.2)
    spends: Pair = (1.0, 1.0)
    is_shown: Pair = (1.0, 1.0)
    fails: Pair = (0.002, 0.002)


@dataclass(frozen=True, kw_only=True)
class Running:
    """An experiment as storefronts have it; `begins` is its launch in Unix ms.

    `turns`: moments in Unix ms, in order, from which on its effect is another.
    """

    experiment: str
    arms: tuple[str, str]
    goal: str
    begins: int
    effect: Effect
    turns: Sequence[tuple[int, Effect]] = ()

    def effect_at(self, moment: int) -> Effect:
        """Return the effect on those who come at this moment."""
        return next((effect for begins, effect in reversed(self.turns) if begins <= moment), self.effect)


class Shoppers:
    """Visits in the order of time; what somebody does later, or is sent late or again, waits for its moment.

    An event is a dictionary: `id`, `kind` (`page`, `seen`, `reached`, `order`, `error`), `visitor`, `session`, `at`
    (Unix ms), `qa`, `device`; of an experiment `experiment`, `variation`, `goal`; of an order `order`, `minor` (cents).
    """

    def __init__(self, seed: int, a_day: int) -> None:
        self._chance = numpy.random.default_rng(seed)
        self._an_hour = a_day / 24
        self._known: list[str] = []
        self._arms: defaultdict[str, dict[str, int]] = defaultdict(dict)
        self._visits = self._numbers = 0
        self._waiting: list[tuple[int, int, Event]] = []
        self.repeated = 0

    def sent(self, begins: int, ends: int, running: Sequence[Running]) -> list[Event]:
        """What is sent from one moment to another, while these experiments run."""
        visits = self._chance.poisson(self._an_hour * (ends - begins) / HOUR)
        for at in numpy.sort(self._chance.integers(begins, ends, visits)):
            for event in self._visit(int(at), running):
                self._post(event)
        due = []
        while self._waiting and self._waiting[0][0] <= ends:
            due.append(heappop(self._waiting)[2])
        return due

    def _post(self, event: Event) -> None:
        kind = self._chance.random()
        late = int(self._chance.integers(1, 8 * HOUR)) if kind < 0.01 else 0
        self._wait(event["at"] + late, event)
        if kind > 0.95:
            self.repeated += 1
            self._wait(event["at"] + late + int(self._chance.integers(0, 6 * HOUR)), event)

    def _wait(self, until: int, event: Event) -> None:
        self._numbers += 1
        heappush(self._waiting, (until, self._numbers, event))

    def _visit(self, at: int, running: Sequence[Running]) -> Iterator[Event]:
        self._visits += 1
        visitor, numbers = self._visitor(), iter(range(1000))
        device = ("desktop", "mobile", "tablet")[int(self._chance.integers(3))]
        qa = bool(self._chance.random() < 0.01)

        def event(kind: str, later: float, **more: Any) -> Event:
            name = f"{self._visits}-{next(numbers)}"
            moment = at + round(later)
            base = {"visitor": visitor, "session": f"s-{self._visits}", "device": device, "qa": qa}
            return {"id": name, "kind": kind, "at": moment, **base, **more}

        if not any(at >= one.begins for one in running):
            yield event("page", 0)  # else exposures say as much: that somebody was here
        worth = 1.0
        for one in running:
            if at >= one.begins:
                arm = self._arms[visitor].setdefault(one.experiment, int(self._chance.integers(2)))
                effect = one.effect_at(at)
                worth *= effect.spends[arm]
                yield from self._meeting(event, one, effect, arm)
        if self._chance.random() < 0.2:
            minor = max(1, round(4000 * worth * float(self._chance.lognormal(0, 0.5))))
            yield event("order", int(self._chance.integers(1, 20)) * MINUTE, order=f"o-{self._visits}", minor=minor)

    def _visitor(self) -> str:
        """One in ten was here lately."""
        if self._known and self._chance.random() < 0.1:
            return self._known[-1 - int(self._chance.integers(min(1000, len(self._known))))]
        self._known.append(f"v-{len(self._known)}")
        return self._known[-1]

    def _meeting(self, event: Any, one: Running, effect: Effect, arm: int) -> Iterator[Event]:
        chances = self._chance.random(4)
        names = {"experiment": one.experiment, "variation": one.arms[arm]}
        if chances[0] < effect.is_shown[arm]:
            yield event("seen", 0, **names)
        if chances[1] < 0.002:  # another device of the same person, and another variation
            yield event("seen", int(self._chance.integers(1, 90)) * MINUTE, **{**names, "variation": one.arms[1 - arm]})
        if chances[2] < effect.fails[arm]:
            yield event("error", 500, **names)
        if chances[3] < effect.reaches[arm]:
            yield event("reached", self._chance.exponential(20 * MINUTE), goal=one.goal)
