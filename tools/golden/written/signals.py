"""Written answers about data-layer triggers, where section 2.4 of docs/data-model.md settles something."""

from typing import Any

from tools.golden.written.case import Case

_NUMBERS: list[tuple[Any, Any]] = [
    (49.9, 49.9),
    ("49.90", 49.9),
    ("1,299.50", 1299.5),
    ("1.299,50", 1299.5),
    ("1 299,50", 1299.5),
    ("1\u00a0299", 1299),
    ("1'299.50", 1299.5),
    ("12,5", 12.5),
    ("1,234", 1234),
    ("0,999", 0.999),
    ("1.234", 1.234),
    ("1,234,567", 1234567),
    (" 7 ", 7),
    ("-5", -5),
    ("-0", 0),
    ("1.234.567", None),
    ("12,34,567", None),
    ("1e3", None),
    ("+5", None),
    ("5.", None),
    ("€5", None),
    ("5 EUR", None),
    ("", None),
    ("9" * 400, None),
    (True, None),
    ([5], None),
    ({}, None),
]

_TYPED: list[tuple[str | None, Any, Any]] = [
    (None, "a", "a"),
    (None, False, False),
    (None, 1.5, 1.5),
    (None, ["a"], None),
    ("string", 1.0, "1"),
    ("string", 1e21, "1e+21"),
    ("string", True, "true"),
    ("string", ["a"], None),
    ("boolean", "YES", True),
    ("boolean", "0", False),
    ("boolean", 1, True),
    ("boolean", 2, None),
    ("boolean", "", None),
    ("string_array", "a", ["a"]),
    ("string_array", ["a", 1, True], ["a", "1", "true"]),
    ("string_array", [], []),
    ("string_array", ["a", None], None),
    ("string_array", [["a"]], None),
    ("json", {"a": [1, None, {"b": True}]}, {"a": [1, None, {"b": True}]}),
    ("json", "[1]", "[1]"),
    ("json", [0] * 999, [0] * 999),
    ("json", [0] * 1000, None),
    ("json", [[[[[[[[[1]]]]]]]]], [[[[[[[[None]]]]]]]]),
]

_CHANGED: list[tuple[dict[str, Any], Any, Any]] = [
    ({"trim": True, "lower": True}, " \ufeffGold\n", "gold"),
    ({"map": {"gold": "1"}}, "Gold", "Gold"),
    ({"lower": True, "map": {"gold": "1"}}, "Gold", "1"),
    ({"map": {"1": "one", "true": "yes"}}, 1, "one"),
    ({"map": {"1": "one", "true": "yes"}}, True, "yes"),
    ({"map": {}}, "constructor", "constructor"),
    ({"map": {"gold": "12,5"}, "type": "number", "scale": 2}, "gold", 25),
    ({"type": "number", "scale": 0.01}, "4990", 49.9),
    ({"type": "number", "scale": 1e308}, 100, None),
    ({"type": "number", "scale": -1}, 0, 0),
    ({"trim": True, "map": {"a": "b"}, "type": "string_array"}, [" a ", "c"], ["b", "c"]),
    ({"lower": True, "type": "json"}, ["A"], ["A"]),
]

_CONDITIONS: list[tuple[str, str, Any, bool]] = [
    ("n", "eq", 5, True),
    ("n", "eq", 5.0, True),
    ("n", "eq", "5", False),
    ("one", "eq", True, False),
    ("n", "neq", 5, False),
    ("nowhere", "eq", "", False),
    ("nowhere", "neq", 5, True),
    ("n", "gt", 4, True),
    ("n", "gt", 5, False),
    ("text", "gt", 4, False),
    ("nowhere", "lt", 4, False),
    ("yes", "lt", 4, False),
    ("n", "exists", None, True),
    ("null", "exists", None, False),
    ("null", "not_exists", None, True),
    ("empty", "exists", None, True),
    ("items.0.id", "exists", None, True),
    ("items.01.id", "exists", None, False),
    ("items.length", "exists", None, False),
    ("toString", "exists", None, False),
]
_PAYLOAD = {"n": 5, "one": 1, "text": "5", "yes": True, "null": None, "empty": "", "items": [{"id": 7}]}


def _case(about: str, trigger: dict[str, Any], payload: Any, expected: Any) -> Case:
    whole = {"id": "t", "event": "e", "layer": "dataLayer", **trigger}
    pushed = {"event": "e", **payload} if isinstance(payload, dict) else payload
    return Case(about, "signal", {"trigger": whole, "payload": pushed}, expected)


def _of_value(about: str, mapping: dict[str, Any], value: Any, expected: Any) -> Case:
    kind = mapping.get("type", "scalar")
    outcome = {"errors": [f"v is no {kind}"]} if expected is None else {"properties": {"p": expected}}
    return _case(about, {"properties": [{"from": ["v"], "to": "p", **mapping}]}, {"v": value}, outcome)


def _short(value: Any) -> str:
    return repr(value)[:40]


_FROM = {"from": ["a", "b.0"], "to": "p"}
_REVENUE = {"revenue": {"revenue": ["v"], "order_id": ["o"]}}

CASES: dict[str, list[Case]] = {
    "number": [_of_value(f"{number} {_short(value)}", {"type": "number"}, value, expected)
               for number, (value, expected) in enumerate(_NUMBERS)],
    "type": [
        _of_value(f"{number} {kind} {_short(value)}", {"type": kind} if kind else {}, value, expected)
        for number, (kind, value, expected) in enumerate(_TYPED)
    ],
    "transform": [
        _of_value(f"{number} {_short(mapping)}", mapping, value, expected)
        for number, (mapping, value, expected) in enumerate(_CHANGED)
    ],
    "when": [
        _case(
            f"{number} {path} {operator}",
            {"when": [{"path": path, "op": operator} | ({} if value is None else {"value": value})]},
            _PAYLOAD,
            {} if holds else False,
        )
        for number, (path, operator, value, holds) in enumerate(_CONDITIONS)
    ],
    "payload": [
        _case("of another event", {}, {"event": "f"}, False),
        _case("that is none", {}, None, False),
        _case("that is a text", {}, "e", False),
        _case("that is a list", {}, ["e"], False),
    ],
    "from": [
        _case("the first", {"properties": [_FROM]}, {"a": 1, "b": [2]}, {"properties": {"p": 1}}),
        _case("the second", {"properties": [_FROM]}, {"a": None, "b": [2]}, {"properties": {"p": 2}}),
        _case("an empty text is one", {"properties": [_FROM]}, {"a": "", "b": [2]}, {"properties": {"p": ""}}),
        _case("of no use, though the second were", {"properties": [{**_FROM, "type": "number"}]}, {"a": "x", "b": [2]},
              {"errors": ["a is no number"]}),
        _case("none", {"properties": [_FROM]}, {}, {"errors": ["a is missing"]}),
        _case("none, with a default", {"properties": [{**_FROM, "default": 0}]}, {}, {"properties": {"p": 0}}),
        _case("of no use, with a default", {"properties": [{**_FROM, "type": "number", "default": 0}]}, {"a": "x"},
              {"properties": {"p": 0}, "errors": ["a is no number"]}),
    ],
    "to": [
        _case("names of objects", {"mappings": [{"from": ["v"], "to": "__proto__"}]}, {"v": 1},
              {"mapped": {"__proto__": 1}}),
        _case("the later of two", {"mappings": [{"from": ["v"], "to": "x"}, {"from": ["w"], "to": "x"}]},
              {"v": 1, "w": 2}, {"mapped": {"x": 2}}),
        _case("the later of two, where it has none",
              {"mappings": [{"from": ["v"], "to": "x"}, {"from": ["w"], "to": "x"}]}, {"v": 1},
              {"mapped": {"x": 1}, "errors": ["w is missing"]}),
    ],
    "revenue": [
        _case("a whole order", _REVENUE, {"v": "10,50", "o": 77}, {"revenue": {"revenue": 10.5, "orderId": "77"}}),
        _case("zero", _REVENUE, {"v": 0, "o": "x"}, {"revenue": {"revenue": 0, "orderId": "x"}}),
        _case("less than zero", _REVENUE, {"v": -1, "o": "x"}, {"errors": ["v is no amount"]}),
        _case("the most", _REVENUE, {"v": 1e13, "o": "x"}, {"revenue": {"revenue": 1e13, "orderId": "x"}}),
        _case("more than the most", _REVENUE, {"v": 1e13 + 1, "o": "x"}, {"errors": ["v is no amount"]}),
        _case("without an order id", _REVENUE, {"v": 5}, {"revenue": {"revenue": 5}, "errors": ["o is missing"]}),
        _case("missing", _REVENUE, {"o": "x"}, {"errors": ["v is missing"]}),
        _case("with cost, profit and properties",
              {"revenue": {"revenue": ["v"], "currency": ["c"], "cost": ["x"], "profit": ["y"],
                           "properties": [{"from": ["c"], "to": "said", "lower": True}]}},
              {"v": 5, "c": "EUR", "x": "2,5", "y": -1},
              {"revenue": {"revenue": 5, "currency": "EUR", "cost": 2.5, "profit": -1, "properties": {"said": "eur"}}}),
    ],
}  # fmt: skip
