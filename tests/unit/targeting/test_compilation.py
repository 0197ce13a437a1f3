"""Targeting compiled: conditions, triggers, audiences, references, schedules, time zones."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from abtest.domain.targeting.compilation import (
    NO_REFERENCES,
    References,
    UnreadableTargetingError,
    compile_audience,
    compile_goal_pages,
    compile_pages,
    compile_schedule,
    compile_targeting,
    zones_in,
)
from abtest.domain.targeting.conditions import holds
from abtest.domain.targeting.pages import matches_pages
from abtest.domain.targeting.urls import parse_address
from tests.support.any_json import any_json

CART: Any = {"include": [{"path": r"\/?cart\/?"}]}
NOWHERE = {"include": [{"re": "[]"}]}
NOBODY: Any = {"$not": {}}
PHONES = {"operator": "and", "conditions": [{"attribute": "device", "operator": "equals", "value": "mobile"}]}
ON_PHONES = {"device": {"$eq": "mobile"}}


def page(pattern: str | None = "/cart", **fields: Any) -> Any:
    included = [] if pattern is None else [{"type": "simple", "pattern": pattern}]
    return {"id": "r", "includeRules": included, "excludeRules": [], **fields}


def pages(*rules: Any, references: References = NO_REFERENCES, **fields: Any) -> Any | None:
    return compile_pages(any_json({"pageRules": list(rules), **fields}), references)


def audience(*rules: Any, references: References = NO_REFERENCES, **fields: Any) -> Any | None:
    return compile_audience(any_json({"segmentRules": list(rules), **fields}), references)


# ------------------------------------------------------------------ the whole


def test_targeting__of_nothing__restricts_nothing() -> None:
    assert compile_targeting(None) == compile_targeting({}) == compile_targeting({"pageMatchMode": "all"}) == {}


def test_targeting__with_every_field__has_every_part() -> None:
    targeting = {
        "pageMatchMode": "all",
        "pageRules": [page()],
        "segmentMatchMode": "all",
        "segmentRules": [{"id": "s", "rules": PHONES}],
        "surface": "checkout",
        "checkoutBlock": {"enabled": True},
        "identity": "customer",
        "note": "kept, no effect",
    }
    assert compile_targeting(any_json(targeting)) == {
        "pages": {"mode": "all", "in": [CART], "out": []},
        "audience": {"mode": "all", "in": [ON_PHONES], "out": []},
        "surface": "checkout",
        "identity": "customer",
    }


def test_targeting__with_nulls__restricts_nothing() -> None:
    assert (
        compile_targeting(any_json({"pageRules": None, "segmentRules": None, "surface": None, "identity": None})) == {}
    )


# ------------------------------------------------------------------ page rules


@pytest.mark.parametrize(
    ("trigger", "expected"),
    [
        ({"type": "dom_ready"}, "dom_ready"),
        ({"type": "element", "selector": ".a > b"}, "element:.a > b"),
        ({"type": "event", "eventName": "cart:open"}, "event:cart:open"),
        ({"type": "delay", "ms": 1500}, "delay:1500"),
        ({"type": "delay", "ms": 1500.0}, "delay:1500"),
        ({"type": "delay", "ms": 0}, "delay:0"),
    ],
)
def test_trigger__of_each_type__is_one_string(trigger: Any, expected: str) -> None:
    assert pages(page(trigger=trigger)) == {"mode": "any", "in": [{**CART, "trigger": expected}], "out": []}


@pytest.mark.parametrize("trigger", [None, {}, {"type": "immediate"}])
def test_trigger__that_is_immediate__is_none(trigger: Any | None) -> None:
    assert pages(page(trigger=trigger)) == {"mode": "any", "in": [CART], "out": []}


@pytest.mark.parametrize("trigger", [{"type": "scroll"}, {"selector": ".a"}, {"type": None}])
def test_trigger__of_an_unknown_type__is_no_guess(trigger: Any) -> None:
    with pytest.raises(UnreadableTargetingError):
        pages(page(trigger=trigger))


def test_advanced_condition__is_the_condition_of_its_page_rule() -> None:
    condition = {"data_layer.template": "product"}
    assert pages(page(advancedCondition=condition)) == {"mode": "any", "in": [{**CART, "when": condition}], "out": []}


@pytest.mark.parametrize("condition", [None, {}])
def test_advanced_condition__that_asks_nothing__is_none(condition: Any | None) -> None:
    assert pages(page(advancedCondition=condition)) == {"mode": "any", "in": [CART], "out": []}


@pytest.mark.parametrize("condition", ["x", ["x"], 1, True])
def test_advanced_condition__that_is_no_object__is_no_guess(condition: Any) -> None:
    with pytest.raises(UnreadableTargetingError):
        pages(page(advancedCondition=condition))


def test_page_rule__without_addresses_but_with_a_condition__can_include_and_take_out() -> None:
    rule = page(None, advancedCondition={"a": 1})
    assert pages(rule, {**rule, "include": False}) == {
        "mode": "any",
        "in": [{"when": {"a": 1}}],
        "out": [{"when": {"a": 1}}],
    }


# ------------------------------------------------------------------ audiences


def test_audience_rules__are_conditions_inside_and_outside() -> None:
    compiled = audience({"id": "a", "rules": PHONES}, {"id": "b", "rules": PHONES, "include": False})
    assert compiled == {"mode": "any", "in": [ON_PHONES], "out": [ON_PHONES]}


def test_audience_rules__that_are_disabled__do_not_exist() -> None:
    assert audience({"id": "a", "rules": PHONES, "disabled": True}) is None


def test_audience_rules__without_rules__are_no_guess() -> None:
    with pytest.raises(KeyError):
        audience({"id": "a"})


# ------------------------------------------------------------------ references

KNOWN = References(
    pages=any_json(
        {"p1": {"name": "Cart", "includeRules": [{"type": "simple", "pattern": "/cart"}], "excludeRules": []}}
    ),
    audiences=any_json({"a1": {"name": "Phones", "rules": PHONES}}),
)


def test_page__by_reference__is_that_page() -> None:
    condition, trigger = {"a": 1}, {"type": "dom_ready"}
    known = References(
        pages=any_json({"p1": {**KNOWN.pages["p1"], "advancedCondition": condition, "trigger": trigger}})
    )
    assert pages({"id": "r", "pageId": "p1"}, references=known) == {
        "mode": "any",
        "in": [{**CART, "when": condition, "trigger": "dom_ready"}],
        "out": [],
    }


def test_audience__by_reference__is_that_audience() -> None:
    compiled = audience({"id": "r", "audienceId": "a1"}, references=KNOWN)
    assert compiled == {"mode": "any", "in": [ON_PHONES], "out": []}


def test_references__excluding__take_what_they_name_out() -> None:
    assert pages({"id": "r", "pageId": "p1", "include": False}, references=KNOWN) == {
        "mode": "any",
        "in": [],
        "out": [CART],
    }
    out = audience({"id": "r", "audienceId": "a1", "include": False}, references=KNOWN)
    assert out == {"mode": "any", "in": [], "out": [ON_PHONES]}


def test_references__that_are_disabled__do_not_exist() -> None:
    assert pages({"id": "r", "pageId": "p1", "disabled": True}, references=KNOWN) is None
    assert audience({"id": "r", "audienceId": "a1", "disabled": True}, references=KNOWN) is None


def test_references__to_nothing__include_nobody() -> None:
    assert pages({"id": "r", "pageId": "gone"}, references=KNOWN) == {"mode": "any", "in": [NOWHERE], "out": []}
    assert audience({"id": "r", "audienceId": "gone"}, references=KNOWN) == {"mode": "any", "in": [NOBODY], "out": []}


@given(attributes=st.dictionaries(st.text(max_size=3), st.none() | st.integers() | st.text(max_size=3), max_size=3))
def test_audience__that_is_gone__holds_for_nobody(attributes: Any) -> None:
    compiled = audience({"id": "r", "audienceId": "gone"})
    assert compiled is not None
    (condition,) = compiled["in"]
    assert not holds(condition, attributes)


def test_references__to_nothing__take_nobody_out() -> None:
    assert pages({"id": "r", "pageId": "gone", "include": False}) is None
    assert audience({"id": "r", "audienceId": "gone", "include": False}) is None


PATHS = ("/cart", "/a", "/b")
RULES = st.lists(
    st.fixed_dictionaries(
        {"pageId": st.sampled_from(("p1", "p2", "p3")), "include": st.booleans(), "disabled": st.booleans()}
    ),
    max_size=5,
)
DOCUMENTS = st.dictionaries(st.sampled_from(("p1", "p2", "p3")), st.sampled_from(PATHS).map(page))


def delivered(targeting: Any, documents: Any) -> set[str]:
    compiled = compile_pages(targeting, References(pages=documents))
    addresses = {path: parse_address(f"https://shop.example{path}") for path in PATHS}
    return {path for path, address in addresses.items() if address and matches_pages(compiled, address)}


@given(rules=RULES, mode=st.sampled_from(("any", "all")), documents=DOCUMENTS, lost=st.sampled_from(("p1", "p2", "p3")))
def test_reference__lost_where_it_included__never_widens_where_something_is_delivered(
    rules: list[Any], mode: str, documents: Any, lost: str
) -> None:
    targeting = {"pageMatchMode": mode, "pageRules": rules}
    if any(rule["pageId"] == lost and not rule["include"] and not rule["disabled"] for rule in rules):
        return  # it took pages out
    without = {name: document for name, document in documents.items() if name != lost}
    assert delivered(targeting, without) <= delivered(targeting, documents)


@given(rules=RULES, mode=st.sampled_from(("any", "all")), documents=DOCUMENTS)
def test_reference__to_what_exists__is_the_same_as_its_rules_in_place(
    rules: list[Any], mode: str, documents: Any
) -> None:
    in_place = [
        {**documents.get(rule["pageId"], {}), **rule, "pageId": None} for rule in rules if rule["pageId"] in documents
    ]
    named = [rule for rule in rules if rule["pageId"] in documents]
    assert compile_pages(
        any_json({"pageMatchMode": mode, "pageRules": named}), References(pages=documents)
    ) == compile_pages(any_json({"pageMatchMode": mode, "pageRules": in_place}))


# ------------------------------------------------------------------ goals


def test_goal_pages__by_reference__are_that_page() -> None:
    assert compile_goal_pages({"id": "r", "pageId": "p1"}, KNOWN) == CART
    assert compile_goal_pages({"id": "r", "pageId": "p1", "include": False}, KNOWN) == {"exclude": CART["include"]}


def test_goal_pages__by_a_reference_to_nothing__count_nowhere_or_everywhere() -> None:
    assert compile_goal_pages({"id": "r", "pageId": "gone"}, KNOWN) == NOWHERE
    assert compile_goal_pages({"id": "r", "pageId": "gone", "include": False}, KNOWN) is None


def test_goal_pages__with_a_condition__count_where_it_holds() -> None:
    assert compile_goal_pages(page(advancedCondition={"a": 1})) == {**CART, "when": {"a": 1}}


def test_goal_pages__excluding_a_condition__count_where_it_does_not_hold() -> None:
    rule = page(None, advancedCondition={"a": 1}, include=False)
    assert compile_goal_pages(rule) == {"when": {"$not": {"a": 1}}}


def test_goal_pages__excluding_addresses_under_a_condition__count_on_none_of_these_addresses() -> None:
    rule = page(advancedCondition={"a": 1}, trigger={"type": "dom_ready"}, include=False)
    assert compile_goal_pages(rule) == {"exclude": CART["include"]}


# ------------------------------------------------------------------ days and zones


def test_schedule__is_days_and_their_zone() -> None:
    schedule = {"excludedDays": ["sunday", "monday"], "timezone": "Europe/Berlin"}
    assert compile_schedule(any_json(schedule)) == {"days": ["sunday", "monday"], "zone": "Europe/Berlin"}
    assert compile_schedule(None) is compile_schedule(any_json({})) is None


def test_zones__are_found_wherever_conditions_ask_for_local_time() -> None:
    rules = {
        "operator": "or",
        "groups": [
            {
                "operator": "and",
                "conditions": [
                    {"attribute": "local_hour", "timezone": "Europe/Berlin", "operator": "gte", "value": 18},
                    {"attribute": "local_day", "timezone": "Asia/Tokyo", "operator": "equals", "value": "monday"},
                ],
            },
            {"operator": "and", "conditions": [{"attribute": "device", "operator": "exists"}]},
        ],
    }
    advanced = {"$or": [{"$not": {"local.Etc/GMT+5.time": {"$gt": "12:00"}}}, {"local.UTC": {"$exists": True}}]}
    compiled = compile_targeting(
        any_json({"segmentRules": [{"id": "s", "rules": rules}], "pageRules": [page(advancedCondition=advanced)]})
    )
    assert set(zones_in(compiled)) == {"Europe/Berlin", "Asia/Tokyo", "Etc/GMT+5", "UTC"}


@pytest.mark.parametrize(
    "condition",
    [
        {"local": {"Europe/Berlin": 1}},
        {"local.": 1},
        {"local.Mars/Phobos.hour": 1},
        {"locale.UTC": 1},
        {"a.local.UTC": 1},
    ],
)
def test_zones__of_other_paths__are_none(condition: Any) -> None:
    assert list(zones_in(condition)) == []
