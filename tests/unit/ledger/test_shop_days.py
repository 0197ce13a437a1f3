"""A shop's day: activity and distinct visitors of any zone's day, orders, steps, segments, what new rows touch."""

import random
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, seed, settings
from hypothesis import strategies as st

from abtest.domain.ledger.cells import QUARTER_MS, Money
from abtest.domain.ledger.daily_counts import date_of
from abtest.domain.ledger.events import DAY_MS, HOUR_MS, Row
from abtest.domain.ledger.rows import happened_at
from abtest.domain.ledger.shop_days import (
    PASSIVE,
    Activity,
    OrderCell,
    OrderMoment,
    SegmentCount,
    ShopDay,
    Stitch,
    distinct_visitors,
    shop_day,
    touched_days,
)
from tests.support.ledgers import BEGIN, OTHER_SHOP, SHOP, click, exposure, ledgers, order, row

DATE = "2026-02-02"
MIDNIGHT = BEGIN // DAY_MS * DAY_MS
ZONES = (
    "UTC",
    "Asia/Kathmandu",
    "Australia/Lord_Howe",
    "America/St_Johns",
    "Pacific/Kiritimati",
    "Pacific/Niue",
    "Europe/Berlin",
    "America/New_York",
    "Pacific/Chatham",
)


def day(*rows: Row) -> ShopDay:
    return shop_day(rows, SHOP, DATE, "EUR")


def view(visitor_id: str, at: int, **changes: Any) -> Row:
    """A page view `at` milliseconds after midnight."""
    ts = MIDNIGHT + at
    return row(
        **({"event_id": f"p-{visitor_id}-{at}", "visitor_id": visitor_id, "ts": ts, "received_at": ts} | changes)
    )


def bought(visitor_id: str, minor: int | None, at: int = HOUR_MS, **changes: Any) -> Row:
    """An order `at` milliseconds after midnight."""
    return order(visitor_id, minor, **({"ts": MIDNIGHT + at, "received_at": MIDNIGHT + at} | changes))


def test_activity__tells_how_long_ago_the_visitor_was_last_active() -> None:
    quarters = [-99, 0, 0, 1, 95, 96]
    rows = [view("v-1", quarter * QUARTER_MS + index, event_id=str(index)) for index, quarter in enumerate(quarters)]
    found = day(*rows, view("v-2", -100 * QUARTER_MS), view("v-2", QUARTER_MS - 1))
    assert found.activity == {Activity(0, 99): 1, Activity(1, 1): 1, Activity(95, 94): 1, Activity(0, 0): 1}


@pytest.mark.parametrize("kind", sorted(PASSIVE))
def test_activity__is_no_event_that_nobodys_visit_is_about(kind: str) -> None:
    found = day(view("v-1", 0, type=kind))
    assert found.activity == {}
    assert found.steps["visited"] == 0
    assert found.events == {kind: 1}


def test_day__of_qa_events_copies_and_other_shops__has_nothing_of_them() -> None:
    rows = [view("v-1", 0, qa_mode=True), view("v-2", 0), view("v-2", 0), view("v-3", 0, shop_id=OTHER_SHOP)]
    assert day(*rows).events == {"pageview": 1}


def test_day__ends_at_midnight() -> None:
    rows = [view("v-1", -1), view("v-2", 0), view("v-3", DAY_MS - 1), view("v-4", DAY_MS)]
    assert day(*rows).steps["visited"] == 2


def test_orders__stand_by_quarter_and_kind_net_of_later_refunds() -> None:
    late: dict[str, Any] = {"type": "refund", "ts": MIDNIGHT + 30 * DAY_MS, "received_at": MIDNIGHT + 30 * DAY_MS}
    usd: dict[str, Any] = {"currency": "USD", "shop_revenue_minor": 900, "shop_currency": "EUR"}
    found = day(
        bought("v-1", 500, order_id="1"),
        bought("v-1", 300, order_id="2", event_id="second"),
        bought("v-1", 1000, order_id="3", event_id="third", **usd),
        bought("v-1", 700, 5 * HOUR_MS, order_id="4", currency="SEK"),
        bought("v-1", 10, order_id="5", currency=None),
        order("v-1", 200, order_id="1", **late),
        order("v-1", 9000, order_id="2", event_id="refund 2", **late),
        order("v-1", 100, order_id="3", event_id="refund 3", **late),
        order("v-1", 100, order_id="4", event_id="refund 4", **late | {"currency": "SEK"}),
    )
    assert found.orders == {
        OrderCell(4, "own", "EUR"): Money(2, 300),
        OrderCell(4, "converted", "USD"): Money(1, 800),
        OrderCell(20, "foreign", "SEK"): Money(1, 700),
        OrderCell(4, "unknown", ""): Money(1, 10),
    }


def test_order__whose_id_comes_again__counts_on_the_day_of_the_first() -> None:
    rows = [bought("v-1", 500, at, order_id="1") for at in (-1, 1, 2)]
    assert day(*rows).orders == {}
    assert day(*rows[1:]).orders == {OrderCell(0, "own", "EUR"): Money(1, 500)}


def test_repeated_orders__are_order_ids_of_several_events__on_the_day_of_the_first() -> None:
    twice = [bought("v-1", 500, at, order_id="1") for at in (0, 9 * DAY_MS)]
    thrice = [bought(f"v-{at}", 500, at, order_id="2") for at in (1, 2, 3)]
    alone = [bought("v-1", 500, 1, order_id="3"), bought("v-1", 500, 4), bought("v-1", 500, 5), *[twice[0]] * 2]
    assert day(*twice, *thrice, *alone).repeated_orders == 2
    earlier = bought("v-1", 500, -1, order_id="2")
    assert day(earlier, *twice, *thrice).repeated_orders == 1
    visit = [bought("v-1", 500, 6, order_id="3", type="goal", goal_id="__revenue__", event_id="r")]
    assert day(*alone, *visit, bought("v-1", 500, 7, order_id="3", qa_mode=True)).repeated_orders == 0


def test_orders__are_order_events_and_revenue_of_no_particular_goal() -> None:
    money: dict[str, Any] = {"revenue_minor": 5, "currency": "EUR"}
    rows = [click("v-1", goal_id=goal_id, **money) for goal_id in ("__revenue__", "money")]
    assert sum(found.orders for found in day(*rows, bought("v-2", 5)).orders.values()) == 2


def test_steps__are_reached_with_every_later_one() -> None:
    rows = [view(f"v-{number}", 0) for number in range(4)]
    rows.append(row(type="custom", event_id="a", event_name="add_to_cart", visitor_id="v-1"))
    rows.append(row(type="custom", event_id="b", event_name="checkout_started", visitor_id="v-2"))
    rows.append(row(type="goal", event_id="c", event_name="add_to_cart", visitor_id="v-0"))
    steps = {"visited": 4, "added_to_cart": 3, "started_checkout": 2, "purchased": 1}
    assert day(*rows, bought("v-3", 1)).steps == steps


def test_segments__are_told_by_the_first_event_that_knows() -> None:
    found = day(
        view("v-1", 0),
        view("v-1", 2, device="mobile"),
        view("v-1", 3, device="desktop", country="DE"),
        view("v-2", 0),
        view("v-3", 0, type="sdk_perf", device="tablet"),
        bought("v-1", 500, order_id="1", device="desktop"),
        bought("v-1", 70, order_id="2", currency="USD"),
    )
    assert found.segments["device"] == {"mobile": SegmentCount(1, 2, 500, 1), "unknown": SegmentCount(1, 0, 0)}
    assert found.segments["country"] == {"DE": SegmentCount(1, 2, 500, 1), "unknown": SegmentCount(1, 0, 0)}
    assert found.segments["source"] == {"unknown": SegmentCount(2, 2, 500, 1)}


@pytest.mark.parametrize(
    ("before", "stitched"),
    [(0, 1), (1, 1), (7 * DAY_MS, 1), (7 * DAY_MS + 1, 0), (-1, 0)],
)
def test_stitch__asks_for_the_visitor_in_the_seven_days_before(before: int, stitched: int) -> None:
    at = 8 * HOUR_MS
    assert day(view("v-1", at - before), bought("v-1", 5, at)).stitch == Stitch(1, stitched)


def test_stitch__is_by_page_views_and_exposures_of_the_same_visitor() -> None:
    seen = exposure("v-1", "blue", MIDNIGHT, received_at=MIDNIGHT)
    others = [view("v-3", 0), view("v-2", 0, type="identify")]
    assert day(seen, *others, bought("v-1", 5), bought("v-2", 5)).stitch == Stitch(2, 1)


def test_day__does_not_know_rows_older_than_seven_days() -> None:
    old = bought("v-1", 5, -7 * DAY_MS - 1, order_id="1")
    assert day(old, bought("v-1", 6, order_id="1")).orders == {OrderCell(4, "own", "EUR"): Money(1, 6)}


def active_visitors(rows: Iterable[Row], start: int, end: int) -> int:
    """A hand count."""
    counted = [row for row in rows if row["type"] not in PASSIVE and not row["qa_mode"]]
    return len({row["visitor_id"] for row in counted if start <= happened_at(row) < end})


def random_visits(key: int) -> list[Row]:
    chance = random.Random(key)
    return [
        view(f"v-{chance.randrange(40)}", chance.randrange(-4 * DAY_MS, 4 * DAY_MS), event_id=str(index))
        for index in range(300)
    ]


def midnight(day: date, zone: str) -> int:
    return int(datetime(day.year, day.month, day.day, tzinfo=ZoneInfo(zone)).astimezone(UTC).timestamp() * 1000)


@seed(20260202)
@settings(max_examples=60, database=None)
@given(key=st.integers(0, 2**32), zone=st.sampled_from(ZONES), offset=st.integers(-1, 1))
def test_distinct_visitors__of_a_day_in_any_zone__equal_a_hand_count(key: int, zone: str, offset: int) -> None:
    rows, local = random_visits(key), date(2026, 2, 2) + timedelta(days=offset)
    start, end = midnight(local, zone), midnight(local + timedelta(days=1), zone)
    days = [shop_day(rows, SHOP, date_of(number), "EUR") for number in range(start // DAY_MS, (end - 1) // DAY_MS + 1)]
    assert distinct_visitors(days, start, end) == active_visitors(rows, start, end) > 0


@pytest.mark.parametrize(
    ("zone", "local", "hours"),
    [
        ("Europe/Berlin", date(2026, 3, 29), 23),
        ("Europe/Berlin", date(2026, 10, 25), 25),
        ("America/New_York", date(2026, 11, 1), 25),
        ("Australia/Lord_Howe", date(2026, 4, 5), 24.5),
        ("Asia/Kathmandu", date(2026, 4, 5), 24),
    ],
)
def test_distinct_visitors__of_the_day_on_which_clocks_change__equal_a_hand_count(
    zone: str, local: date, hours: float
) -> None:
    start, end = midnight(local, zone), midnight(local + timedelta(days=1), zone)
    assert end - start == hours * HOUR_MS
    shift = start // DAY_MS * DAY_MS - MIDNIGHT
    rows = [
        visit | {"ts": visit["ts"] + shift, "received_at": visit["received_at"] + shift} for visit in random_visits(7)
    ]
    # At both ends of the window and just outside, the same visitor.
    for edge, moment in enumerate([start - 1, start, end - 1, end]):
        rows.append(view("v-edge", moment - MIDNIGHT, event_id=f"edge {edge}"))
    days = [shop_day(rows, SHOP, date_of(number), "EUR") for number in range(start // DAY_MS, (end - 1) // DAY_MS + 1)]
    assert distinct_visitors(days, start, end) == active_visitors(rows, start, end)


@pytest.mark.parametrize(("start", "end"), [(1, DAY_MS), (0, DAY_MS + 1), (0, 101 * QUARTER_MS), (DAY_MS, 0)])
def test_distinct_visitors__of_no_such_window__is_refused(start: int, end: int) -> None:
    with pytest.raises(ValueError, match="quarters"):
        distinct_visitors([], start, end)


def test_distinct_visitors__of_25_hours__is_the_longest_window() -> None:
    assert distinct_visitors([day(view("v-1", 0))], MIDNIGHT, MIDNIGHT + 25 * HOUR_MS) == 1


@seed(20260202)
@settings(max_examples=80, database=None)
@given(ledger=ledgers, order=st.randoms(use_true_random=False))
def test_day__of_rows_repeated_in_another_order__is_the_same(ledger: list[Row], order: random.Random) -> None:
    shuffled = ledger + [order.choice(ledger) for _ in ledger]
    order.shuffle(shuffled)
    assert day(*shuffled) == day(*ledger)


def moments(rows: Iterable[Row]) -> list[OrderMoment]:
    return [OrderMoment(row["order_id"] or "", row["visitor_id"], happened_at(row)) for row in rows if _reports(row)]


def _reports(row: Row) -> bool:
    return row["type"] == "order" or (row["type"] == "goal" and row["goal_id"] == "__revenue__")


def days_of(rows: Sequence[Row]) -> Mapping[str, ShopDay]:
    numbers = range(MIDNIGHT // DAY_MS - 12, MIDNIGHT // DAY_MS + 13)
    return {date_of(number): shop_day(rows, SHOP, date_of(number), "EUR") for number in numbers}


@seed(20260202)
@settings(max_examples=60, database=None)
@given(ledger=ledgers, share=st.floats(0.5, 1))
def test_touched_days__of_new_rows__hold_every_day_that_differs(ledger: list[Row], share: float) -> None:
    own = [row for row in ledger if row["shop_id"] == SHOP]
    old, new = own[: int(share * len(own))], own[int(share * len(own)) :]
    ids = {row["event_id"] for row in new}
    copies = [row for row in old if row["event_id"] in ids]
    before, after = days_of(old), days_of(own)
    changed = {name for name in after if after[name] != before[name]}
    assert changed <= touched_days([*new, *copies], moments(own))


def test_touched_days__of_a_visit__are_its_own_and_those_that_its_gap_reaches() -> None:
    assert touched_days([view("v-1", 0)], []) == {"2026-02-02", "2026-02-03"}
    assert touched_days([view("v-1", DAY_MS - 1)], []) == {"2026-02-02", "2026-02-03", "2026-02-04"}
    assert touched_days([view("v-1", 0, type="sdk_perf")], []) == {DATE}
    assert touched_days([view("v-1", 0, qa_mode=True)], []) == set()


def test_touched_days__of_a_refund__are_its_own_and_that_of_the_order() -> None:
    refund = bought("v-9", 5, type="refund", order_id="1")
    known = [OrderMoment("1", "v-1", MIDNIGHT - 40 * DAY_MS), OrderMoment("2", "v-1", MIDNIGHT - 20 * DAY_MS)]
    assert touched_days([refund], known) == {DATE, date_of(MIDNIGHT // DAY_MS - 40)}


def test_touched_days__of_a_late_page_view__are_those_of_the_orders_that_it_stitches() -> None:
    known = [OrderMoment("", "v-1", MIDNIGHT + at) for at in (6 * DAY_MS, 7 * DAY_MS, 7 * DAY_MS + 1, 8 * DAY_MS)]
    assert touched_days([view("v-1", 0)], known) == {DATE, "2026-02-03", "2026-02-08", "2026-02-09"}
