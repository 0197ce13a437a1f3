"""Page rules: URL rules that hold together, and how an experiment combines them (Pages of docs/data-model.md)."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from abtest.domain.targeting.urls import Address, UrlRule, matches_address

PageRule = Mapping[str, Sequence[UrlRule]]


def matches_page(rule: PageRule, address: Address) -> bool:
    """Any exclude that matches says no; then any include; without includes the rule holds everywhere."""
    if _any(rule.get("exclude", ()), address):
        return False
    return not rule.get("include") or _any(rule["include"], address)


def matches_pages(pages: Mapping[str, Any] | None, address: Address) -> bool:
    """Any `out` rule that holds says no; then any (or all) of `in`; an empty `in` means everywhere."""
    if pages is None:
        return True
    if any(matches_page(rule, address) for rule in pages["out"]):
        return False
    held = [matches_page(rule, address) for rule in pages["in"]]
    return all(held) if pages["mode"] == "all" else any(held) or not held


def _any(rules: Iterable[UrlRule], address: Address) -> bool:
    return any(matches_address(rule, address) for rule in rules)
