"""Conditions on attributes (section 2.2 of docs/data-model.md), made ready once and then asked often."""

import operator
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import UnionType

from abtest.domain.targeting.combining import every, negated, some
from abtest.domain.targeting.ecmascript import equal, number_of, text_of, truth_of, units
from abtest.domain.targeting.patterns import expression

Condition = Mapping[str, object]
Groups = Mapping[str, Sequence[object]]
"""The members of saved groups, by the id that `$inGroup` names."""

Holds = Callable[[object], bool]
"""Whether something holds of a value: of all attributes, or of what a path leads to."""

Compared = Callable[[bytes | float, bytes | float], bool]

_NUMBER = re.compile("[0-9]+")


def prepare(condition: object, groups: Groups | None = None) -> Holds:
    """What tells of attributes whether the condition holds. Neither making it nor asking it ever raises."""
    try:
        asked = _condition(condition, groups or {})
    except RecursionError:
        return _never

    def holds(attributes: object) -> bool:
        try:
            return asked(attributes)
        except RecursionError:
            return False

    return holds


def holds(condition: object, attributes: Mapping[str, object], groups: Groups | None = None) -> bool:
    """Whether a condition holds that is asked only once."""
    return prepare(condition, groups)(attributes)


def parts(condition: object) -> list[object]:
    """Conditions that together say the same; those of several audiences are then often equal."""
    if not isinstance(condition, Mapping):
        return [condition]
    found: list[object] = []
    for key, operand in condition.items():
        both = key == "$and" and isinstance(operand, list)
        found += [part for each in operand for part in parts(each)] if both else [{key: operand}]
    return found


def _never(_: object) -> bool:
    return False


def _condition(condition: object, groups: Groups) -> Holds:
    if not isinstance(condition, Mapping):
        return _never
    return every([_part(key, operand, groups) for key, operand in condition.items()])


def _part(key: str, operand: object, groups: Groups) -> Holds:
    if key == "$not":
        return negated(_condition(operand, groups))
    if key in _JOINING:
        joined = _JOINING[key]
        return joined([_condition(each, groups) for each in operand] if isinstance(operand, list) else [_never])
    return _at(key.split("."), _entry(operand, groups))


def _or(tests: Sequence[Holds]) -> Holds:
    return some(tests) if tests else every(tests)


_JOINING: Mapping[str, Callable[[Sequence[Holds]], Holds]] = {
    "$and": every,
    "$or": _or,
    "$nor": lambda tests: negated(_or(tests)),
}


def _at(path: Sequence[str], asked: Holds) -> Holds:
    """The question asked of what a path leads to."""
    first, *others = path

    def shallow(attributes: object) -> bool:
        return asked(attributes.get(first) if isinstance(attributes, dict) else step(attributes, first))

    def deep(attributes: object) -> bool:
        value = attributes
        for part in path:
            value = value.get(part) if isinstance(value, dict) else step(value, part)
            if value is None:
                break
        return asked(value)

    return deep if others else shallow


def step(value: object, part: str) -> object:
    """What one part of a path leads to; None where it leads nowhere."""
    if isinstance(value, Mapping):
        return value.get(part)
    if isinstance(value, list) and len(part) < 10 and _NUMBER.fullmatch(part) and str(int(part)) == part:
        return value[int(part)] if int(part) < len(value) else None
    return None


def _entry(entry: object, groups: Groups, *, fold: bool = False) -> Holds:
    """What stands beside a path: operators, or a value to equal."""
    if isinstance(entry, Mapping) and entry and all(key.startswith("$") for key in entry):
        return every([_operator(name, operand, groups) for name, operand in entry.items()])
    if isinstance(entry, str):
        return _equals_folded(entry) if fold else lambda value: value == entry or text_of(value) == entry
    if isinstance(entry, bool):
        return lambda value: value is not None and truth_of(value) is entry
    if isinstance(entry, int | float):
        return lambda value: value is not None and number_of(value) == number_of(entry)
    return lambda value: equal(value, entry)


def _equals_folded(entry: str) -> Holds:
    lower = entry.lower()
    return lambda value: (text := text_of(value)) is not None and text.lower() == lower


def _operator(name: str, operand: object, groups: Groups) -> Holds:
    prepared = OPERATORS.get(name)
    return _never if prepared is None else prepared(operand, groups)


def _equality(operand: object, _: Groups) -> Holds:
    if isinstance(operand, str):
        return lambda value: bool(value == operand)
    return lambda value: equal(value, operand)


def _ordering(compare: Compared) -> Callable[[object, Groups], Holds]:
    def prepared(operand: object, _: Groups) -> Holds:
        number = number_of(operand)
        text = units(operand) if isinstance(operand, str) else None

        def ordered(value: object) -> bool:
            if text is not None and isinstance(value, str):
                return compare(units(value), text)
            return compare(number_of(value), number)

        return ordered

    return prepared


def _membership(items: Iterable[object]) -> Holds:
    """Whether a value, or an item of a list, is one of the items."""
    texts = frozenset(item for item in items if isinstance(item, str))
    others = [item for item in items if not isinstance(item, str)]

    def one(value: object) -> bool:
        return value in texts if isinstance(value, str) else any(equal(value, other) for other in others)

    return lambda value: one(value) or any(map(one, value)) if isinstance(value, list) else one(value)


def _lower(value: object) -> object:
    return value.lower() if isinstance(value, str) else value


def _in(operand: object, _: Groups) -> Holds:
    return _membership(operand) if isinstance(operand, list) else _never


def _in_folded(operand: object, _: Groups) -> Holds:
    if not isinstance(operand, list):
        return _never
    member = _membership([_lower(item) for item in operand])
    return lambda value: member([_lower(item) for item in value] if isinstance(value, list) else _lower(value))


def _negated_set(positive: Callable[[object, Groups], Holds]) -> Callable[[object, Groups], Holds]:
    return lambda operand, groups: negated(positive(operand, groups)) if isinstance(operand, list) else _never


def _in_group(operand: object, groups: Groups) -> Holds:
    members = groups.get(operand, ()) if isinstance(operand, str) else ()
    return _membership(members if isinstance(members, list | tuple) else ())


def _all_of(*, fold: bool) -> Callable[[object, Groups], Holds]:
    def prepared(operand: object, groups: Groups) -> Holds:
        if not isinstance(operand, list):
            return _never
        wanted = [_entry(each, groups, fold=fold) for each in operand]
        return lambda value: isinstance(value, list) and all(any(map(asked, value)) for asked in wanted)

    return prepared


def _element(operand: object, groups: Groups) -> Holds:
    if not isinstance(operand, Mapping):
        return _never
    operators = bool(operand) and all(key.startswith("$") for key in operand)
    asked = _entry(operand, groups) if operators else _condition(operand, groups)
    return lambda value: isinstance(value, list) and any(map(asked, value))


def _size(operand: object, groups: Groups) -> Holds:
    asked = _entry(operand, groups)
    return lambda value: isinstance(value, list) and asked(len(value))


def _type(operand: object, _: Groups) -> Holds:
    return lambda value: _type_of(value) == operand


def _type_of(value: object) -> str:
    if value is None:
        return "null"
    return next((name for name, kinds in _TYPES.items() if isinstance(value, kinds)), "unknown")


_TYPES: Mapping[str, type | UnionType] = {  # boolean before number, which Python takes it for
    "boolean": bool,
    "string": str,
    "number": int | float,
    "array": list,
    "object": Mapping,
}


def _exists(operand: object, _: Groups) -> Holds:
    expected = truth_of(operand)
    return lambda value: (value is not None) is expected


def _searched(*, ignore_case: bool) -> Callable[[object, Groups], Holds]:
    def prepared(operand: object, _: Groups) -> Holds:
        if not isinstance(operand, str):
            return _never
        found = expression(operand, ignore_case)
        return lambda value: (text := text_of(value)) is not None and found(text)

    return prepared


def _versions(compare: Compared) -> Callable[[object, Groups], Holds]:
    def prepared(operand: object, _: Groups) -> Holds:
        version = _version(operand)
        return lambda value: compare(_version(value), version)

    return prepared


def _version(value: object) -> bytes:
    """A version in a form whose order is that of its numbers; a release follows its own pre-releases."""
    text = text_of(value) if not isinstance(value, bool) else None
    parts = re.split(r"[-.]", (text or "0").partition("+")[0].removeprefix("v"))
    if len(parts) == 3:
        parts.append("~")
    return units("-".join(part.rjust(5) if _NUMBER.fullmatch(part) else part for part in parts))


OPERATORS: Mapping[str, Callable[[object, Groups], Holds]] = {
    "$eq": _equality,
    "$ne": lambda operand, groups: negated(_equality(operand, groups)),
    "$lt": _ordering(operator.lt),
    "$lte": _ordering(operator.le),
    "$gt": _ordering(operator.gt),
    "$gte": _ordering(operator.ge),
    "$veq": _versions(operator.eq),
    "$vne": _versions(operator.ne),
    "$vlt": _versions(operator.lt),
    "$vlte": _versions(operator.le),
    "$vgt": _versions(operator.gt),
    "$vgte": _versions(operator.ge),
    "$in": _in,
    "$nin": _negated_set(_in),
    "$ini": _in_folded,
    "$nini": _negated_set(_in_folded),
    "$inGroup": _in_group,
    "$notInGroup": lambda operand, groups: negated(_in_group(operand, groups)),
    "$all": _all_of(fold=False),
    "$alli": _all_of(fold=True),
    "$elemMatch": _element,
    "$size": _size,
    "$type": _type,
    "$exists": _exists,
    "$not": lambda operand, groups: negated(_entry(operand, groups)),
    "$regex": _searched(ignore_case=False),
    "$regexi": _searched(ignore_case=True),
}
