"""Reasons why page rules and audiences do not hold, for explanations; equal to `storefront/src/refusals.js`."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import partial
from typing import Generic, Literal, TypedDict, TypeVar

from abtest.domain.targeting import conditions
from abtest.domain.targeting.ecmascript import units
from abtest.domain.targeting.excerpts import excerpt
from abtest.domain.targeting.pages import PageView, any_url_rule, has_fired, prepare_condition
from abtest.domain.targeting.shapes import (
    CompiledAudience,
    CompiledPage,
    CompiledPages,
    CompiledUrlRule,
    Condition,
    MatchMode,
)
from abtest.kit import canonical_json

Rule = TypeVar("Rule", CompiledPage, Condition)

Because = Literal["excluded", "not_included", "taken_out", "condition"]
"""Why a page rule decides: one of its exclude rules matches, no include rule does, it excludes pages, its condition."""

MAX_DEPTH = 20
"""Conditions that are nested more deeply are shown whole."""


class Stage(IntEnum):
    """How far a rule holds: its address, then its trigger, then its condition."""

    EXCLUDED = 0
    NOT_INCLUDED = 1
    NOT_FIRED = 2
    NOT_DESCRIBED = 3
    HOLDS = 4


class Place(TypedDict):
    """The rule that settles it: its position among the enabled rules of its sense, and how they combine."""

    rule: int
    sense: Literal["in", "out"]
    mode: MatchMode


class Compared(TypedDict, total=False):
    """The comparison of a rule: path (None for a condition that compares nothing), operand or URL rules, and value.

    A trigger has only its name.
    """

    because: Because
    attribute: str | None
    condition: object
    value: object
    trigger: object


class RuleDetail(Place, Compared):
    """The rule that settles it, and what it compared."""


@dataclass(frozen=True, slots=True)
class Refusal(Generic[Rule]):
    """The rule that makes combined rules fail."""

    rule: Rule
    place: Place
    stage: Stage


def refused_audience(audience: CompiledAudience | None, view: PageView) -> RuleDetail | None:
    """Return why an audience does not hold; None if it does."""
    if audience is None:
        return None
    refusal = refusal_of(audience["in"], audience["out"], audience["mode"], partial(stage_of_condition, view))
    if refusal is None:
        return None
    return {**refusal.place, **leaf_of(refusal.rule, view, refusal.stage is Stage.HOLDS)}


def refused_pages(pages: CompiledPages | None, view: PageView) -> RuleDetail | None:
    """Return why pages do not hold, with `trigger` where they wait for one; None if they hold."""
    if pages is None:
        return None
    refusal = refusal_of(pages["in"], pages["out"], pages["mode"], partial(stage_of_page, view))
    if refusal is None:
        return None
    return {**refusal.place, **page_detail(refusal.rule, refusal.stage, view)}


def refusal_of(
    inside: Sequence[Rule], outside: Sequence[Rule], mode: MatchMode, stage_of: Callable[[Rule], Stage]
) -> Refusal[Rule] | None:
    """Return the first excluding rule that holds, else the including rule that decides; None if the rules hold.

    That is the first that does not hold; in the mode `any` the first of those that hold furthest, if none holds.
    """
    for index, rule in enumerate(outside):
        if stage_of(rule) is Stage.HOLDS:
            return Refusal(rule, {"rule": index, "sense": "out", "mode": mode}, Stage.HOLDS)
    furthest: Refusal[Rule] | None = None
    for index, rule in enumerate(inside):
        stage = stage_of(rule)
        if stage is Stage.HOLDS:
            if mode == "any":
                return None
        # An address that is excluded is not nearer than one that is not included.
        elif furthest is None or stage > max(furthest.stage, Stage.NOT_INCLUDED):
            furthest = Refusal(rule, {"rule": index, "sense": "in", "mode": mode}, stage)
            if mode == "all":
                return furthest
    return furthest


def stage_of_condition(view: PageView, condition: Condition) -> Stage:
    """Return whether a condition holds, as a stage."""
    return Stage.HOLDS if prepare_condition(condition)(view) else Stage.NOT_DESCRIBED


def stage_of_page(view: PageView, rule: CompiledPage) -> Stage:
    """Return how far a page rule holds."""
    if matches_any(rule.get("exclude", ()), view):
        return Stage.EXCLUDED
    if rule.get("include") and not matches_any(rule["include"], view):
        return Stage.NOT_INCLUDED
    if "trigger" in rule and not has_fired(rule["trigger"])(view):
        return Stage.NOT_FIRED
    return stage_of_condition(view, rule["when"]) if "when" in rule else Stage.HOLDS


def matches_any(rules: Sequence[CompiledUrlRule], view: PageView) -> bool:
    """Return whether one of the URL rules matches the address."""
    return bool(rules) and any_url_rule(canonical_json.dumps(rules))(view)


def page_detail(rule: CompiledPage, stage: Stage, view: PageView) -> Compared:
    """Return what a page rule compared at the stage that it does not pass."""
    if stage is Stage.NOT_FIRED:
        return {"trigger": excerpt(rule["trigger"])}
    if stage is Stage.NOT_DESCRIBED:
        return {"because": "condition", **leaf_of(rule["when"], view, False)}
    here = None if view.address is None else excerpt(view.address.href)
    if stage is Stage.HOLDS:
        return {"because": "taken_out", "condition": excerpt(rule), "value": here}
    if stage is Stage.NOT_INCLUDED:
        return {"because": "not_included", "condition": excerpt(rule["include"]), "value": here}
    excluded = next(each for each in rule["exclude"] if matches_any([each], view))
    return {"because": "excluded", "condition": excerpt(excluded), "value": here}


def leaf_of(condition: object, view: PageView, result: bool, depth: int = 0) -> Compared:
    """Return the comparison that settles a condition with this result: the first that has it."""
    if depth < MAX_DEPTH:
        for name, operand in entries(condition):
            if prepare_condition({name: operand})(view) is result:
                return leaf_of_entry(name, operand, view, result, depth)
    return {"attribute": None, "condition": excerpt(condition), "value": None}


def leaf_of_entry(name: str, operand: object, view: PageView, result: bool, depth: int) -> Compared:
    """Return the comparison that settles an entry of a condition."""
    if name == "$not":
        return leaf_of(operand, view, not result, depth + 1)
    if name not in _JOINING:
        return {"attribute": name, "condition": excerpt(operand), "value": excerpt(value_at(view.attributes, name))}
    inner = result is not (name == "$nor")
    for each in operand if isinstance(operand, list) else ():
        if conditions.holds(each, view.attributes) is inner:
            return leaf_of(each, view, inner, depth + 1)
    return {"attribute": None, "condition": excerpt({name: operand}), "value": None}


_JOINING = ("$and", "$or", "$nor")


def entries(condition: object) -> Iterator[tuple[str, object]]:
    """Yield the entries of a condition by name; their own order differs between languages."""
    if isinstance(condition, Mapping):
        for name in sorted(condition, key=units):
            yield name, condition[name]


def value_at(attributes: object, path: str) -> object:
    """Return the value at a dotted path; None where there is none."""
    value = attributes
    for part in path.split("."):
        value = conditions.step(value, part)
    return value
