"""Regular expressions of an experiment outside of its targeting; `targeting.admission` decides which are safe."""

from collections.abc import Iterator

from abtest.domain.experiments.model import Experiment
from abtest.domain.targeting.admission import refuse_unsafe
from abtest.domain.targeting.checks import Placed, expressions_of_pages


def check(experiment: Experiment) -> None:
    """Raise UnsafeRegexError for the first that browsers must not get."""
    for path, source in expressions(experiment):
        refuse_unsafe(path, source)


def expressions(experiment: Experiment) -> Iterator[Placed]:
    """Return the regular expressions of goal page rules and URL blocks, each with its path."""
    yield from expressions_of_pages(experiment.goal_page_rules, "goalPageRules")
    for index, variation in enumerate(experiment.variations):
        for position, block in enumerate(variation.url_blocks or ()):
            path = f"variations[{index}].url_blocks[{position}]"
            for place, rule in enumerate(block["urlRules"]):
                if rule["type"] == "regex":
                    yield f"{path}.urlRules[{place}].pattern", rule["pattern"]
