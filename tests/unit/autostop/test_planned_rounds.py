"""Rounds of auto-stop with planned looks: what is stored, decided, and left alone."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from abtest.domain.experiments.model import Experiment
from abtest.kit.clock import timestamp
from tests.support.autostopping import (
    BEGIN,
    CONTROL,
    GROUP_SEQUENTIAL,
    PLANNED,
    SEQUENTIAL,
    TREATMENT,
    Arm,
    Shopkeeper,
    paying,
    plan,
    running,
)
from tests.support.storefronts import goal

WON = {CONTROL: (2000, 200), TREATMENT: (2000, 300)}
EVEN = {CONTROL: (2000, 200), TREATMENT: (2000, 205)}
PLAN = plan(required_total_visitors=6000)


def looking(**fields: Any) -> Experiment:
    return running(**{"auto_stop_override": GROUP_SEQUENTIAL, "planned_test": PLAN, **fields})


@pytest.fixture
def keeper() -> Shopkeeper:
    return Shopkeeper()


def counted(keeper: Shopkeeper, generation: int, control: Arm, treatment: Arm) -> str:
    keeper.count(generation, {CONTROL: control, TREATMENT: treatment})
    return keeper.one()


def looks(keeper: Shopkeeper, epoch: int = 1) -> list[Any]:
    planned = keeper.state(epoch=epoch).get("planned_looks")
    return planned["counts"].get(TREATMENT, []) if planned else []


def evaluation(keeper: Shopkeeper) -> Any:
    return (keeper.found().planned_test or {}).get("evaluation")


def test_round__a_boundary_is_reached__pauses_with_events_evaluation_and_evidence(keeper: Shopkeeper) -> None:
    keeper.keep(looking())
    assert counted(keeper, 1, (1000, 100), (1000, 104)) == "no_winner"
    assert counted(keeper, 2, (2000, 200), (2000, 300)) == "paused"
    stored = evaluation(keeper)
    assert (stored["outcome"], stored["winning_variation_id"]) == ("significant_pause", TREATMENT)
    assert stored["paused"] is True
    assert (stored["engine"], stored["ended_by"], stored["total_visitors_at_evaluation"]) == (
        "group_sequential",
        "winner",
        4000,
    )
    assert keeper.events() == ["experiment.significant", "variation.winning"]
    (row,) = keeper.audited()
    assert (row.action, row.diff["reason"][1]) == ("experiment.pause", "auto_stop_significant")
    assert row.diff["ended_by"][1] == "winner"
    shown = keeper.look()
    assert shown["verdict"] == {"mode": "group_sequential", "outcome": "significant_pause", "reason": None}
    assert shown["planned"][TREATMENT]["z"] > shown["planned"][TREATMENT]["upper"]


def test_round__the_same_count_again_and_again__takes_one_look(keeper: Shopkeeper) -> None:
    keeper.keep(looking())
    keeper.count(1, EVEN)
    for _ in range(3):
        assert keeper.one() == "no_winner"
        keeper.clock.advance(minutes=5)
    assert (len(looks(keeper)), keeper.state()["looks"]) == (1, 1)


def test_round__the_plan_ends__is_evaluated_once(keeper: Shopkeeper) -> None:
    keeper.keep(looking())
    assert counted(keeper, 1, (3000, 300), (3000, 310)) == "evaluated"
    assert (evaluation(keeper)["outcome"], evaluation(keeper)["ended_by"]) == ("continue_inconclusive", "planned_end")
    assert evaluation(keeper)["paused"] is False
    before = keeper.state()["planned_looks"]
    assert counted(keeper, 2, (4000, 400), (4000, 700)) == "already_evaluated"
    assert keeper.state()["planned_looks"] == before
    assert keeper.found().status == "running"


def test_round__a_new_measurement__has_looks_of_its_own(keeper: Shopkeeper) -> None:
    keeper.keep(looking())
    assert counted(keeper, 1, (3000, 300), (3000, 310)) == "evaluated"
    begun = timestamp(BEGIN + timedelta(hours=1))
    fresh = replace(keeper.found(), measurement_epoch=2, measurement_started_at=begun, planned_test=PLAN)
    keeper.keep(fresh)
    assert counted(keeper, 1, (1000, 100), (1000, 104)) == "no_winner"
    assert [one["generation"] for one in looks(keeper, 2)] == [1]
    assert len(looks(keeper)) == 1


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"planned_test": None}, "no_plan"),
        ({"planned_test": plan(required_total_visitors=None)}, "plan_without_size"),
        ({"planned_test": plan(goal_id="0192a3b4-0000-7000-8000-0000000000aa")}, "planned_goal_not_in_use"),
        ({"auto_stop_override": {**GROUP_SEQUENTIAL, "min_runtime_minutes": 100_000}}, "min_runtime"),
        ({"auto_stop_override": {**GROUP_SEQUENTIAL, "sequential": {"min_conversions": 500}}}, "min_conversions"),
    ],
)
def test_round__nothing_can_be_looked_at__waits_and_spends_nothing(
    keeper: Shopkeeper, fields: dict[str, Any], reason: str
) -> None:
    keeper.keep(looking(**fields))
    keeper.count(1, WON)
    assert keeper.one() == reason
    assert looks(keeper) == []


@pytest.mark.parametrize(
    ("engine", "mode", "number"),
    [
        ("group_sequential", {"mode": "off"}, 1),
        ("fixed", {"mode": "off"}, 0),
        ("group_sequential", SEQUENTIAL, 0),
        ("group_sequential", PLANNED, 0),
    ],
)
def test_round__another_mode__looks_only_where_nothing_else_decides(
    keeper: Shopkeeper, engine: str, mode: Any, number: int
) -> None:
    keeper.keep(looking(auto_stop_override=mode, planned_test=plan(required_total_visitors=6000, engine=engine)))
    keeper.count(1, EVEN)
    keeper.round()
    assert len(looks(keeper)) == number
    assert keeper.found().status == "running"


def test_round__on_a_broken_split__spends_no_look(keeper: Shopkeeper) -> None:
    keeper.keep(looking())
    assert counted(keeper, 1, (2000, 200), (1500, 300)) == "sample_ratio_mismatch"
    assert looks(keeper) == []
    assert keeper.look()["planned"] == {TREATMENT: {"left_out": "sample_ratio_mismatch"}}


def test_round__paused_by_a_person__keeps_its_looks_and_takes_none(keeper: Shopkeeper) -> None:
    keeper.keep(looking())
    assert counted(keeper, 1, (1000, 100), (1000, 104)) == "no_winner"
    before = keeper.state()["planned_looks"]
    keeper.keep(replace(keeper.found(), status="paused"))
    keeper.count(2, WON)
    assert keeper.round().results == {}
    assert (keeper.state()["planned_looks"], keeper.state()["looks"]) == (before, 2)


def test_round__futility_of_the_plan__pauses_without_events(keeper: Shopkeeper) -> None:
    keeper.keep(looking(planned_test=plan(required_total_visitors=6000, futility={"family": "pocock", "gamma": None})))
    assert counted(keeper, 1, (2000, 240), (2000, 205)) == "paused"
    assert (evaluation(keeper)["outcome"], evaluation(keeper)["ended_by"]) == ("inconclusive_pause", "futility")
    assert keeper.events() == []
    assert keeper.audited()[0].diff["reason"][1] == "auto_stop_inconclusive"


def test_round__a_guardrail_is_harmed_on_the_way__ends_with_harm(keeper: Shopkeeper) -> None:
    orders = goal(id="0192a3b4-0000-7000-8000-000000000303", name="Orders", type="revenue", selector=None)
    keeper.keep(looking(goals=(goal(is_primary=True, role="primary"), orders)))
    money = {CONTROL: paying(400, 5000), TREATMENT: paying(200, 5000)}
    keeper.count(1, WON, goals={goal().id: clicks(WON), orders.id: money})
    assert keeper.one() == "paused"
    assert (evaluation(keeper)["outcome"], evaluation(keeper)["ended_by"]) == ("harm", "harm")
    assert keeper.events() == ["experiment.significant"]
    assert keeper.outbox("webhook")[0].payload["outcome"] == "harm"


def clicks(arms: dict[str, Arm]) -> dict[str, Any]:
    return {
        arm: {"converters": hits, "count": hits, "sum_minor": hits, "sum_squares_minor": str(hits), "excluded": 0}
        for arm, (_, hits) in arms.items()
    }


def test_round__a_guardrail_is_not_counted_yet__keeps_the_look_and_decides_with_the_next_count(
    keeper: Shopkeeper,
) -> None:
    other = goal(id="0192a3b4-0000-7000-8000-000000000303", name="Clicks", role="guardrail")
    keeper.keep(looking(goals=(goal(is_primary=True, role="primary"), other)))
    keeper.count(1, WON, goals={goal().id: clicks(WON)})
    assert keeper.one() == "guardrail_not_counted"
    assert (len(looks(keeper)), evaluation(keeper)) == (1, None)
    keeper.count(2, WON, goals={goal().id: clicks(WON), other.id: clicks(EVEN)})
    assert keeper.one() == "paused"
    assert (len(looks(keeper)), evaluation(keeper)["ended_by"]) == (1, "winner")
    assert [one["status"] for one in evaluation(keeper)["guardrails"]] == ["no_harm_shown"]


def test_round__state_of_an_older_release__begins_its_looks_now(keeper: Shopkeeper) -> None:
    keeper.keep(looking(auto_stop_override={"mode": "off"}))
    keeper.count(1, EVEN)
    keeper.round()
    assert "planned_looks" not in keeper.state()
    keeper.keep(replace(keeper.found(), auto_stop_override=GROUP_SEQUENTIAL))
    assert keeper.one() == "no_planned_look"
    assert counted(keeper, 2, (2100, 210), (2100, 215)) == "no_winner"
    assert [one["generation"] for one in looks(keeper)] == [2]


def test_round__in_a_mode_of_one_look__waits_where_planned_looks_were_taken(keeper: Shopkeeper) -> None:
    keeper.keep(looking())
    assert counted(keeper, 1, (1000, 100), (1000, 104)) == "no_winner"
    keeper.keep(looking(auto_stop_override={"mode": "fixed_horizon_planned_end"}))
    assert counted(keeper, 2, (3000, 300), (3000, 420)) == "planned_looks_taken"
    assert evaluation(keeper) is None
    keeper.keep(looking())
    assert counted(keeper, 3, (3010, 301), (3010, 421)) == "paused"
