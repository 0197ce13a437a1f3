"""What of the config stands in a snippet."""

import json
from typing import Any

import pytest

from abtest.domain.assignment.hash import fold
from abtest.domain.delivery.inlined import inlined
from tests.support.any_json import any_json

Json = Any
CLICK = {"id": "g1", "type": "click", "once": True}
REVENUE = {"id": "g2", "type": "revenue", "once": True}
CUSTOM = {"id": "g3", "type": "custom", "once": True}


def inlining(config: Any) -> Any:
    """The config as a snippet holds it; these tests give parts of configs."""
    return inlined(config)


def experiment(**fields: Any) -> Json:
    return {"id": "e", "type": "mutation", "epoch": 1, "state": fold("e"), "variations": [], **fields}


def shown(**fields: Any) -> Json:
    (found,) = inlining(any_json({"experiments": [experiment(**fields)]}))["experiments"]
    return dict(found)


def test_experiment__is_told_without_what_follows_from_the_rest() -> None:
    assert shown() == {"id": "e", "epoch": 1, "variations": []}
    assert shown(epoch=3, state=fold("e:3")) == {"id": "e", "epoch": 3, "variations": []}


def test_experiment__with_values_of_its_own__keeps_them() -> None:
    assert shown(state=1)["state"] == 1
    assert shown(epoch=2)["state"] == fold("e")
    assert shown(type="redirect")["type"] == "redirect"


def test_goals__that_servers_count__are_left_out() -> None:
    assert shown(goals=[REVENUE, CLICK, CUSTOM])["goals"] == [{"id": "g1", "type": "click"}]
    assert "goals" not in shown(goals=[REVENUE, CUSTOM])
    assert inlining(any_json({"personalizations": [{"goals": [REVENUE]}]})) == {"personalizations": [{}]}


def test_goal__that_counts_each_time__says_so() -> None:
    assert shown(goals=[CLICK | {"once": False}])["goals"][0]["once"] is False


@pytest.mark.parametrize("name", ["pages", "audience"])
def test_rules__without_empty_lists_and_the_usual_mode__mean_the_same(name: str) -> None:
    rule = {"include": [{"path": "a"}]}
    assert shown(**{name: {"mode": "any", "in": [rule], "out": []}})[name] == {"in": [rule]}
    assert shown(**{name: {"mode": "all", "in": [], "out": [rule]}})[name] == {"mode": "all", "out": [rule]}
    assert shown(**{name: {"mode": "any", "in": [], "out": []}})[name] == {}


def test_control__is_told_where_pages_redirect_only() -> None:
    variations = [{"id": "a", "control": True, "range": [0, 1]}]
    assert shown(variations=variations)["variations"] == [{"id": "a", "range": [0, 1]}]
    assert shown(variations=variations, type="redirect")["variations"] == variations


def test_fields__stand_in_the_order_that_compresses_best() -> None:
    mutation = {"action": "text", "selector": "h1", "text": "x"}
    variation = {"id": "v", "mutations": [mutation], "range": [0, 1]}
    found = shown(goals=[CLICK], variations=[variation])
    assert list(found) == ["epoch", "variations", "goals", "id"]
    assert list(found["variations"][0]) == ["range", "mutations", "id"]
    assert list(found["variations"][0]["mutations"][0]) == ["selector", "action", "text"]


def test_values__that_pages_get_as_they_stand__keep_their_order() -> None:
    value = {"id": 1, "z": {"id": 2, "a": 3}, "a": 4}
    styles = {"selector": "h1", "action": "style", "styles": {"gap": "1px", "column-gap": "2px"}}
    found = inlining(
        any_json(
            {
                "experiments": [experiment(variations=[{"mutations": [styles]}])],
                "flags": [{"key": "k", "on": value, "off": value}],
                "personalizations": [{"experiences": [{"key": "default", "value": value}]}],
            }
        )
    )
    (flag,), (personalization,) = found["flags"], found["personalizations"]
    for each in (flag["on"], flag["off"], personalization["experiences"][0]["value"]):
        assert str(each) == str(value)
    (mutation,) = found["experiments"][0]["variations"][0]["mutations"]
    assert list(mutation["styles"]) == ["gap", "column-gap"]


def test_group__is_told_without_its_name() -> None:
    group = {"id": "g", "epoch": 2, "state": 7, "ranges": [[0, 1]]}
    assert shown(group=group)["group"] == {"state": 7, "ranges": [[0, 1]]}


def test_fields__that_say_nothing__are_left_out() -> None:
    assert inlining(any_json({"signals": {}, "profile": {}, "experiments": []})) == {"experiments": []}
    assert inlining(any_json({"signals": {"triggers": [1]}})) == {"signals": {"triggers": [1]}}


def test_config__itself__stays_as_it_was() -> None:
    config = {"signals": {}, "experiments": [experiment(goals=[REVENUE])]}
    inlining(config)
    assert config == {"signals": {}, "experiments": [experiment(goals=[REVENUE])]}


IDS = [
    "019b7ecb-256d-7000-b4ad-b06e5e97f5f8",
    "019b7ecb-256d-74f9-b482-d4b3d8aaa1f6",
    "019b7ecb-256d-73e7-af9d-cd9e54dc7651",
]
TOGETHER = "019b7ecb256d7000019b7ecb256d74f9019b7ecb256d73e7b4adb06e5e97f5f8b482d4b3d8aaa1f6af9dcd9e54dc7651"


def identified(count: int) -> Json:
    """An experiment of three ids, so many times."""
    variations, goals = [{"id": IDS[1], "range": [0, 1]}], [CLICK | {"id": IDS[2]}]
    return {"experiments": [experiment(id=IDS[0], variations=variations, goals=goals) for _ in range(count)]}


def test_many_ids__are_in_one_text() -> None:
    config = identified(8)
    inlined_config = inlining(config)
    assert len(inlined_config["ids"]) == 24 * 32
    assert inlined_config["ids"][:48] == TOGETHER[:48]
    assert inlined_config["ids"][24 * 16 :][:48] == TOGETHER[48:]
    assert '"id"' not in json.dumps(inlined_config)
    assert config == identified(8), "nothing is taken from the config itself"


def test_few_ids_or_others__stay_where_they_are() -> None:
    assert "ids" not in inlining(identified(7))
    other = identified(9)
    other["experiments"][8]["goals"][0] = CLICK
    assert "ids" not in inlining(other)
    assert inlining(other)["experiments"][0]["id"] == IDS[0]
