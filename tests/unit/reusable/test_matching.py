"""The rule tester: it says what delivery does, and why."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from abtest.domain.reusable.matching import match
from abtest.domain.reusable.references import may_refer, references_of, refs_attribute
from abtest.domain.targeting.compilation import compile_pages
from abtest.domain.targeting.pages import PageView, matches_pages
from abtest.domain.targeting.refusals import refused_pages
from abtest.domain.targeting.urls import parse_address

URL = "https://shop.example/products/hat?color=red"


def rules(*patterns: str, **fields: Any) -> list[Any]:
    return [{"type": "simple", "pattern": pattern, **fields} for pattern in patterns]


def page(rule_id: str, *included: str, excluded: tuple[str, ...] = (), **fields: Any) -> Any:
    return {"id": rule_id, "includeRules": rules(*included), "excludeRules": rules(*excluded), **fields}


@pytest.mark.parametrize(
    ("given_rules", "expected"),
    [
        ([page("a", "/x", "/products/*")], (True, "a", "included", "includeRules[1] matches")),
        ([page("a", "/products/*", excluded=("*color=red",))], (True, "a", "included", "includeRules[0] matches")),
        (
            [page("a", "/products/*", excluded=("*?color=red",))],
            (False, "a", "excluded", "excludeRules[0] excludes it"),
        ),
        ([page("a", "/x")], (False, "a", "not_included", "no include rule matches")),
        ([page("a")], (True, "a", "unrestricted", "it has no include rules, so every page matches")),
        ([page("a", "/x"), page("b", "/y")], (False, None, "not_included", "none of the rules matches")),
        ([page("a", "/x"), page("b", "/products/*")], (True, "b", "included", "includeRules[0] matches")),
        (
            [page("a", "/products/*"), page("b", "*/hat", include=False)],
            (False, "b", "taken_out", "is taken out: includeRules[0] matches"),
        ),
        ([page("a", "/x", disabled=True)], (True, None, "unrestricted", "no rule restricts the pages")),
        ([], (True, None, "unrestricted", "no rule restricts the pages")),
        (
            [{"id": "a", "includeRules": rules("/products/*", include=False), "excludeRules": []}],
            (False, "a", "excluded", "includeRules[0] excludes it"),
        ),
    ],
)
def test_match__says_which_rule_and_why(given_rules: list[Any], expected: tuple[Any, ...]) -> None:
    verdict = match(given_rules, URL)
    assert (verdict.matched, verdict.rule_id, verdict.because, verdict.reason) == expected


_rule = st.fixed_dictionaries(
    {"type": st.just("simple"), "pattern": st.sampled_from(["/a", "/b", "/a/*", "*?q=1", "*"])},
    optional={"include": st.booleans()},
)
_page = st.fixed_dictionaries(
    {"id": st.just("x"), "includeRules": st.lists(_rule, max_size=3), "excludeRules": st.lists(_rule, max_size=2)},
    optional={"include": st.booleans(), "disabled": st.booleans()},
)


@given(st.lists(_page, max_size=4), st.sampled_from(["/a", "/b", "/a/c", "/a?q=1", "/"]))
def test_match__of_any_rules__decides_as_delivery_does(pages: list[Any], path: str) -> None:
    url = f"https://shop.example{path}"
    address = parse_address(url)
    assert address is not None
    verdict, compiled = match(pages, url), compile_pages({"pageRules": pages})
    assert verdict.matched == matches_pages(compiled, address)
    refused = refused_pages(compiled, PageView(address, {}))
    assert (refused is not None) is not verdict.matched
    # Without a single rule that decides, the tester has the general word.
    if refused is not None and verdict.rule_id is not None:
        assert verdict.because == refused["because"]


def test_references__in_any_stored_form__are_found_or_left() -> None:
    targeting = {
        "pageRules": [{"pageId": "p", "disabled": True}, {"id": "x"}, 5, {"pageId": None}],
        "segmentRules": [{"audienceId": "a"}, None],
    }
    assert references_of(targeting) == {"p", "a"}
    assert references_of({"pageRules": "p", "segmentRules": None}) == references_of(None) == frozenset()


def test_refs__of_heads__never_hide_a_reference() -> None:
    few, many = [f"id{n}" for n in range(8)], [f"id{n}" for n in range(9)]
    assert all(may_refer(refs_attribute(few), found) for found in few)
    assert all(may_refer(refs_attribute(many), found) for found in many)
    assert not may_refer(refs_attribute(few), "id9")
    assert not may_refer(refs_attribute([]), "id0")
    assert may_refer(None, "id0")
