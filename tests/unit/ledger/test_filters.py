"""Goal filters: each operator, missing properties, money."""

from typing import Any

import pytest

from abtest.domain.ledger.filters import accepts, is_evaluable
from tests.unit.ledger.streams import row

DATA = '{"plan":"Pro plan","seats":5,"price":"9.50","trial":true,"tags":["a","b"],"nothing":null}'


def condition(property_name: str, operator: str, *value: Any) -> dict[str, Any]:
    stated = {"property": property_name, "operator": operator}
    return {"version": 1, "conditions": [stated | ({"value": value[0]} if value else {})]}


@pytest.mark.parametrize(
    ("goal_filter", "expected"),
    [
        (condition("plan", "equals", "Pro plan"), True),
        (condition("plan", "equals", "pro plan"), False),
        (condition("seats", "equals", 5), True),
        (condition("seats", "equals", "5"), True),
        (condition("price", "equals", 9.5), True),
        (condition("trial", "equals", "true"), True),
        (condition("trial", "equals", 1), False),
        (condition("plan", "not_equals", "Free"), True),
        (condition("plan", "contains", "plan"), True),
        (condition("tags", "contains", "b"), True),
        (condition("tags", "not_contains", "b"), False),
        (condition("plan", "starts_with", "Pro"), True),
        (condition("plan", "ends_with", "Pro"), False),
        (condition("seats", "in", [4, 5]), True),
        (condition("seats", "not_in", [4, 5]), False),
        (condition("seats", "gt", 5), False),
        (condition("seats", "gte", 5), True),
        (condition("price", "lt", 10), True),
        (condition("price", "lte", "9.5"), True),
        (condition("plan", "gt", 1), False),
        (condition("plan", "exists"), True),
        (condition("gone", "exists"), False),
        (condition("nothing", "exists", "false"), True),
        (condition("gone", "equals", "x"), False),
        (condition("gone", "not_equals", "x"), True),
        (condition("gone", "not_in", ["x"]), True),
    ],
)
def test_condition__on_a_property__holds_as_its_operator_says(goal_filter: dict[str, Any], expected: bool) -> None:
    assert accepts(goal_filter, row(type="custom", data=DATA)) is expected


@pytest.mark.parametrize(
    ("operator", "value", "expected"),
    [("gt", 49.9, False), ("gte", 49.9, True), ("lt", 50, True), ("equals", 49.9, True), ("not_equals", 49.9, False)],
)
def test_order_value__is_in_major_units(operator: str, value: float, expected: bool) -> None:
    goal_filter = {"version": 1, "orderValue": [{"operator": operator, "value": value}]}
    assert accepts(goal_filter, row(type="order", revenue_minor=4990, currency="EUR")) is expected


def test_order_value__of_unknown_money__is_not_met() -> None:
    goal_filter = {"version": 1, "orderValue": [{"operator": "gte", "value": 0}]}
    assert accepts(goal_filter, row(type="order")) is False


def test_conditions__are_all_to_be_met() -> None:
    both = [
        {"property": "seats", "operator": "gt", "value": 1},
        {"property": "plan", "operator": "equals", "value": "x"},
    ]
    assert accepts({"version": 1, "conditions": both}, row(data=DATA)) is False


def test_line_items__are_said_not_to_be_evaluated() -> None:
    assert is_evaluable(None)
    assert is_evaluable(condition("plan", "exists"))
    assert not is_evaluable({"version": 1, "lineItems": {"match": "any", "conditions": [{}]}})
