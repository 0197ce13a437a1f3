"""Worth of a month: amounts that claim no more than the interval, or the reason why there are none."""

from __future__ import annotations

from typing import Any

import pytest

from abtest.contract import results as contract
from abtest.contract.report_advice import NoWorth
from abtest.services.results.worth import REASONS, Traffic, amount_text, rounded, worth_of

TRAFFIC = Traffic(visitors=14_000, days=14.0, allocation=0.5)
"""A thousand a day take part, two thousand are eligible: 60,000 a month."""


def row(state: Any, difference: float | None, ends: tuple[float, float] | None, name: str = "B") -> contract.ResultRow:
    fields: dict[str, Any] = dict.fromkeys(contract.ResultRow.model_fields)
    fields |= {"variation_id": name, "variation_name": name, "is_control": state == "baseline", "visitors": 7000}
    interval = contract.Interval(lower=ends[0], upper=ends[1]) if ends else None
    fields |= {"difference": difference, "difference_ci": interval, "state": state, "message": "as it is"}
    return contract.ResultRow(**fields)


def goal(*rows: contract.ResultRow) -> contract.GoalResult:
    return contract.GoalResult(
        goal_id="money",
        name="Revenue",
        type="revenue",
        role="secondary",
        direction="increase",
        aggregation="sum",
        numerator=None,
        denominator=None,
        metric="mean",
        is_archived=False,
        not_evaluable=None,
        adjustment=None,
        engine="sequential",
        rows=[row("baseline", None, None, "A"), *rows],
    )


@pytest.mark.parametrize(
    ("state", "difference", "ends", "amounts", "message"),
    [
        (
            "better",
            0.0412,
            (0.0108, 0.0716),
            (2500.0, 600.0, 4300.0),
            "“B” earns about 2,500 EUR a month, between 600 EUR and 4,300 EUR a month.",
        ),
        (
            "worse",
            -0.2,
            (-0.3, -0.1),
            (-12_000.0, -18_000.0, -6000.0),
            "“B” costs about 12,000 EUR a month, between −18,000 EUR and −6,000 EUR a month.",
        ),
        (
            "undecided",
            0.01,
            (-0.02, 0.04),
            (600.0, -1200.0, 2400.0),
            "“B”: between −1,200 EUR and 2,400 EUR a month. It is not shown that it earns or costs anything.",
        ),
        (
            "better",
            0.00004,
            (0.00001, 0.00007),
            (2.4, 0.6, 4.2),
            "“B” earns about 2.40 EUR a month, between 0.60 EUR and 4.20 EUR a month.",
        ),
    ],
)
def test_worth__of_a_treatment__is_the_difference_times_the_eligible_visitors_of_a_month(
    state: str, difference: float, ends: tuple[float, float], amounts: tuple[float, ...], message: str
) -> None:
    worth = worth_of(goal(row(state, difference, ends)), TRAFFIC, "EUR")
    (one,) = worth.treatments
    assert (one.amount, one.lower, one.upper) == pytest.approx(amounts)
    assert one.message == message
    assert (worth.visitors_a_month, worth.not_evaluable) == (60_000, None)
    assert worth.message == (
        "For 60,000 eligible visitors in 30 days, as measured, by Revenue per visitor. The interval is that of the "
        "comparison; traffic is taken as it was."
    )


@pytest.mark.parametrize(
    ("shown", "traffic", "problem", "why"),
    [
        (None, TRAFFIC, None, "no_revenue_goal"),
        (goal(row("too_few_conversions", 0.1, (0, 0.2))), TRAFFIC, None, "too_little_data"),
        (goal(row("undecided", 0.1, None)), TRAFFIC, None, "too_little_data"),
        (goal(row("undecided", 0.1, (0, 0.2))), None, None, "too_short"),
        (goal(row("undecided", 0.1, (0, 0.2))), Traffic(visitors=900, days=0.9, allocation=1), None, "too_short"),
        (goal(row("better", 0.1, (0, 0.2))), TRAFFIC, "not_trusted", "not_trusted"),
        (goal(row("better", 0.1, (0, 0.2))), TRAFFIC, "excluded_currency_residue", "excluded_currency_residue"),
    ],
)
def test_worth__without_a_valid_revenue_goal__has_no_amount_but_a_reason(
    shown: contract.GoalResult | None, traffic: Traffic | None, problem: NoWorth | None, why: NoWorth
) -> None:
    worth = worth_of(shown, traffic, "EUR", problem)
    assert (worth.not_evaluable, worth.treatments, worth.visitors_a_month) == (why, [], None)
    assert worth.message == REASONS[why]


def test_worth__of_several_treatments__leaves_out_those_without_data() -> None:
    rows = [row("better", 0.1, (0.05, 0.15)), row("too_few_visitors", None, None, "C")]
    assert [one.variation_id for one in worth_of(goal(*rows), TRAFFIC, "EUR").treatments] == ["B"]


@pytest.mark.parametrize(
    ("value", "size", "expected"),
    [(12_345, 4321, 12_300), (12_345, 43_210, 12_000), (-0.12345, 0.0432, -0.123), (-3, 400, 0.0), (7.0, 0.0, 7.0)],
)
def test_rounded__to_two_digits_of_a_size(value: float, size: float, expected: float) -> None:
    assert rounded(value, size) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("amount", "currency", "text"),
    [
        (12_000.0, "JPY", "12,000 JPY"),
        (2.4, "EUR", "2.40 EUR"),
        (-0.125, "KWD", "−0.125 KWD"),
        (0.5, "X", "0.50 X"),
    ],
)
def test_amount_text__has_digits_only_where_there_are_any(amount: float, currency: str, text: str) -> None:
    assert amount_text(amount, currency) == text
