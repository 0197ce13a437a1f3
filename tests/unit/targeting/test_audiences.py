"""Audience rules: what they hold for once they are conditions, by the evaluator that decides."""

from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from abtest.domain.targeting.admission import UnsafeRegexError
from abtest.domain.targeting.audiences import condition_of
from abtest.domain.targeting.checks import check_audience
from abtest.domain.targeting.comparisons import RULES, problems_of
from abtest.domain.targeting.compilation import zones_in
from abtest.domain.targeting.conditions import holds
from abtest.domain.targeting.shapes import Attribute
from abtest.kit.errors import ValidationFailedError
from tests.support.any_json import any_json

Json = Any


def comparison(attribute: str, operator: str, value: Any = ..., **fields: Any) -> Json:
    stated = {} if value is ... else {"value": value}
    return {"attribute": attribute, "operator": operator, **stated, **fields}


def one(attribute: str, operator: str, value: Any = ..., **fields: Any) -> Json:
    rules = {"operator": "and", "conditions": [comparison(attribute, operator, value, **fields)]}
    check_audience(any_json(rules))
    return rules


def reaches(rules: Any, attributes: Json) -> bool:
    return holds(condition_of(rules), attributes)


BERLIN = {"timezone": "Europe/Berlin"}
LOCAL = {"local": {"Europe/Berlin": {"day": "monday", "hour": 18, "time": "18:05"}}}

# rules, attributes that they hold for, attributes that they do not hold for
CASES: list[tuple[Json, Json, Json]] = [
    (one("device", "equals", "mobile"), {"device": "mobile"}, {"device": "desktop"}),
    (one("device", "not_equals", "mobile"), {"device": "desktop"}, {"device": "mobile"}),
    (one("browser", "in", ["safari", "chrome"]), {"browser": "safari"}, {"browser": "edge"}),
    (one("os", "not_in", ["ios"]), {"os": "android"}, {"os": "ios"}),
    (one("language", "starts_with", "de"), {"language": "de-AT"}, {"language": "nl-de"}),
    (one("city", "ends_with", "burg"), {"city": "Hamburg"}, {"city": "Burgau"}),
    (one("region", "contains", "West"), {"region": "Nordrhein-Westfalen"}, {"region": "westlich"}),
    (one("region", "not_contains", "West"), {"region": "Sachsen"}, {"region": "West"}),
    (one("market", "matches", "^(eu|uk)$"), {"market": "uk"}, {"market": "ukr"}),
    (one("market", "not_matches", "^eu"), {"market": "us"}, {"market": "eu-de"}),
    (one("currency", "exists"), {"currency": "EUR"}, {}),
    (one("currency", "not_exists"), {}, {"currency": "EUR"}),
    (one("country", "equals", "DE"), {"country": "DE"}, {"country": "AT"}),
    (
        one("referrer", "contains", "a.example/?"),
        {"referrer": "https://a.example/?q"},
        {"referrer": "https://axexample"},
    ),
    (one("url", "ends_with", ".html"), {"url": "https://s.example/a.html"}, {"url": "https://s.example/ahtml"}),
    (one("utm", "equals", "news", key="source"), {"utm": {"source": "news"}}, {"utm": {"medium": "news"}}),
    (one("query", "exists", key="gclid"), {"query": {"gclid": "1"}}, {"query": {}}),
    (one("cookie", "equals", "b", key="bucket"), {"cookie": {"bucket": "b"}}, {"cookie": {"bucket": "B"}}),
    (one("page", "equals", "product", key="template"), {"page": {"template": "product"}}, {"page": {}}),
    (one("data_layer", "gte", 3, key="cart.size"), {"data_layer": {"cart": {"size": 3}}}, {"data_layer": {"cart": 1}}),
    (one("data_layer", "equals", True, key="vip"), {"data_layer": {"vip": True}}, {"data_layer": {"vip": "true"}}),
    (one("visitor", "equals", "new"), {"visitor": "new"}, {"visitor": "returning"}),
    (one("visits", "lt", 3), {"visits": 2}, {"visits": 3}),
    (one("pages_viewed", "not_equals", 1), {"pages_viewed": 2}, {"pages_viewed": 1}),
    (one("days_since_last_visit", "in", [1, 2]), {"days_since_last_visit": 2}, {"days_since_last_visit": 3}),
    (one("screen_width", "lte", 600), {"screen": {"width": 600}}, {"screen": {"width": 601}}),
    (one("screen_height", "gt", 600), {"screen": {"height": 601}}, {"screen": {"height": 600}}),
    (one("logged_in", "equals", True), {"logged_in": True}, {"logged_in": False}),
    (one("customer_tags", "contains", "vip"), {"customer": {"tags": ["a", "vip"]}}, {"customer": {"tags": ["vips"]}}),
    (one("customer_tags", "not_contains", "vip"), {"customer": {"tags": ["a"]}}, {"customer": {"tags": ["vip"]}}),
    (one("customer_tags", "in", ["vip", "b2b"]), {"customer": {"tags": ["b2b"]}}, {"customer": {"tags": []}}),
    (one("customer_tags", "not_in", ["vip"]), {"customer": {"tags": []}}, {"customer": {"tags": ["vip", "a"]}}),
    (one("cart_value", "gte", 49.9), {"cart": {"value": 50}}, {"cart": {"value": 49}}),
    (one("cart_items", "equals", 0), {"cart": {"items": 0}}, {"cart": {"items": 1}}),
    (one("local_day", "in", ["monday"], **BERLIN), LOCAL, {"local": {"Europe/Berlin": {"day": "sunday"}}}),
    (one("local_hour", "gte", 18, **BERLIN), LOCAL, {"local": {"Europe/Berlin": {"hour": 17}}}),
    (one("local_time", "lt", "18:06", **BERLIN), LOCAL, {"local": {"Europe/Berlin": {"time": "18:06"}}}),
]


@pytest.mark.parametrize(("rules", "inside", "outside"), CASES)
def test_comparison__of_each_attribute__holds_for_whom_it_says(rules: Json, inside: Json, outside: Json) -> None:
    assert (reaches(rules, inside), reaches(rules, outside)) == (True, False)


def test_cases__name_every_attribute() -> None:
    told = {rules["conditions"][0]["attribute"] for rules, _, _ in CASES}
    assert {*get_args(Attribute)} - told == {"traffic_source", "days_since_first_visit"}
    assert set(RULES) == set(get_args(Attribute))


POSITIVE = [
    one("city", operator, "ul") for operator in ("equals", "contains", "starts_with", "ends_with", "matches")
] + [one("visits", operator, 1) for operator in ("equals", "gt", "gte", "lt", "lte")]
NEGATIVE = [one("city", operator, "ul") for operator in ("not_equals", "not_contains", "not_matches")] + [
    one("visits", "not_in", [1]),
    one("customer_tags", "not_contains", "vip"),
    one("logged_in", "not_equals", True),
]


@pytest.mark.parametrize("attributes", [{}, {"city": None, "visits": None}])
def test_attribute__not_known__holds_for_negative_operators_only(attributes: Json) -> None:
    assert [reaches(rules, attributes) for rules in POSITIVE] == [False] * len(POSITIVE)
    assert [reaches(rules, attributes) for rules in NEGATIVE] == [True] * len(NEGATIVE)


@given(st.text(min_size=1), st.text(), st.text())
def test_literal__of_any_characters__is_found_where_it_stands(text: str, before: str, after: str) -> None:
    def asked(operator: str) -> Json:
        return {"operator": "and", "conditions": [comparison("city", operator, text)]}

    whole = {"city": before + text + after}
    assert reaches(asked("contains"), whole)
    assert not reaches(asked("not_contains"), whole)
    assert reaches(asked("starts_with"), {"city": text + after})
    assert reaches(asked("ends_with"), {"city": before + text})
    assert reaches(asked("contains"), {"city": before}) == (text in before)


def test_groups__and_of_ors__combine() -> None:
    phone_or_german: Json = {
        "operator": "or",
        "conditions": [comparison("device", "equals", "mobile"), comparison("country", "equals", "DE")],
    }
    rules = {"operator": "and", "conditions": [comparison("visits", "gt", 1)], "groups": [phone_or_german]}
    assert reaches(rules, {"visits": 2, "country": "DE"})
    assert reaches(rules, {"visits": 2, "device": "mobile"})
    assert not reaches(rules, {"visits": 1, "device": "mobile"})
    assert not reaches(rules, {"visits": 2, "device": "desktop"})


def test_condition__of_local_time__names_its_zone() -> None:
    rules = {"operator": "or", "groups": [one("local_hour", "gte", 1, **BERLIN), one("device", "exists")]}
    assert set(zones_in(condition_of(any_json(rules)))) == {"Europe/Berlin"}


IMPOSSIBLE: list[tuple[Json, str]] = [
    (comparison("device", "gt", "a"), "operator"),
    (comparison("visits", "contains", "1"), "operator"),
    (comparison("visitor", "in", ["new"]), "operator"),
    (comparison("logged_in", "exists"), "operator"),
    (comparison("customer_tags", "equals", "vip"), "operator"),
    (comparison("local_time", "equals", "10:00", **BERLIN), "operator"),
    (comparison("utm", "equals", "x"), "key"),
    (comparison("utm", "equals", "x", key="sources"), "key"),
    (comparison("cookie", "equals", "x", key="a.b"), "key"),
    (comparison("page", "exists"), "key"),
    (comparison("page", "exists", key="a..b"), "key"),
    (comparison("page", "exists", key=".a"), "key"),
    (comparison("device", "exists", key="a"), "key"),
    (comparison("local_hour", "gte", 1), "timezone"),
    (comparison("local_hour", "gte", 1, timezone="Europe/Atlantis"), "timezone"),
    (comparison("local_hour", "gte", 1, timezone="../etc"), "timezone"),
    (comparison("device", "exists", **BERLIN), "timezone"),
    (comparison("device", "equals"), "value"),
    (comparison("device", "exists", "x"), "value"),
    (comparison("device", "equals", 1), "value"),
    (comparison("device", "equals", ["mobile"]), "value"),
    (comparison("device", "in", "mobile"), "value"),
    (comparison("device", "in", ["mobile", 1]), "value"),
    (comparison("device", "contains", ""), "value"),
    (comparison("visits", "gt", True), "value"),
    (comparison("visits", "gt", "1"), "value"),
    (comparison("visitor", "equals", "old"), "value"),
    (comparison("logged_in", "equals", "true"), "value"),
    (comparison("country", "equals", "de"), "value"),
    (comparison("country", "in", ["DE", "Austria"]), "value"),
    (comparison("page", "gt", "1", key="a"), "value"),
    (comparison("page", "contains", 1, key="a"), "value"),
    (comparison("local_day", "equals", "Monday", **BERLIN), "value"),
    (comparison("local_hour", "gte", 24, **BERLIN), "value"),
    (comparison("local_hour", "gte", -1, **BERLIN), "value"),
    (comparison("local_time", "gte", "24:00", **BERLIN), "value"),
    (comparison("local_time", "gte", "9:00", **BERLIN), "value"),
]


@pytest.mark.parametrize(("wrong", "field"), IMPOSSIBLE)
def test_comparison__that_cannot_be__is_refused_with_its_path(wrong: Json, field: str) -> None:
    rules = {"operator": "and", "groups": [{"operator": "or", "conditions": [comparison("device", "exists"), wrong]}]}
    with pytest.raises(ValidationFailedError) as refusal:
        check_audience(any_json(rules))
    assert [found.path for found in refusal.value.fields] == [f"rules.groups[0].conditions[1].{field}"]


@pytest.mark.parametrize("hour", [0, 23])
def test_hour__at_its_limits__is_taken(hour: int) -> None:
    assert list(problems_of(comparison("local_hour", "gte", hour, **BERLIN))) == []


def test_expression__that_could_stall_a_browser__is_refused_with_its_path() -> None:
    with pytest.raises(UnsafeRegexError) as refusal:
        one("city", "not_matches", "(a+)+$")
    assert [found.path for found in refusal.value.fields] == ["rules.conditions[0].value"]
