"""Targeting as shops write it, compiled to what is evaluated (Pages and PageRule of docs/data-model.md)."""

from collections.abc import Iterable, Mapping
from typing import Any

from abtest.domain.targeting.pages import PageRule
from abtest.domain.targeting.urls import compile_rule

RawRule = Mapping[str, Any]
"""`{"type": "simple" | "regex", "pattern": str, "include"?: bool}`; `include: false` makes it an exclusion."""


def compile_url_rules(rules: Iterable[RawRule], excluded: Iterable[RawRule] = ()) -> PageRule:
    """The page rule of raw rules; those in `excluded` exclude whatever they say."""
    given = list(rules)
    negative = [rule for rule in given if rule.get("include") is False] + list(excluded)
    return _page_rule([rule for rule in given if rule.get("include") is not False], negative)


def compile_pages(targeting: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """Where an experiment runs; None means everywhere. A page rule with `include: false` takes its pages out."""
    live = [page for page in (targeting or {}).get("pageRules", ()) if not page.get("disabled")]
    inside = [_compiled(page) for page in live if page.get("include") is not False]
    outside = [rule for page in live if page.get("include") is False and (rule := _compiled(page))]
    if not inside and not outside:
        return None
    return {"mode": (targeting or {}).get("pageMatchMode") or "any", "in": inside, "out": outside}


def compile_goal_pages(page: Mapping[str, Any]) -> PageRule | None:
    """The pages on which a goal counts; None means everywhere. With `include: false`: everywhere but on these."""
    if page.get("disabled"):
        return None
    rule = _compiled(page)
    if page.get("include") is not False:
        return rule
    # The complement of "included and not excluded" is no page rule when both are given; then exceptions stay out.
    if rule.get("include"):
        return {"exclude": rule["include"]}
    return {"include": rule["exclude"]} if rule.get("exclude") else {"exclude": [compile_rule("simple", "*")]}


def _compiled(page: Mapping[str, Any]) -> PageRule:
    return compile_url_rules(page["includeRules"], page["excludeRules"])


def _page_rule(included: Iterable[RawRule], excluded: Iterable[RawRule]) -> PageRule:
    rule = {
        "include": [compile_rule(raw["type"], raw["pattern"]) for raw in included],
        "exclude": [compile_rule(raw["type"], raw["pattern"]) for raw in excluded],
    }
    return {name: compiled for name, compiled in rule.items() if compiled}
