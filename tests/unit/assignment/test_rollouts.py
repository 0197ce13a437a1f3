"""Personalizations and flags of a decision."""

from typing import Any

import pytest

from abtest.domain.assignment.decide import decide_flags, prepare, visitor_of
from abtest.domain.assignment.hash import fold
from tests.support.any_json import any_json
from tests.unit.assignment.configs import MONDAY_NOON, URL, Config, decided, id_in, on, people, share

MONDAYS = {"days": ["monday"], "zone": "UTC"}
GERMANS = people({"country": "DE"})
GERMAN = {"id": "v", "attributes": {"country": "DE"}}


def personalization(
    name: str = "p", *, below: int = 10_000, keys: tuple[str, ...] = ("default",), **more: Any
) -> Config:
    experiences = [{"id": f"{name}-{key}", "key": key, "name": ""} for key in keys]
    return {"id": name, "key": name, "surface": "global", "experiences": experiences, **share(name, below), **more}


def shown(*given: Config, visitor: Any = "v", **more: Any) -> list[tuple[str, bool]]:
    found = decided({"personalizations": list(given), **more}, visitor).document()["personalizations"]
    return [(each["experience_id"], each["shown"]) for each in found]


def test_personalization__says_everything() -> None:
    (found,) = decided({"personalizations": [personalization()]}).document()["personalizations"]
    assert found == {
        "personalization_id": "p",
        "experience_id": "p-default",
        "experience_key": "default",
        "shown": True,
    }


@pytest.mark.parametrize("unmet", [{"dark": MONDAYS}, {"audience": GERMANS}, {"pages": on("/elsewhere")}])
def test_personalization__of_somewhere_somebody_or_some_day_else__is_not_there(unmet: Config) -> None:
    assert shown(personalization(**unmet)) == []


def test_personalization__for_the_held_out_and_those_without_an_id__is_not_there() -> None:
    assert shown(personalization(), holdout=share("h", 10_000)) == []
    assert shown(personalization(), visitor={}) == []


def test_personalization__outside_its_rollout__is_told_as_not_shown() -> None:
    within, outside = id_in(fold("p"), 0, 1000), id_in(fold("p"), 1000, 10_000)
    assert shown(personalization(below=1000), visitor=within) == [("p-default", True)]
    assert shown(personalization(below=1000), visitor=outside) == [("p-default", False)]


def test_experience__is_that_of_the_first_rule_that_holds() -> None:
    rules = [
        {"experience": "here", "pages": on("/elsewhere")},
        {"experience": "german", "audience": GERMANS, "pages": on("/a")},
        {"experience": "other"},
    ]
    ruled = personalization(keys=("here", "german", "other", "default"), rules=rules)
    assert shown(ruled, visitor=GERMAN) == [("p-german", True)]
    assert shown(ruled) == [("p-other", True)]


def test_experience__without_a_rule_that_holds__is_the_default_or_none() -> None:
    rules = [{"experience": "german", "audience": GERMANS}]
    assert shown(personalization(keys=("german", "default"), rules=rules)) == [("p-default", True)]
    assert shown(personalization(keys=("german",), rules=rules)) == []


def test_surface__other_than_global__shows_one() -> None:
    many = [personalization(name, surface="hero") for name in ("one", "two")]
    assert shown(*many) == [("one-default", True)]
    assert shown(*[{**each, "surface": "global"} for each in many]) == [("one-default", True), ("two-default", True)]


def test_surface__whose_first_is_not_shown__is_free_for_the_next() -> None:
    many = [personalization("one", surface="hero", below=0), personalization("two", surface="hero")]
    assert shown(*many) == [("one-default", False), ("two-default", True)]


def flag(**more: Any) -> Config:
    return {"id": "f", "key": "k", "on": {"a": 1}, "off": None, **share("f", 10_000), **more}


@pytest.mark.parametrize(
    ("more", "visitor", "reason"),
    [
        ({}, "v", "on"),
        ({"below": 0}, "v", "rollout"),
        ({}, {}, "rollout"),
        ({"audience": GERMANS, "below": 0}, "v", "targeting"),
        ({"pages": on("/elsewhere")}, "v", "targeting"),
        ({"audience": GERMANS, "pages": on("/a")}, GERMAN, "on"),
        ({"dark": MONDAYS, "audience": GERMANS}, "v", "dark"),
        ({"dark": MONDAYS, "paused": True}, "v", "paused"),
    ],
)
def test_flag__has_the_first_reason_that_applies(more: Config, visitor: Any, reason: str) -> None:
    config = {"flags": [flag(**more)], "holdout": share("h", 10_000)}
    expected = {"value": {"a": 1} if reason == "on" else None, "reason": reason}
    assert decided(config, visitor).document()["flags"] == {"k": expected}
    alone = decide_flags(prepare(any_json(config)), visitor_of(visitor), URL, MONDAY_NOON)
    assert alone["k"].document() == expected
