"""Match of an address with page rules, with the reason, for the rule tester."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from abtest.domain.targeting.shapes import TargetedPage, UrlRule
from abtest.domain.targeting.urls import matches

Because = Literal["excluded", "not_included", "taken_out", "included", "unrestricted"]
"""The reason in a word. The first three are those of explanations (`targeting.refusals`)."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """Result for an address: match, deciding rule and reason; no rule when none of them decided."""

    matched: bool
    rule_id: str | None
    because: Because
    reason: str


def match(rules: Sequence[TargetedPage], url: str) -> Verdict:
    """Evaluate page rules in the mode any: a rule that excludes pages comes before all others.

    Only addresses are compared: conditions and triggers need a visitor.
    """
    live = [rule for rule in rules if not rule.get("disabled")]
    inside = [rule for rule in live if rule.get("include") is not False]
    for rule in live:
        because, why = evaluate_rule(rule, url)
        if because in _HOLDS and rule.get("include") is False:
            return Verdict(False, rule["id"], "taken_out", f"is taken out: {why}")
    for rule in inside:
        because, why = evaluate_rule(rule, url)
        if because in _HOLDS:
            return Verdict(True, rule["id"], because, why)
    if not inside:
        return Verdict(True, None, "unrestricted", "no rule restricts the pages")
    if len(inside) > 1:
        return Verdict(False, None, "not_included", "none of the rules matches")
    return Verdict(False, inside[0]["id"], *evaluate_rule(inside[0], url))


_LISTS: tuple[Literal["includeRules", "excludeRules"], ...] = ("includeRules", "excludeRules")
_HOLDS: tuple[Because, ...] = ("included", "unrestricted")


def evaluate_rule(rule: TargetedPage, url: str) -> tuple[Because, str]:
    """Return why a page rule holds on the address or not. Any exclude wins; without includes it holds."""
    for place, exclude in url_rules(rule, included=False):
        if matches(exclude["type"], exclude["pattern"], url):
            return "excluded", f"{place} excludes it"
    included = list(url_rules(rule, included=True))
    for place, include in included:
        if matches(include["type"], include["pattern"], url):
            return "included", f"{place} matches"
    if included:
        return "not_included", "no include rule matches"
    return "unrestricted", "it has no include rules, so every page matches"


def url_rules(rule: TargetedPage, *, included: bool) -> Iterator[tuple[str, UrlRule]]:
    """Yield the URL rules of one sense with their paths; `include: false` makes one of `includeRules` exclude."""
    for name in _LISTS:
        for index, each in enumerate(rule[name]):
            if included == (name == "includeRules" and each.get("include") is not False):
                yield f"{name}[{index}]", each
