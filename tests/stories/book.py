"""What was sent about one experiment, counted visitor by visitor as each event comes in."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from tests.stories.evidence import Arm
from tests.stories.shoppers import Event

QUARTER = 15 * 60_000


class Counts(NamedTuple):
    """Visitors, those who reached the goal, those who bought, orders, cents, and the squares of a visitor's cents."""

    visitors: int = 0
    reached: int = 0
    buyers: int = 0
    orders: int = 0
    money: int = 0
    squares: int = 0

    def plus(self, other: Counts, sign: int = 1) -> Counts:
        """The sum of both, or the difference."""
        return Counts(*(own + sign * more for own, more in zip(self, other, strict=True)))


@dataclass
class _Person:
    """All that is known of a visitor: exposures as (time, event id, variation), hits of the goal, orders."""

    seen: list[tuple[int, str, str]] = field(default_factory=list)
    reached: list[int] = field(default_factory=list)
    orders: list[tuple[int, int]] = field(default_factory=list)


@dataclass(frozen=True)
class _Part:
    """What a visitor adds: to a variation, or None to those who saw two."""

    variation: str | None
    first_seen: int = 0
    reached: int = 0
    orders: int = 0
    minor: int = 0


class Book:
    """One experiment; `begins` in Unix ms. Events count once, as often as they are sent."""

    def __init__(self, experiment: str, variations: tuple[str, str], goal: str, begins: int) -> None:
        self.experiment, self.variations, self.goal, self.begins = experiment, variations, goal, begins
        self.twice = 0
        self._people: defaultdict[str, _Person] = defaultdict(_Person)
        self._parts: dict[str, _Part] = {}
        self._sums = {variation: Counts() for variation in variations}
        self._quarters: dict[str, dict[int, Counts]] = {each: {} for each in variations}
        self._sessions: dict[str, dict[tuple[str, str], bool]] = {each: {} for each in variations}

    def note(self, event: Event) -> None:
        """An event that was sent for the first time."""
        if event["qa"] or event["at"] < self.begins:
            return
        person = self._people[event["visitor"]]
        if event["kind"] == "order":
            person.orders.append((event["at"], event["minor"]))
        elif event["kind"] == "reached" and event["goal"] == self.goal:
            person.reached.append(event["at"])
        elif event.get("experiment") == self.experiment:
            session = (event["visitor"], event["session"])
            sessions = self._sessions[event["variation"]]
            sessions[session] = sessions.get(session, False) or event["kind"] == "error"
            if event["kind"] == "seen":
                person.seen.append((event["at"], event["id"], event["variation"]))
        else:
            return
        self._count_again(event["visitor"], person)

    def converted(self, variation: str, start: int = 0, end: int | None = None) -> Arm:
        """The variation in the goal that is reached or not.

        Only visitors first seen from one quarter of an hour on, before another one, in quarters since 1970, if given.
        """
        visitors, reached, *_ = self._counts(variation, start, end)
        return Arm(visitors, reached, reached, reached, reached)

    def paid(self, variation: str, start: int = 0, end: int | None = None) -> Arm:
        """The variation in money, in cents, of the same visitors."""
        visitors, _, *money = self._counts(variation, start, end)
        return Arm(visitors, *money)

    def quarters(self, variation: str) -> Mapping[int, Counts]:
        """By the quarter of an hour in which visitors were first seen what they did until now."""
        return self._quarters[variation]

    def sessions(self, variation: str) -> tuple[int, int]:
        """Sessions that met the variation, and those of them in which it failed."""
        found = self._sessions[variation]
        return len(found), sum(found.values())

    def arrived(self, variation: str, start: int, end: int) -> int:
        """New visitors from one quarter of an hour on, before another one, in quarters since 1970."""
        return self._counts(variation, start, end).visitors

    def last_arrival(self, variation: str) -> int:
        """The last quarter of an hour in which somebody came."""
        return max((quarter for quarter, counts in self._quarters[variation].items() if counts.visitors), default=-1)

    def _counts(self, variation: str, start: int, end: int | None) -> Counts:
        if not start and end is None:
            return self._sums[variation]
        whole = Counts()
        for quarter, counts in self._quarters[variation].items():
            if start <= quarter and (end is None or quarter < end):
                whole = whole.plus(counts)
        return whole

    def _count_again(self, visitor: str, person: _Person) -> None:
        before, now = self._parts.get(visitor), _part(person)
        if before is not None:
            self._add(before, -1)
        if now is not None:
            self._parts[visitor] = now
            self._add(now, 1)

    def _add(self, part: _Part, sign: int) -> None:
        if part.variation is None:
            self.twice += sign
            return
        added = Counts(1, min(part.reached, 1), min(part.orders, 1), part.orders, part.minor, part.minor**2)
        self._sums[part.variation] = self._sums[part.variation].plus(added, sign)
        quarters, quarter = self._quarters[part.variation], part.first_seen // QUARTER
        quarters[quarter] = quarters.get(quarter, Counts()).plus(added, sign)


def _part(person: _Person) -> _Part | None:
    if not person.seen:
        return None
    if len({variation for _, _, variation in person.seen}) > 1:
        return _Part(None)
    first, _, variation = min(person.seen)
    paid = [minor for at, minor in person.orders if at >= first]
    return _Part(variation, first, sum(at >= first for at in person.reached), len(paid), sum(paid))
