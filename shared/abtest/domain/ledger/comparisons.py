"""The operators of goal filters, on values as in JSON; a missing value is None.

Texts are compared with case; a number equals a text that spells it. A missing value meets only `not_…`, and `exists`
with the value "false".
"""

import re
from collections.abc import Callable, Mapping
from decimal import Decimal

from abtest.domain.goals.shapes import FilterCondition, ValueCondition
from abtest.kit import canonical_json

# ASCII, as `\d` and Decimal also accept digits of other scripts. The exponent is limited, because a short text with a
# long one is a number of millions of digits.
_DECIMAL = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,4})?", re.ASCII)


def holds(condition: FilterCondition | ValueCondition, value: object) -> bool:
    """Return whether the value meets the condition. Never raises."""
    operator, expected = condition["operator"], condition.get("value")
    if operator == "exists":
        # The expected value may be the text or the boolean, and str(False) is "False".
        return (value is not None) == (str(True if expected is None else expected).lower() != "false")
    if value is None:
        return bool(operator.startswith("not_"))
    return _OPERATORS[operator](value, expected)


def number(value: object) -> Decimal | None:
    """Return the number that a value is or spells; None for others, and for booleans.

    A Decimal, because ids have more digits than floats.
    """
    # A boolean is an int in Python, but `true` must not equal 1 in a filter.
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    if isinstance(value, str) and not _DECIMAL.fullmatch(value):
        return None
    try:
        # By its text: Decimal(0.1) would have the binary error of the float, and differ from the 0.1 of a filter.
        return Decimal(str(value))
    except (ArithmeticError, ValueError):
        return None


def _text(value: object) -> str:
    return value if isinstance(value, str) else canonical_json.dumps(value)


def _equals(value: object, expected: object) -> bool:
    if isinstance(value, str) and isinstance(expected, str):
        return value == expected
    left, right = number(value), number(expected)
    if left is not None and right is not None:
        return left == right
    return _text(value) == _text(expected)


def _contains(value: object, expected: object) -> bool:
    if isinstance(value, list):
        return any(_equals(item, expected) for item in value)
    return _text(expected) in _text(value)


def _in(value: object, expected: object) -> bool:
    return any(_equals(value, choice) for choice in (expected if isinstance(expected, list) else [expected]))


def _ordered(test: Callable[[Decimal, Decimal], bool]) -> Callable[[object, object], bool]:
    def compare(value: object, expected: object) -> bool:
        left, right = number(value), number(expected)
        return left is not None and right is not None and test(left, right)

    return compare


_OPERATORS: Mapping[str, Callable[[object, object], bool]] = {
    "equals": _equals,
    "not_equals": lambda value, expected: not _equals(value, expected),
    "contains": _contains,
    "not_contains": lambda value, expected: not _contains(value, expected),
    "starts_with": lambda value, expected: _text(value).startswith(_text(expected)),
    "ends_with": lambda value, expected: _text(value).endswith(_text(expected)),
    "in": _in,
    "not_in": lambda value, expected: not _in(value, expected),
    "gt": _ordered(lambda left, right: left > right),
    "gte": _ordered(lambda left, right: left >= right),
    "lt": _ordered(lambda left, right: left < right),
    "lte": _ordered(lambda left, right: left <= right),
}
