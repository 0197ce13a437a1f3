"""Page rules: exclusion, combination, goals."""

from collections.abc import Sequence
from typing import Any

import pytest

from abtest.domain.targeting.compilation import compile_goal_pages, compile_pages, compile_url_rules
from abtest.domain.targeting.pages import (
    PageView,
    matches_page,
    matches_pages,
    prepare_audience,
    prepare_page,
    prepare_pages,
)
from abtest.domain.targeting.shapes import CompiledPage
from abtest.domain.targeting.urls import Address, compile_rule, parse_address
from tests.support.any_json import any_json


def at(path: str) -> Address:
    address = parse_address(f"https://shop.example{path}")
    assert address is not None
    return address


def rule(pattern: str, **fields: Any) -> Any:
    return {"type": "simple", "pattern": pattern, **fields}


def page(included: Sequence[str] = (), excluded: Sequence[str] = (), **fields: Any) -> Any:
    rules = {"includeRules": [rule(each) for each in included], "excludeRules": [rule(each) for each in excluded]}
    return {"id": "p", **rules, **fields}


def runs(path: str, *pages: Any, mode: str | None = None) -> bool:
    targeting = {"pageRules": list(pages)} | ({"pageMatchMode": mode} if mode else {})
    return matches_pages(compile_pages(any_json(targeting)), at(path))


def test_experiment__without_targeting__runs_everywhere() -> None:
    assert compile_pages(None) is None
    assert compile_pages({"pageMatchMode": "all"}) is None
    assert matches_pages(None, at("/x"))


def test_page_rule__with_includes__holds_where_one_matches() -> None:
    assert runs("/b", page(["/a", "/b"]))
    assert not runs("/c", page(["/a", "/b"]))


def test_page_rule__with_excludes__says_no_where_one_matches() -> None:
    assert not runs("/a/x", page(["/a/*"], ["/a/x"]))
    assert runs("/a/y", page(["/a/*"], ["/a/x"]))


def test_page_rule__without_includes__holds_everywhere_but_on_excludes() -> None:
    assert runs("/b", page([], ["/a"]))
    assert not runs("/a", page([], ["/a"]))


def test_url_rule__with_include_false__excludes() -> None:
    compiled = compile_url_rules([rule("/a/*"), rule("/a/x", include=False)])
    assert matches_page(compiled, at("/a/y"))
    assert not matches_page(compiled, at("/a/x"))


@pytest.mark.parametrize(("mode", "expected"), [(None, True), ("any", True), ("all", False)])
def test_page_rules__of_which_one_holds__count_as_the_mode_says(mode: str | None, expected: bool) -> None:
    assert runs("/a", page(["/a"]), page(["/b"]), mode=mode) is expected


def test_page_rules__that_all_hold__hold_in_mode_all() -> None:
    assert runs("/a/b", page(["/a/*"]), page(["*/b"]), mode="all")


def test_page_rule__with_include_false__takes_its_pages_out_first() -> None:
    assert not runs("/a", page(["/a"]), page(["/a"], include=False))
    assert runs("/b", page(["/b"]), page(["/a"], include=False))


def test_page_rule__without_addresses_and_with_include_false__takes_everything_out() -> None:
    assert not runs("/a", page(["/a"]), page(include=False))
    assert not runs("/a", page(include=False))


def test_page_rule__that_is_disabled__does_not_exist() -> None:
    assert runs("/b", page(["/a"], disabled=True))
    assert not runs("/b", page(["/a"]), page(["/b"], disabled=True))


def test_goal_pages__of_a_rule__are_its_pages() -> None:
    compiled = compile_goal_pages(page(["/a/*"], ["/a/x"]))
    assert compiled is not None
    assert matches_page(compiled, at("/a/y"))
    assert not matches_page(compiled, at("/a/x"))


def test_goal_pages__with_include_false__are_all_others() -> None:
    compiled = compile_goal_pages(page(["/a"], include=False))
    assert compiled is not None
    assert matches_page(compiled, at("/b"))
    assert not matches_page(compiled, at("/a"))


def test_goal_pages__excluding_everything_but__are_what_the_rule_excludes() -> None:
    compiled = compile_goal_pages(page([], ["/a"], include=False))
    assert compiled is not None
    assert matches_page(compiled, at("/a"))
    assert not matches_page(compiled, at("/b"))


def test_goal_pages__excluding_everything__are_none() -> None:
    compiled = compile_goal_pages(page(include=False))
    assert compiled is not None
    assert not matches_page(compiled, at("/a"))


def test_goal_pages__of_a_disabled_rule__are_all() -> None:
    assert compile_goal_pages(page(["/a"], disabled=True)) is None


def view(path: str = "/a", triggers: Sequence[str] = (), **attributes: Any) -> PageView:
    return PageView(at(path), attributes, frozenset(triggers))


ON_A: CompiledPage = {"include": [compile_rule("simple", "/a")]}


def test_page_rule__with_a_condition__holds_where_it_holds() -> None:
    rule = prepare_page(any_json({**ON_A, "when": {"data_layer.template": "product"}}))
    assert rule(view(data_layer={"template": "product"}))
    assert not rule(view(data_layer={"template": "cart"}))
    assert not rule(view("/b", data_layer={"template": "product"}))


def test_page_rule__with_a_trigger__holds_once_it_has_fired() -> None:
    rule = prepare_page(any_json({**ON_A, "trigger": "element:.hero"}))
    assert rule(view(triggers=["dom_ready", "element:.hero"]))
    assert not rule(view(triggers=["dom_ready"]))


def test_page_rule__without_an_address__holds_where_no_url_is_asked_for() -> None:
    nowhere = PageView(None, {})
    assert prepare_page({})(nowhere)
    assert prepare_page({"exclude": ON_A["include"]})(nowhere)
    assert not prepare_page(any_json(ON_A))(nowhere)


@pytest.mark.parametrize(("mode", "expected"), [("any", True), ("all", False)])
def test_audience__of_conditions_of_which_one_holds__counts_as_its_mode_says(mode: str, expected: bool) -> None:
    audience = prepare_audience(any_json({"mode": mode, "in": [{"country": "DE"}, {"device": "mobile"}], "out": []}))
    assert audience(view(country="DE", device="desktop")) is expected


def test_audience__that_takes_people_out__does_so_first() -> None:
    audience = prepare_audience({"mode": "any", "in": [], "out": [{"country": "DE", "device": "mobile"}]})
    assert not audience(view(country="DE", device="mobile"))
    assert audience(view(country="DE"))
    assert audience(view())


def test_audience__with_several_comparisons__needs_all() -> None:
    condition = {"$and": [{"country": "DE"}, {"visits": {"$gte": 2}}], "device": "mobile"}
    audience = prepare_audience({"mode": "any", "in": [condition], "out": []})
    assert audience(view(country="DE", visits=2, device="mobile"))
    assert not audience(view(country="DE", visits=1, device="mobile"))
    assert not audience(view(country="DE", visits=2))


def test_no_pages_and_no_audience__restrict_nothing() -> None:
    assert prepare_pages(None)(view())
    assert prepare_audience(None)(view())


@pytest.mark.parametrize(
    "broken", [{}, [], 5, {"mode": "some", "in": [], "out": []}, {"mode": "any", "in": 1, "out": []}]
)
def test_pages__that_are_none__are_refused(broken: Any) -> None:
    with pytest.raises((KeyError, TypeError, ValueError, AttributeError)):
        prepare_pages(broken)
