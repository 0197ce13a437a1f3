"""Comparisons that audiences may make: the table of docs/targeting.md, and the check of a comparison against it."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TypeGuard, get_args

from abtest.domain.targeting.shapes import Comparison, Operator

EXPRESSIONS = frozenset({"matches", "not_matches"})
"""Operators whose value is a regular expression of the shop's."""

Problem = tuple[str, str]
"""Field of a comparison that is wrong, and the reason."""

_LISTS = frozenset({"in", "not_in"})
_WITHOUT_VALUE = frozenset({"exists", "not_exists"})
_EQUALITY = frozenset({"equals", "not_equals"})
_ORDER = frozenset({"gt", "gte", "lt", "lte"})
_PRESENCE = _LISTS | _WITHOUT_VALUE
_PARTS = frozenset({"contains", "not_contains", "starts_with", "ends_with"}) | EXPRESSIONS
_TEXT = _EQUALITY | _PRESENCE | _PARTS
_NUMBER = _EQUALITY | _PRESENCE | _ORDER
# ASCII, because `\d` would accept the digits of other scripts, too.
_TIME = re.compile(r"([01]\d|2[0-3]):[0-5]\d", re.ASCII)
_NAME = re.compile(r"[^.]+")
_PATH = re.compile(r"[^.]+(?:\.[^.]+)*")
_CAMPAIGN = re.compile("source|medium|campaign|term|content")
_COUNTRY = re.compile("[A-Z]{2}")
_DAYS = frozenset({"monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"})


def is_number(value: object) -> TypeGuard[int | float]:
    """Return whether a value is a number; booleans are not."""
    return isinstance(value, int | float) and not isinstance(value, bool)


@dataclass(frozen=True, slots=True)
class Rule:
    """Rule of an attribute: operators, form of a value (or of each in a list), form of the key, need of a time zone."""

    operators: frozenset[str]
    fits: Callable[[object], bool]
    values: str
    key: re.Pattern[str] | None = None
    has_zone: bool = False


def text_rule(key: re.Pattern[str] | None = None) -> Rule:
    """Return the rule of an attribute whose values are texts."""
    return Rule(_TEXT, lambda value: isinstance(value, str), "a text", key)


def one_of(words: frozenset[str], operators: frozenset[str], *, has_zone: bool = False) -> Rule:
    """Return the rule of an attribute with a fixed set of values."""
    expected = f"one of {', '.join(sorted(words))}"
    return Rule(operators, lambda value: isinstance(value, str) and value in words, expected, None, has_zone)


def is_part(value: object) -> bool:
    """Return whether a value can be searched for in a text: a text that is not empty."""
    return isinstance(value, str) and value != ""


_OF_PARTS = (is_part, "a text that is not empty")
"""Form of a value for operators that search in a text: any part of it, whatever the whole values are."""

_A_NUMBER = Rule(_NUMBER, is_number, "a number")
_ANYTHING = Rule(frozenset(get_args(Operator)), lambda _: True, "a text, a number or a boolean", _PATH)

RULES: Mapping[str, Rule] = {
    **dict.fromkeys(("device", "browser", "os", "language", "region", "city"), text_rule()),
    **dict.fromkeys(("traffic_source", "currency", "market", "referrer", "url"), text_rule()),
    "country": Rule(
        _TEXT,
        lambda value: isinstance(value, str) and _COUNTRY.fullmatch(value) is not None,
        "an ISO 3166 code in capitals, such as DE",
    ),
    "utm": text_rule(_CAMPAIGN),
    "query": text_rule(_NAME),
    "cookie": text_rule(_NAME),
    "page": _ANYTHING,
    "data_layer": _ANYTHING,
    "visitor": one_of(frozenset({"new", "returning"}), _EQUALITY),
    **dict.fromkeys(("visits", "days_since_first_visit", "days_since_last_visit", "pages_viewed"), _A_NUMBER),
    **dict.fromkeys(("screen_width", "screen_height", "cart_value", "cart_items"), _A_NUMBER),
    "logged_in": Rule(_EQUALITY, lambda value: isinstance(value, bool), "true or false"),
    "customer_tags": Rule(_PRESENCE | {"contains", "not_contains"}, is_part, "a text that is not empty"),
    "local_day": one_of(_DAYS, _EQUALITY | _LISTS, has_zone=True),
    "local_hour": Rule(
        _NUMBER, lambda value: is_number(value) and 0 <= value <= 23, "a number from 0 to 23", has_zone=True
    ),
    "local_time": Rule(
        _ORDER,
        lambda value: isinstance(value, str) and _TIME.fullmatch(value) is not None,
        "a time as HH:MM",
        None,
        True,
    ),
}


def problems_of(comparison: Comparison) -> Iterator[Problem]:
    """Yield the fields of a comparison that do not go together; each alone has the right form."""
    rule, operator = RULES[comparison["attribute"]], comparison["operator"]
    if operator not in rule.operators:
        yield "operator", f"is not allowed with {comparison['attribute']}; use {', '.join(sorted(rule.operators))}"
    if rule.key is None:
        if "key" in comparison:
            yield "key", f"is not allowed with {comparison['attribute']}"
    elif rule.key.fullmatch(comparison.get("key", "")) is None:
        yield "key", _KEYS[rule.key]
    if rule.has_zone != ("timezone" in comparison):
        yield "timezone", "is required" if rule.has_zone else f"is not allowed with {comparison['attribute']}"
    yield from value_problems(comparison, rule)


def value_problems(comparison: Comparison, rule: Rule) -> Iterator[Problem]:
    """Yield the problem of the value, if it has one."""
    operator, value = comparison["operator"], comparison.get("value")
    if operator in _WITHOUT_VALUE:
        if "value" in comparison:
            yield "value", f"is not allowed with {operator}"
        return
    if "value" not in comparison:
        yield "value", "is required"
        return
    fits, expected = _OF_PARTS if operator in _PARTS else (rule.fits, rule.values)
    if operator in _LISTS:
        if not isinstance(value, list) or not all(map(fits, value)):
            yield "value", f"must be a list, with each item {expected}"
    elif isinstance(value, list) or not fits(value):
        yield "value", f"must be {expected}"
    elif rule is _ANYTHING and operator in _ORDER and not is_number(value):
        yield "value", "must be a number"


_KEYS: Mapping[re.Pattern[str], str] = {
    _CAMPAIGN: "must be one of source, medium, campaign, term, content",
    _NAME: "must be a name without dots",
    _PATH: "must be a path of names with dots between them",
}
