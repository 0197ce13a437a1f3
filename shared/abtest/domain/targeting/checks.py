"""What must hold of targeting, pages and audiences beyond the form of each field, wherever they are written."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Literal

from abtest.domain.targeting.admission import refuse_unsafe
from abtest.domain.targeting.audiences import comparisons
from abtest.domain.targeting.comparisons import EXPRESSIONS, problems_of
from abtest.domain.targeting.shapes import AudienceRules, Page, PageRules, TargetedPage, Targeting
from abtest.kit.errors import refused
from abtest.kit.time_zones import is_time_zone

Placed = tuple[str, str]
"""A path (`targeting.pageRules[0].includeRules[1].pattern`) and the expression that stands there."""

_URL_RULES: tuple[Literal["includeRules", "excludeRules"], ...] = ("includeRules", "excludeRules")
_REGEX_OPERATORS = ("$regex", "$regexi")


def check_targeting(targeting: Targeting | None, path: str = "targeting") -> None:
    """Raises ValidationFailedError and UnsafeRegexError for the first place that is wrong.

    That references lead somewhere is for services to see; what only experiments may say, for `check_surface`.
    """
    try:
        restrictions: Targeting = targeting or {}
        for index, rule in enumerate(restrictions.get("segmentRules") or ()):
            if "rules" in rule:
                _check_comparisons(rule["rules"], f"{path}.segmentRules[{index}].rules.")
        _check_expressions(expressions_of(targeting, path))
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        # Until lately anything was kept here; such rules are delivered to nobody, so an edit must state them anew.
        raise refused(path, "holds rules of a form that is taken no more: state them anew") from error


def check_surface(targeting: Targeting | None, path: str = "targeting") -> None:
    """Raises ValidationFailedError for a checkout block that would not run on the checkout."""
    if targeting and targeting.get("checkoutBlock") and targeting.get("surface") != "checkout":
        raise refused(f"{path}.checkoutBlock", "needs the surface checkout")


def check_page(page: Page) -> None:
    """Raises UnsafeRegexError for the first expression of a page that browsers must not be given."""
    _check_expressions(_in_page(page, ""))


def check_pages(pages: Sequence[PageRules | TargetedPage], path: str) -> None:
    """The same for a list of page rules that stands under this path."""
    _check_expressions(expressions_of_pages(pages, path))


def check_audience(rules: AudienceRules) -> None:
    """Raises ValidationFailedError and UnsafeRegexError for the first comparison that is wrong."""
    _check_comparisons(rules, "rules.")
    _check_expressions(_in_audience(rules, "rules."))


def expressions_of(targeting: Targeting | None, path: str = "targeting") -> Iterator[Placed]:
    """Every regular expression of a targeting with its path."""
    restrictions: Targeting = targeting or {}
    for index, page in enumerate(restrictions.get("pageRules") or ()):
        yield from _in_page(page, f"{path}.pageRules[{index}].")
    for index, rule in enumerate(restrictions.get("segmentRules") or ()):
        if rules := rule.get("rules"):
            yield from _in_audience(rules, f"{path}.segmentRules[{index}].rules.")


def expressions_of_pages(pages: Sequence[PageRules | TargetedPage], path: str) -> Iterator[Placed]:
    """Every regular expression of a list of page rules with its path."""
    for index, page in enumerate(pages):
        yield from _in_page(page, f"{path}[{index}].")


def _check_comparisons(rules: AudienceRules, path: str) -> None:
    for place, comparison in comparisons(rules, path):
        for field, message in problems_of(comparison):
            raise refused(f"{place}.{field}", message)
        if "timezone" in comparison and not is_time_zone(comparison["timezone"]):
            raise refused(f"{place}.timezone", "is no IANA time zone")


def _check_expressions(placed: Iterator[Placed]) -> None:
    for path, source in placed:
        refuse_unsafe(path, source, ignore_case=path.endswith("$regexi"))


def _in_page(page: Page | TargetedPage, path: str) -> Iterator[Placed]:
    for name in _URL_RULES:
        for index, rule in enumerate(page.get(name) or ()):
            if rule["type"] == "regex":
                yield f"{path}{name}[{index}].pattern", rule["pattern"]
    yield from _in_condition(page.get("advancedCondition"), f"{path}advancedCondition")


def _in_audience(rules: AudienceRules, path: str) -> Iterator[Placed]:
    for place, comparison in comparisons(rules, path):
        if comparison["operator"] in EXPRESSIONS and isinstance(source := comparison["value"], str):
            yield f"{place}.value", source


def _in_condition(condition: object, path: str) -> Iterator[Placed]:
    if isinstance(condition, Mapping):
        for key, value in condition.items():
            if key in _REGEX_OPERATORS and isinstance(value, str):
                yield f"{path}.{key}", value
            else:
                yield from _in_condition(value, f"{path}.{key}")
    elif isinstance(condition, list | tuple):
        for index, item in enumerate(condition):
            yield from _in_condition(item, f"{path}[{index}]")
