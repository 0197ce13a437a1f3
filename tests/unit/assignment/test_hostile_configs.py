"""What cannot be read is left out and harms no other."""

from typing import Any

import pytest

from abtest.domain.assignment.decide import prepare
from tests.support.any_json import any_json
from tests.unit.assignment.configs import Config, decided, experiment, on, share
from tests.unit.assignment.test_rollouts import flag, personalization

BROKEN_PAGES: list[Any] = [
    5,
    [],
    {"mode": "any", "in": [5], "out": []},
    {"mode": "most", "in": [], "out": []},
    {"mode": "any", "in": [{"include": [{"host": "x"}]}], "out": []},
    {"mode": "any", "in": [{"include": [{"re": 5}]}], "out": []},
    {"mode": "any", "in": [{"include": [{"path": "x", "query": [["a"]]}]}], "out": []},
]
BROKEN_RULES: list[Config] = [
    *({"pages": pages} for pages in BROKEN_PAGES),
    {"audience": "everyone"},
    {"audience": {"in": [], "out": []}},
    {"dark": {"days": "monday"}},
    {"dark": {"days": [1], "zone": "UTC"}},
    {"dark": {"days": [], "zone": 5}},
    {"surface": []},
    {"state": "1"},
    {"state": -1},
    {"state": 2**32},
    {"state": True},
]
BROKEN_EXPERIMENTS: list[Any] = [
    None,
    5,
    "x",
    {},
    *(experiment(**broken) for broken in BROKEN_RULES),
    experiment(id=5),
    experiment(variations=None),
    experiment(variations=[{"id": "a"}]),
    experiment(variations=[{"id": "a", "range": [0]}]),
    experiment(variations=[{"id": "a", "range": ["0", 5]}]),
    experiment(variations=[{"id": ["a"], "range": [0, 5]}]),
    experiment(group={"state": 1}),
    experiment(group={"state": 1, "ranges": [5]}),
]


@pytest.mark.parametrize("broken", BROKEN_EXPERIMENTS, ids=repr)
def test_experiment__that_cannot_be_read__is_left_out(broken: Any) -> None:
    config = {"experiments": [experiment("one"), broken, experiment("two")]}
    found = decided(config, {"id": "v", "sticky": {"one": "a"}}, force={"one": "a"}).assignments
    assert [each.experiment["id"] for each in found] == ["one", "two"]


@pytest.mark.parametrize("broken", [*BROKEN_RULES, {"key": 5}, {"below": "5"}], ids=repr)
def test_flag__that_cannot_be_read__is_left_out(broken: Config) -> None:
    if "surface" not in broken:
        assert list(decided({"flags": [flag(**broken), flag(key="good")]}).flags) == ["good"]


def test_flag__without_a_value__is_left_out() -> None:
    for name in ("on", "off", "key", "state", "below"):
        without = {key: value for key, value in flag().items() if key != name}
        assert decided({"flags": [without]}).flags == {}


@pytest.mark.parametrize(
    "broken",
    [*BROKEN_RULES, {"experiences": 5}, {"experiences": [{"key": "default"}]}, {"rules": [{"experience": "gone"}]}],
    ids=repr,
)
def test_personalization__that_cannot_be_read__is_left_out(broken: Config) -> None:
    config = {"personalizations": [personalization("bad", **broken), personalization("good")]}
    assert [each.personalization["id"] for each in decided(config).personalizations] == ["good"]


@pytest.mark.parametrize("broken", [None, 5, [], {"state": 1}, {"state": 1, "below": None}])
def test_holdout__that_cannot_be_read__holds_nobody_out(broken: Any) -> None:
    decision = decided({"holdout": broken, "experiments": [experiment()]})
    assert (decision.cohort, len(decision.assignments)) == (None, 1)


@pytest.mark.parametrize("broken", [None, 5, {}, "x", [None]])
def test_config__whose_lists_are_none__is_an_empty_one(broken: Any) -> None:
    names = ("experiments", "personalizations", "flags", "zones")
    assert decided(dict.fromkeys(names, broken)).document() == decided({}).document()


def test_condition__of_a_wrong_shape__holds_never_and_leaves_the_experiment_in() -> None:
    nobody = experiment("one", audience={"mode": "any", "in": ["x"], "out": []})
    everybody = experiment("two", audience={"mode": "any", "in": [], "out": ["x"]})
    assert [each.experiment["id"] for each in decided({"experiments": [nobody, everybody]}).assignments] == ["two"]


def test_expression__that_no_browser_compiles__matches_nowhere() -> None:
    broken = {"mode": "any", "in": [{"include": [{"re": "("}]}], "out": []}
    (found,) = decided({"experiments": [experiment(pages=broken)]}).assignments
    assert not found.active


HOSTILE: list[Any] = [
    {"id": "v", "attributes": {"a": {"b": [None, {}]}, "query": 5, "local": []}, "sticky": {"one": {}}},
    {"id": "v", "attributes": [], "sticky": "x", "triggers": [[], {}, "t"], "surface": {}},
    {"id": "\ud800", "customer_id": ["c"]},
    {"id": "v" * 100_000},
]


@pytest.mark.parametrize("visitor", HOSTILE, ids=lambda each: str(each)[:40])
def test_visitor__of_any_shape__is_decided_on(visitor: Any) -> None:
    asks = {"mode": "all", "in": [{"a.b.1": {"$exists": True}}, {"query.x": "y"}, {"local.UTC.day": "x"}], "out": []}
    config = {
        "zones": ["UTC"],
        "holdout": share("h", 0),
        "experiments": [experiment(), experiment("two", audience=asks, pages=on("/a"))],
    }
    assert [each.experiment["id"] for each in decided(config, visitor).assignments] == ["one"]


@pytest.mark.parametrize("now", [float("nan"), float("inf"), -1e300, 0])
def test_moment__of_any_size__is_decided_on(now: float) -> None:
    dark = experiment(dark={"days": ["monday"], "zone": "UTC"})
    assert len(decided({"experiments": [dark]}, now=now).assignments) == 1


def test_prepared_config__is_the_same_for_every_visitor() -> None:
    config = {"experiments": [experiment()]}
    before = repr(config)
    prepare(any_json(config))
    decided(config)
    assert repr(config) == before
