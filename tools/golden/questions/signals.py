"""Random data-layer triggers and the payloads that are pushed to them: plausible ones, and mostly awkward ones."""

import json
from collections.abc import Iterator
from random import Random
from typing import Any
from unicodedata import category

from tools.golden.questions.values import name, near, number, scalar, text, value

Question = dict[str, Any]

OPERATORS = ("eq", "neq", "gt", "lt", "exists", "not_exists")
TYPES = (None, "string", "number", "boolean", "string_array", "json")
AMOUNTS = [
    "49.90",
    "1,299.50",
    "1.299,50",
    "1 299,50",
    "1\u00a0299",
    "1'299.50",
    "1\u2019299",
    "1\u202f299,5",
    "12,5",
    "12,50",
    "1,234",
    "0,999",
    "1.234",
    "1.234.567",
    "1,234,567.8",
    "12,34,567",
    "1,234,56",
    "1.23,4",
    "1,2.3",
    "-5",
    "+5",
    "- 5",
    "--5",
    "5-",
    "€5",
    "5 EUR",
    "",
    " ",
    ".",
    ",",
    "5.",
    ".5",
    "1e3",
    "00012",
    "0012,5",
    "9" * 20,
    "9" * 400,
    "0." + "1" * 40,
    "0.30000000000000004",
    "-0",
    "-0,0",
    "\u0661",
    "1\u20092",
    "1\u30002",
    "10000000000000",
    "10000000000000.01",
]
_WORDS = ["Yes", "NO", "TRUE", "False", " true", "1", "0", "yeſ", "İ", " A ", "\ufeffx\u0085", "\u180ea", "ΑΣ"]
_LONG = {"many": list(range(998)), "over": list(range(1000)), "edge": list(range(999)), "wide": [[]] * 1001}
_PATHS = ["", ".", "a.", "length", "items.length", "ecommerce.items.01.id", "ecommerce", "event", "__proto__", "a.b"]


def signal_questions(random: Random, count: int) -> Iterator[Question]:
    """`{"trigger", "payload"}`; most payloads match."""
    while count:
        payload = _payload(random)
        question = {"trigger": _trigger(random, payload), "payload": payload}
        if _is_assigned(question):
            count -= 1
            yield question


def _is_assigned(question: Question) -> bool:
    """Letters that are younger than Python's Unicode have a lower case in browsers only."""
    return all(category(letter) != "Cn" for letter in json.dumps(question, ensure_ascii=False) if letter > "\u024f")


def _payload(random: Random) -> Any:
    kind = random.random()
    if kind < 0.04:
        return value(random)
    payload = {name(random): value(random) for _ in range(random.randrange(3))}
    if kind < 0.9:
        payload["ecommerce"] = {
            "transaction_id": scalar(random),
            "value": _amount(random),
            "currency": random.choice(["EUR", "usd", " GBP ", None, scalar(random)]),
            "items": [{"id": scalar(random), "price": _amount(random)} for _ in range(random.randrange(3))],
            "coupons": [scalar(random) for _ in range(random.randrange(3))],
        }
    if random.random() < 0.03:
        payload["long"] = random.choice(list(_LONG.values()))
    if random.random() < 0.05:
        payload["deep"] = _nested(random.randrange(6, 11), scalar(random))
    payload["flag"] = random.choice([*_WORDS, True, False, 1, 0, 2])
    return payload | ({"event": "purchase"} if random.random() < 0.97 else {"event": scalar(random)})


def _nested(depth: int, inner: Any) -> Any:
    for level in range(depth):
        inner = [inner] if level % 2 else {"in": inner}
    return inner


def _amount(random: Random) -> Any:
    kind = random.random()
    if kind < 0.45:
        return random.choice(AMOUNTS)
    if kind < 0.6:
        return f"{random.choice(['', '-'])}{random.uniform(0, 10 ** random.randrange(9)):,.{random.randrange(4)}f}"
    return number(random) if kind < 0.9 else scalar(random)


def _trigger(random: Random, payload: Any) -> dict[str, Any]:
    places = [(path, actual) for path, actual in _places(payload) if path]
    trigger: dict[str, Any] = {"id": "t", "event": "purchase", "layer": "dataLayer"}
    if random.random() < 0.5:
        trigger["when"] = [_condition(random, places) for _ in range(random.choice([1, 1, 1, 2]))]
    if random.random() < 0.6:
        trigger["revenue"] = _revenue(random, places)
    for field in ("properties", "mappings"):
        if random.random() < 0.6:
            trigger[field] = [_mapping(random, places) for _ in range(random.choice([0, 1, 2, 3]))]
    return trigger


def _revenue(random: Random, places: list[tuple[str, Any]]) -> dict[str, Any]:
    fields: dict[str, Any] = {"revenue": _from(random, places, "ecommerce.value")}
    for field, path in (("order_id", "transaction_id"), ("currency", "currency"), ("cost", "value"), ("profit", "tax")):
        if random.random() < 0.5:
            fields[field] = _from(random, places, f"ecommerce.{path}")
    if random.random() < 0.4:
        fields["properties"] = [_mapping(random, places) for _ in range(2)]
    return fields


def _from(random: Random, places: list[tuple[str, Any]], likely: str) -> list[str]:
    paths = [random.choice(places)[0] if places and random.random() < 0.7 else random.choice(_PATHS) for _ in range(5)]
    return [likely if random.random() < 0.5 else path for path in paths[: random.choice([1, 1, 2, 3])]]


def _condition(random: Random, places: list[tuple[str, Any]]) -> dict[str, Any]:
    path, actual = random.choice(places) if places and random.random() < 0.85 else (random.choice(_PATHS), None)
    operator = random.choice(OPERATORS)
    if operator in ("exists", "not_exists"):
        return {"path": path, "op": operator}
    if operator in ("gt", "lt"):
        return _order(random, operator, [place for place in places if _is_number(place[1])] or [(path, 0)])
    expected = near(random, actual)
    plain = expected if isinstance(expected, str | int | float) else text(random)
    return {"path": path, "op": operator, "value": plain}


def _order(random: Random, operator: str, places: list[tuple[str, Any]]) -> dict[str, Any]:
    path, actual = random.choice(places)
    value = random.choice([actual - 1, actual + 1, actual, number(random)]) if abs(actual) < 1e300 else number(random)
    return {"path": path, "op": operator, "value": value}


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _mapping(random: Random, places: list[tuple[str, Any]]) -> dict[str, Any]:
    mapping: dict[str, Any] = {
        "from": _from(random, places, random.choice(["flag", "ecommerce.coupons", "long", "deep"]))
    }
    mapping["to"] = random.choice(["a", "b", "__proto__", "constructor", "page.tier", name(random)])
    kind = "json" if mapping["from"] == ["long"] else random.choice(TYPES)
    if kind:
        mapping["type"] = kind
    mapping |= {flag: True for flag in ("trim", "lower") if random.random() < 0.3}
    if random.random() < 0.3:
        keys = [_key(random, actual) for _, actual in random.sample(places, min(3, len(places)))]
        mapping["map"] = {key: random.choice(["mapped", "12,5", "no", ""]) for key in keys}
    if kind in (None, "number") and random.random() < 0.3:
        mapping |= {"type": "number", "scale": random.choice([0.01, 100, -1, 1e-300, 1e308, number(random) or 1])}
    if random.random() < 0.3:
        mapping["default"] = random.choice(["none", 0, False, True, 1.5, ""])
    return mapping


def _key(random: Random, actual: Any) -> str:
    if isinstance(actual, bool):
        return str(actual).lower()
    return str(actual) if isinstance(actual, int | str) else text(random)


def _places(actual: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Everything that a path leads to, of long lists the beginning."""
    below = actual.items() if isinstance(actual, dict) else enumerate(actual[:3]) if isinstance(actual, list) else ()
    for key, inner in below:
        yield f"{path}{key}", inner
        yield from _places(inner, f"{path}{key}.")
