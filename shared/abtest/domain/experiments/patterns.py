"""Regular expressions of customers, wherever an experiment holds them, admitted or refused before they are stored."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from abtest.domain.experiments.errors import UnsafeRegexError
from abtest.domain.experiments.model import Experiment
from abtest.domain.targeting.patterns import compiles
from abtest.kit.errors import FieldError

_MANY = 5
"""Times from which on a bounded repetition counts as one."""

_PIECE = re.compile(r"(\\.|\[(?:\\.|[^\]\\])*\]|[^*+?{]|\{)([*+?]|\{\d{1,9}(?:,\d{0,9})?\})?\??", re.DOTALL)

Placed = tuple[str, str]
"""A path (`targeting.pageRules[0].includeRules[1].pattern`) and the expression that stands there."""


def check(experiment: Experiment) -> None:
    """Raises UnsafeRegexError for the first expression that browsers must not be given."""
    for path, source in expressions(experiment):
        if not compiles(source):
            raise _unsafe(path, "is no regular expression that browsers accept")
        if can_explode(source):
            raise _unsafe(path, "repeats a repetition, which could stall a shopper's browser")


def _unsafe(path: str, message: str) -> UnsafeRegexError:
    return UnsafeRegexError(f"{path}: {message}", fields=[FieldError(path, message)])


def can_explode(source: str) -> bool:
    """Whether a repetition stands inside a repetition, as in `(a+)+`: what a shopper's browser could hang on.

    Stricter than need be: `(/[a-z]+)*` is refused, too, though its slashes keep it harmless.
    """
    repeats = [False]
    for piece, following in _pieces(source):
        if piece == "(":
            repeats.append(False)
        elif piece == ")" and len(repeats) > 1:
            inside, again = repeats.pop(), _repeats(following)
            if inside and again:
                return True
            repeats[-1] |= inside or again
        elif piece not in "()":
            repeats[-1] |= _repeats(following)
    return False


def _pieces(source: str) -> Iterator[tuple[str, str]]:
    """Brackets and atoms, each with the quantifier that follows it, or an empty text."""
    return ((found[1], found[2] or "") for found in _PIECE.finditer(source))


def _repeats(quantifier: str) -> bool:
    if quantifier in ("", "?"):
        return False
    if quantifier in ("*", "+"):
        return True
    most = quantifier.strip("{}").split(",")[-1]
    return most == "" or len(most) > 3 or int(most) >= _MANY


def expressions(experiment: Experiment) -> Iterator[Placed]:
    """Every `regex` rule of the experiment with its path."""
    yield from _in_pages((experiment.targeting or {}).get("pageRules", ()), "targeting.pageRules")
    yield from _in_pages(experiment.goal_page_rules, "goalPageRules")
    for index, variation in enumerate(experiment.variations):
        for position, block in enumerate(variation.url_blocks or ()):
            yield from _in_rules(block["urlRules"], f"variations[{index}].url_blocks[{position}].urlRules")


def _in_pages(pages: Any, path: str) -> Iterator[Placed]:
    for index, page in enumerate(pages):
        for name in ("includeRules", "excludeRules"):
            yield from _in_rules(page[name], f"{path}[{index}].{name}")


def _in_rules(rules: list[Mapping[str, Any]], path: str) -> Iterator[Placed]:
    for index, rule in enumerate(rules):
        if rule["type"] == "regex":
            yield f"{path}[{index}].pattern", rule["pattern"]
