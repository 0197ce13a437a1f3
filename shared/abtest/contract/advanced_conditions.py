"""Conditions in the condition language (docs/data-model.md, section 2.2), as shops write them in page rules."""

from collections.abc import Callable, Iterator, Mapping
from typing import Annotated, Any

from pydantic import AfterValidator
from pydantic_core import PydanticCustomError

from abtest.contract.misplaced import Location, misplaced
from abtest.kit import canonical_json

MAX_CONDITION_DEPTH = 10
"""Objects and lists inside each other, the condition itself counted."""

MAX_CONDITION_BYTES = 10_000
"""Its canonical JSON."""

MAX_EXPRESSION_LENGTH = 500

Problem = tuple[Location, str]
_Look = Callable[[Any, Location], Iterator[Problem]]


def _is_condition(value: Any, at: Location) -> Iterator[Problem]:
    if not isinstance(value, Mapping):
        yield at, "must be an object"
        return
    for key, inner in value.items():
        if not key.startswith("$"):
            yield from _is_test(inner, (*at, key))
        elif key in _OF_CONDITIONS:
            yield from _OF_CONDITIONS[key](inner, (*at, key))
        else:
            yield (*at, key), "there is no such operator here"


def _is_test(value: Any, at: Location) -> Iterator[Problem]:
    """A literal, or an object of which all keys are operators."""
    if not isinstance(value, Mapping) or not any(key.startswith("$") for key in value):
        return
    for key, inner in value.items():
        if key in _OF_VALUES:
            yield from _OF_VALUES[key](inner, (*at, key))
        else:
            yield (*at, key), "there is no such operator here"


def _each(look: _Look) -> _Look:
    def are(value: Any, at: Location) -> Iterator[Problem]:
        if not isinstance(value, list) or not value:
            yield at, "must be a list that is not empty"
            return
        for index, item in enumerate(value):
            yield from look(item, (*at, index))

    return are


def _is_anything(_value: Any, _at: Location) -> Iterator[Problem]:
    return iter(())


def _is_list(value: Any, at: Location) -> Iterator[Problem]:
    if not isinstance(value, list):
        yield at, "must be a list"


def _is_text(value: Any, at: Location) -> Iterator[Problem]:
    if not isinstance(value, str):
        yield at, "must be a text"


def _is_ordered(value: Any, at: Location) -> Iterator[Problem]:
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        yield at, "must be a number or a text"


def _is_boolean(value: Any, at: Location) -> Iterator[Problem]:
    if not isinstance(value, bool):
        yield at, "must be true or false"


def _is_expression(value: Any, at: Location) -> Iterator[Problem]:
    if not isinstance(value, str) or not 1 <= len(value) <= MAX_EXPRESSION_LENGTH:
        yield at, f"must be a regular expression of 1 to {MAX_EXPRESSION_LENGTH} characters"


def _is_size(value: Any, at: Location) -> Iterator[Problem]:
    if isinstance(value, Mapping):
        yield from _is_test(value, at)
    elif isinstance(value, bool) or not isinstance(value, int):
        yield at, "must be a whole number, or a test of one"


def _is_element(value: Any, at: Location) -> Iterator[Problem]:
    """A test of an item, or a condition on its fields."""
    names_operators = isinstance(value, Mapping) and all(key.startswith("$") for key in value)
    operators = names_operators and not any(key in _OF_CONDITIONS and key != "$not" for key in value)
    yield from (_is_test if operators else _is_condition)(value, at)


_OF_CONDITIONS: Mapping[str, _Look] = {
    "$and": _each(_is_condition),
    "$or": _each(_is_condition),
    "$nor": _each(_is_condition),
    "$not": _is_condition,
}

_OF_VALUES: Mapping[str, _Look] = {
    **dict.fromkeys(("$eq", "$ne"), _is_anything),
    **dict.fromkeys(("$lt", "$lte", "$gt", "$gte"), _is_ordered),
    **dict.fromkeys(("$veq", "$vne", "$vlt", "$vlte", "$vgt", "$vgte"), _is_text),
    **dict.fromkeys(("$in", "$nin", "$ini", "$nini"), _is_list),
    **dict.fromkeys(("$all", "$alli"), _each(_is_test)),
    **dict.fromkeys(("$regex", "$regexi"), _is_expression),
    **dict.fromkeys(("$inGroup", "$notInGroup", "$type"), _is_text),
    "$elemMatch": _is_element,
    "$exists": _is_boolean,
    "$not": _is_test,
    "$size": _is_size,
}

OPERATORS = frozenset(_OF_CONDITIONS) | frozenset(_OF_VALUES)
"""Every operator that a condition may use somewhere."""


def _checked(condition: dict[str, Any]) -> dict[str, Any]:
    """The condition as it is. Raises an error at each place of it that is wrong."""
    if _is_too_deep(condition):
        raise PydanticCustomError("too_deep", "is nested more than {depth} levels deep", {"depth": MAX_CONDITION_DEPTH})
    if len(canonical_json.encode(condition)) > MAX_CONDITION_BYTES:
        raise PydanticCustomError("too_large", "is larger than {size} bytes", {"size": MAX_CONDITION_BYTES})
    if problems := list(_is_condition(condition, ())):
        raise misplaced(problems)
    return condition


def _is_too_deep(condition: Any) -> bool:
    level = [condition]
    for _ in range(MAX_CONDITION_DEPTH):
        inner = [item for part in level for item in (part.values() if isinstance(part, dict) else part)]
        level = [item for item in inner if isinstance(item, dict | list)]
    return bool(level)


AdvancedCondition = Annotated[dict[str, Any], AfterValidator(_checked)]
"""An object in the condition language: known operators only, of the right form, not too deep and not too large."""
