"""What shoppers do and when each event of it is sent: late, twice, out of order, from clocks that are wrong."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random
from typing import Any

from tests.faults.oracle import DAY, Event

MINUTE = 60_000
REPEATED = 0.05
LATEST = 7 * DAY
"""After so much time an event is taken in, after a millisecond more it is not."""


@dataclass(frozen=True)
class Plan:
    """The experiment that shoppers meet."""

    experiment: str
    variations: tuple[str, ...]
    click: str
    signup: str
    paying: str
    revenue: str
    large: str
    begins: int


@dataclass(frozen=True)
class Sending:
    """One event on its way at a moment (Unix ms), from a clock that is `skew` ms ahead of the true time."""

    at: int
    event: Event
    skew: int

    @property
    def is_at_the_last_moment(self) -> bool:
        """A millisecond later it would be refused."""
        happened_at: int = self.event["at"]
        return self.at == happened_at + LATEST


def events_of(plan: Plan, number: int, days: int, chance: Random) -> list[Event]:
    """At least `number` events of shoppers who come over some days, a few of them before the experiment begins."""
    found: list[Event] = []
    visitor = 0
    while len(found) < number:
        visitor += 1
        at = plan.begins - 30 * MINUTE + chance.randrange(days * DAY)
        found += _visit(plan, f"v-{visitor}", at, chance)
    return found


def sendings_of(events: list[Event], until: int, chance: Random) -> list[Sending]:
    """Every event at least once, in the order of sending; about one in twenty is sent again."""
    found: list[Sending] = []
    for event in events:
        # Clocks that are a little ahead are not corrected: such an event happened when it came.
        sent = event["at"] + _delay(chance) if chance.random() < 0.98 else event["at"] - chance.randrange(30 * MINUTE)
        found.append(Sending(min(sent, until), event, event["skew"]))
        if chance.random() < REPEATED:
            again = min(sent + chance.choice([0, 0, 1000, 20 * MINUTE, 5 * 60 * MINUTE]), event["at"] + 6 * DAY)
            found.append(Sending(min(again, until), event, event["skew"]))
    return sorted(found, key=lambda sending: sending.at)


def _delay(chance: Random) -> int:
    """Mostly seconds, sometimes hours, now and then days, seldom the whole seven."""
    kind = chance.random()
    if kind > 0.997:
        return LATEST
    if kind < 0.85:
        return chance.randrange(1, 30_000)
    return chance.randrange(6 * 60 * MINUTE) if kind < 0.97 else chance.randrange(6 * DAY)


def _visit(plan: Plan, visitor: str, at: int, chance: Random) -> Iterator[Event]:
    variation = chance.choice(plan.variations)
    device = chance.choice(["desktop", "mobile", "tablet"])
    qa = chance.random() < 0.01
    skew = chance.choice([0] * 9 + [-20 * MINUTE, 7 * MINUTE, DAY // 2])
    base = {"visitor": visitor, "qa": qa, "device": device, "skew": skew}
    numbers = iter(range(1000))

    def event(kind: str, later: int, **more: Any) -> Event:
        return {"id": f"{visitor}-{next(numbers)}", "kind": kind, "at": at + later, **base, **more}

    seen = {"experiment": plan.experiment}
    if chance.random() < 0.2:
        yield event("click", -chance.randrange(1, 60_000))  # before the exposure: counts nowhere
    yield event("seen", 0, variation=variation, **seen)
    for _ in range(chance.choice([0, 0, 1, 2])):
        yield event("seen", chance.randrange(2 * DAY), variation=variation, **seen)
    if chance.random() < 0.02:
        yield event("seen", chance.randrange(DAY), variation=chance.choice(plan.variations), **seen)
    if chance.random() < 0.1:
        yield event("seen", 5, variation="elsewhere", experiment="another experiment")
    yield from _hits(event, chance)
    if chance.random() < 0.3:
        yield from _purchases(event, visitor, chance)


def _hits(event: Any, chance: Random) -> Iterator[Event]:
    for _ in range(chance.choice([0, 0, 1, 1, 3])):
        yield event("click", chance.randrange(DAY))
    for _ in range(chance.choice([0, 0, 1, 4])):
        # Windows of a day begin with the exposure and end before its last millisecond is over.
        later = chance.choice([chance.randrange(DAY), chance.randrange(2 * DAY), DAY - 1, DAY])
        yield event("signup", later, plan=chance.choice(["free", "paying"]))


def _purchases(event: Any, visitor: str, chance: Random) -> Iterator[Event]:
    for number in range(chance.choice([1, 1, 1, 2, 3])):
        order = chance.choice([f"o-{visitor}-{number}"] * 6 + [f"o-shared-{chance.randrange(50)}", None])
        currency = chance.choice(["EUR"] * 8 + ["USD"])
        minor = chance.choice([chance.randrange(1, 50_000), 10**11])
        money = {"order": order, "currency": currency, "minor": minor}
        yield event("order", chance.randrange(2 * DAY), **money)
        if chance.random() < 0.15:
            yield event("order", chance.randrange(2 * DAY), **money)  # another event of the same order
        if order is not None and chance.random() < 0.2:
            refund = {"order": order, "currency": "EUR", "minor": chance.choice([minor, minor // 3, 2 * minor])}
            yield event("refund", chance.randrange(2 * DAY), **refund)
