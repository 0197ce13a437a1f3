"""Match of an address with page rules, with the reason, for the rule tester."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from abtest.domain.targeting.shapes import TargetedPage, UrlRule
from abtest.domain.targeting.urls import matches


@dataclass(frozen=True, slots=True)
class Verdict:
    """Result for an address: match, deciding rule and reason; no rule when none of them decided."""

    matched: bool
    rule_id: str | None
    reason: str


def match(rules: Sequence[TargetedPage], url: str) -> Verdict:
    """Evaluate page rules in the mode any: a rule that excludes pages comes before all others.

    Only addresses are compared: conditions and triggers need a visitor.
    """
    live = [rule for rule in rules if not rule.get("disabled")]
    inside = [rule for rule in live if rule.get("include") is not False]
    for rule in live:
        holds, why = evaluate_rule(rule, url)
        if holds and rule.get("include") is False:
            return Verdict(False, rule["id"], f"is taken out: {why}")
    for rule in inside:
        holds, why = evaluate_rule(rule, url)
        if holds:
            return Verdict(True, rule["id"], why)
    if not inside:
        return Verdict(True, None, "no rule restricts the pages")
    rule = inside[0]
    return Verdict(
        False, rule["id"] if len(inside) == 1 else None, evaluate_rule(rule, url)[1] if len(inside) == 1 else _NONE
    )


_LISTS: tuple[Literal["includeRules", "excludeRules"], ...] = ("includeRules", "excludeRules")
_NONE = "none of the rules matches"


def evaluate_rule(rule: TargetedPage, url: str) -> tuple[bool, str]:
    """Return whether a page rule holds on the address, and why. Any exclude wins; without includes it holds."""
    for place, exclude in url_rules(rule, included=False):
        if matches(exclude["type"], exclude["pattern"], url):
            return False, f"{place} excludes it"
    included = list(url_rules(rule, included=True))
    for place, include in included:
        if matches(include["type"], include["pattern"], url):
            return True, f"{place} matches"
    return (False, "no include rule matches") if included else (True, "it has no include rules, so every page matches")


def url_rules(rule: TargetedPage, *, included: bool) -> Iterator[tuple[str, UrlRule]]:
    """Yield the URL rules of one sense with their paths; `include: false` makes one of `includeRules` exclude."""
    for name in _LISTS:
        for index, each in enumerate(rule[name]):
            if included == (name == "includeRules" and each.get("include") is not False):
                yield f"{name}[{index}]", each
