"""Audience rules as shops write them (docs/targeting.md), as conditions (docs/data-model.md, section 2.2)."""

import re
from collections.abc import Callable, Iterator, Mapping

from abtest.domain.targeting.shapes import AudienceRules, Comparison, Condition

Placed = tuple[str, Comparison]
"""A path below the rules (`groups[0].conditions[1]`) and the comparison at that path."""

_JOINED = {"and": "$and", "or": "$or"}
_PATHS = {
    "screen_width": "screen.width",
    "screen_height": "screen.height",
    "customer_tags": "customer.tags",
    "cart_value": "cart.value",
    "cart_items": "cart.items",
}
"""Paths of attributes that are not stored under their own name."""

_SYNTAX = re.compile(r"[.*+?^${}()|[\]\\/]")


def condition_of(rules: AudienceRules) -> Condition:
    """Return the condition that holds for exactly the visitors whom the rules describe.

    The rules have passed validation by contract/.
    """
    parts: list[Condition] = []
    for comparison in rules.get("conditions", ()):
        operator: str = comparison["operator"]
        if comparison["attribute"] == "customer_tags":
            operator = _OF_LISTS.get(operator, operator)
        parts.append({path_of(comparison): _TESTS[operator](comparison.get("value"))})
    parts += [condition_of(group) for group in rules.get("groups", ())]
    return parts[0] if len(parts) == 1 else {_JOINED[rules["operator"]]: parts}


def comparisons(rules: AudienceRules, path: str = "") -> Iterator[Placed]:
    """Yield every comparison of the rules with its path, also those in nested groups."""
    for index, comparison in enumerate(rules.get("conditions", ())):
        yield f"{path}conditions[{index}]", comparison
    for index, group in enumerate(rules.get("groups", ())):
        yield from comparisons(group, f"{path}groups[{index}].")


def path_of(comparison: Comparison) -> str:
    """Return the path of the attribute that is compared, as conditions name it."""
    attribute: str = comparison["attribute"]
    if attribute.startswith("local_"):
        # Names of zones have no dots, so that the path has exactly three parts.
        return f"local.{comparison['timezone']}.{attribute.removeprefix('local_')}"
    return f"{attribute}.{comparison['key']}" if "key" in comparison else _PATHS.get(attribute, attribute)


def quoted(text: object) -> str:
    """Return an ECMAScript source that matches the text and nothing else."""
    return _SYNTAX.sub(r"\\\g<0>", str(text))


def known(**test: object) -> Condition:
    """Return a test that fails for unknown attributes.

    Without `$exists` orderings would read null as 0 and expressions would read it as text.
    """
    return {"$exists": True, **{f"${name}": value for name, value in test.items()}}


_TESTS: Mapping[str, Callable[[object], Condition]] = {
    "equals": lambda value: {"$eq": value},
    "not_equals": lambda value: {"$ne": value},
    "in": lambda values: {"$in": values},
    "not_in": lambda values: {"$nin": values},
    # Conditions have no operator for parts of a text, so a quoted text becomes an expression.
    "contains": lambda text: known(regex=quoted(text)),
    # The negation is outermost: an unknown attribute does not contain the text.
    "not_contains": lambda text: {"$not": known(regex=quoted(text))},
    "starts_with": lambda text: known(regex=f"^{quoted(text)}"),
    "ends_with": lambda text: known(regex=f"{quoted(text)}$"),
    "matches": lambda source: known(regex=source),
    "not_matches": lambda source: {"$not": known(regex=source)},
    "exists": lambda _: {"$exists": True},
    "not_exists": lambda _: {"$exists": False},
    "gt": lambda value: known(gt=value),
    "gte": lambda value: known(gte=value),
    "lt": lambda value: known(lt=value),
    "lte": lambda value: known(lte=value),
    "contains_item": lambda item: {"$in": [item]},
    "not_contains_item": lambda item: {"$nin": [item]},
}

_OF_LISTS = {"contains": "contains_item", "not_contains": "not_contains_item"}
"""In a list, `contains` looks for an item; in a text, for a part."""
