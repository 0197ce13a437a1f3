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
    """Page view that page rules and audiences are evaluated on; without an address no URL rule matches."""

    address: Address | None
    attributes: Mapping[str, object]
    triggers: frozenset[str] = frozenset()


Rule = Callable[[PageView], bool]


_KEPT = 1024
"""Prepared rules in each cache. Equal rules are one object, so that a screen of many evaluates it once."""


def everywhere(_: PageView) -> bool:
    """Return True: the rule of something without restrictions."""
    return True


def prepare_pages(pages: CompiledPages | None) -> Rule:
    """Prepare Pages: no `out` rule may hold, then any (or all) of `in` must; an empty `in` means everywhere.

    Raises KeyError, TypeError, AttributeError or ValueError for documents of another form.
    """
    # The text is the key of the cache: documents have no hash, and equal ones have one canonical text.
    return everywhere if pages is None else prepared_pages(canonical_json.dumps(pages))


def prepare_audience(audience: CompiledAudience | None) -> Rule:
    """Prepare an Audience, as `prepare_pages` does Pages."""
    return everywhere if audience is None else prepared_audience(canonical_json.dumps(audience))


def prepare_page(rule: CompiledPage) -> Rule:
    """Prepare a page rule: no exclude may match, an include must if there are any; then condition and trigger."""
    parts: list[Rule] = []
    if excluded := rule.get("exclude"):
        parts.append(no_url_rule(canonical_json.dumps(excluded)))
    if included := rule.get("include"):
        parts.append(any_url_rule(canonical_json.dumps(included)))
    if "when" in rule:
        parts.append(prepare_condition(rule["when"]))
    if "trigger" in rule:
        parts.append(has_fired(rule["trigger"]))
    return every(parts)


def matches_page(rule: CompiledPage, address: Address) -> bool:
    """Return whether one page rule holds on an address alone."""
    return prepare_page(rule)(PageView(address, {}))


def matches_pages(pages: CompiledPages | None, address: Address) -> bool:
    """Return whether Pages hold on an address alone."""
    return prepare_pages(pages)(PageView(address, {}))


@lru_cache(maxsize=_KEPT)
def prepared_pages(text: str) -> Rule:
    """Return the rule of Pages as canonical JSON."""
    pages: CompiledPages = json.loads(text)
    return combine(pages["mode"], map(prepare_page, pages["in"]), map(prepare_page, pages["out"]))


@lru_cache(maxsize=_KEPT)
def prepared_audience(text: str) -> Rule:
    """Return the rule of an Audience as canonical JSON."""
    audience: CompiledAudience = json.loads(text)
    return combine(audience["mode"], map(prepare_condition, audience["in"]), map(prepare_condition, audience["out"]))


def combine(mode: str, inside: Iterable[Rule], outside: Iterable[Rule]) -> Rule:
    """Join the rules: none of `outside` may hold, and `any` or `all` of `inside` must, if there are any."""
    join, included = _JOINED[mode], list(inside)
    parts = [negated(rule) for rule in outside]
    return every([*parts, join(included)] if included else parts)


def prepare_condition(condition: Condition) -> Rule:
    """Prepare a condition; its parts are cached alone, because several audiences share them."""
    return every([prepared_condition(canonical_json.dumps(part)) for part in conditions.parts(condition)])


@lru_cache(maxsize=_KEPT)
def prepared_condition(text: str) -> Rule:
    """Return the rule of a condition as canonical JSON."""
    holds = conditions.prepare(json.loads(text))
    return lambda view: holds(view.attributes)


@lru_cache(maxsize=_KEPT)
def has_fired(trigger: str) -> Rule:
    """Return the rule that a trigger has fired on the page view."""
    return lambda view: trigger in view.triggers


@lru_cache(maxsize=_KEPT)
def any_url_rule(text: str) -> Rule:
    """Return the rule that one of these URL rules, as canonical JSON, matches the address."""
    matches = some([prepare_rule(rule) for rule in json.loads(text)])
    return lambda view: view.address is not None and matches(view.address)


@lru_cache(maxsize=_KEPT)
def no_url_rule(text: str) -> Rule:
    """Return the negation of `any_url_rule`, cached so that equal rules are one object."""
    return negated(any_url_rule(text))


_JOINED: Mapping[str, Callable[[Sequence[Rule]], Rule]] = {"any": some, "all": every}
