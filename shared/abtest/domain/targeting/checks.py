"""Checks of targeting, pages and audiences that go beyond the form of each field."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Literal

from abtest.domain.targeting.admission import refuse_unsafe
from abtest.domain.targeting.audiences import comparisons
from abtest.domain.targeting.comparisons import EXPRESSIONS, problems_of
from abtest.domain.targeting.shapes import AudienceRules, Page, PageRules, TargetedPage, Targeting
from abtest.kit.errors import refused
from abtest.kit.time_zones import is_time_zone

Placed = tuple[str, str]
"""A path (`targeting.pageRules[0].includeRules[1].pattern`) and the expression at that path."""

_URL_RULES: tuple[Literal["includeRules", "excludeRules"], ...] = ("includeRules", "excludeRules")
_REGEX_OPERATORS = ("$regex", "$regexi")


def check_targeting(targeting: Targeting | None, path: str = "targeting") -> None:
    """Raise ValidationFailedError or UnsafeRegexError for the first field that is wrong.

    Services check that references exist; `check_surface` checks the fields that only experiments may have.
    """
    try:
        restrictions: Targeting = targeting or {}
        for index, rule in enumerate(restrictions.get("segmentRules") or ()):
            if "rules" in rule:
                check_comparisons(rule["rules"], f"{path}.segmentRules[{index}].rules.")
        check_expressions(expressions_of(targeting, path))
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        # Earlier releases stored rules of any form. No visitor gets them, so the next edit must replace them.
        raise refused(path, "has rules in a form that is no longer supported; send all rules again") from error


def check_surface(targeting: Targeting | None, path: str = "targeting") -> None:
    """Raise ValidationFailedError for a checkout block outside the surface checkout."""
    if targeting and targeting.get("checkoutBlock") and targeting.get("surface") != "checkout":
        raise refused(f"{path}.checkoutBlock", "needs surface to be checkout")


def check_page(page: Page) -> None:
    """Raise UnsafeRegexError for the first unsafe expression of a page."""
    check_expressions(expressions_of_page(page, ""))


def check_pages(pages: Sequence[PageRules | TargetedPage], path: str) -> None:
    """Raise UnsafeRegexError for the first unsafe expression in a list of page rules at this path."""
    check_expressions(expressions_of_pages(pages, path))


def check_audience(rules: AudienceRules) -> None:
    """Raise ValidationFailedError or UnsafeRegexError for the first comparison that is wrong."""
    check_comparisons(rules, "rules.")
    check_expressions(expressions_of_audience(rules, "rules."))


def expressions_of(targeting: Targeting | None, path: str = "targeting") -> Iterator[Placed]:
    """Yield every regular expression of a targeting with its path."""
    restrictions: Targeting = targeting or {}
    for index, page in enumerate(restrictions.get("pageRules") or ()):
        yield from expressions_of_page(page, f"{path}.pageRules[{index}].")
    for index, rule in enumerate(restrictions.get("segmentRules") or ()):
        if rules := rule.get("rules"):
            yield from expressions_of_audience(rules, f"{path}.segmentRules[{index}].rules.")


def expressions_of_pages(pages: Sequence[PageRules | TargetedPage], path: str) -> Iterator[Placed]:
    """Yield every regular expression of a list of page rules with its path."""
    for index, page in enumerate(pages):
        yield from expressions_of_page(page, f"{path}[{index}].")


def check_comparisons(rules: AudienceRules, path: str) -> None:
    """Raise ValidationFailedError for the first comparison with a wrong combination of fields; `path` ends in a dot."""
    for place, comparison in comparisons(rules, path):
        for field, message in problems_of(comparison):
            raise refused(f"{place}.{field}", message)
        if "timezone" in comparison and not is_time_zone(comparison["timezone"]):
            raise refused(f"{place}.timezone", "must be an IANA time zone, such as Europe/Berlin")


def check_expressions(placed: Iterator[Placed]) -> None:
    """Raise UnsafeRegexError for the first unsafe expression."""
    for path, source in placed:
        # The last part of a path in a condition is its operator, which alone decides the flag.
        refuse_unsafe(path, source, ignore_case=path.endswith("$regexi"))


def expressions_of_page(page: Page | TargetedPage, path: str) -> Iterator[Placed]:
    """Yield the expressions of URL rules and condition of a page; `path` ends in a dot."""
    for name in _URL_RULES:
        for index, rule in enumerate(page.get(name) or ()):
            if rule["type"] == "regex":
                yield f"{path}{name}[{index}].pattern", rule["pattern"]
    yield from expressions_of_condition(page.get("advancedCondition"), f"{path}advancedCondition")


def expressions_of_audience(rules: AudienceRules, path: str) -> Iterator[Placed]:
    """Yield the expressions of audience rules; `path` ends in a dot."""
    for place, comparison in comparisons(rules, path):
        if comparison["operator"] in EXPRESSIONS and isinstance(source := comparison["value"], str):
            yield f"{place}.value", source


def expressions_of_condition(condition: object, path: str) -> Iterator[Placed]:
    """Yield the operands of `$regex` and `$regexi` at any depth."""
    if isinstance(condition, Mapping):
        for key, value in condition.items():
            if key in _REGEX_OPERATORS and isinstance(value, str):
                yield f"{path}.{key}", value
            else:
                yield from expressions_of_condition(value, f"{path}.{key}")
    elif isinstance(condition, list | tuple):
        for index, item in enumerate(condition):
            yield from expressions_of_condition(item, f"{path}[{index}]")
