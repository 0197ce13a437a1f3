"""Conditions in the condition language (docs/data-model.md, section 2.2), as shops write them in page rules."""

from collections.abc import Callable, Iterator, Mapping
from typing import Annotated, Any

from pydantic import AfterValidator
from pydantic_core import PydanticCustomError

from abtest.contract.misplaced import Location, misplaced
from abtest.kit import canonical_json

MAX_CONDITION_DEPTH = 10
"""Levels of objects and lists, including the condition itself."""

MAX_CONDITION_BYTES = 10_000
"""Size of a condition as canonical JSON."""

MAX_EXPRESSION_LENGTH = 500

Problem = tuple[Location, str]
_Check = Callable[[Any, Location], Iterator[Problem]]
"""Check of an operator's operand: yields each problem with its location."""


def condition_problems(value: Any, at: Location) -> Iterator[Problem]:
    """Yield the problems of a condition: tests of fields by path, and operators that combine conditions."""
    if not isinstance(value, Mapping):
        yield at, "must be an object"
        return
    for key, inner in value.items():
        if not key.startswith("$"):
            yield from test_problems(inner, (*at, key))
        elif key in _OF_CONDITIONS:
            yield from _OF_CONDITIONS[key](inner, (*at, key))
        else:
            yield (*at, key), "is not an operator of conditions"


def test_problems(value: Any, at: Location) -> Iterator[Problem]:
    """Yield the problems of a field's test: a literal, or an object whose keys are all operators."""
    if not isinstance(value, Mapping) or not any(key.startswith("$") for key in value):
        return
    for key, inner in value.items():
        if key in _OF_VALUES:
            yield from _OF_VALUES[key](inner, (*at, key))
        else:
            yield (*at, key), "is not an operator of values"


def element_problems(value: Any, at: Location) -> Iterator[Problem]:
    """Yield the problems of an operand of `$elemMatch`: a test of the item, or a condition on its fields."""
    has_operators = isinstance(value, Mapping) and all(key.startswith("$") for key in value)
    # `$not` is an operator of both; `$and`, `$or` and `$nor` combine conditions only.
    is_test = has_operators and not any(key in _OF_CONDITIONS and key != "$not" for key in value)
    yield from (test_problems if is_test else condition_problems)(value, at)


def size_problems(value: Any, at: Location) -> Iterator[Problem]:
    """Yield the problems of an operand of `$size`."""
    if isinstance(value, Mapping):
        yield from test_problems(value, at)
    # In Python `bool` is a subclass of `int`, so `true` would pass as 1.
    elif isinstance(value, bool) or not isinstance(value, int):
        yield at, "must be a whole number, or a test of one"


def each(check: _Check) -> _Check:
    """Return the check of a list that is not empty and whose items all pass `check`."""

    def problems(value: Any, at: Location) -> Iterator[Problem]:
        if not isinstance(value, list) or not value:
            yield at, "must be a list that is not empty"
            return
        for index, item in enumerate(value):
            yield from check(item, (*at, index))

    return problems


def must(message: str, passes: Callable[[Any], bool]) -> _Check:
    """Return the check of an operand on its own; `message` completes "must"."""

    def problems(value: Any, at: Location) -> Iterator[Problem]:
        if not passes(value):
            yield at, f"must {message}"

    return problems


_TEXT = must("be a text", lambda value: isinstance(value, str))
_LIST = must("be a list", lambda value: isinstance(value, list))
_BOOLEAN = must("be true or false", lambda value: isinstance(value, bool))
_ORDERED = must(
    "be a number or a text", lambda value: isinstance(value, str | int | float) and not isinstance(value, bool)
)
_EXPRESSION = must(
    f"be a regular expression of 1 to {MAX_EXPRESSION_LENGTH} characters",
    lambda value: isinstance(value, str) and 1 <= len(value) <= MAX_EXPRESSION_LENGTH,
)

_OF_CONDITIONS: Mapping[str, _Check] = {
    **dict.fromkeys(("$and", "$or", "$nor"), each(condition_problems)),
    "$not": condition_problems,
}

_OF_VALUES: Mapping[str, _Check] = {
    **dict.fromkeys(("$eq", "$ne"), must("be a value", lambda _: True)),
    **dict.fromkeys(("$lt", "$lte", "$gt", "$gte"), _ORDERED),
    **dict.fromkeys(("$veq", "$vne", "$vlt", "$vlte", "$vgt", "$vgte"), _TEXT),
    **dict.fromkeys(("$in", "$nin", "$ini", "$nini"), _LIST),
    **dict.fromkeys(("$all", "$alli"), each(test_problems)),
    **dict.fromkeys(("$regex", "$regexi"), _EXPRESSION),
    **dict.fromkeys(("$inGroup", "$notInGroup", "$type"), _TEXT),
    "$elemMatch": element_problems,
    "$exists": _BOOLEAN,
    "$not": test_problems,
    "$size": size_problems,
}

OPERATORS = frozenset(_OF_CONDITIONS) | frozenset(_OF_VALUES)
"""Every operator that a condition may use somewhere."""


def checked(condition: dict[str, Any]) -> dict[str, Any]:
    """Return the condition unchanged. Raises an error with every wrong location in it."""
    # Depth comes first, because the checks below are recursive.
    if canonical_json.is_deeper(condition, MAX_CONDITION_DEPTH):
        raise PydanticCustomError("too_deep", "is nested more than {depth} levels deep", {"depth": MAX_CONDITION_DEPTH})
    if len(canonical_json.encode(condition)) > MAX_CONDITION_BYTES:
        raise PydanticCustomError("too_large", "is larger than {size} bytes", {"size": MAX_CONDITION_BYTES})
    if problems := list(condition_problems(condition, ())):
        raise misplaced(problems)
    return condition


AdvancedCondition = Annotated[dict[str, Any], AfterValidator(checked)]
"""An object in the condition language: known operators only, of the right form, not too deep and not too large."""
