"""The order of a visitor's events is that of their sender, whenever requests arrive; ours between senders."""

from collections.abc import Iterable
from itertools import permutations

import pytest

from abtest.domain.ledger.events import DAY_MS, Row
from abtest.domain.ledger.normalise import SERVER, Arrival, Origin, normalise
from abtest.domain.ledger.plans import CountingPlan
from abtest.domain.ledger.reference import count
from tests.support.ledgers import BEGIN, EXPERIMENT, SHOP, click, exposure, goal, order, plan

PLAN = plan(goal("click"))
MINUTE = 60_000
AHEAD = pytest.mark.parametrize("ahead", [0, 50_000, 10 * MINUTE, -20 * MINUTE, -3 * DAY_MS])


def hits(rows: Iterable[Row], counting: CountingPlan = PLAN) -> int:
    """Return the converters of the first goal."""
    cells = count(rows, counting).goals[counting.goals[0].goal_id]
    return sum(each.converters for cell, each in cells.items() if cell.dimension == "quarter")


def sent(kind: str, happened: int, received: int, ahead: int, origin: Origin) -> Row:
    """Return the row of an event that happened and arrived then, from a clock that is ahead."""
    content: dict[str, object] = {"type": "goal", "data": {"goalId": "click"}}
    if kind == "exposure":
        content = {"type": "experiment_viewed", "experimentId": EXPERIMENT, "variationId": "blue"}
    event = {"eventId": f"{kind}-{happened}", "visitorId": "v", "ts": happened + ahead, **content}
    arrival = Arrival(shop_id=SHOP, received_at=received, sent_at=happened + ahead + 100, origin=origin)
    row = normalise(event, arrival, arrival.correction())
    assert isinstance(row, dict)
    return row


@AHEAD
@pytest.mark.parametrize("origin", [Origin(is_browser=True), SERVER], ids=["browser", "server"])
@pytest.mark.parametrize("turn", [(0, 8_000), (8_000, 0)], ids=["in order", "reversed"])
@pytest.mark.parametrize(("before", "counted"), [(6_000, 0), (1, 0), (0, 1), (-6_000, 1)])
def test_conversion__before_or_after_its_exposure__counts_by_the_order_of_its_sender(
    ahead: int, origin: Origin, turn: tuple[int, int], before: int, counted: int
) -> None:
    happened, arrives = BEGIN + MINUTE, BEGIN + 2 * MINUTE
    rows = [
        sent("click", happened - before, arrives + turn[0], ahead, origin),
        sent("exposure", happened, arrives + turn[1], ahead, origin),
    ]
    assert hits(rows) == counted


@AHEAD
def test_conversion__of_the_shops_server_ten_seconds_after_a_browsers_exposure__counts(ahead: int) -> None:
    shown = sent("exposure", BEGIN + MINUTE, BEGIN + MINUTE + 300, ahead, Origin(is_browser=True))
    paid = sent("click", BEGIN + MINUTE + 10_000, BEGIN + MINUTE + 10_200, 0, SERVER)
    assert hits([shown, paid]) == 1


@pytest.mark.parametrize("origin", [Origin(is_browser=True), SERVER], ids=["browser", "server"])
def test_conversion__between_exposures_of_two_senders__is_after_the_first(origin: Origin) -> None:
    other = Origin(is_browser=not origin.is_browser)
    shown = [
        sent("exposure", BEGIN + day * DAY_MS, BEGIN + day * DAY_MS + 200, 0, each)
        for day, each in ((0, other), (2, origin))
    ]
    bought = sent("click", BEGIN + DAY_MS, BEGIN + DAY_MS + 200, 0, origin)
    assert hits([*shown, bought]) == 1


@pytest.mark.parametrize("sender", ["browser", "server", None])
@pytest.mark.parametrize(("ts", "counted"), [(BEGIN + 60, 1), (BEGIN + 40, 1), (BEGIN + 10, 0)])
def test_row_without_a_sender__after_the_exposure_by_either_clock__counts(
    sender: str | None, ts: int, counted: int
) -> None:
    """The exposure happened at BEGIN + 50 by its clock, and at BEGIN + 20, when it arrived, by ours."""
    shown = exposure("v-1", "blue", BEGIN + 50, received_at=BEGIN + 20, sender=sender)
    assert hits([shown, click("v-1", ts)]) == counted


def test_first_exposure__of_several__is_that_of_the_sender_in_any_order_of_arrival() -> None:
    sources = ("search", "email", "direct")
    for turns in permutations(range(3)):
        rows = [
            exposure("v-1", "blue", BEGIN + 90_000 + number, received_at=BEGIN + turn, source=source, sender="browser")
            for number, (source, turn) in enumerate(zip(sources, turns, strict=True))
        ]
        values = [cell.value for cell in count(rows, PLAN).visitors if cell.dimension == "source"]
        assert values == ["search"]


def test_first_event_of_an_order__is_that_of_the_sender_in_any_order_of_arrival() -> None:
    paying = plan(goal("money", "revenue"))
    shown = exposure("v-1", "blue", BEGIN + 10_000, received_at=BEGIN + 1, sender="browser")
    for turns in permutations((5, 6)):
        orders = [
            order("v-1", minor, BEGIN + 20_000 + minor, received_at=BEGIN + turn, order_id="o", sender="browser")
            for minor, turn in zip((100, 200), turns, strict=True)
        ]
        cells = count([shown, *orders], paying).goals["money"]
        assert {counted.total for counted in cells.values()} == {100}
