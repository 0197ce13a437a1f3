"""Audience rules as shops write them (docs/targeting.md), told as conditions (docs/data-model.md, section 2.2)."""

import re
from collections.abc import Callable, Iterator, Mapping

from abtest.domain.targeting.shapes import AudienceRules, Comparison, Condition

Placed = tuple[str, Comparison]
"""A path below the rules (`groups[0].conditions[1]`) and the comparison that stands there."""

_JOINED = {"and": "$and", "or": "$or"}
_PATHS = {
    "screen_width": "screen.width",
    "screen_height": "screen.height",
    "customer_tags": "customer.tags",
    "cart_value": "cart.value",
    "cart_items": "cart.items",
}
"""Attributes that stand elsewhere than under their own name."""

_SYNTAX = re.compile(r"[.*+?^${}()|[\]\\/]")


def condition_of(rules: AudienceRules) -> Condition:
    """The condition that holds for exactly those whom the rules describe; for rules that contract/ let in."""
    parts = [_compared(comparison) for comparison in rules.get("conditions", ())]
    parts += [condition_of(group) for group in rules.get("groups", ())]
    return parts[0] if len(parts) == 1 else {_JOINED[rules["operator"]]: parts}


def comparisons(rules: AudienceRules, path: str = "") -> Iterator[Placed]:
    """Every comparison of the rules with its path, groups of groups included."""
    for index, comparison in enumerate(rules.get("conditions", ())):
        yield f"{path}conditions[{index}]", comparison
    for index, group in enumerate(rules.get("groups", ())):
        yield from comparisons(group, f"{path}groups[{index}].")


def _compared(comparison: Comparison) -> Condition:
    operator: str = comparison["operator"]
    if comparison["attribute"] == "customer_tags":
        operator = _OF_LISTS.get(operator, operator)
    return {_path(comparison): _TESTS[operator](comparison.get("value"))}


def _path(comparison: Comparison) -> str:
    attribute: str = comparison["attribute"]
    if attribute.startswith("local_"):
        return f"local.{comparison['timezone']}.{attribute.removeprefix('local_')}"
    return f"{attribute}.{comparison['key']}" if "key" in comparison else _PATHS.get(attribute, attribute)


def _literal(text: object) -> str:
    """An ECMAScript source that matches the text and nothing else."""
    return _SYNTAX.sub(r"\\\g<0>", str(text))


def _known(**test: object) -> Condition:
    """A test that fails where the attribute is not known: orderings take null for 0, expressions read it as text."""
    return {"$exists": True, **{f"${name}": value for name, value in test.items()}}


def _ordering(name: str) -> Callable[[object], Condition]:
    return lambda value: _known(**{name: value})


_TESTS: Mapping[str, Callable[[object], Condition]] = {
    "equals": lambda value: {"$eq": value},
    "not_equals": lambda value: {"$ne": value},
    "in": lambda values: {"$in": values},
    "not_in": lambda values: {"$nin": values},
    "contains": lambda text: _known(regex=_literal(text)),
    "not_contains": lambda text: {"$not": _known(regex=_literal(text))},
    "starts_with": lambda text: _known(regex=f"^{_literal(text)}"),
    "ends_with": lambda text: _known(regex=f"{_literal(text)}$"),
    "matches": lambda source: _known(regex=source),
    "not_matches": lambda source: {"$not": _known(regex=source)},
    "exists": lambda _: {"$exists": True},
    "not_exists": lambda _: {"$exists": False},
    **{name: _ordering(name) for name in ("gt", "gte", "lt", "lte")},
    "contains_item": lambda item: {"$in": [item]},
    "not_contains_item": lambda item: {"$nin": [item]},
}

_OF_LISTS = {"contains": "contains_item", "not_contains": "not_contains_item"}
"""Of a list, `contains` asks for an item; of a text, for a part."""
