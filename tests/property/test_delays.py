"""Counts do not depend on how long requests are under way, how often they are sent, and in which order they arrive."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from hypothesis import given, seed, settings
from hypothesis import strategies as st

from abtest.domain.ledger.cells import Counts
from abtest.domain.ledger.events import Row
from abtest.domain.ledger.normalise import SERVER, Arrival, Origin, normalise
from abtest.domain.ledger.reference import count
from tests.support.ledgers import BEGIN, EXPERIMENT, SHOP, VARIATIONS, goal, plan
from tests.support.sizes import sized

SEED = 20261123
LONGEST_MS = 240_000
"""Longest way of a request. It hides no clock that must be corrected."""

MINUTE, DAY = 60_000, 86_400_000
CLOCKS = (
    *(0, 0, 0, 800, 30_000, 50_000, 59_000),
    *(301_000, 10 * MINUTE, 60 * MINUTE, -30_000, -600_000, -901_000, -20 * MINUTE, -DAY, -3 * DAY),
)
"""Milliseconds by which clocks are ahead: right, within tolerance in spite of any delay here, or wrong beyond doubt."""

BEHIND_MS = 15 * MINUTE
PLAN = plan(
    goal("click", "custom", event_name="click"),
    goal("clicks", "custom", event_name="click", count_once=False),
    goal("money", "revenue"),
)
LATE = BEGIN + 3_600_000
"""Long enough after the beginning that no first exposure falls before it."""

KINDS = ("click", "click", "exposure", "order")
SOURCES = ("search", "email", "direct")


@dataclass(frozen=True)
class Happened:
    """An event: its true time, and the clock of its sender."""

    event_id: str
    visitor: str
    kind: str
    at: int
    ahead: int
    origin: Origin

    def wire(self) -> dict[str, Any]:
        """Return the event as its sender makes it."""
        sent = {"eventId": self.event_id, "visitorId": self.visitor, "ts": self.at + self.ahead}
        number = int(self.event_id.rpartition("-")[2])
        if self.kind == "click":
            return {**sent, "type": "custom", "data": {"event_name": "click"}}
        if self.kind == "order":
            money = {"orderId": f"o-{self.visitor}", "revenue": f"{self.worth}.00", "currency": "EUR"}
            return {**sent, "type": "order", "data": money}
        shown = {"experimentId": EXPERIMENT, "variationId": variation_of(self.visitor), "assignment_epoch": 2}
        return {**sent, "type": "experiment_viewed", **shown, "data": {"source": SOURCES[number % len(SOURCES)]}}

    @property
    def worth(self) -> int:
        """Return an amount by which the events of one order differ."""
        return 1 + int(self.event_id.rpartition("-")[2])


def variation_of(visitor: str) -> str:
    """Return the variation of a visitor."""
    return VARIATIONS[len(visitor) % len(VARIATIONS)]


@dataclass(frozen=True)
class Visit:
    """A visitor: who sends the events, the error of that clock, and kinds with the time since the event before."""

    name: str
    is_server: bool
    ahead: int
    steps: Sequence[tuple[str, int]]

    def events(self, longest: int) -> Iterator[Happened]:
        """Yield the events of the sender, and two clicks from another kind of sender, whose clock is right."""
        at, origins = LATE, [SERVER, Origin(is_browser=True)]
        exposures = []
        for number, (kind, pause) in enumerate(self.steps):
            at += pause
            exposures += [at] if kind == "exposure" else []
            yield Happened(f"{self.name}-{number}", self.name, kind, at, self.ahead, origins[not self.is_server])
        if exposures:
            # At the latest moment of arrival, and before the earliest moment that a clock within tolerance has.
            for number, moment in enumerate((exposures[0] + 250 + longest, exposures[0] - BEHIND_MS - 1), 100):
                yield Happened(f"{self.name}-{number}", self.name, "click", moment, 0, origins[self.is_server])


def arrived(events: Sequence[Happened], ways: Sequence[Sequence[int]]) -> list[Row]:
    """Return the rows of events: each in a request of its own, sent once for each of its ways."""
    rows = []
    for event, delays in zip(events, ways, strict=True):
        # A repeat has a later time of sending, as the browser stamps it.
        for repeat, way in enumerate(delays):
            sent_at = event.at + event.ahead + 250 + repeat * 1_000
            received_at = sent_at - event.ahead + way
            arrival = Arrival(shop_id=SHOP, received_at=received_at, sent_at=sent_at, origin=event.origin)
            row = normalise(event.wire(), arrival, arrival.correction())
            assert isinstance(row, dict), row
            rows.append(row)
    return rows


Totals = dict[tuple[str, ...], int]


def truth(events: Sequence[Happened]) -> Totals:
    """Return what must be counted, from the true times alone."""
    numbers: Counter[tuple[str, ...]] = Counter()
    for visitor in {event.visitor for event in events}:
        variation = variation_of(visitor)
        mine = sorted((each for each in events if each.visitor == visitor), key=lambda each: (each.at, each.event_id))
        shown = [each for each in mine if each.kind == "exposure"]
        if not shown:
            continue
        numbers[variation, "visitors"] += 1
        numbers[variation, "source", shown[0].wire()["data"]["source"]] += 1
        clicks = sum(each.kind == "click" and each.at >= shown[0].at for each in mine)
        numbers[variation, "click"] += min(clicks, 1)
        numbers[variation, "clicks"] += clicks
        orders = [each for each in mine if each.kind == "order"]
        if orders and orders[0].at >= shown[0].at:
            numbers[variation, "money"] += 100 * orders[0].worth
    return dict(+numbers)


def totals(counts: Counts) -> Totals:
    """Return counts by variation: quarters may differ for corrected clocks, by the delay."""
    numbers: Counter[tuple[str, ...]] = Counter()
    for cell, number in counts.visitors.items():
        if cell.dimension == "quarter":
            numbers[cell.variation_id, "visitors"] += number
        elif cell.dimension == "source":
            numbers[cell.variation_id, "source", cell.value] += number
    for goal_id, cells in counts.goals.items():
        for cell, counted in cells.items():
            if cell.dimension == "quarter":
                numbers[cell.variation_id, goal_id] += counted.total
    return dict(+numbers)


steps = st.lists(st.tuples(st.sampled_from(KINDS), st.sampled_from([0, 1, 700, 5_000, 40_000])), min_size=1, max_size=7)
visits = st.lists(st.tuples(st.booleans(), st.sampled_from(CLOCKS), steps), min_size=1, max_size=5)


@seed(SEED)
@settings(max_examples=sized(2_000, 300), database=None, deadline=None)
@given(drawn=visits, longest=st.sampled_from([0, 9_000, LONGEST_MS]), chance=st.randoms(use_true_random=False))
def test_counts__under_any_delay_repeat_and_order__are_those_of_the_true_order(
    drawn: list[tuple[bool, int, list[tuple[str, int]]]], longest: int, chance: Random
) -> None:
    met = [Visit("v" * (number + 1), *visit) for number, visit in enumerate(drawn)]
    events = [event for visit in met for event in visit.events(longest)]
    late = arrived(events, [[chance.randint(0, longest) for _ in range(chance.randint(1, 3))] for _ in events])
    chance.shuffle(late)
    assert totals(count(late, PLAN)) == truth(events)
