"""Random conditions and attributes to evaluate them on: every operator, well- and ill-formed."""

from collections.abc import Callable, Iterator
from random import Random
from typing import Any

from tools.golden.questions.addresses import expression
from tools.golden.questions.values import name, near, scalar, text, value

Question = dict[str, Any]
Maker = Callable[[Random, Any], Any]

GROUPS = {"vip": ["10", 10, "a", None], "empty": [], "mixed": [[1], {"a": 1}, True, "😀"], "broken": "a"}
LOGIC = ("$and", "$or", "$nor", "$not")


def condition_questions(random: Random, count: int) -> Iterator[Question]:
    """`{"condition", "attributes", "groups"}`."""
    for _ in range(count):
        known = attributes(random)
        yield {"condition": condition(random, known), "attributes": known, "groups": GROUPS}


def attributes(random: Random) -> dict[str, Any]:
    """Attributes of a visitor: some plausible, some not."""
    known = {name(random): value(random) for _ in range(random.randrange(4))}
    if random.random() < 0.5:
        known["tags"] = [scalar(random) for _ in range(random.randrange(4))]
    if random.random() < 0.4:
        known["cart"] = {"value": scalar(random), "items": [{"id": scalar(random), "n": value(random)}]}
    return known


def condition(random: Random, known: dict[str, Any], depth: int = 2) -> Any:
    """A condition about these attributes, which about half the time holds."""
    if random.random() < 0.02:
        return random.choice([None, 5, "x", True, [], [{}]])
    entries = random.choice([1, 1, 1, 1, 1, 1, 2, 2, 3, 0])
    return dict(_entry(random, known, depth) for _ in range(entries))


def _entry(random: Random, known: dict[str, Any], depth: int) -> tuple[str, Any]:
    if depth and random.random() < 0.3:
        return _joined(random, known, depth)
    path, actual = random.choice(list(_places(known))) if known and random.random() < 0.85 else _nowhere(random)
    return path, _expected(random, actual, depth)


def _joined(random: Random, known: dict[str, Any], depth: int) -> tuple[str, Any]:
    key = random.choice(LOGIC)
    if random.random() < 0.05:
        return key, value(random)
    if key == "$not":
        return key, condition(random, known, depth - 1)
    return key, [condition(random, known, depth - 1) for _ in range(random.choice([0, 1, 2, 2, 3]))]


def _nowhere(random: Random) -> tuple[str, Any]:
    return random.choice([name(random), "$groups", "a.b.c", "tags.length", "a.", ".", "a.__proto__", "$x"]), None


def _places(actual: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Everything that a path leads to."""
    below = actual.items() if isinstance(actual, dict) else enumerate(actual) if isinstance(actual, list) else ()
    for key, inner in below:
        yield f"{path}{key}", inner
        yield from _places(inner, f"{path}{key}.")


def _expected(random: Random, actual: Any, depth: int) -> Any:
    """Operand or operators for a path."""
    if random.random() < 0.2:
        return near(random, actual)
    names = random.sample(list(OPERATORS), k=random.choice([1, 1, 1, 1, 2]))
    operators = {each: _operand(random, each, actual, depth) for each in names}
    if random.random() < 0.03:
        operators[random.choice(["$unknown", "plain", "$", "$v", "$vx", "$constructor", "$toString"])] = value(random)
    return operators


def _operand(random: Random, operator: str, actual: Any, depth: int) -> Any:
    if random.random() < 0.06:
        return value(random)
    if operator == "$elemMatch":
        return _of_an_item(random, actual, depth)
    if operator in ("$not", "$size"):
        inner = len(actual) if operator == "$size" and isinstance(actual, list) else actual
        return _expected(random, inner, depth - 1) if depth > 0 else near(random, inner)
    return OPERATORS[operator](random, actual)


def _of_an_item(random: Random, actual: Any, depth: int) -> Any:
    item = random.choice(actual) if isinstance(actual, list) and actual else scalar(random)
    if isinstance(item, dict) and random.random() < 0.7:
        return condition(random, item, max(depth - 1, 0))
    return _expected(random, item, depth - 1) if depth > 0 else {"$eq": near(random, item)}


def _among(random: Random, actual: Any) -> Any:
    items = [value(random, 1) for _ in range(random.randrange(3))]
    if random.random() < 0.7:
        items.insert(0, near(random, random.choice(actual) if isinstance(actual, list) and actual else actual))
    return items


def _all(random: Random, actual: Any) -> Any:
    items = actual if isinstance(actual, list) else [actual]
    chosen = [near(random, item) for item in items if random.random() < 0.6]
    return [{"$eq": item} if random.random() < 0.2 else item for item in chosen]


def _version(random: Random, actual: Any) -> Any:
    return (
        near(random, actual)
        if random.random() < 0.5
        else random.choice(["1.2.3", "v1.10.0-rc.1", "0", 1.2, text(random)])
    )


def _source(random: Random, actual: Any) -> Any:
    kind = random.random()
    if kind < 0.35 and isinstance(actual, str):
        return "^" + "".join(letter if letter.isalnum() else "." for letter in near_text(random, actual)[:12])
    return expression(random) if kind < 0.85 else text(random)


def near_text(random: Random, actual: str) -> str:
    """The text, or the same in the other case."""
    return actual if random.random() < 0.5 else actual.swapcase()


def _type_name(random: Random, actual: Any) -> Any:
    names = {str: "string", bool: "boolean", int: "number", float: "number", list: "array", dict: "object"}
    right = names.get(type(actual), "null")
    return right if random.random() < 0.5 else random.choice([*names.values(), "null", "undefined", "unknown", None])


def _group(random: Random, _: Any) -> Any:
    return random.choice([*GROUPS, "nobody", "constructor", "__proto__", "toString"])


_EQUAL = ("$eq", "$ne", "$lt", "$lte", "$gt", "$gte")
_VERSIONS = ("$veq", "$vne", "$vlt", "$vlte", "$vgt", "$vgte")

OPERATORS: dict[str, Maker] = {
    **dict.fromkeys(_EQUAL, near),
    **dict.fromkeys(_VERSIONS, _version),
    **dict.fromkeys(("$in", "$nin", "$ini", "$nini"), _among),
    **dict.fromkeys(("$all", "$alli"), _all),
    **dict.fromkeys(("$regex", "$regexi"), _source),
    **dict.fromkeys(("$inGroup", "$notInGroup"), _group),
    "$type": _type_name,
    "$exists": lambda random, _: scalar(random) if random.random() < 0.3 else random.random() < 0.5,
    "$elemMatch": near,
    "$not": near,
    "$size": near,
}
