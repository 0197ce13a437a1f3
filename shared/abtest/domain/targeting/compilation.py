"""Targeting as shops write it (docs/targeting.md), compiled to what is evaluated (docs/data-model.md section 1).

A reference to a page or an audience that was deleted never widens who is reached. A rule that includes it never holds;
a rule that excludes it excludes no one.
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

# The empty class matches nothing; `{}` holds always, so its negation never does.
_NOWHERE: CompiledPage = {"include": [compile_rule("regex", "[]")]}
_NEVER: Condition = {"$not": {}}
_LOCAL_TIME = "local"

Rule = TypeVar("Rule", TargetedPage, TargetedAudience)
Compiled = TypeVar("Compiled")


class UnreadableTargetingError(ValueError):
    """Stored targeting that this release does not understand; it is not delivered, because a guess may be wrong."""


@dataclass(frozen=True, slots=True, kw_only=True)
class References:
    """Documents of pages and audiences by id; an id that is missing here does not exist."""

    pages: Mapping[str, Page] = field(default_factory=dict)
    audiences: Mapping[str, Audience] = field(default_factory=dict)


NO_REFERENCES = References()


def compile_targeting(targeting: Targeting | None, references: References = NO_REFERENCES) -> CompiledTargeting:
    """Return those of `pages`, `audience`, `surface` and `identity` that restrict or change anything.

    Raises UnreadableTargetingError, and KeyError or TypeError for documents of another form.
    """
    restrictions: Targeting = targeting or {}
    compiled: CompiledTargeting = present(
        pages=compile_pages(targeting, references),
        audience=compile_audience(targeting, references),
        surface=restrictions.get("surface"),
        identity=restrictions.get("identity"),
    )
    return compiled


def compile_pages(targeting: Targeting | None, references: References = NO_REFERENCES) -> CompiledPages | None:
    """Return the pages; None means everywhere. A page rule with `include: false` excludes its pages."""
    restrictions: Targeting = targeting or {}
    combined = split_by_sense(restrictions.get("pageRules"), lambda rule: compile_page(rule, references), _NOWHERE)
    if combined is None:
        return None
    return {"mode": restrictions.get("pageMatchMode") or "any", "in": combined[0], "out": combined[1]}


def compile_audience(targeting: Targeting | None, references: References = NO_REFERENCES) -> CompiledAudience | None:
    """Return the audience; None means everyone. A rule with `include: false` excludes its visitors."""
    restrictions: Targeting = targeting or {}

    def condition(rule: TargetedAudience) -> Condition | None:
        audience_id = rule.get("audienceId")
        audience = references.audiences.get(audience_id) if audience_id else rule
        return None if audience is None else with_served_expressions(condition_of(audience["rules"]))

    combined = split_by_sense(restrictions.get("segmentRules"), condition, _NEVER)
    if combined is None:
        return None
    return {"mode": restrictions.get("segmentMatchMode") or "any", "in": combined[0], "out": combined[1]}


def compile_url_rules(rules: Iterable[UrlRule], excluded: Iterable[UrlRule] = ()) -> CompiledPage:
    """Return the page rule of raw rules; those in `excluded` exclude whatever their `include` is."""
    including: list[CompiledUrlRule] = []
    excluding: list[CompiledUrlRule] = []
    for rule in rules:
        (excluding if rule.get("include") is False else including).append(compile_url_rule(rule))
    excluding += map(compile_url_rule, excluded)
    page: CompiledPage = present(include=including, exclude=excluding)
    return page


def compile_url_rule(rule: UrlRule) -> CompiledUrlRule:
    """Return a raw rule as browsers evaluate it, with its expression in the form that engines answer in time."""
    pattern = rule["pattern"]
    return compile_rule(rule["type"], served(pattern) if rule["type"] == "regex" else pattern)


def compile_goal_pages(page: PageRules, references: References = NO_REFERENCES) -> CompiledPage | None:
    """Return the pages on which a goal counts; None means everywhere. `include: false` means all pages but these."""
    if page.get("disabled"):
        return None
    rule = compile_page(page, references)
    if page.get("include") is not False:
        return _NOWHERE if rule is None else rule
    return None if rule is None else complement_of(rule)


def compile_schedule(schedule: Schedule | None) -> Dark | None:
    """Return the days on which nothing is delivered."""
    return {"days": list(schedule["excludedDays"]), "zone": schedule["timezone"]} if schedule else None


def zones_in(part: object) -> Iterator[str]:
    """Yield the time zones of local times in compiled pages, audiences and conditions, with repetitions."""
    if isinstance(part, Mapping):
        for path, value in part.items():
            # A path is `local.<zone>` or `local.<zone>.<part>`; names of zones have no dots.
            root, _, rest = path.partition(".")
            zone = rest.partition(".")[0]
            if root == _LOCAL_TIME and is_time_zone(zone):
                yield zone
            yield from zones_in(value)
    elif isinstance(part, list | tuple):
        yield from (zone for value in part for zone in zones_in(value))


def split_by_sense(
    rules: Iterable[Rule] | None, compiled: Callable[[Rule], Compiled | None], never: Compiled
) -> tuple[list[Compiled], list[Compiled]] | None:
    """Return compiled rules that include and those that exclude; None without enabled rules.

    `compiled` returns None for a reference to something that does not exist.
    """
    live = [rule for rule in rules or () if not rule.get("disabled")]
    inside = [compiled(rule) for rule in live if rule.get("include") is not False]
    excluded = (compiled(rule) for rule in live if rule.get("include") is False)
    outside = [rule for rule in excluded if rule is not None]  # {} excludes everything
    if not inside and not outside:
        return None
    return [never if rule is None else rule for rule in inside], outside


def compile_page(rule: TargetedPage, references: References) -> CompiledPage | None:
    """Return a page rule as browsers evaluate it; None when its page does not exist.

    Raises UnreadableTargetingError for a condition or a trigger of an unknown form.
    """
    page_id = rule.get("pageId")
    page = references.pages.get(page_id) if page_id else rule
    if page is None:
        return None
    condition: object = page.get("advancedCondition")
    if condition is None:
        condition = {}
    if not isinstance(condition, Mapping):
        raise UnreadableTargetingError("an advanced condition must be an object")
    trigger = page.get("trigger")
    if trigger and trigger.get("type") not in _TRIGGERS:
        raise UnreadableTargetingError(f"there is no trigger of the type {trigger.get('type')!r}")
    compiled = compile_url_rules(page["includeRules"], page["excludeRules"])
    compiled |= present(
        when=with_served_expressions(condition),
        trigger=_TRIGGERS[trigger["type"]](trigger) if trigger else None,
    )
    return compiled


def with_served_expressions(condition: Condition) -> Condition:
    """Return the condition with each expression in the form that engines answer in time."""

    def rewritten(part: object) -> object:
        if isinstance(part, Mapping):
            return with_served_expressions(part)
        return [rewritten(item) for item in part] if isinstance(part, list | tuple) else part

    return {
        # `$regexi` stays as it is, because cheaper forms are valid only without the flag `i`.
        key: served(value) if key == "$regex" and isinstance(value, str) else rewritten(value)
        for key, value in condition.items()
    }


_TRIGGERS: Mapping[str, Callable[[Trigger], str | None]] = {
    "immediate": lambda _: None,
    "dom_ready": lambda _: "dom_ready",
    "element": lambda trigger: f"element:{trigger['selector']}",
    "event": lambda trigger: f"event:{trigger['eventName']}",
    # JSON may hold 500.0, and `delay:500.0` would be another trigger than `delay:500`.
    "delay": lambda trigger: f"delay:{int(trigger['ms'])}",
}


def complement_of(rule: CompiledPage) -> CompiledPage:
    """Return where the rule does not hold, or less: the complement of several parts at once is not a page rule.

    Addresses come first: no goal counts on the pages under `include`, whatever exceptions, condition or trigger are.
    """
    if rule.get("include"):
        return {"exclude": rule["include"]}
    if rule.get("exclude"):
        return {"include": rule["exclude"]}
    return {"when": {"$not": rule["when"]}} if "when" in rule else {"exclude": [compile_rule("simple", "*")]}
