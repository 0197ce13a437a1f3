"""Rules that span the fields of a goal: each type needs certain fields, each filter certain types."""

from collections.abc import Collection, Sequence

from abtest.domain.goals.model import Goal
from abtest.domain.goals.shapes import FilterCondition
from abtest.kit.errors import refused

LIST_OPERATORS = frozenset({"in", "not_in"})

LINE_ITEM_EVENTS = frozenset({"checkout_started", "add_to_cart"})
"""Custom events that carry the items of a cart."""

_NO_ITEMS = "only revenue goals and custom goals on checkout_started or add_to_cart have items"


def check_goal(goal: Goal, path: str = "", page_ids: Collection[str] = ()) -> None:
    """Raise ValidationFailedError naming the field below `path` that contradicts others.

    `page_ids` are the goal page rules that the goal may be scoped to; a goal that the shop keeps has none.
    """
    if goal.type == "custom" and not goal.event_name:
        raise refused(f"{path}event_name", "must name the event that a custom goal counts")
    if goal.type == "click" and not (goal.selector or goal.text_match):
        raise refused(f"{path}selector", "must be given for a click goal, unless text_match is")
    if goal.page_id is not None and goal.archived_at is None and goal.page_id not in page_ids:
        raise refused(f"{path}page_id", "must be one of the experiment's goalPageRules")
    _check_ratio(goal, path)
    _check_filter(goal, path)
    names = [capture["property"] for capture in goal.capture]
    if len(set(names)) != len(names):
        raise refused(f"{path}capture", "must capture each property once")


def takes_line_items(goal: Goal) -> bool:
    """Return whether the goal's events carry line items that a filter can compare."""
    return goal.type == "revenue" or (goal.type == "custom" and goal.event_name in LINE_ITEM_EVENTS)


def _check_ratio(goal: Goal, path: str) -> None:
    parts = {"numerator": goal.numerator, "denominator": goal.denominator}
    for name, part in parts.items():
        if goal.is_ratio and part is None:
            choices = "value or items" if name == "numerator" else "events or items"
            raise refused(f"{path}{name}", f"must be {choices} for the aggregation ratio")
        if part is not None and not goal.is_ratio:
            raise refused(f"{path}{name}", "is only of goals with the aggregation ratio; send null")
        if part == "items" and not takes_line_items(goal):
            raise refused(f"{path}{name}", f"must not be items, because {_NO_ITEMS}")
    if goal.is_ratio and goal.numerator == goal.denominator:
        raise refused(f"{path}denominator", "must differ from the numerator, because the ratio would always be 1")
    if goal.is_ratio and goal.winsorize_pct is not None:
        raise refused(f"{path}winsorize_pct", "must be null for the aggregation ratio, whose totals are not capped")


def _check_filter(goal: Goal, path: str) -> None:
    goal_filter = goal.filter
    if goal_filter is None:
        return
    _check_conditions(goal_filter.get("conditions", ()), f"{path}filter.conditions")
    if "lineItems" in goal_filter:
        _check_conditions(goal_filter["lineItems"]["conditions"], f"{path}filter.lineItems.conditions")
    if "orderValue" in goal_filter and goal.type != "revenue":
        raise refused(f"{path}filter.orderValue", "only revenue goals have an order value")
    if "lineItems" in goal_filter and not takes_line_items(goal):
        raise refused(f"{path}filter.lineItems", _NO_ITEMS)


def _check_conditions(conditions: Sequence[FilterCondition], path: str) -> None:
    for index, condition in enumerate(conditions):
        operator, value = condition["operator"], condition.get("value")
        if operator == "exists":
            continue
        if value is None or isinstance(value, list) != (operator in LIST_OPERATORS):
            expected = "a list" if operator in LIST_OPERATORS else "one value"
            raise refused(f"{path}[{index}].value", f"must be {expected} for the operator {operator}")
