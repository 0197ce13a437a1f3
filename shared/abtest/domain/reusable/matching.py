"""Why an address is, or is not, on pages: what the rule tester says."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from abtest.domain.targeting.shapes import TargetedPage, UrlRule
from abtest.domain.targeting.urls import matches


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether the address is on the pages, the rule that decided, and why; no rule when none of them did."""

    matched: bool
    rule_id: str | None
    reason: str


def match(rules: Sequence[TargetedPage], url: str) -> Verdict:
    """How page rules decide together, in the mode any: a rule that takes pages out comes before all others.

    Only addresses are compared: conditions and triggers need a visitor.
    """
    live = [rule for rule in rules if not rule.get("disabled")]
    inside = [rule for rule in live if rule.get("include") is not False]
    for rule in live:
        holds, why = _holds(rule, url)
        if holds and rule.get("include") is False:
            return Verdict(False, rule["id"], f"is taken out: {why}")
    for rule in inside:
        holds, why = _holds(rule, url)
        if holds:
            return Verdict(True, rule["id"], why)
    if not inside:
        return Verdict(True, None, "no rule restricts the pages")
    rule = inside[0]
    return Verdict(False, rule["id"] if len(inside) == 1 else None, _holds(rule, url)[1] if len(inside) == 1 else _NONE)


_LISTS: tuple[Literal["includeRules", "excludeRules"], ...] = ("includeRules", "excludeRules")
_NONE = "none of the rules matches"


def _holds(rule: TargetedPage, url: str) -> tuple[bool, str]:
    """Whether a page rule holds on the address, and why. Any exclude wins; without includes it holds everywhere."""
    for place, exclude in _url_rules(rule, included=False):
        if matches(exclude["type"], exclude["pattern"], url):
            return False, f"{place} excludes it"
    included = list(_url_rules(rule, included=True))
    for place, include in included:
        if matches(include["type"], include["pattern"], url):
            return True, f"{place} matches"
    return (False, "no include rule matches") if included else (True, "it has no include rules, so every page matches")


def _url_rules(rule: TargetedPage, *, included: bool) -> Iterator[tuple[str, UrlRule]]:
    """Its URL rules of one sense with their places; in `includeRules` one may say that it excludes."""
    for name in _LISTS:
        for index, found in enumerate(rule[name]):
            if included == (name == "includeRules" and found.get("include") is not False):
                yield f"{name}[{index}]", found
