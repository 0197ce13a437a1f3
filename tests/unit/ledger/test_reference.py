"""The rules of counting, one by one, on the reference."""

from collections import Counter
from typing import Any

import pytest

from abtest.domain.ledger.cells import QUARTER, QUARTER_MS, Counts, GoalCount, Money, MoneyCell, SessionCount, Step
from abtest.domain.ledger.events import DAY_MS, Row
from abtest.domain.ledger.plans import COHORTS
from abtest.domain.ledger.reference import count
from tests.support.ledgers import (
    BEGIN,
    BUY_FILTER,
    HOLDOUT_PLAN,
    OTHER_SHOP,
    PLAN,
    SCOPE,
    click,
    delivery,
    exposure,
    goal,
    order,
    plan,
    row,
)

HERE = "https://shop.example/checkout"


def visitors(counts: Counts) -> Counter[str]:
    """By variation."""
    found: Counter[str] = Counter()
    for cell, number in counts.visitors.items():
        found[cell.variation_id] += number if cell.dimension == QUARTER else 0
    return found


def of_goal(counts: Counts, goal_id: str, variation_id: str = "blue") -> GoalCount:
    """A goal's statistics in a variation."""
    found = GoalCount()
    for cell, number in counts.goals[goal_id].items():
        if (cell.variation_id, cell.dimension) == (variation_id, QUARTER):
            found = found.plus(number)
    return found


def money(*rows: Row, **changes: Any) -> GoalCount:
    """What orders of one visitor come to."""
    return of_goal(count([exposure("v-1", "blue"), *rows], plan(goal("money", "revenue", **changes))), "money")


def test_exposure__in_two_variations__sets_the_visitor_aside() -> None:
    found = count([exposure("v-1", "blue"), exposure("v-1", "red", BEGIN + 5), exposure("v-2", "red")], PLAN)
    assert visitors(found) == {"red": 1}
    assert found.multiple_exposure == 1


def test_visitor__in_two_variations__counts_for_no_goal_and_in_no_money() -> None:
    rows = [
        exposure("v-1", "blue"),
        exposure("v-1", "red"),
        click("v-1"),
        order("v-1", 5),
        order("v-1", 5, currency=None),
    ]
    found = count(rows, PLAN)
    assert not any(found.goals.values())
    assert not any(found.money.values())
    assert not any(found.spread.values())


@pytest.mark.parametrize(
    ("changes", "counts"),
    [
        ({}, 1),
        ({"ts": BEGIN - 1}, 0),
        ({"ts": BEGIN + 5, "received_at": BEGIN - 1}, 0),
        ({"ts": BEGIN + 5, "received_at": BEGIN}, 1),
        ({"assignment_epoch": 1}, 0),
        ({"assignment_epoch": None}, 1),
        ({"experiment_id": "exp-2"}, 0),
        ({"variation_id": "gone"}, 0),
        ({"qa_mode": True}, 0),
        ({"shop_id": OTHER_SHOP}, 0),
        ({"type": "goal"}, 0),
    ],
)
def test_exposure__counts__in_this_epoch_experiment_and_shop(changes: dict[str, Any], counts: int) -> None:
    assert visitors(count([exposure("v-1", "blue", **changes)], PLAN))["blue"] == counts


def test_exposure__of_a_visitor__is_the_first_by_time_then_event_id() -> None:
    rows = [
        exposure("v-1", "blue", BEGIN + QUARTER_MS, device="tablet"),
        exposure("v-1", "blue", BEGIN + 1, event_id="b", device="mobile", country="DE"),
        exposure("v-1", "blue", BEGIN + 1, event_id="a", device="desktop", source="email"),
    ]
    found = count(rows, PLAN)
    day, quarter = BEGIN // DAY_MS, BEGIN // QUARTER_MS
    assert found.visitors == {
        ("blue", "quarter", quarter, ""): 1,
        ("blue", "device", day, "desktop"): 1,
        ("blue", "country", day, "unknown"): 1,
        ("blue", "visitor_kind", day, "unknown"): 1,
        ("blue", "source", day, "email"): 1,
        ("blue", "device+country", day, "desktop|unknown"): 1,
        ("blue", "device+visitor_kind", day, "desktop|unknown"): 1,
        ("blue", "device+source", day, "desktop|email"): 1,
        ("blue", "country+visitor_kind", day, "unknown|unknown"): 1,
        ("blue", "country+source", day, "unknown|email"): 1,
        ("blue", "visitor_kind+source", day, "unknown|email"): 1,
    }


def test_goal__of_a_converter__stands_in_all_cells_of_the_visitor() -> None:
    found = count([exposure("v-1", "blue", device="mobile"), click("v-1"), exposure("v-2", "blue")], PLAN)
    assert found.goals["click"].keys() <= found.visitors.keys()
    assert len(found.goals["click"]) == 11
    assert set(found.goals["click"].values()) == {GoalCount(1, 1, 1, 1)}


def test_goal__before_its_exposure__does_not_count_and_from_it_on_does() -> None:
    rows = [exposure("v-1", "blue", BEGIN + 10), exposure("v-2", "blue", BEGIN + 10)]
    assert of_goal(count([*rows, click("v-1", BEGIN + 9), click("v-2", BEGIN + 10)], PLAN), "click").converters == 1


def test_goal__after_its_window__does_not_count() -> None:
    windowed = plan(goal("click", window_ms=1000))
    rows = [exposure("v-1", "blue"), exposure("v-2", "blue"), click("v-1", BEGIN + 999), click("v-2", BEGIN + 1000)]
    assert of_goal(count(rows, windowed), "click").converters == 1


def test_goal__once_a_visitor__counts_hits_once_and_otherwise_all() -> None:
    clicks = [click("v-1", BEGIN + second, goal_id) for second in (1, 2, 3) for goal_id in ("click", "clicks")]
    found = count([exposure("v-1", "blue"), *clicks], PLAN)
    assert of_goal(found, "click") == (1, 1, 1, 1)
    assert of_goal(found, "clicks") == (1, 3, 3, 9)


def test_custom_goal__counts_its_event_and_goal_events_with_its_id() -> None:
    rows = [
        row(type="custom", event_id="c", event_name="sign_up", ts=BEGIN + 1),
        row(type="custom", event_id="d", event_name="other", ts=BEGIN + 1),
        click("v-1", goal_id="signup"),
    ]
    signups = plan(goal("signup", "custom", event_name="sign_up", count_once=False))
    assert of_goal(count([exposure("v-1", "blue"), *rows], signups), "signup").hits == 2


def test_goal__with_a_filter_or_scope__counts_what_both_accept() -> None:
    both = goal("g", "custom", event_name="e", count_once=False, filter=BUY_FILTER, scope=SCOPE)
    rows = [
        row(type="custom", event_name="e", event_id=f"{data}{url}", ts=BEGIN + 1, data=data, url=url)
        for data in ("{}", '{"plan":"pro"}')
        for url in (None, HERE)
    ]
    assert of_goal(count([exposure("v-1", "blue"), *rows], plan(both)), "g").hits == 1


def test_goal__that_sums_values__takes_every_hit_though_it_counts_once() -> None:
    summing = goal("g", "custom", event_name="e", count_once=True, sums_value=True)
    rows = [
        row(type="custom", event_name="e", event_id=str(number), ts=BEGIN + number, data=f'{{"value":{number}.5}}')
        for number in (1, 2)
    ]
    rows.append(row(type="custom", event_name="e", event_id="none", ts=BEGIN + 3))
    assert of_goal(count([exposure("v-1", "blue"), *rows], plan(summing)), "g") == (1, 3, 400, 160_000)


def test_copies__of_an_event__count_once_and_the_first_received_stands() -> None:
    first, again = order("v-1", 500, event_id="o"), order("v-1", 900, event_id="o", received_at=BEGIN + 9)
    assert money(again, first, again) == money(first) == (1, 1, 500, 250_000)


def test_copies__received_at_once__are_told_apart_by_their_content() -> None:
    rows = [order("v-1", minor, event_id="o") for minor in (900, 500, 700)]
    assert money(*rows) == money(*reversed(rows)) == (1, 1, 500, 250_000)


def test_copies__that_differ_in_context_only__are_told_apart_too() -> None:
    rows = [exposure("v-1", "blue", event_id="x", device=device) for device in ("mobile", "desktop", None)]
    assert count(rows, PLAN) == count(rows[::-1], PLAN)


def test_same_event_id__of_another_shop__is_another_event() -> None:
    rows = [exposure("v-1", "blue", event_id="e", shop_id=OTHER_SHOP, ts=BEGIN), exposure("v-1", "blue", event_id="e")]
    assert visitors(count(rows, PLAN))["blue"] == 1


def test_order__whose_id_comes_again__counts_as_the_first() -> None:
    assert money(order("v-1", 500, order_id="1"), order("v-1", 700, BEGIN + 2, order_id="1")) == (1, 1, 500, 250_000)


def test_orders__of_one_visitor__are_summed_before_they_are_squared() -> None:
    assert money(order("v-1", 300, order_id="1"), order("v-1", 400, order_id="2"), order("v-1", 0)) == (
        1,
        3,
        700,
        490_000,
    )


def test_order__first_of_a_visitor_who_is_not_exposed__does_not_count_for_another() -> None:
    assert money(order("v-9", 500, order_id="1"), order("v-1", 500, BEGIN + 2, order_id="1")).converters == 0


def test_order__whose_first_row_the_filter_refuses__does_not_count_by_a_later_row() -> None:
    large = {"version": 1, "orderValue": [{"operator": "gte", "value": 6}]}
    assert (
        money(order("v-1", 500, order_id="1"), order("v-1", 700, BEGIN + 2, order_id="1"), filter=large).converters == 0
    )


def test_order__without_an_order_id__is_one_of_its_own() -> None:
    assert money(order("v-1", 500), order("v-1", 500, BEGIN + 2)).hits == 2


def test_revenue_goal__counts_orders_reserved_revenue_and_its_own_goal_events_once_an_order() -> None:
    rows = [
        order("v-1", 100, order_id="1"),
        click("v-1", BEGIN + 2, "__revenue__", order_id="1", revenue_minor=100, currency="EUR"),
        click("v-1", BEGIN + 3, "money", order_id="2", revenue_minor=20, currency="EUR"),
        click("v-1", BEGIN + 4, "other", order_id="3", revenue_minor=3, currency="EUR"),
    ]
    assert money(*rows) == (1, 2, 120, 14_400)


def test_refund__of_an_order__reduces_it_whenever_it_happens() -> None:
    rows = [order("v-1", 500, order_id="1"), order("v-1", 70, order_id="2")]
    late: dict[str, Any] = {"ts": BEGIN + 60 * DAY_MS, "type": "refund", "order_id": "1"}
    assert money(*rows, order("v-9", 200, event_id="r", **late)).total == 370
    assert money(*rows, order("v-9", 600, event_id="r", **late)) == (1, 2, 70, 4_900)
    assert money(*rows, order("v-9", 600, event_id="r", **late | {"order_id": None})).total == 570
    assert money(*rows, order("v-9", 600, event_id="r", **late, currency="USD")).total == 570
    assert money(*rows, order("v-9", 600, event_id="r", **late, qa_mode=True)).total == 570


def test_refund__in_the_shops_money__reduces_an_order_in_another_currency() -> None:
    foreign: dict[str, Any] = {"currency": "USD", "order_id": "1", "shop_currency": "EUR"}
    sold, returned = (
        order("v-1", 1000, shop_revenue_minor=900, **foreign),
        order("v-1", 100, type="refund", shop_revenue_minor=90, **foreign),
    )
    assert money(sold, returned).total == 810


MONEY = plan(goal("money", "revenue"))
AT = BEGIN // QUARTER_MS


@pytest.mark.parametrize(
    ("told", "kind", "currency", "minor", "total"),
    [
        ({"currency": "USD", "shop_revenue_minor": 90, "shop_currency": "EUR"}, "converted", "USD", 90, 90),
        ({"currency": None, "shop_revenue_minor": 90, "shop_currency": "EUR"}, "converted", "", 90, 90),
        ({"currency": "USD", "shop_revenue_minor": 90, "shop_currency": "SEK"}, "foreign", "USD", 100, None),
        ({"currency": "USD"}, "foreign", "USD", 100, None),
        ({"currency": None}, "unknown", "", 100, None),
        ({"currency": None, "revenue_minor": None}, "unknown", "", 0, None),
        ({"revenue_minor": None}, "unknown", "", 0, None),
    ],
)
def test_money__that_is_not_the_plans__is_told_apart(
    told: dict[str, Any], kind: str, currency: str, minor: int, total: int | None
) -> None:
    found = count([exposure("v-1", "blue"), order("v-1", 100, **told)], MONEY)
    assert found.money == {"money": {MoneyCell("blue", AT, kind, currency): Money(1, minor)}}
    assert of_goal(found, "money") == (GoalCount() if total is None else GoalCount(1, 1, total, total**2))


def test_money__of_the_plan__is_not_told_apart_though_the_shop_names_it_twice() -> None:
    found = count([exposure("v-1", "blue"), order("v-1", 100, shop_revenue_minor=90, shop_currency="EUR")], MONEY)
    assert found.money == {"money": {}}
    assert of_goal(found, "money").total == 100


def test_money__that_is_converted__is_told_net_of_refunds() -> None:
    told: dict[str, Any] = {"currency": "USD", "order_id": "1", "shop_currency": "EUR"}
    rows = [order("v-1", 100, shop_revenue_minor=90, **told), order("v-1", 30, type="refund", order_id="1")]
    found = count([exposure("v-1", "blue"), *rows], MONEY)
    assert found.money["money"] == {MoneyCell("blue", AT, "converted", "USD"): Money(1, 60)}


def test_spread__has_a_step_for_each_three_digit_ceiling() -> None:
    amounts = {"v-1": 123_001, "v-2": 123_999, "v-3": 124_001, "v-4": 0, "v-5": 999}
    rows = [each for visitor, amount in amounts.items() for each in (exposure(visitor, "red"), order(visitor, amount))]
    found = count(rows, plan(goal("money", "revenue", winsorize_pct=0.1), goal("plain", "revenue")))
    assert found.spread == {
        "money": {
            Step("red", 124_000): GoalCount(2, 2, 247_000, 123_001**2 + 123_999**2),
            Step("red", 125_000): GoalCount(1, 1, 124_001, 124_001**2),
            Step("red", 0): GoalCount(1, 1, 0, 0),
            Step("red", 999): GoalCount(1, 1, 999, 999**2),
        }
    }


def test_sessions__are_seen_failed_and_missed_by_the_variation_that_rows_name() -> None:
    rows = [
        exposure("v-1", "blue", session_id="s"),
        exposure("v-1", "blue", BEGIN + 9, session_id="s"),
        delivery("v-1", "blue", "sdk_perf", session_id="s"),  # given up on one page, shown on another
        exposure("v-1", "blue", BEGIN + 99, session_id="t"),
        delivery("v-2", "blue", "sdk_perf", session_id="s"),  # another visitor's: missed
        delivery("v-2", "blue", "sdk_error", session_id="s"),
        delivery("v-3", "red", "sdk_error"),
        exposure("v-3", "blue", BEGIN + 5),  # of another variation, in the same session
    ]
    assert count(rows, PLAN).sessions == {"blue": SessionCount(4, 1, 1), "red": SessionCount(1, 1, 0)}


def test_session__with_an_exposure_of_a_server_without_sticky__is_counted_once() -> None:
    rows = [
        exposure("v-1", "blue", event_name="without_sticky"),
        exposure("v-1", "blue", BEGIN + 9, event_name="without_sticky"),
        exposure("v-2", "blue"),
        delivery("v-2", "blue", "sdk_error", event_name="without_sticky"),
    ]
    assert count(rows, PLAN).sessions == {"blue": SessionCount(2, 1, 0, without_sticky=1)}


def test_session__whose_selectors_match_nothing__did_not_fail() -> None:
    rows = [
        exposure("v-1", "blue"),
        delivery("v-1", "blue", "sdk_error", BEGIN + 9, event_name="selector_missing"),
        delivery("v-2", "blue", "sdk_error", event_name="selector_missing"),
        delivery("v-2", "blue", "sdk_error", BEGIN + 9),  # and it failed, too
        delivery("v-3", "blue", "sdk_perf", event_name="selector_missing"),
    ]
    assert count(rows, PLAN).sessions == {"blue": SessionCount(3, 1, 1, unmatched=2)}


def test_session__that_is_not_told__is_named_as_its_visitor() -> None:
    rows = [
        exposure("v-1", "blue", session_id=None),
        delivery("v-1", "blue", "sdk_perf", session_id=""),
        delivery("v-1", "blue", "sdk_error", session_id="v-1"),
        delivery("v-1", "blue", "sdk_perf", session_id="v-2"),
    ]
    assert count(rows, PLAN).sessions == {"blue": SessionCount(2, 1, 1)}


@pytest.mark.parametrize(
    ("changes", "seen"),
    [
        ({}, 1),
        ({"assignment_epoch": None}, 1),
        ({"assignment_epoch": 1}, 0),
        ({"experiment_id": "another"}, 0),
        ({"experiment_id": None}, 0),
        ({"variation_id": "gone"}, 0),
        ({"variation_id": None}, 0),
        ({"qa_mode": True}, 0),
        ({"ts": BEGIN - 1}, 0),
        ({"type": "edge_perf"}, 0),
        ({"shop_id": OTHER_SHOP}, 0),
    ],
)
def test_session__counts__in_this_epoch_experiment_and_shop(changes: dict[str, Any], seen: int) -> None:
    rows = [delivery("v-1", "blue", "sdk_perf", **changes)] * 2
    assert count(rows, PLAN).sessions == ({"blue": SessionCount(1, 0, 1)} if seen else {})


def test_sessions__of_visitors_set_aside__are_counted() -> None:
    found = count([exposure("v-1", "blue"), exposure("v-1", "red", BEGIN + 5)], PLAN)
    assert (found.multiple_exposure, found.sessions) == (1, dict.fromkeys(("blue", "red"), SessionCount(1)))


def test_copies__that_differ_in_their_session_only__are_told_apart() -> None:
    copies = [exposure("v-1", "blue", event_id="x", session_id=session) for session in ("s-2", "s-1")]
    perf = delivery("v-1", "blue", "sdk_perf", session_id="s-1")
    for rows in (copies, copies[::-1]):
        assert count([*rows, perf], PLAN).sessions == {"blue": SessionCount(1)}


def test_holdout__has_no_sessions() -> None:
    rows = [
        row(cohort="active", holdout_config_epoch=BEGIN),
        delivery("v-1", "active", "sdk_perf", experiment_id=HOLDOUT_PLAN.experiment_id, assignment_epoch=None),
    ]
    assert count(rows, HOLDOUT_PLAN).sessions == {}


def test_holdout__is_counted_by_the_cohort_of_page_views() -> None:
    told: dict[str, Any] = {"holdout_config_epoch": BEGIN, "device": "mobile"}
    rows = [
        row(event_id="1", visitor_id="v-1", cohort="holdout", **told),
        row(event_id="2", visitor_id="v-2", cohort="active", **told),
        row(event_id="3", visitor_id="v-3", cohort="active", holdout_config_epoch=BEGIN - 1),
        row(event_id="4", visitor_id="v-4", cohort="active"),
        row(event_id="5", visitor_id="v-5", holdout_config_epoch=BEGIN),
        row(event_id="6", visitor_id="v-6", cohort="active", type="identify", **told),
        exposure("v-7", "active", cohort="active", **told),
        order("v-1", 100),
        order("v-3", 100),
        click("v-2", BEGIN + 400 * DAY_MS, "__revenue__", revenue_minor=50, currency="EUR"),
    ]
    found = count(rows, HOLDOUT_PLAN)
    assert visitors(found) == dict.fromkeys(COHORTS, 1)
    assert of_goal(found, "__revenue__", "holdout") == (1, 1, 100, 10_000)
    assert of_goal(found, "__revenue__", "active") == (1, 1, 50, 2_500)


def test_holdout__of_a_visitor_in_both_cohorts__is_set_aside() -> None:
    rows = [row(event_id=cohort, cohort=cohort, holdout_config_epoch=BEGIN) for cohort in COHORTS]
    assert count(rows, HOLDOUT_PLAN).multiple_exposure == 1


def test_counts__without_rows__name_every_goal() -> None:
    found = count([], PLAN)
    assert found.visitors == {}
    assert found.goals == {each.goal_id: {} for each in PLAN.goals}
    assert found.money == {each.goal_id: {} for each in PLAN.goals if each.lists_money}
    assert found.spread == {"values": {}, "money": {}}
    assert found.through is None


def test_through__is_the_newest_receipt_whatever_the_row() -> None:
    rows = [exposure("v-1", "blue"), row(type="sdk_perf", received_at=BEGIN + 99, qa_mode=True)]
    rows.append(row(event_id="other", shop_id=OTHER_SHOP, received_at=BEGIN + 500))
    assert count(rows, PLAN).through == BEGIN + 99
