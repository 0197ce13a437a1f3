"""Personalizations and flags in the compiled config."""

from typing import Any

import pytest

from abtest.domain.assignment.hash import fold
from abtest.domain.delivery.config import Runtime, Stored, compile_config, compile_flags, compile_shop
from abtest.domain.personalizations.model import Rule
from abtest.domain.targeting.compilation import NO_REFERENCES
from tests.support.any_json import any_json
from tests.support.delivered import (
    ON_PHONES,
    PHONES,
    experience,
    flag,
    item_id,
    page_document,
    personalization,
)
from tests.support.storefronts import MOMENT, SHOP_ID, goal, shop

CART = {"include": [{"path": r"\/?cart\/?"}]}
SUNDAYS = {"excludedDays": ["sunday"], "timezone": "Europe/Berlin"}
DARK = {"days": ["sunday"], "zone": "Europe/Berlin"}
ON_THE_CART = {"pageRules": [{"id": "r", **page_document("/cart")}]}
TO_PHONES = {"segmentRules": [{"id": "s", "rules": PHONES}]}


def config(**stored: Any) -> Any:
    runtime = Runtime(
        shop_id=SHOP_ID, environment="production", currency="EUR", events_url="https://e.example", events_signature="s"
    )
    return compile_config(runtime, compile_shop(shop(), Stored(**stored)), 7)


# ------------------------------------------------------------------ personalizations


def test_personalization__with_nothing_optional__has_no_empty_fields() -> None:
    made = personalization()
    assert config(personalizations=[made])["personalizations"] == [
        {
            "id": made.id,
            "key": "personalization-1",
            "name": "Personalization 1",
            "type": "visual",
            "surface": "global",
            "state": fold(made.id),
            "below": 10000,
            "experiences": [{"id": experience().id, "key": "default", "name": "Experience 0"}],
            "goals": [],
        }
    ]


def test_personalization__with_everything__delivers_it() -> None:
    full = experience(
        value={"js": "is data here"},
        mutations=({"selector": "p", "action": "setText", "text": "Hi"},),
        custom_css="a",
        custom_js="b",
        reset_js="c",
        anti_flicker_selectors=(".x", ".y"),
        recommendation_profile="similar",
    )
    rule = Rule(
        id=item_id(90),
        experience_key="default",
        targeting=any_json({**ON_THE_CART, **TO_PHONES, "surface": "checkout"}),
    )
    made = personalization(
        delivery_type="recommendation",
        surface="hero",
        rollout_percentage=0.25,
        targeting={**ON_THE_CART, **TO_PHONES, "surface": "checkout", "identity": "customer"},
        weekday_schedule=SUNDAYS,
        experiences=(full,),
        rules=(rule, Rule(id=item_id(91), experience_key="default")),
        goals=(goal(), goal(id=item_id(92), archived_at=MOMENT)),
    )
    pages = {"mode": "any", "in": [CART], "out": []}
    audience = {"mode": "any", "in": [ON_PHONES], "out": []}
    (found,) = config(personalizations=[made])["personalizations"]
    assert found == {
        "id": made.id,
        "key": made.key,
        "name": made.name,
        "type": "recommendation",
        "surface": "hero",
        "state": fold(made.id),
        "below": 2500,
        "pages": pages,
        "audience": audience,
        "dark": DARK,
        "rules": [{"experience": "default", "pages": pages, "audience": audience}, {"experience": "default"}],
        "experiences": [
            {
                "id": full.id,
                "key": "default",
                "name": "Experience 0",
                "value": {"js": "is data here"},
                "mutations": [{"selector": "p", "action": "text", "text": "Hi"}],
                "css": "a",
                "js": "b",
                "reset_js": "c",
                "hide": [".x", ".y"],
                "profile": "similar",
            }
        ],
        "goals": [{"id": goal().id, "type": "click", "once": True, "selector": "#buy"}],
    }


@pytest.mark.parametrize("value", [False, 0, "", [], {}])
def test_experience__with_an_empty_value__delivers_it(value: Any) -> None:
    (found,) = config(personalizations=[personalization(experiences=(experience(value=value),))])["personalizations"]
    assert found["experiences"][0]["value"] == value


@pytest.mark.parametrize("status", ["draft", "paused", "archived"])
def test_personalization__that_is_not_active__is_not_delivered(status: Any) -> None:
    assert "personalizations" not in config(personalizations=[personalization(status=status)])


def test_personalizations__come_by_priority_then_id() -> None:
    made = [personalization(1, priority=9), personalization(3, priority=2), personalization(2, priority=2)]
    found = config(personalizations=made)["personalizations"]
    assert [each["key"] for each in found] == ["personalization-2", "personalization-3", "personalization-1"]


# ------------------------------------------------------------------ flags


def test_flag__with_nothing_optional__has_both_values() -> None:
    made = flag(on_value=None, off_value=None)
    assert config(flags=[made])["flags"] == [
        {"id": made.id, "key": "flag-1", "state": fold(made.id), "below": 10000, "on": None, "off": None}
    ]


def test_flag__with_everything__delivers_it() -> None:
    made = flag(
        on_value={"a": [1]},
        off_value="x",
        rollout_percentage=0.12345,
        targeting={**ON_THE_CART, **TO_PHONES, "surface": "checkout"},
        weekday_schedule=SUNDAYS,
    )
    assert config(flags=[made])["flags"] == [
        {
            "id": made.id,
            "key": "flag-1",
            "state": fold(made.id),
            "below": 1235,
            "on": {"a": [1]},
            "off": "x",
            "pages": {"mode": "any", "in": [CART], "out": []},
            "audience": {"mode": "any", "in": [ON_PHONES], "out": []},
            "dark": DARK,
        }
    ]


def test_flag__that_is_paused__keeps_its_values_for_nobody() -> None:
    (found,) = config(flags=[flag(status="paused", on_value=1, off_value=2)])["flags"]
    assert (found["paused"], found["below"], found["on"], found["off"]) == (True, 0, 1, 2)


@pytest.mark.parametrize("fields", [{"status": "draft"}, {"status": "archived"}, {"delivery_type": "api"}])
def test_flag__that_is_not_for_storefronts__is_not_delivered(fields: Any) -> None:
    assert "flags" not in config(flags=[flag(**fields)])


def test_flags__come_by_key() -> None:
    found = config(flags=[flag(3), flag(1), flag(2)])["flags"]
    assert [each["key"] for each in found] == ["flag-1", "flag-2", "flag-3"]


def test_flags__for_servers__are_compiled_for_those_who_evaluate_them() -> None:
    flags = [flag(2, delivery_type="api"), flag(1, status="paused"), flag(3, status="draft")]
    found = compile_flags(SHOP_ID, flags, NO_REFERENCES)
    assert [each["key"] for each in found["flags"]] == ["flag-1", "flag-2"]
    assert (found["shop_id"], found["experiments"]) == (SHOP_ID, [])


@pytest.mark.parametrize(
    ("share", "expected"),
    [(0, 0), (0.00004, 0), (0.00005, 1), (0.5, 5000), (0.99995, 10000), (1, 10000), (-1, 0), (2, 10000)],
)
def test_rollout__is_a_share_in_bucket_units(share: float, expected: int) -> None:
    assert config(flags=[flag(rollout_percentage=share)])["flags"][0]["below"] == expected
