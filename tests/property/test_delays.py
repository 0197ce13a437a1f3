"""Counts do not depend on how long requests are under way, how often they are sent, and in which order they arrive."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from hypothesis import given, seed, settings
from hypothesis import strategies as st

from abtest.domain.ledger.cells import Counts
from abtest.domain.ledger.events import Row
from abtest.domain.ledger.normalise import Arrival, normalise
from abtest.domain.ledger.reference import count
from tests.support.ledgers import BEGIN, EXPERIMENT, SHOP, VARIATIONS, goal, plan
from tests.support.sizes import sized

SEED = 20261123
LONGEST_MS = 240_000
"""Longest way of a request. It hides no clock that must be corrected."""

CLOCKS = (0, 0, 0, 800, 30_000, 59_000, 301_000, 3_600_000, -30_000, -600_000, -901_000, -86_400_000)
"""Milliseconds by which clocks are ahead: right, within tolerance in spite of any delay here, or wrong beyond doubt."""

PLAN = plan(goal("click"), goal("clicks", count_once=False), goal("money", "revenue"))
LATE = BEGIN + 3_600_000
"""Long enough after the beginning that no first exposure falls before it."""


@dataclass(frozen=True)
class Visit:
    """A visitor: the error of the clock, and seconds from one event to the next."""

    name: str
    ahead: int
    pauses: Sequence[int]

    def wires(self) -> list[dict[str, Any]]:
        """Return the events as the browser makes them: an exposure between two clicks, an order, clicks after it."""
        at, events = LATE, []
        kinds = ("click", "exposure", "click", "order", "click", "click")
        for number, (kind, pause) in enumerate(zip(kinds, self.pauses, strict=True)):
            at += pause
            event = {"eventId": f"{self.name}-{number}", "visitorId": self.name, "ts": at + self.ahead}
            events.append(event | self._content(kind))
        return events

    def _content(self, kind: str) -> dict[str, Any]:
        if kind == "click":
            return {"type": "goal", "data": {"goalId": "click"}}
        if kind == "order":
            return {"type": "order", "data": {"orderId": f"o-{self.name}", "revenue": "9.90", "currency": "EUR"}}
        variation = VARIATIONS[len(self.name) % len(VARIATIONS)]
        shown = {"experimentId": EXPERIMENT, "variationId": variation, "assignment_epoch": 2}
        return {"type": "experiment_viewed", **shown}


def arrived(visit: Visit, delays: Sequence[Sequence[int]]) -> list[Row]:
    """Return the rows of the visit: each event in a request of its own, sent once for each of its delays."""
    rows = []
    for event, ways in zip(visit.wires(), delays, strict=True):
        # A repeat has a later time of sending, as the browser stamps it.
        for repeat, way in enumerate(ways):
            sent_at = event["ts"] + 250 + repeat * 1_000
            arrival = Arrival(shop_id=SHOP, received_at=sent_at - visit.ahead + way, sent_at=sent_at)
            row = normalise(event, arrival, arrival.correction())
            assert isinstance(row, dict), row
            rows.append(row)
    return rows


def totals(counts: Counts) -> tuple[Any, ...]:
    """Return visitors and counts by variation: quarters may differ for corrected clocks, by the delay."""
    visitors: dict[str, int] = {}
    goals: dict[tuple[str, str], tuple[int, ...]] = {}
    for cell, number in counts.visitors.items():
        if cell.dimension == "quarter":
            visitors[cell.variation_id] = visitors.get(cell.variation_id, 0) + number
    for goal_id, cells in counts.goals.items():
        for cell, counted in cells.items():
            if cell.dimension == "quarter":
                known = goals.get((goal_id, cell.variation_id), (0,) * len(counted))
                goals[goal_id, cell.variation_id] = tuple(a + b for a, b in zip(known, counted, strict=True))
    return visitors, goals, counts.multiple_exposure


visits = st.lists(
    st.tuples(st.sampled_from(CLOCKS), st.lists(st.sampled_from([0, 1, 700, 5_000, 40_000]), min_size=6, max_size=6)),
    min_size=1,
    max_size=5,
)
ways = st.lists(
    st.lists(st.lists(st.integers(0, LONGEST_MS), min_size=1, max_size=3), min_size=6, max_size=6),
    min_size=5,
    max_size=5,
)


@seed(SEED)
@settings(max_examples=sized(1_000, 150), database=None, deadline=None)
@given(drawn=visits, delays=ways, chance=st.randoms(use_true_random=False))
def test_counts__under_any_delay_repeat_and_order__are_the_same(
    drawn: list[tuple[int, list[int]]], delays: list[list[list[int]]], chance: Any
) -> None:
    met = [Visit("v" * (number + 1), ahead, pauses) for number, (ahead, pauses) in enumerate(drawn)]
    prompt = [row for visit in met for row in arrived(visit, [[0]] * 6)]
    late = [row for visit, way in zip(met, delays, strict=False) for row in arrived(visit, way)]
    chance.shuffle(late)
    assert totals(count(late, PLAN)) == totals(count(prompt, PLAN))
