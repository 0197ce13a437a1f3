"""What of the config stands in a snippet."""

from typing import Any

from abtest.domain.assignment.hash import fold
from abtest.domain.delivery.inlined import inlined

Json = dict[str, Any]
CLICK = {"id": "g1", "type": "click", "once": True}
REVENUE = {"id": "g2", "type": "revenue", "once": True}
CUSTOM = {"id": "g3", "type": "custom", "once": True}


def experiment(**fields: Any) -> Json:
    return {"id": "e", "type": "mutation", "epoch": 1, "state": fold("e"), "variations": [], **fields}


def shown(**fields: Any) -> Json:
    (found,) = inlined({"experiments": [experiment(**fields)]})["experiments"]
    return dict(found)


def test_experiment__is_told_without_what_follows_from_the_rest() -> None:
    assert shown() == {"id": "e", "epoch": 1, "variations": []}
    assert shown(epoch=3, state=fold("e:3")) == {"id": "e", "epoch": 3, "variations": []}


def test_experiment__with_values_of_its_own__keeps_them() -> None:
    assert shown(state=1)["state"] == 1
    assert shown(epoch=2)["state"] == fold("e")
    assert shown(type="redirect")["type"] == "redirect"


def test_goals__that_servers_count__are_left_out() -> None:
    assert shown(goals=[REVENUE, CLICK, CUSTOM])["goals"] == [CLICK]
    assert "goals" not in shown(goals=[REVENUE, CUSTOM])
    assert inlined({"personalizations": [{"goals": [REVENUE]}]}) == {"personalizations": [{}]}


def test_group__is_told_without_its_name() -> None:
    group = {"id": "g", "epoch": 2, "state": 7, "ranges": [[0, 1]]}
    assert shown(group=group)["group"] == {"state": 7, "ranges": [[0, 1]]}


def test_fields__that_say_nothing__are_left_out() -> None:
    assert inlined({"signals": {}, "profile": {}, "experiments": []}) == {"experiments": []}
    assert inlined({"signals": {"triggers": [1]}}) == {"signals": {"triggers": [1]}}


def test_config__itself__stays_as_it_was() -> None:
    config = {"signals": {}, "experiments": [experiment(goals=[REVENUE])]}
    inlined(config)
    assert config == {"signals": {}, "experiments": [experiment(goals=[REVENUE])]}
