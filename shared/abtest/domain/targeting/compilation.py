"""Targeting as shops write it (docs/targeting.md), compiled to what is evaluated (docs/data-model.md section 1).

A reference to a page or an audience that is there no more never widens who is reached: where it included, it holds
never; where it took people out, it takes nobody out.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TypeVar

from abtest.domain.targeting.admission import served
from abtest.domain.targeting.audiences import condition_of
from abtest.domain.targeting.shapes import (
    Audience,
    CompiledAudience,
    CompiledPage,
    CompiledPages,
    CompiledTargeting,
    CompiledUrlRule,
    Condition,
    Dark,
    Page,
    PageRules,
    Schedule,
    TargetedAudience,
    TargetedPage,
    Targeting,
    Trigger,
    UrlRule,
)
from abtest.domain.targeting.urls import compile_rule
from abtest.kit.json_objects import present
from abtest.kit.time_zones import is_time_zone

_NOWHERE: CompiledPage = {"include": [compile_rule("regex", "[]")]}
_NOBODY: Condition = {"$not": {}}
_LOCAL_TIME = "local"

Rule = TypeVar("Rule", TargetedPage, TargetedAudience)
Compiled = TypeVar("Compiled")


class UnreadableTargetingError(ValueError):
    """Stored targeting says what this release does not know: nothing may be delivered by guessing what it means."""


@dataclass(frozen=True, slots=True, kw_only=True)
class References:
    """The documents of pages and audiences by id; what targeting names and is not here does not exist."""

    pages: Mapping[str, Page] = field(default_factory=dict)
    audiences: Mapping[str, Audience] = field(default_factory=dict)


NO_REFERENCES = References()


def compile_targeting(targeting: Targeting | None, references: References = NO_REFERENCES) -> CompiledTargeting:
    """`pages`, `audience`, `surface` and `identity`: those that restrict or change anything.

    Raises UnreadableTargetingError, and KeyError or TypeError for documents that are none of ours.
    """
    restrictions: Targeting = targeting or {}
    found: CompiledTargeting = present(
        pages=compile_pages(targeting, references),
        audience=compile_audience(targeting, references),
        surface=restrictions.get("surface"),
        identity=restrictions.get("identity"),
    )
    return found


def compile_pages(targeting: Targeting | None, references: References = NO_REFERENCES) -> CompiledPages | None:
    """Where something is delivered; None means everywhere. A page rule with `include: false` takes its pages out."""
    restrictions: Targeting = targeting or {}
    combined = _combined(restrictions.get("pageRules"), lambda rule: _page(rule, references), _NOWHERE)
    if combined is None:
        return None
    return {"mode": restrictions.get("pageMatchMode") or "any", "in": combined[0], "out": combined[1]}


def compile_audience(targeting: Targeting | None, references: References = NO_REFERENCES) -> CompiledAudience | None:
    """To whom something is delivered; None means everyone. A rule with `include: false` takes its people out."""
    restrictions: Targeting = targeting or {}
    combined = _combined(restrictions.get("segmentRules"), lambda rule: _condition(rule, references), _NOBODY)
    if combined is None:
        return None
    return {"mode": restrictions.get("segmentMatchMode") or "any", "in": combined[0], "out": combined[1]}


def compile_url_rules(rules: Iterable[UrlRule], excluded: Iterable[UrlRule] = ()) -> CompiledPage:
    """The page rule of raw rules; those in `excluded` exclude whatever they say."""
    given = list(rules)
    negative = [rule for rule in given if rule.get("include") is False] + list(excluded)
    return _page_rule([rule for rule in given if rule.get("include") is not False], negative)


def compile_goal_pages(page: PageRules, references: References = NO_REFERENCES) -> CompiledPage | None:
    """The pages on which a goal counts; None means everywhere. With `include: false`: everywhere but on these."""
    if page.get("disabled"):
        return None
    rule = _page(page, references)
    if page.get("include") is not False:
        return _NOWHERE if rule is None else rule
    return None if rule is None else _complement(rule)


def compile_schedule(schedule: Schedule | None) -> Dark | None:
    """Days on which nothing is delivered."""
    return {"days": list(schedule["excludedDays"]), "zone": schedule["timezone"]} if schedule else None


def zones_in(part: object) -> Iterator[str]:
    """The time zones that compiled pages, audiences and conditions ask for local time in, as often as they do."""
    if isinstance(part, Mapping):
        yield from filter(is_time_zone, map(_zone, part))
        yield from (zone for value in part.values() for zone in zones_in(value))
    elif isinstance(part, list | tuple):
        yield from (zone for value in part for zone in zones_in(value))


def _zone(path: str) -> str:
    """The zone of `local.<zone>` and `local.<zone>.<part>`; no name of a zone has a dot. "" for other paths."""
    root, _, rest = path.partition(".")
    return rest.partition(".")[0] if root == _LOCAL_TIME else ""


def _combined(
    rules: Iterable[Rule] | None, compiled: Callable[[Rule], Compiled | None], never: Compiled
) -> tuple[list[Compiled], list[Compiled]] | None:
    """Rules that include and rules that take out; `compiled` gives None for a reference to what does not exist."""
    live = [rule for rule in rules or () if not rule.get("disabled")]
    inside = [compiled(rule) for rule in live if rule.get("include") is not False]
    taken_out = (compiled(rule) for rule in live if rule.get("include") is False)
    outside = [found for found in taken_out if found is not None]  # {} takes everything out
    if not inside and not outside:
        return None
    return [never if found is None else found for found in inside], outside


def _page(rule: TargetedPage, references: References) -> CompiledPage | None:
    page_id = rule.get("pageId")
    page = references.pages.get(page_id) if page_id else rule
    if page is None:
        return None
    compiled = compile_url_rules(page["includeRules"], page["excludeRules"])
    compiled |= present(when=_when(page.get("advancedCondition")), trigger=_trigger(page.get("trigger")))
    return compiled


def _condition(rule: TargetedAudience, references: References) -> Condition | None:
    audience_id = rule.get("audienceId")
    audience = references.audiences.get(audience_id) if audience_id else rule
    return None if audience is None else _timely(condition_of(audience["rules"]))


def _when(condition: object) -> Condition | None:
    if condition is not None and not isinstance(condition, Mapping):
        raise UnreadableTargetingError("an advanced condition is no object")
    return _timely(condition or {})


def _timely(condition: Condition) -> Condition:
    return {
        key: served(value) if key == "$regex" and isinstance(value, str) else _in_time(value)
        for key, value in condition.items()
    }


def _in_time(condition: object) -> object:
    """The condition with each expression in the form that engines answer in time."""
    if isinstance(condition, Mapping):
        return _timely(condition)
    return [_in_time(item) for item in condition] if isinstance(condition, list | tuple) else condition


def _url_rule(raw: UrlRule) -> CompiledUrlRule:
    pattern = raw["pattern"]
    return compile_rule(raw["type"], served(pattern) if raw["type"] == "regex" else pattern)


_TRIGGERS: Mapping[str, Callable[[Trigger], str | None]] = {
    "immediate": lambda _: None,
    "dom_ready": lambda _: "dom_ready",
    "element": lambda trigger: f"element:{trigger['selector']}",
    "event": lambda trigger: f"event:{trigger['eventName']}",
    "delay": lambda trigger: f"delay:{int(trigger['ms'])}",
}


def _trigger(trigger: Trigger | None) -> str | None:
    if not trigger:
        return None
    if trigger.get("type") not in _TRIGGERS:
        raise UnreadableTargetingError(f"there is no trigger of the type {trigger.get('type')!r}")
    return _TRIGGERS[trigger["type"]](trigger)


def _complement(rule: CompiledPage) -> CompiledPage:
    """Where the rule does not hold, or less: the complement of several parts at once is no page rule.

    Addresses come first: what stands under `include` counts nowhere, whatever exceptions, condition or trigger say.
    """
    if rule.get("include"):
        return {"exclude": rule["include"]}
    if rule.get("exclude"):
        return {"include": rule["exclude"]}
    return {"when": {"$not": rule["when"]}} if "when" in rule else {"exclude": [compile_rule("simple", "*")]}


def _page_rule(included: Iterable[UrlRule], excluded: Iterable[UrlRule]) -> CompiledPage:
    rule: CompiledPage = present(
        include=[_url_rule(raw) for raw in included],
        exclude=[_url_rule(raw) for raw in excluded],
    )
    return rule
