"""Goal filters: whether an event's data meets the conditions of a goal.

`conditions` look at a property of the event's data and are ANDed; `orderValue` looks at the money in major units. A
missing property meets only `not_…` operators, and `exists` with the value "false". Filters by line items are not
evaluated yet: `is_evaluable` says so, and such goals are not counted rather than counted wrong.
"""

from collections.abc import Callable, Mapping
from typing import Any

from abtest.domain.experiments.model import JsonObject
from abtest.domain.ledger.events import Row
from abtest.kit import canonical_json
from abtest.kit.money import to_major


def is_evaluable(goal_filter: JsonObject | None) -> bool:
    """Whether every part of the filter is one that `accepts` evaluates."""
    return goal_filter is None or not goal_filter.get("lineItems")


def accepts(goal_filter: JsonObject, row: Row) -> bool:
    """Whether the row meets every condition of an evaluable filter."""
    data = canonical_json.loads(row["data"])
    return all(_meets(condition, data) for condition in goal_filter.get("conditions") or ()) and all(
        _is_worth(condition, row) for condition in goal_filter.get("orderValue") or ()
    )


def _is_worth(condition: Mapping[str, Any], row: Row) -> bool:
    if row["revenue_minor"] is None or row["currency"] is None:
        return False
    return _OPERATORS[condition["operator"]](to_major(row["revenue_minor"], row["currency"]), condition["value"])


def _meets(condition: Mapping[str, Any], data: Mapping[str, Any]) -> bool:
    operator = condition["operator"]
    found = data.get(condition["property"])
    if operator == "exists":
        return (found is not None) == (str(condition.get("value", True)).lower() != "false")
    if found is None:
        return bool(operator.startswith("not_"))
    return _OPERATORS[operator](found, condition.get("value"))


def _number(value: Any) -> float | None:
    """The number that a value is or spells; booleans are not numbers."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        return float(value)
    except (ValueError, OverflowError):
        return None


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return value if isinstance(value, str) else canonical_json.dumps(value)


def _equals(found: Any, wanted: Any) -> bool:
    if isinstance(wanted, int | float) and not isinstance(wanted, bool):
        return _number(found) == wanted
    return _text(found) == _text(wanted)


def _contains(found: Any, wanted: Any) -> bool:
    if isinstance(found, list):
        return any(_equals(item, wanted) for item in found)
    return _text(wanted) in _text(found)


def _in(found: Any, wanted: Any) -> bool:
    return any(_equals(found, choice) for choice in (wanted if isinstance(wanted, list) else [wanted]))


def _ordered(test: Callable[[float, float], bool]) -> Callable[[Any, Any], bool]:
    def compare(found: Any, wanted: Any) -> bool:
        left, right = _number(found), _number(wanted)
        return left is not None and right is not None and test(left, right)

    return compare


_OPERATORS: Mapping[str, Callable[[Any, Any], bool]] = {
    "equals": _equals,
    "not_equals": lambda found, wanted: not _equals(found, wanted),
    "contains": _contains,
    "not_contains": lambda found, wanted: not _contains(found, wanted),
    "starts_with": lambda found, wanted: _text(found).startswith(_text(wanted)),
    "ends_with": lambda found, wanted: _text(found).endswith(_text(wanted)),
    "in": _in,
    "not_in": lambda found, wanted: not _in(found, wanted),
    "gt": _ordered(lambda left, right: left > right),
    "gte": _ordered(lambda left, right: left >= right),
    "lt": _ordered(lambda left, right: left < right),
    "lte": _ordered(lambda left, right: left <= right),
}
