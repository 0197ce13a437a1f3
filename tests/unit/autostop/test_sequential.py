"""Stopping on significance: when, for whom, and what it waits for."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tests.support.autostopping import (
    CONTROL,
    GOAL,
    OTHER,
    SEQUENTIAL,
    TREATMENT,
    Arm,
    Shopkeeper,
    paying,
    plan,
    running,
)
from tests.support.storefronts import experiment_id, goal, variation

WON = {CONTROL: (2000, 200), TREATMENT: (2000, 300)}
LOST = {CONTROL: (2000, 300), TREATMENT: (2000, 200)}
EVEN = {CONTROL: (2000, 200), TREATMENT: (2000, 205)}
LEANING = {CONTROL: (2000, 200), TREATMENT: (2000, 220)}


@pytest.fixture
def keeper() -> Shopkeeper:
    return Shopkeeper()


def counted(keeper: Shopkeeper, arms: dict[str, Arm], generation: int = 1, **fields: Any) -> str:
    keeper.keep(running(**fields))
    keeper.count(generation, arms)
    return keeper.one()


def test_round__a_significant_winner__is_paused_with_both_events_in_order(keeper: Shopkeeper) -> None:
    assert counted(keeper, WON) == "paused"
    facts = {"experiment_id": experiment_id(1), "experiment_name": "Experiment 1", "goal_id": GOAL}
    assert [row.payload for row in keeper.outbox("webhook")] == [
        {
            "event": "experiment.significant",
            **facts,
            "winning_variation_id": TREATMENT,
            "outcome": "winner",
            "guardrails": [],
        },
        {"event": "variation.winning", **facts, "variation_id": TREATMENT},
    ]
    assert keeper.found().status == "paused"
    assert len(keeper.publisher.published) == 1
    assert keeper.outbox("publish") == []


def test_round__a_pause__leaves_its_evidence_in_audit_and_look(keeper: Shopkeeper) -> None:
    counted(keeper, WON, generation=7)
    told = keeper.audited()[0].diff
    assert told["status"] == ["running", "paused"]
    assert told["reason"] == [None, "auto_stop_significant"]
    assert told["evidence_generation"] == [None, 7]
    assert told["winner"] == [None, TREATMENT]
    assert told["adjusted_p"][1] == keeper.state()["minima"][GOAL][TREATMENT]
    look = keeper.look()
    assert look["verdict"] == {"mode": "sequential_significance", "outcome": "winner", "reason": None}
    assert (look["generation"], look["visitors"]) == (7, {CONTROL: 2000, TREATMENT: 2000})


@pytest.mark.parametrize("arms", [LOST, EVEN, LEANING], ids=["a significant loser", "no difference", "too little"])
def test_round__without_a_winner__runs_on(keeper: Shopkeeper, arms: dict[str, Arm]) -> None:
    assert counted(keeper, arms) == "no_winner"
    assert keeper.found().status == "running"
    assert keeper.events() == []


def test_round__a_goal_that_should_fall__is_won_by_falling(keeper: Shopkeeper) -> None:
    falling = (goal(is_primary=True, role="primary", direction="decrease"),)
    assert counted(keeper, LOST, goals=falling) == "paused"


def test_round__a_goal_that_should_fall_and_rises__runs_on(keeper: Shopkeeper) -> None:
    falling = (goal(is_primary=True, role="primary", direction="decrease"),)
    assert counted(keeper, WON, goals=falling) == "no_winner"


def test_round__was_significant_before_and_still_ahead__is_paused(keeper: Shopkeeper) -> None:
    """The running minimum decides: what was shown once stays shown."""
    keeper.keep(running(auto_stop_override={"mode": "off"}))
    keeper.count(1, WON)
    keeper.round()
    keeper.keep(running())
    keeper.count(2, {CONTROL: (4000, 400), TREATMENT: (4000, 410)})
    assert keeper.one() == "paused"


def test_round__was_significantly_behind_and_is_ahead_now__has_not_won(keeper: Shopkeeper) -> None:
    keeper.keep(running())
    keeper.count(1, LOST)
    keeper.round()
    keeper.count(2, {CONTROL: (4000, 500), TREATMENT: (4000, 510)})
    assert keeper.one() == "no_winner"
    assert keeper.state()["minima"][GOAL][TREATMENT] < 0.05


def three(**fields: Any) -> dict[str, Any]:
    arms = (variation(0, weight=0.4), variation(1, weight=0.3), variation(2, weight=0.3))
    return {"variations": arms, **fields}


def test_round__two_significant_treatments__the_better_wins(keeper: Shopkeeper) -> None:
    keeper.keep(running(**three()))
    keeper.count(1, {CONTROL: (4000, 400), TREATMENT: (3000, 420), OTHER: (3000, 480)})
    assert keeper.one() == "paused"
    assert keeper.outbox("webhook")[1].payload["variation_id"] == OTHER


def test_round__significant_alone_but_not_among_three__runs_on(keeper: Shopkeeper) -> None:
    arms = {CONTROL: (3000, 300), TREATMENT: (3000, 378)}
    assert counted(keeper, arms) == "paused"
    again = Shopkeeper()
    again.keep(running(**three()))
    again.count(1, {**arms, OTHER: (3000, 300)})
    (result,) = again.round().results
    assert 0.025 < again.state()["minima"][GOAL][TREATMENT] <= 0.05
    assert result == "no_winner"


@pytest.mark.parametrize(
    ("stated", "expected"),
    [
        ({}, "paused"),
        ({"min_visitors": 2000}, "paused"),
        ({"min_visitors": 2001}, "min_visitors"),
        ({"min_conversions": 200}, "paused"),
        ({"min_conversions": 201}, "min_conversions"),
    ],
)
def test_round__minima_at_and_past_their_borders(keeper: Shopkeeper, stated: dict[str, int], expected: str) -> None:
    assert counted(keeper, WON, auto_stop_override={**SEQUENTIAL, "sequential": stated}) == expected


@pytest.mark.parametrize(("control", "expected"), [(25, "paused"), (24, "min_conversions")])
def test_round__twenty_five_conversions_an_arm__unless_said_otherwise(
    keeper: Shopkeeper, control: int, expected: str
) -> None:
    assert counted(keeper, {CONTROL: (1000, control), TREATMENT: (1000, 120)}) == expected


def test_round__minima_of_one__decide_on_little(keeper: Shopkeeper) -> None:
    tiny = {**SEQUENTIAL, "sequential": {"min_visitors": 1, "min_conversions": 1}}
    assert counted(keeper, {CONTROL: (60, 1), TREATMENT: (60, 40)}, auto_stop_override=tiny) == "paused"


@pytest.mark.parametrize(
    ("minutes", "expected"),
    [(1440, "paused"), (1441, "min_runtime"), (2**53 - 1, "min_runtime")],
)
def test_round__minimum_runtime__counts_from_the_measurements_beginning(
    keeper: Shopkeeper, minutes: int, expected: str
) -> None:
    assert counted(keeper, WON, auto_stop_override={**SEQUENTIAL, "min_runtime_minutes": minutes}) == expected


def test_round__minimum_runtime_over_later__is_paused_though_the_counts_are_the_same(keeper: Shopkeeper) -> None:
    assert counted(keeper, WON, auto_stop_override={**SEQUENTIAL, "min_runtime_minutes": 1441}) == "min_runtime"
    keeper.clock.advance(minutes=1)
    assert keeper.one() == "paused"


def test_round__without_a_primary_goal__decides_nothing(keeper: Shopkeeper) -> None:
    assert counted(keeper, WON, goals=(goal(),)) == "no_primary_goal"


def test_round__primary_goal_archived__decides_nothing(keeper: Shopkeeper) -> None:
    archived = goal(is_primary=False, archived_at="2026-03-02T10:00:00.000Z")
    assert counted(keeper, WON, goals=(archived,)) == "no_primary_goal"


def test_round__goal_that_is_not_counted_yet__waits(keeper: Shopkeeper) -> None:
    keeper.keep(running())
    keeper.count(1, WON, goals={})
    assert keeper.one() == "goal_not_counted"


def test_round__treatment_archived__is_not_compared(keeper: Shopkeeper) -> None:
    gone = variation(2, weight=0, archived_at="2026-03-02T10:00:00.000Z")
    keeper.keep(running(variations=(variation(0), variation(1), gone)))
    keeper.count(1, {**EVEN, OTHER: (2000, 900)})
    assert keeper.one() == "no_winner"
    assert set(keeper.look()["visitors"]) == {CONTROL, TREATMENT}


def test_round__no_treatment_with_traffic__decides_nothing(keeper: Shopkeeper) -> None:
    keeper.keep(running(variations=(variation(0, weight=1), variation(1, weight=0))))
    keeper.count(1, WON)
    assert keeper.one() == "no_control"


def test_round__goal_redefined__begins_its_minima_anew(keeper: Shopkeeper) -> None:
    keeper.keep(running(auto_stop_override={"mode": "off"}))
    keeper.count(1, WON)
    keeper.round()
    keeper.keep(running(goals=(goal(is_primary=True, role="primary", attribution_window_days=3),)))
    assert keeper.one() == "goal_redefined"
    keeper.count(2, EVEN)
    assert keeper.one() == "no_winner"
    assert keeper.state()["minima"][GOAL][TREATMENT] > 0.05


def test_round__goal_renamed__keeps_its_minima(keeper: Shopkeeper) -> None:
    keeper.keep(running(auto_stop_override={"mode": "off"}))
    keeper.count(1, WON)
    keeper.round()
    keeper.keep(running(goals=(goal(name="Sell", is_primary=True, role="primary"),)))
    assert keeper.one() == "paused"


def test_round__paused_and_resumed_by_somebody__is_left_alone_until_counting_begins_anew(keeper: Shopkeeper) -> None:
    counted(keeper, WON)
    keeper.keep(replace(keeper.found(), status="running"))
    assert keeper.one() == "resumed_by_people"
    keeper.count(2, {CONTROL: (4000, 400), TREATMENT: (4000, 700)})
    assert keeper.one() == "resumed_by_people"
    assert len(keeper.events()) == 2
    keeper.keep(replace(keeper.found(), measurement_epoch=2))
    keeper.count(1, WON)
    assert keeper.one() == "paused"
    assert len(keeper.events()) == 4


def test_round__no_roll_up_yet__says_so(keeper: Shopkeeper) -> None:
    keeper.keep(running())
    assert keeper.one() == "not_counted_yet"
    assert keeper.state() is None


REVENUE = goal(type="revenue", selector=None, is_primary=True, role="primary", aggregation="sum")


def money(keeper: Shopkeeper, control: dict[str, Any], treatment: dict[str, Any], **fields: Any) -> str:
    keeper.keep(running(goals=(REVENUE,)))
    arms = {CONTROL: (2000, control["converters"]), TREATMENT: (2000, treatment["converters"])}
    keeper.count(1, arms, goals={GOAL: {CONTROL: control, TREATMENT: treatment}}, **fields)
    return keeper.one()


def test_round__more_money_a_visitor__is_paused(keeper: Shopkeeper) -> None:
    assert money(keeper, paying(200, 5000), paying(320, 5000)) == "paused"
    shown = keeper.look()["goals"][GOAL][TREATMENT]
    assert shown["difference"] == pytest.approx(3.0)
    assert shown["ci"][0] < 3.0 < shown["ci"][1]


def foreign(arm: str, orders: int) -> dict[str, Any]:
    return {"money": {GOAL: {arm: [["foreign", "USD", orders, orders * 100]]}}}


@pytest.mark.parametrize(("orders", "expected"), [(37, "paused"), (38, "excluded_currency_residue")])
def test_round__surely_more_than_a_twentieth_in_other_currencies__decides_nothing(
    keeper: Shopkeeper, orders: int, expected: str
) -> None:
    half = {
        "money": {
            GOAL: {
                CONTROL: [["foreign", "USD", orders // 2, 100]],
                TREATMENT: [["foreign", "USD", orders - orders // 2, 100]],
            }
        }
    }
    assert money(keeper, paying(200, 5000), paying(320, 5000), **half) == expected


def test_round__other_currencies_in_one_arm_only__decides_nothing(keeper: Shopkeeper) -> None:
    uneven = foreign(TREATMENT, 26)
    assert money(keeper, paying(200, 5000), paying(320, 5000), **uneven) == "excluded_currency_residue"


def test_round__a_plan_of_the_goal__fixes_tau_for_the_measurement(keeper: Shopkeeper) -> None:
    keeper.keep(running(planned_test=plan()))
    keeper.count(1, EVEN)
    keeper.round()
    assert keeper.state()["goals"][GOAL]["mixture"] == {"tau": pytest.approx(0.03)}


def test_round__no_plan__fixes_visitors_and_alpha(keeper: Shopkeeper) -> None:
    counted(keeper, EVEN)
    assert keeper.state()["goals"][GOAL]["mixture"] == {"planned_visitors": 5000, "alpha": 0.05}


def test_round__alpha_of_the_plan__decides(keeper: Shopkeeper) -> None:
    strict = plan(alpha=0.001)
    arms = {CONTROL: (3000, 300), TREATMENT: (3000, 378)}
    assert counted(keeper, arms, planned_test=strict) == "no_winner"
    assert keeper.look()["alpha"] == 0.001
