"""The operators of goal filters, on values as JSON holds them; a missing value is None.

Texts are compared with case; a number also with a text that spells it. What is missing meets only `not_…`, and `exists`
with the value "false".
"""

import re
from collections.abc import Callable, Mapping
from decimal import Decimal

from abtest.domain.goals.shapes import FilterCondition, ValueCondition
from abtest.kit import canonical_json

_DECIMAL = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,4})?", re.ASCII)


def holds(condition: FilterCondition | ValueCondition, found: object) -> bool:
    """Whether the value meets the condition. Never raises."""
    operator, wanted = condition["operator"], condition.get("value")
    if operator == "exists":
        return (found is not None) == (str(True if wanted is None else wanted).lower() != "false")
    if found is None:
        return bool(operator.startswith("not_"))
    return _OPERATORS[operator](found, wanted)


def number(value: object) -> Decimal | None:
    """The number that a value is or spells, exactly: ids outgrow floats. Booleans are no numbers."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    if isinstance(value, str) and not _DECIMAL.fullmatch(value):
        return None
    try:
        return Decimal(str(value))
    except (ArithmeticError, ValueError):
        return None


def _text(value: object) -> str:
    return value if isinstance(value, str) else canonical_json.dumps(value)


def _equals(found: object, wanted: object) -> bool:
    if isinstance(found, str) and isinstance(wanted, str):
        return found == wanted
    number_found, number_wanted = number(found), number(wanted)
    if number_found is not None and number_wanted is not None:
        return number_found == number_wanted
    return _text(found) == _text(wanted)


def _contains(found: object, wanted: object) -> bool:
    if isinstance(found, list):
        return any(_equals(item, wanted) for item in found)
    return _text(wanted) in _text(found)


def _in(found: object, wanted: object) -> bool:
    return any(_equals(found, choice) for choice in (wanted if isinstance(wanted, list) else [wanted]))


def _ordered(test: Callable[[Decimal, Decimal], bool]) -> Callable[[object, object], bool]:
    def compare(found: object, wanted: object) -> bool:
        left, right = number(found), number(wanted)
        return left is not None and right is not None and test(left, right)

    return compare


_OPERATORS: Mapping[str, Callable[[object, object], bool]] = {
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
