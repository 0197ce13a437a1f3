"""Where an experiment holds regular expressions of its customers; which of them are let in, admission says."""

from collections.abc import Iterator, Mapping
from typing import Any

from abtest.domain.experiments.model import Experiment
from abtest.domain.targeting.admission import refuse_unsafe

Placed = tuple[str, str]
"""A path (`targeting.pageRules[0].includeRules[1].pattern`) and the expression that stands there."""


def check(experiment: Experiment) -> None:
    """Raises UnsafeRegexError for the first expression that browsers must not be given."""
    for path, source in expressions(experiment):
        refuse_unsafe(path, source)


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
