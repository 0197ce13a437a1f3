"""Page rules and audiences, and how something that is delivered combines them (Pages and Audience of section 1)."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from abtest.domain.targeting import conditions
from abtest.domain.targeting.combining import every, negated, some
from abtest.domain.targeting.urls import Address, UrlRule, prepare_rule

PageRule = Mapping[str, Any]
"""`{"include"?: [UrlRule], "exclude"?: [UrlRule], "when"?: Condition, "trigger"?: str}`."""


@dataclass(frozen=True, slots=True)
class PageView:
    """What page rules and audiences are asked about; without an address no URL rule matches."""

    address: Address | None
    attributes: Mapping[str, Any]
    triggers: frozenset[str] = frozenset()


Rule = Callable[[PageView], bool]


def everywhere(_: PageView) -> bool:
    """The rule of what is not restricted."""
    return True


def prepare_pages(pages: Mapping[str, Any] | None) -> Rule:
    """Any `out` rule that holds says no; then any (or all) of `in`; an empty `in` means everywhere.

    Raises KeyError, TypeError, AttributeError or ValueError for what are no Pages.
    """
    return everywhere if pages is None else _combined(pages, prepare_page)


def prepare_audience(audience: Mapping[str, Any] | None) -> Rule:
    """As `prepare_pages`, for an Audience."""
    return everywhere if audience is None else _combined(audience, _condition)


def prepare_page(rule: PageRule) -> Rule:
    """Any exclude that matches says no; then any include, or none given; then condition and trigger."""
    parts: list[Rule] = []
    if excluded := rule.get("exclude", ()):
        parts.append(negated(_matches_any(excluded)))
    if included := rule.get("include", ()):
        parts.append(_matches_any(included))
    if "when" in rule:
        parts.append(_condition(rule["when"]))
    if "trigger" in rule:
        parts.append(_fired(rule["trigger"]))
    return every(parts) if parts else everywhere


def matches_page(rule: PageRule, address: Address) -> bool:
    """Whether one page rule holds on an address of which nothing else is known."""
    return prepare_page(rule)(PageView(address, {}))


def matches_pages(pages: Mapping[str, Any] | None, address: Address) -> bool:
    """Whether Pages hold on an address of which nothing else is known."""
    return prepare_pages(pages)(PageView(address, {}))


def _combined(combination: Mapping[str, Any], prepare: Callable[[Any], Rule]) -> Rule:
    inside = [prepare(rule) for rule in combination["in"]]
    outside = [prepare(rule) for rule in combination["out"]]
    parts = [negated(some(outside))] if outside else []
    if inside:
        parts.append(_JOINED[combination["mode"]](inside))
    return every(parts) if parts else everywhere


def _condition(condition: Any) -> Rule:
    asked = conditions.prepare(condition)
    return lambda view: asked(view.attributes)


def _fired(trigger: str) -> Rule:
    return lambda view: trigger in view.triggers


def _matches_any(rules: Iterable[UrlRule]) -> Rule:
    matches = some([prepare_rule(rule) for rule in rules])
    return lambda view: view.address is not None and matches(view.address)


_JOINED: Mapping[str, Callable[[Sequence[Rule]], Rule]] = {"any": some, "all": every}
