"""What visitors did in the fourteen days before their exposure, rule by rule, on the reference."""

from typing import Any

import pytest

from abtest.domain.ledger.cells import Covariate
from abtest.domain.ledger.events import DAY_MS, Row
from abtest.domain.ledger.plans import LOOK_BACK_MS
from abtest.domain.ledger.reference import count
from tests.support.ledgers import BEGIN, LARGE_FILTER, click, exposure, goal, order, plan

AT = BEGIN + DAY_MS
"""The exposure."""


def covariates(*rows: Row, begins_at: int = BEGIN, **changes: Any) -> dict[str, Covariate]:
    """By variation, of a revenue goal."""
    counted = goal("money", "revenue", looks_back=True, **changes)
    return dict(count(rows, plan(counted, begins_at=begins_at)).covariates["money"])


def seen(visitor: str = "v-1", variation: str = "blue") -> Row:
    return exposure(visitor, variation, AT)


def sold(minor: int, ts: int, visitor: str = "v-1", **changes: Any) -> Row:
    """Received when it happened."""
    return order(visitor, minor, ts, received_at=ts, **changes)


def refund(minor: int, ts: int, order_id: str) -> Row:
    return sold(minor, ts, type="refund", order_id=order_id, event_id=f"r-{ts}")


def test_covariate__is_the_sum_before_its_square_and_its_product_with_the_sum_after() -> None:
    rows = [
        *(seen(visitor, variation) for visitor, variation in (("v-1", "blue"), ("v-2", "blue"), ("v-3", "red"))),
        sold(300, AT - 5),
        sold(400, AT - 4),
        sold(50, AT + 1),
        sold(20, AT - 1, "v-2"),
        sold(900, AT + 2, "v-3"),
    ]
    assert covariates(*rows) == {"blue": Covariate(720, 700**2 + 20**2, 700 * 50)}


@pytest.mark.parametrize(
    ("ts", "before", "after"),
    [
        (AT - LOOK_BACK_MS - 1, 0, 0),
        (AT - LOOK_BACK_MS, 7, 0),
        (BEGIN - 1, 7, 0),
        (BEGIN, 7, 0),
        (AT - 1, 7, 0),
        (AT, 0, 7),
    ],
)
def test_covariate__ends_with_the_exposure_and_reaches_back_fourteen_days(ts: int, before: int, after: int) -> None:
    found = count([seen(), sold(7, ts)], plan(goal("money", "revenue", looks_back=True)))
    assert sum(each.total for each in found.covariates["money"].values()) == before
    assert sum(each.total for cell, each in found.goals["money"].items() if cell.dimension == "quarter") == after


def test_covariate__of_a_visitor_who_is_set_aside_or_never_exposed__is_none() -> None:
    rows = [seen(), exposure("v-1", "red", AT + 1), sold(5, AT - 1), sold(6, AT - 1, "v-2")]
    assert covariates(*rows) == {}


def test_covariate__is_measured_as_what_comes_after() -> None:
    told: dict[str, Any] = {"currency": "USD", "shop_revenue_minor": 90, "shop_currency": "EUR"}
    rows = [
        seen(),
        sold(100, AT - 9, **told),
        sold(100, AT - 8, currency="USD"),
        sold(100, AT - 7, currency=None),
        sold(100, AT - 6, qa_mode=True),
        sold(600, AT - 5),
        sold(600, AT - 5),  # the same again
    ]
    assert covariates(*rows) == {"blue": Covariate(690, 690**2, 0)}
    assert covariates(*rows, filter=LARGE_FILTER) == {"blue": Covariate(600, 600**2, 0)}


def test_covariate__order_told_on_both_sides__is_one_order_at_its_first_moment() -> None:
    across = [sold(500, BEGIN - 2, order_id="o-1"), sold(500, AT + 5, order_id="o-1", event_id="again")]
    assert covariates(seen(), *across, sold(3, AT + 9)) == {"blue": Covariate(500, 500**2, 500 * 3)}


def test_covariate__refunds__reduce_it_when_they_are_from_before_the_measurement() -> None:
    """A later one may come of the variation, and what is taken off must not."""
    early = sold(500, BEGIN - 9, order_id="o-1")
    assert covariates(seen(), early, refund(200, BEGIN - 1, "o-1"))["blue"].total == 300
    assert covariates(seen(), early, refund(900, BEGIN - 1, "o-1")) == {}
    assert covariates(seen(), early, refund(200, BEGIN, "o-1"))["blue"].total == 500
    assert covariates(seen(), early, refund(200, AT + 5, "o-1"))["blue"].total == 500


def test_refund__from_before_the_measurement__does_not_reduce_what_comes_after() -> None:
    found = count(
        [seen(), refund(200, BEGIN - 1, "o-1"), sold(500, AT + 1, order_id="o-1")],
        plan(goal("money", "revenue", looks_back=True)),
    )
    assert {each.total for each in found.goals["money"].values()} == {500}


def test_covariate__of_a_goal_that_counts_hits__is_hits() -> None:
    rows = [seen(), *(click("v-1", AT - number, received_at=AT - number) for number in (1, 2, 3)), click("v-1", AT + 1)]
    found = count(rows, plan(goal("click", count_once=False, looks_back=True), goal("other")))
    assert found.covariates == {"click": {"blue": Covariate(3, 9, 3)}}


def test_covariate__of_a_goal_that_counts_visitors__is_one_or_none() -> None:
    early = (click(visitor, AT - number, received_at=AT - number) for visitor in ("v-1", "v-2") for number in (1, 2))
    late = [click("v-1", AT + 1), click("v-1", AT + 2), click("v-3", AT + 3)]
    rows = [seen(), *(exposure(visitor, "blue", AT) for visitor in ("v-2", "v-3")), *early, *late]
    counted = count(rows, plan(goal("click", looks_back=True)))
    # Two visitors clicked before, one of them also after.
    assert counted.covariates == {"click": {"blue": Covariate(2, 2, 1)}}


def test_rows_before_the_measurement__are_nothing_but_what_visitors_did() -> None:
    """Neither exposures, nor sessions, nor what was received last."""
    looking = plan(goal("money", "revenue", looks_back=True))
    early = [
        exposure("v-1", "red", BEGIN - 1, received_at=BEGIN - 1),
        exposure("v-2", "red", BEGIN - DAY_MS, received_at=BEGIN - DAY_MS),
        sold(5, BEGIN - 1),
    ]
    found = count([*early, seen()], looking)
    assert (found.visitors, found.sessions) == (count([seen()], looking).visitors, count([seen()], looking).sessions)
    assert count(early, looking).through is None
