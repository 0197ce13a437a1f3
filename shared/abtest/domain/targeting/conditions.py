"""Conditions on attributes (section 2.2 of docs/data-model.md), prepared once and evaluated often."""

import operator
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import UnionType

from abtest.domain.targeting.combining import every, negated, some
from abtest.domain.targeting.ecmascript import equal, number_of, text_of, truth_of, units
from abtest.domain.targeting.patterns import expression

Condition = Mapping[str, object]
Groups = Mapping[str, Sequence[object]]
"""Members of saved groups by the id that `$inGroup` names."""

Holds = Callable[[object], bool]
"""Predicate of a value: of all attributes, or of the value at a path."""

Compared = Callable[[bytes | float, bytes | float], bool]
Operator = Callable[[object, Groups], Holds]
"""From an operand and the groups to the predicate of a value. Never raises."""

_NUMBER = re.compile("[0-9]+")


def prepare(condition: object, groups: Groups | None = None) -> Holds:
    """Return the predicate that evaluates the condition. Neither this function nor the predicate ever raises."""
    try:
        # A condition may be nested as deeply as JSON allows; here the limit is Python's stack.
        prepared = conjunction(condition, groups or {})
    except RecursionError:
        return never

    def holds(attributes: object) -> bool:
        try:
            return prepared(attributes)
        except RecursionError:
            return False

    return holds


def holds(condition: object, attributes: Mapping[str, object], groups: Groups | None = None) -> bool:
    """Return whether a condition holds; `prepare` is faster for one that is evaluated again."""
    return prepare(condition, groups)(attributes)


def parts(condition: object) -> list[object]:
    """Split a condition into those that must all hold; several audiences often have some of them in common."""
    if not isinstance(condition, Mapping):
        return [condition]
    conjuncts: list[object] = []
    for key, operand in condition.items():
        both = key == "$and" and isinstance(operand, list)
        conjuncts += [part for each in operand for part in parts(each)] if both else [{key: operand}]
    return conjuncts


def never(_: object) -> bool:
    """Return False: the predicate of a condition that cannot be evaluated."""
    return False


def conjunction(condition: object, groups: Groups) -> Holds:
    """Prepare a condition: all its entries must hold. One that is not an object never holds."""
    if not isinstance(condition, Mapping):
        return never
    predicates: list[Holds] = []
    for key, operand in condition.items():
        if key == "$not":
            predicates.append(negated(conjunction(operand, groups)))
        elif key in _JOINING:
            joined = [conjunction(each, groups) for each in operand] if isinstance(operand, list) else [never]
            predicates.append(_JOINING[key](joined))
        else:
            predicates.append(at_path(key.split("."), comparison(operand, groups)))
    return every(predicates)


def disjunction(predicates: Sequence[Holds]) -> Holds:
    """Join the operands of `$or`, which holds when it has none."""
    return some(predicates) if predicates else every(predicates)


_JOINING: Mapping[str, Callable[[Sequence[Holds]], Holds]] = {
    "$and": every,
    "$or": disjunction,
    "$nor": lambda predicates: negated(disjunction(predicates)),
}


def at_path(path: Sequence[str], predicate: Holds) -> Holds:
    """Apply a predicate to the value at a path."""
    first, *others = path

    # Most values are plain dicts; looking them up here saves a call for each part of the path.
    def shallow(attributes: object) -> bool:
        return predicate(attributes.get(first) if isinstance(attributes, dict) else step(attributes, first))

    def deep(attributes: object) -> bool:
        value = attributes
        for part in path:
            value = value.get(part) if isinstance(value, dict) else step(value, part)
            if value is None:
                break
        return predicate(value)

    return deep if others else shallow


def step(value: object, part: str) -> object:
    """Return the value at one part of a path; None where there is none."""
    if isinstance(value, Mapping):
        return value.get(part)
    # Canonical indices only: in ECMAScript `01` is a name, not an index.
    if isinstance(value, list) and len(part) < 10 and _NUMBER.fullmatch(part) and str(int(part)) == part:
        return value[int(part)] if int(part) < len(value) else None
    return None


def comparison(operand: object, groups: Groups, *, fold: bool = False) -> Holds:
    """Prepare the operand of a path: operators, or a value to equal. `fold` compares texts in lower case."""
    # all() is true of an empty object, which is a value to equal and has no operators.
    if isinstance(operand, Mapping) and operand and all(key.startswith("$") for key in operand):
        return every([OPERATORS[name](each, groups) if name in OPERATORS else never for name, each in operand.items()])
    if isinstance(operand, str):
        if fold:
            lower = operand.lower()
            return lambda value: (text := text_of(value)) is not None and text.lower() == lower
        return lambda value: value == operand or text_of(value) == operand
    # Before numbers, because bool is a subclass of int.
    if isinstance(operand, bool):
        return lambda value: value is not None and truth_of(value) is operand
    if isinstance(operand, int | float):
        return lambda value: value is not None and number_of(value) == number_of(operand)
    return lambda value: equal(value, operand)


def equals(operand: object, _: Groups) -> Holds:
    """`$eq`: strict equality, without the conversions of a plain value."""
    if isinstance(operand, str):
        return lambda value: bool(value == operand)
    return lambda value: equal(value, operand)


def ordering(compare: Compared) -> Operator:
    """`$lt` and its like: texts by UTF-16 code units, everything else as numbers."""

    def prepared(operand: object, _: Groups) -> Holds:
        number = number_of(operand)
        text = units(operand) if isinstance(operand, str) else None

        def ordered(value: object) -> bool:
            if text is not None and isinstance(value, str):
                return compare(units(value), text)
            return compare(number_of(value), number)

        return ordered

    return prepared


def membership(items: Iterable[object]) -> Holds:
    """Return the predicate that a value, or an item of a list, is one of the items."""
    # Only texts go into the set: in Python `1 == True`, and lists have no hash.
    texts = frozenset(item for item in items if isinstance(item, str))
    others = [item for item in items if not isinstance(item, str)]

    def one(value: object) -> bool:
        return value in texts if isinstance(value, str) else any(equal(value, other) for other in others)

    return lambda value: one(value) or any(map(one, value)) if isinstance(value, list) else one(value)


def in_list(operand: object, _: Groups) -> Holds:
    """`$in`: one of the items of a list."""
    return membership(operand) if isinstance(operand, list) else never


def in_list_folded(operand: object, _: Groups) -> Holds:
    """`$ini`: as `$in`, with texts in lower case."""
    if not isinstance(operand, list):
        return never
    member = membership([in_lower_case(item) for item in operand])
    return lambda value: member(
        [in_lower_case(item) for item in value] if isinstance(value, list) else in_lower_case(value)
    )


def in_lower_case(value: object) -> object:
    """Return a text in lower case, anything else unchanged."""
    return value.lower() if isinstance(value, str) else value


def outside(positive: Operator) -> Operator:
    """`$nin` and its like: the negation for lists; any other operand never holds."""
    return lambda operand, groups: negated(positive(operand, groups)) if isinstance(operand, list) else never


def in_group(operand: object, groups: Groups) -> Holds:
    """`$inGroup`: one of the members of a saved group."""
    members = groups.get(operand, ()) if isinstance(operand, str) else ()
    return membership(members if isinstance(members, list | tuple) else ())


def contains_all(*, fold: bool) -> Operator:
    """`$all` and `$alli`: a list with an item for each of the operands."""

    def prepared(operand: object, groups: Groups) -> Holds:
        if not isinstance(operand, list):
            return never
        required = [comparison(each, groups, fold=fold) for each in operand]
        return lambda value: isinstance(value, list) and all(any(map(predicate, value)) for predicate in required)

    return prepared


def element_matches(operand: object, groups: Groups) -> Holds:
    """`$elemMatch`: a list with an item for which operators or a condition hold."""
    if not isinstance(operand, Mapping):
        return never
    operators = bool(operand) and all(key.startswith("$") for key in operand)
    predicate = comparison(operand, groups) if operators else conjunction(operand, groups)
    return lambda value: isinstance(value, list) and any(map(predicate, value))


def has_size(operand: object, groups: Groups) -> Holds:
    """`$size`: a list whose length satisfies the operand."""
    predicate = comparison(operand, groups)
    return lambda value: isinstance(value, list) and predicate(len(value))


def has_type(operand: object, _: Groups) -> Holds:
    """`$type`: a value of the JSON type with this name."""

    def type_of(value: object) -> str:
        if value is None:
            return "null"
        return next((name for name, kinds in _TYPES.items() if isinstance(value, kinds)), "unknown")

    return lambda value: type_of(value) == operand


_TYPES: Mapping[str, type | UnionType] = {  # boolean before number, because bool is a subclass of int
    "boolean": bool,
    "string": str,
    "number": int | float,
    "array": list,
    "object": Mapping,
}


def exists(operand: object, _: Groups) -> Holds:
    """`$exists`: a value that is not null, or null for a false operand."""
    expected = truth_of(operand)
    return lambda value: (value is not None) is expected


def searched(*, ignore_case: bool) -> Operator:
    """`$regex` and `$regexi`: a text in which the expression matches."""

    def prepared(operand: object, _: Groups) -> Holds:
        if not isinstance(operand, str):
            return never
        matches = expression(operand, ignore_case)
        return lambda value: (text := text_of(value)) is not None and matches(text)

    return prepared


def versions(compare: Compared) -> Operator:
    """`$vlt` and its like: texts compared as version numbers."""

    def prepared(operand: object, _: Groups) -> Holds:
        version = version_key(operand)
        return lambda value: compare(version_key(value), version)

    return prepared


def version_key(value: object) -> bytes:
    """Return a key that orders versions by their numbers; a release follows its own pre-releases."""
    text = text_of(value) if not isinstance(value, bool) else None
    parts = re.split(r"[-.]", (text or "0").partition("+")[0].removeprefix("v"))
    if len(parts) == 3:
        # `~` sorts behind digits and letters, so that 1.2.3 follows 1.2.3-beta.
        parts.append("~")
    # Numbers are padded, so that texts compare as numbers of up to five digits do: 9 before 10.
    return units("-".join(part.rjust(5) if _NUMBER.fullmatch(part) else part for part in parts))


OPERATORS: Mapping[str, Operator] = {
    "$eq": equals,
    "$ne": lambda operand, groups: negated(equals(operand, groups)),
    "$lt": ordering(operator.lt),
    "$lte": ordering(operator.le),
    "$gt": ordering(operator.gt),
    "$gte": ordering(operator.ge),
    "$veq": versions(operator.eq),
    "$vne": versions(operator.ne),
    "$vlt": versions(operator.lt),
    "$vlte": versions(operator.le),
    "$vgt": versions(operator.gt),
    "$vgte": versions(operator.ge),
    "$in": in_list,
    "$nin": outside(in_list),
    "$ini": in_list_folded,
    "$nini": outside(in_list_folded),
    "$inGroup": in_group,
    "$notInGroup": lambda operand, groups: negated(in_group(operand, groups)),
    "$all": contains_all(fold=False),
    "$alli": contains_all(fold=True),
    "$elemMatch": element_matches,
    "$size": has_size,
    "$type": has_type,
    "$exists": exists,
    "$not": lambda operand, groups: negated(comparison(operand, groups)),
    "$regex": searched(ignore_case=False),
    "$regexi": searched(ignore_case=True),
}
