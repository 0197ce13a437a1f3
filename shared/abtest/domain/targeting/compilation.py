"""Targeting as shops write it (docs/targeting.md), compiled to what is evaluated (docs/data-model.md section 1).

A reference to a page or an audience that is there no more never widens who is reached: where it included, it holds
never; where it took people out, it takes nobody out.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from abtest.domain.targeting.admission import served
from abtest.domain.targeting.audiences import condition_of
from abtest.domain.targeting.urls import UrlRule, compile_rule
from abtest.kit.time_zones import is_time_zone

RawRule = Mapping[str, Any]
"""`{"type": "simple" | "regex", "pattern": str, "include"?: bool}`; `include: false` makes it an exclusion."""

Document = Mapping[str, Any]
Targeting = Document | None
Compiled = dict[str, Any]

_NOWHERE: Compiled = {"include": [compile_rule("regex", "[]")]}
_NOBODY: Compiled = {"$not": {}}
_LOCAL_TIME = "local"


class UnreadableTargetingError(ValueError):
    """Stored targeting says what this release does not know: nothing may be delivered by guessing what it means."""


@dataclass(frozen=True, slots=True, kw_only=True)
class References:
    """The documents of pages and audiences by id; what targeting names and is not here does not exist."""

    pages: Mapping[str, Document] = field(default_factory=dict)
    audiences: Mapping[str, Document] = field(default_factory=dict)


NO_REFERENCES = References()


def compile_targeting(targeting: Targeting, references: References = NO_REFERENCES) -> Compiled:
    """`pages`, `audience`, `surface` and `identity`: those that restrict or change anything.

    Raises UnreadableTargetingError, and KeyError or TypeError for documents that are none of ours.
    """
    found = {
        "pages": compile_pages(targeting, references),
        "audience": compile_audience(targeting, references),
        "surface": (targeting or {}).get("surface"),
        "identity": (targeting or {}).get("identity"),
    }
    return {name: value for name, value in found.items() if value}


def compile_pages(targeting: Targeting, references: References = NO_REFERENCES) -> Compiled | None:
    """Where something is delivered; None means everywhere. A page rule with `include: false` takes its pages out."""
    return _combined(targeting, "page", lambda rule: _page(rule, references), _NOWHERE)


def compile_audience(targeting: Targeting, references: References = NO_REFERENCES) -> Compiled | None:
    """To whom something is delivered; None means everyone. A rule with `include: false` takes its people out."""
    return _combined(targeting, "segment", lambda rule: _condition(rule, references), _NOBODY)


def compile_url_rules(rules: Iterable[RawRule], excluded: Iterable[RawRule] = ()) -> Compiled:
    """The page rule of raw rules; those in `excluded` exclude whatever they say."""
    given = list(rules)
    negative = [rule for rule in given if rule.get("include") is False] + list(excluded)
    return _page_rule([rule for rule in given if rule.get("include") is not False], negative)


def compile_goal_pages(page: Document, references: References = NO_REFERENCES) -> Compiled | None:
    """The pages on which a goal counts; None means everywhere. With `include: false`: everywhere but on these."""
    if page.get("disabled"):
        return None
    rule = _page(page, references)
    if page.get("include") is not False:
        return _NOWHERE if rule is None else rule
    return None if rule is None else _complement(rule)


def compile_schedule(schedule: Document | None) -> Compiled | None:
    """Days on which nothing is delivered."""
    return {"days": list(schedule["excludedDays"]), "zone": schedule["timezone"]} if schedule else None


def zones_in(part: Any) -> Iterator[str]:
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


def _live(targeting: Targeting, kind: str) -> list[Document]:
    return [rule for rule in (targeting or {}).get(kind) or () if not rule.get("disabled")]


def _combined(
    targeting: Targeting, kind: str, compiled: Callable[[Document], Compiled | None], never: Compiled
) -> Compiled | None:
    """How rules of a kind combine; `compiled` gives None for a reference to what does not exist."""
    live = _live(targeting, f"{kind}Rules")
    inside = [compiled(rule) for rule in live if rule.get("include") is not False]
    taken_out = (compiled(rule) for rule in live if rule.get("include") is False)
    outside = [found for found in taken_out if found is not None]  # {} takes everything out
    if not inside and not outside:
        return None
    mode = (targeting or {}).get(f"{kind}MatchMode") or "any"
    return {"mode": mode, "in": [never if found is None else found for found in inside], "out": outside}


def _page(rule: Document, references: References) -> Compiled | None:
    page = references.pages.get(rule["pageId"]) if rule.get("pageId") else rule
    if page is None:
        return None
    restrictions = {"when": _when(page.get("advancedCondition")), "trigger": _trigger(page.get("trigger"))}
    return compile_url_rules(page["includeRules"], page["excludeRules"]) | {
        name: value for name, value in restrictions.items() if value
    }


def _condition(rule: Document, references: References) -> Compiled | None:
    audience = references.audiences.get(rule["audienceId"]) if rule.get("audienceId") else rule
    return None if audience is None else dict(_in_time(condition_of(audience["rules"])))


def _when(condition: Any) -> Compiled | None:
    if condition is not None and not isinstance(condition, Mapping):
        raise UnreadableTargetingError("an advanced condition is no object")
    return dict(_in_time(condition or {}))


def _in_time(condition: Any) -> Any:
    """The condition with each expression in the form that engines answer in time."""
    if isinstance(condition, Mapping):
        return {
            key: served(value) if key == "$regex" and isinstance(value, str) else _in_time(value)
            for key, value in condition.items()
        }
    return [_in_time(item) for item in condition] if isinstance(condition, list | tuple) else condition


def _url_rule(raw: RawRule) -> UrlRule:
    pattern = raw["pattern"]
    return compile_rule(raw["type"], served(pattern) if raw["type"] == "regex" else pattern)


_TRIGGERS: Mapping[str, Callable[[Document], str | None]] = {
    "immediate": lambda _: None,
    "dom_ready": lambda _: "dom_ready",
    "element": lambda trigger: f"element:{trigger['selector']}",
    "event": lambda trigger: f"event:{trigger['eventName']}",
    "delay": lambda trigger: f"delay:{int(trigger['ms'])}",
}


def _trigger(trigger: Document | None) -> str | None:
    if not trigger:
        return None
    if trigger.get("type") not in _TRIGGERS:
        raise UnreadableTargetingError(f"there is no trigger of the type {trigger.get('type')!r}")
    return _TRIGGERS[trigger["type"]](trigger)


def _complement(rule: Compiled) -> Compiled:
    """Where the rule does not hold, or less: the complement of several parts at once is no page rule.

    Addresses come first: what stands under `include` counts nowhere, whatever exceptions, condition or trigger say.
    """
    if rule.get("include"):
        return {"exclude": rule["include"]}
    if rule.get("exclude"):
        return {"include": rule["exclude"]}
    return {"when": {"$not": rule["when"]}} if "when" in rule else {"exclude": [compile_rule("simple", "*")]}


def _page_rule(included: Iterable[RawRule], excluded: Iterable[RawRule]) -> Compiled:
    rule = {
        "include": [_url_rule(raw) for raw in included],
        "exclude": [_url_rule(raw) for raw in excluded],
    }
    return {name: compiled for name, compiled in rule.items() if compiled}
