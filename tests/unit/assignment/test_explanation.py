"""Explanations of decisions: each step has what it compared, and nothing that callers send can break one."""

from typing import Any

import pytest

from abtest.domain.assignment.decide import prepare, visitor_of
from abtest.domain.assignment.explanation import explain
from tools.golden.written.shop import (
    ELSEWHERE,
    HERE,
    MONDAY_NOON,
    NO_BUCKETS,
    NO_MONDAY,
    ON_FOO,
    SEED,
    experiment,
    flag,
    people,
    personalization,
)

DE = {"country": "DE"}
Json = dict[str, Any]


def explained(config: Json, visitor: Any = "a", *, url: str | None = HERE, force: Any = None) -> Any:
    prepared: Any = prepare({"experiments": [], **config})  # type: ignore[typeddict-item]
    return explain(prepared, visitor_of(visitor), url, MONDAY_NOON, force or {})


def of_experiment(document: Any, visitor: Any = "a", **others: Any) -> Json:
    [entry] = explained({"experiments": [document]}, visitor, **others)["experiments"]
    return dict(entry)


@pytest.mark.parametrize(
    ("more", "visitor", "step", "detail"),
    [
        ({}, "a", "assigned", {"bucket": 505, "ranges": [[0, 10000]]}),
        ({"variations": [{"id": "v0", "range": NO_BUCKETS}]}, "a", "traffic", {"bucket": 505, "ranges": [NO_BUCKETS]}),
        ({}, {}, "no_id", {}),
        ({}, {"customer_id": "c"}, "no_id", {}),
        (
            {"identity": "customer"},
            {"id": "b", "customer_id": "a"},
            "assigned",
            {"bucket": 505, "ranges": [[0, 10000]], "identity": "customer"},
        ),
        (
            {"group": {"id": "g", "epoch": 1, "state": SEED, "ranges": [[506, 600]]}},
            "a",
            "exclusion_group",
            {"group": "g", "bucket": 505, "ranges": [[506, 600]]},
        ),
        ({"surface": "checkout"}, "a", "surface", {"here": None, "expected": "checkout"}),
        ({}, {"id": "a", "surface": "pos"}, "surface", {"here": "pos", "expected": None}),
        (
            {"dark": NO_MONDAY},
            "a",
            "weekday",
            {"day": "monday", "zone": "Europe/Berlin", "days": ["monday"]},
        ),
        ({"served": True}, "a", "served", {"mark": None}),
        ({"served": True}, {"id": "a", "served": {"seed": "v0"}}, "served", {"mark": "v0"}),
    ],
)
def test_experiment__of_each_step__has_what_it_compared(more: Json, visitor: Any, step: str, detail: Json) -> None:
    entry = of_experiment(experiment() | more, visitor)
    assert (entry["step"], entry["detail"]) == (step, detail)


def test_experiment__of_a_held_out_visitor__has_the_holdout() -> None:
    holdout = {"state": SEED, "below": 506, "epoch": 1}
    answer = explained({"holdout": holdout, "experiments": [experiment()], "personalizations": [personalization()]})
    expected = {"step": "holdout", "detail": {"bucket": 505, "ranges": [[0, 506]]}, "applied": False, "assigned": None}
    assert answer["experiments"] == [{"id": "seed", "name": None, **expected}]
    assert answer["personalizations"] == [{"id": "p", "key": "p", "name": None, **expected}]


@pytest.mark.parametrize(
    ("condition", "out", "attributes", "leaf"),
    [
        (DE, (), {"country": "FR"}, ("country", "DE", "FR")),
        (DE, (), {}, ("country", "DE", None)),
        ({"$and": [{}, {"cart.value": {"$gte": 5}}]}, (), {"cart": {"value": 3}}, ("cart.value", {"$gte": 5}, 3)),
        ({"$or": [DE, {"visits": 2}]}, (), {"country": "FR", "visits": 1}, ("country", "DE", "FR")),
        ({"$not": DE}, (), {"country": "DE"}, ("country", "DE", "DE")),
        ({"$nor": [{"visits": 1}, DE]}, (), {"country": "DE"}, ("country", "DE", "DE")),
        ({"b": 1, "a": 1}, (), {"a": 1}, ("b", 1, None)),
        ({"$not": {}}, (), {}, (None, {}, None)),
        ({"$and": 5}, (), {}, (None, {"$and": 5}, None)),
        (5, (), {}, (None, 5, None)),
        ({}, (DE,), {"country": "DE"}, ("country", "DE", "DE")),
        ({}, ({"$or": [{"visits": 1}, DE]},), {"country": "DE"}, ("country", "DE", "DE")),
    ],
)
def test_audience__that_does_not_hold__names_the_comparison_and_the_value(
    condition: Any, out: Any, attributes: Json, leaf: tuple[Any, ...]
) -> None:
    entry = of_experiment(experiment(audience=people(condition, out=out)), {"id": "a", "attributes": attributes})
    assert (entry["step"], entry["detail"]["sense"]) == ("audience", "out" if out else "in")
    assert tuple(entry["detail"][name] for name in ("attribute", "condition", "value")) == leaf


FOO, CART = {"path": r"\/?foo\/?"}, {"path": r"\/?cart\/?"}


@pytest.mark.parametrize(
    ("pages", "step", "detail"),
    [
        (ELSEWHERE, "page_rule", {"rule": 0, "because": "not_included", "condition": [CART], "value": HERE}),
        ({"in": [{"exclude": [CART, FOO]}]}, "page_rule", {"because": "excluded", "condition": FOO}),
        ({"out": [{"include": [FOO]}]}, "page_rule", {"because": "taken_out", "sense": "out"}),
        (
            {"in": [{"when": DE}]},
            "page_rule",
            {"because": "condition", "attribute": "country", "condition": "DE", "value": None},
        ),
        ({"in": [{"trigger": "event:wish"}]}, "trigger", {"rule": 0, "trigger": "event:wish"}),
        # In the mode any the rule that holds furthest decides, of several equals the first.
        ({"in": [{"include": [CART]}, {"exclude": [FOO]}]}, "page_rule", {"rule": 0, "because": "not_included"}),
        ({"in": [{"include": [CART]}, {"trigger": "t"}, {"trigger": "u"}]}, "trigger", {"rule": 1, "trigger": "t"}),
        ({"in": [{"trigger": "t"}, {"when": DE}]}, "page_rule", {"rule": 1, "because": "condition"}),
        ({"mode": "all", "in": [{}, {"include": [CART]}, {"trigger": "t"}]}, "page_rule", {"rule": 1, "mode": "all"}),
    ],
)
def test_pages__that_do_not_hold__name_the_rule_and_why(pages: Json, step: str, detail: Json) -> None:
    entry = of_experiment(experiment(pages={"mode": "any", "in": [], "out": [], **pages}))
    assert (entry["step"], entry["applied"]) == (step, False)
    assert entry["assigned"] == {"id": "v0", "index": 0, "by": "hash"}
    assert {name: entry["detail"][name] for name in detail} == detail


def test_pages__without_an_address__have_none() -> None:
    assert of_experiment(experiment(pages=ON_FOO), url=None)["detail"]["value"] is None


@pytest.mark.parametrize(
    ("more", "applied", "step"),
    [({}, True, "sticky"), ({"audience": people(DE)}, False, "audience"), ({"pages": ELSEWHERE}, False, "page_rule")],
)
def test_sticky_visitor__stays_assigned__also_where_nothing_is_shown(more: Json, applied: bool, step: str) -> None:
    entry = of_experiment(experiment([0, 1], NO_BUCKETS, **more), {"id": "a", "sticky": {"seed": "v1"}})
    assert (entry["step"], entry["applied"]) == (step, applied)
    assert entry["assigned"] == {"id": "v1", "index": 1, "by": "sticky"}


def test_drawn_visitor__outside_the_audience__is_not_assigned() -> None:
    assert of_experiment(experiment(audience=people(DE)))["assigned"] is None


def test_forced_visitor__of_an_experiment_that_keeps_everyone_out__is_in() -> None:
    entry = of_experiment(experiment(surface="checkout", dark=NO_MONDAY), {}, force={"seed": "0"})
    assert (entry["step"], entry["applied"], entry["detail"]) == ("forced", True, {})
    assert entry["assigned"] == {"id": "v0", "index": 0, "by": "forced"}


def test_personalizations__of_one_surface__name_the_one_that_is_shown() -> None:
    rollouts = [
        personalization("p", below=505),
        personalization("q"),
        personalization("r"),
        personalization("s", surface="x", experiences=[]),
    ]
    first, second, third, fourth = explained({"personalizations": rollouts})["personalizations"]
    assert (first["step"], first["applied"], first["assigned"]) == ("traffic", False, {"id": "p1", "key": "default"})
    assert (second["step"], second["applied"], second["assigned"]) == ("assigned", True, {"id": "q1", "key": "default"})
    assert (third["step"], third["detail"]) == ("surface_taken", {"surface": "cart", "by": "q"})
    assert (fourth["step"], fourth["detail"], fourth["assigned"]) == ("no_experience", {"rules": 0}, None)


@pytest.mark.parametrize(
    ("more", "step", "reason"),
    [
        ({}, "assigned", "on"),
        ({"paused": True}, "paused", "paused"),
        ({"dark": NO_MONDAY}, "weekday", "dark"),
        ({"audience": people(DE)}, "audience", "targeting"),
        ({"pages": ELSEWHERE}, "page_rule", "targeting"),
        ({"below": 505}, "traffic", "rollout"),
    ],
)
def test_flag__of_each_reason__has_the_step_and_the_value(more: Json, step: str, reason: str) -> None:
    [entry] = explained({"flags": [flag(**more)]})["flags"]
    assert (entry["key"], entry["step"], entry["reason"]) == ("f", step, reason)
    assert entry["value"] is entry["applied"] is (reason == "on")


def test_entries__that_cannot_be_read__stop_no_other() -> None:
    broken: list[Any] = [None, 5, {}, {"id": "x", "epoch": 1}]
    answer = explained(
        {
            "experiments": [*broken, experiment()],
            "personalizations": [*broken, personalization()],
            "flags": [*broken, flag()],
        }
    )
    for entries in answer.values():
        assert [each["step"] for each in entries] == ["unreadable"] * 4 + ["assigned"]
        assert [each["id"] for each in entries[:4]] == [None, None, None, "x"]
    assert explained({"experiments": 5, "flags": "x"})["flags"] == []


def test_values__that_are_huge__are_cut() -> None:
    visitor = {"id": "a", "attributes": {"country": "é" * 100_000}}
    country = of_experiment(experiment(audience=people(DE)), visitor)["detail"]["value"]
    assert country == "é" * 200 + "…"
