"""Page rules and audiences, and how something that is delivered combines them (Pages and Audience of section 1)."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from abtest.domain.targeting import conditions
from abtest.domain.targeting.combining import every, negated, some
from abtest.domain.targeting.shapes import CompiledAudience, CompiledPage, CompiledPages, Condition
from abtest.domain.targeting.urls import Address, prepare_rule
from abtest.kit import canonical_json


@dataclass(frozen=True, slots=True)
class PageView:
    """What page rules and audiences are asked about; without an address no URL rule matches."""

    address: Address | None
    attributes: Mapping[str, object]
    triggers: frozenset[str] = frozenset()


Rule = Callable[[PageView], bool]


_KEPT = 1024
"""Rules that stay prepared; equal rules are one object, so that whoever asks about many can ask once."""


def everywhere(_: PageView) -> bool:
    """The rule of what is not restricted."""
    return True


def prepare_pages(pages: CompiledPages | None) -> Rule:
    """Any `out` rule that holds says no; then any (or all) of `in`; an empty `in` means everywhere.

    Raises KeyError, TypeError, AttributeError or ValueError for what are no Pages.
    """
    return everywhere if pages is None else _pages(canonical_json.dumps(pages))


def prepare_audience(audience: CompiledAudience | None) -> Rule:
    """As `prepare_pages`, for an Audience."""
    return everywhere if audience is None else _audience(canonical_json.dumps(audience))


def prepare_page(rule: CompiledPage) -> Rule:
    """Any exclude that matches says no; then any include, or none given; then condition and trigger."""
    parts: list[Rule] = []
    if excluded := rule.get("exclude"):
        parts.append(_unmatched(canonical_json.dumps(excluded)))
    if included := rule.get("include"):
        parts.append(_matched(canonical_json.dumps(included)))
    if "when" in rule:
        parts.append(_condition(rule["when"]))
    if "trigger" in rule:
        parts.append(_fired(rule["trigger"]))
    return every(parts)


def matches_page(rule: CompiledPage, address: Address) -> bool:
    """Whether one page rule holds on an address of which nothing else is known."""
    return prepare_page(rule)(PageView(address, {}))


def matches_pages(pages: CompiledPages | None, address: Address) -> bool:
    """Whether Pages hold on an address of which nothing else is known."""
    return prepare_pages(pages)(PageView(address, {}))


@lru_cache(maxsize=_KEPT)
def _pages(text: str) -> Rule:
    pages: CompiledPages = json.loads(text)
    return _combined(pages["mode"], [prepare_page(rule) for rule in pages["in"]], map(prepare_page, pages["out"]))


@lru_cache(maxsize=_KEPT)
def _audience(text: str) -> Rule:
    audience: CompiledAudience = json.loads(text)
    return _combined(audience["mode"], [_condition(each) for each in audience["in"]], map(_condition, audience["out"]))


def _combined(mode: str, inside: Sequence[Rule], outside: Iterable[Rule]) -> Rule:
    parts = [negated(rule) for rule in outside]
    join = _JOINED[mode]
    return every([*parts, join(inside)] if inside else parts)


def _condition(condition: Condition) -> Rule:
    return every([_asked(canonical_json.dumps(part)) for part in conditions.parts(condition)])


@lru_cache(maxsize=_KEPT)
def _asked(text: str) -> Rule:
    asked = conditions.prepare(json.loads(text))
    return lambda view: asked(view.attributes)


@lru_cache(maxsize=_KEPT)
def _fired(trigger: str) -> Rule:
    return lambda view: trigger in view.triggers


@lru_cache(maxsize=_KEPT)
def _matched(text: str) -> Rule:
    matches = some([prepare_rule(rule) for rule in json.loads(text)])
    return lambda view: view.address is not None and matches(view.address)


@lru_cache(maxsize=_KEPT)
def _unmatched(text: str) -> Rule:
    return negated(_matched(text))


_JOINED: Mapping[str, Callable[[Sequence[Rule]], Rule]] = {"any": some, "all": every}
