"""Measures of goals in words: rates, means per visitor, ratios."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from abtest.contract.results import GoalResult
from abtest.services.report_page.measures import currency_of, level_of, measure_of


def goal(**fields: Any) -> GoalResult:
    """A goal of rates without rows, and what differs."""
    first: dict[str, Any] = {
        "goal_id": "0192f3a0-1b5c-7d1e-8f00-3c5a7e9b1d31",
        "name": "Goal",
        "type": "custom",
        "role": "primary",
        "direction": "increase",
        "aggregation": "conversion",
        "numerator": None,
        "denominator": None,
        "metric": "rate",
        "engine": "sequential",
        "is_archived": False,
        "not_evaluable": None,
        "adjustment": None,
        "rows": [],
    }
    return GoalResult(**(first | fields))


def ratio(numerator: str, denominator: str, kind: str = "revenue") -> GoalResult:
    """A goal that is a ratio."""
    parts = {"numerator": numerator, "denominator": denominator}
    return goal(type=kind, aggregation="ratio", metric="ratio", **parts)


@pytest.mark.parametrize(
    ("of", "words"),
    [
        (goal(), "conversion rate"),
        (goal(metric="mean"), "a visitor"),
        (goal(type="revenue", metric="mean"), "EUR a visitor"),
        (ratio("value", "events"), "EUR an order"),
        (ratio("items", "events"), "items an order"),
        (ratio("value", "items"), "EUR an item"),
        (ratio("items", "events", "custom"), "items an event"),
        (ratio("value", "events", "custom"), "value an event"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_measure__of_a_goal__names_its_unit(of: GoalResult, words: str) -> None:
    assert measure_of(of, currency_of(of, "EUR")) == words


def test_level__of_a_row__is_the_compared_number() -> None:
    row = SimpleNamespace(rate=0.1, mean=2.0, ratio=30.0)
    assert [level_of(of, row) for of in (goal(), goal(metric="mean"), ratio("value", "events"))] == [0.1, 2.0, 30.0]
