"""Measure of a goal, in words and in the numbers of a row: a rate, a mean per visitor, or a ratio."""

from typing import Protocol

from abtest.contract.results import GoalResult


class Level(Protocol):
    """The numbers of a variation, in results or in a bucket of a series."""

    rate: float | None
    mean: float | None
    ratio: float | None


def level_of(goal: GoalResult, row: Level) -> float | None:
    """Return the compared number of a row."""
    if goal.metric == "ratio":
        return row.ratio
    return row.rate if goal.metric == "rate" else row.mean


def currency_of(goal: GoalResult, currency: str) -> str | None:
    """Return the currency of the goal's level; None where it is not money."""
    is_money = goal.type == "revenue" and (goal.metric != "ratio" or goal.numerator == "value")
    return currency if is_money else None


def measure_of(goal: GoalResult, currency: str | None) -> str:
    """Return what the level is, such as `EUR a visitor`, `EUR an order` or `items an order`."""
    if goal.metric == "rate":
        return "conversion rate"
    if goal.metric == "mean":
        return f"{currency} a visitor" if currency else "a visitor"
    event = "order" if goal.type == "revenue" else "event"
    unit = currency or ("items" if goal.numerator == "items" else "value")
    return f"{unit} an {'item' if goal.denominator == 'items' else event}"
