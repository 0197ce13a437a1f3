"""Stopping at the planned end: one look, four outcomes, stored once for ever, and the verdict about money beside it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from abtest.contract.planned_test import PlannedTestSnapshot, shown_plan
from abtest.domain.ledger.shop_days import Stitch
from abtest.kit.clock import timestamp
from tests.support.autostopping import (
    BEGIN,
    CONTROL,
    GOAL,
    OTHER,
    PLANNED,
    TREATMENT,
    Arm,
    Shopkeeper,
    paying,
    plan,
    running,
)
from tests.support.storefronts import goal, variation

WON = {CONTROL: (1500, 150), TREATMENT: (1500, 210)}
LOST = {CONTROL: (1500, 210), TREATMENT: (1500, 150)}
EVEN = {CONTROL: (1500, 150), TREATMENT: (1500, 155)}
PAUSING = {**PLANNED, "fixed_horizon": {"auto_pause_on_inconclusive": True}}


@pytest.fixture
def keeper() -> Shopkeeper:
    return Shopkeeper()


def ended(keeper: Shopkeeper, arms: dict[str, Arm], **fields: Any) -> str:
    keeper.keep(running(**{"auto_stop_override": PLANNED, "planned_test": plan(), **fields}))
    keeper.count(1, arms)
    return keeper.one()


def stored(keeper: Shopkeeper) -> Any:
    snapshot = dict(keeper.found().planned_test or {})
    PlannedTestSnapshot.model_validate(shown_plan(snapshot))
    return snapshot


def test_round__a_winner_at_the_end__is_paused_and_told(keeper: Shopkeeper) -> None:
    assert ended(keeper, WON) == "paused"
    assert keeper.events() == ["experiment.significant", "variation.winning"]
    now = timestamp(keeper.clock.now())
    assert stored(keeper)["endpoint_reached_at"] == now
    assert stored(keeper)["evaluation"] == {
        "evaluated_at": now,
        "outcome": "significant_pause",
        "total_visitors_at_evaluation": 3000,
        "winning_variation_id": TREATMENT,
        "paused": True,
    }
    assert stored(keeper)["revenue_evaluation"] is None


@pytest.mark.parametrize(
    ("arms", "override", "outcome", "status"),
    [
        (EVEN, PAUSING, "inconclusive_pause", "paused"),
        (EVEN, PLANNED, "continue_inconclusive", "running"),
        (LOST, PLANNED, "continue_not_positive", "running"),
        (LOST, PAUSING, "continue_not_positive", "running"),
    ],
)
def test_round__no_winner_at_the_end__is_stored_and_nobody_is_told(
    keeper: Shopkeeper, arms: dict[str, Arm], override: Any, outcome: str, status: str
) -> None:
    ended(keeper, arms, auto_stop_override=override)
    assert keeper.found().status == status
    assert stored(keeper)["evaluation"]["outcome"] == outcome
    assert stored(keeper)["evaluation"]["winning_variation_id"] is None
    assert keeper.events() == []
    told = keeper.audited()[0]
    assert told.action == ("experiment.pause" if status == "paused" else "experiment.evaluate")
    assert told.diff["evaluation_outcome"] == [None, outcome]
    assert told.diff["adjusted_p_values"][1].keys() == {TREATMENT}


@pytest.mark.parametrize(("visitors", "result"), [(1499, "planned_sample"), (1500, "paused")])
def test_round__one_visitor_short__waits(keeper: Shopkeeper, visitors: int, result: str) -> None:
    assert ended(keeper, {**WON, CONTROL: (visitors, 150)}) == result


def test_round__evaluated_once__never_looks_again(keeper: Shopkeeper) -> None:
    ended(keeper, EVEN)
    before = keeper.found()
    keeper.count(2, {CONTROL: (3000, 200), TREATMENT: (3000, 500)})
    assert keeper.one() == "already_evaluated"
    assert keeper.found() == before


def test_round__paused_and_resumed__never_looks_again(keeper: Shopkeeper) -> None:
    ended(keeper, WON)
    keeper.keep(replace(keeper.found(), status="running"))
    keeper.count(2, {CONTROL: (3000, 200), TREATMENT: (3000, 500)})
    assert keeper.one() == "already_evaluated"
    assert len(keeper.events()) == 2


def test_round__a_new_measurement__looks_anew(keeper: Shopkeeper) -> None:
    ended(keeper, EVEN)
    keeper.keep(replace(keeper.found(), measurement_epoch=2, planned_test=plan()))
    keeper.count(1, WON)
    assert keeper.one() == "paused"


def test_round__minimum_runtime_not_over__waits_though_the_sample_is_reached(keeper: Shopkeeper) -> None:
    waiting = {**PLANNED, "min_runtime_minutes": 1441}
    assert ended(keeper, WON, auto_stop_override=waiting) == "min_runtime"
    keeper.clock.advance(minutes=1)
    assert keeper.one() == "paused"


def test_round__no_plan__waits(keeper: Shopkeeper) -> None:
    assert ended(keeper, WON, planned_test=None) == "no_plan"


def test_round__plan_without_a_size__waits(keeper: Shopkeeper) -> None:
    old = {name: value for name, value in plan().items() if name != "required_total_visitors"}
    assert ended(keeper, WON, planned_test=old) == "plan_without_size"


@pytest.mark.parametrize("goals", [(), (goal(archived_at="2026-03-02T10:00:00.000Z"),)], ids=["deleted", "archived"])
def test_round__goal_of_the_plan_is_gone__decides_nothing(keeper: Shopkeeper, goals: tuple[Any, ...]) -> None:
    assert ended(keeper, WON, goals=goals) == "planned_goal_not_in_use"
    assert stored(keeper)["evaluation"] is None


def test_round__nobody_in_the_treatment__does_not_spend_the_look(keeper: Shopkeeper) -> None:
    assert ended(keeper, {CONTROL: (3000, 300), TREATMENT: (0, 0)}) == "arm_without_visitors"
    assert stored(keeper)["evaluation"] is None


def test_round__one_sided_plan__finds_less_and_never_a_loser(keeper: Shopkeeper) -> None:
    close = {CONTROL: (1500, 150), TREATMENT: (1500, 180)}
    assert ended(keeper, close) == "evaluated"
    other = Shopkeeper()
    assert ended(other, close, planned_test=plan(tail="one-sided")) == "paused"
    third = Shopkeeper()
    ended(third, LOST, planned_test=plan(tail="one-sided"))
    assert stored(third)["evaluation"]["outcome"] == "continue_inconclusive"


def test_round__one_sided_plan_of_a_goal_that_should_fall__is_won_by_falling(keeper: Shopkeeper) -> None:
    falling = (goal(is_primary=True, role="primary", direction="decrease"),)
    close = {CONTROL: (1500, 180), TREATMENT: (1500, 150)}
    assert ended(keeper, close, goals=falling, planned_test=plan(tail="one-sided")) == "paused"


@pytest.mark.parametrize(("correction", "outcome"), [("holm", "continue_inconclusive"), ("none", "significant_pause")])
def test_round__two_treatments__are_corrected_as_the_plan_says(
    keeper: Shopkeeper, correction: str, outcome: str
) -> None:
    arms = tuple(variation(number, weight=1 / 3) for number in range(3))
    close = {CONTROL: (1000, 100), TREATMENT: (1000, 128), OTHER: (1000, 100)}
    ended(keeper, close, variations=arms, planned_test=plan(correction_method=correction))
    assert stored(keeper)["evaluation"]["outcome"] == outcome


def test_round__plan_from_before_corrections__has_none(keeper: Shopkeeper) -> None:
    arms = tuple(variation(number, weight=1 / 3) for number in range(3))
    old = {name: value for name, value in plan().items() if name != "correction_method"}
    close = {CONTROL: (1000, 100), TREATMENT: (1000, 128), OTHER: (1000, 100)}
    ended(keeper, close, variations=arms, planned_test=old)
    assert stored(keeper)["evaluation"]["outcome"] == "significant_pause"


MONEY = goal(id="0192a3b4-0000-7000-8000-000000000201", name="Revenue", type="revenue", selector=None)
MONEY_FIRST = goal(type="revenue", selector=None, is_primary=True, role="primary")


def with_money(keeper: Shopkeeper, treatment: Any, *, arms: dict[str, Arm] = WON, **totals: Any) -> str:
    """A click goal that decides, and money beside it."""
    primary = goal(is_primary=True, role="primary")
    keeper.keep(running(auto_stop_override=PLANNED, planned_test=plan(), goals=(primary, MONEY)))
    clicks = {
        arm: {"converters": hits, "count": hits, "sum_minor": hits, "sum_squares_minor": str(hits), "excluded": 0}
        for arm, (_, hits) in arms.items()
    }
    money = {CONTROL: paying(150, 5000), TREATMENT: treatment}
    keeper.count(1, arms, goals={GOAL: clicks, MONEY.id: money}, **totals)
    return keeper.one()


def test_round__money_beside__has_its_verdict_stored(keeper: Shopkeeper) -> None:
    with_money(keeper, paying(240, 5000))
    found = stored(keeper)["revenue_evaluation"]
    (row,) = found["comparisons"]
    assert found["evaluated_at"] == stored(keeper)["evaluation"]["evaluated_at"]
    assert (found["basis"], found["currency"], found["excluded_currency_percentage"]) == ("shop_money", "EUR", 0)
    assert (found["total_visitors_at_evaluation"], found["multiplicity_adjustment"]) == (3000, "holm")
    assert row["treatment_variation_id"] == TREATMENT
    assert (row["control_mean"], row["variation_mean"]) == (pytest.approx(5.0), pytest.approx(8.0))
    assert (row["absolute_lift"], row["relative_lift"]) == (pytest.approx(3.0), pytest.approx(0.6))
    assert row["is_significant"]
    assert row["confidence"] == pytest.approx(100 * (1 - row["p_value"]))
    assert row["confidence_interval"]["lower"] > 0


def test_round__nobody_paid_in_the_control__has_no_lift_to_store(keeper: Shopkeeper) -> None:
    primary = goal(is_primary=True, role="primary")
    keeper.keep(running(auto_stop_override=PLANNED, planned_test=plan(), goals=(primary, MONEY)))
    nothing = paying(0, 5000)
    clicks = keeper_clicks()
    keeper.count(1, WON, goals={GOAL: clicks, MONEY.id: {CONTROL: nothing, TREATMENT: paying(20, 5000)}})
    assert keeper.one() == "paused"
    assert stored(keeper)["revenue_evaluation"] is None


def keeper_clicks() -> Any:
    return {
        arm: {"converters": hits, "count": hits, "sum_minor": hits, "sum_squares_minor": str(hits), "excluded": 0}
        for arm, (_, hits) in WON.items()
    }


def left_out(control: int, treatment: int, goal_id: str = MONEY.id) -> Any:
    found = {CONTROL: control, TREATMENT: treatment}
    return {"money": {goal_id: {arm: [["foreign", "USD", n, n * 100]] for arm, n in found.items() if n}}}


def test_round__too_much_in_other_currencies__blocks_the_verdict_about_money_alone(keeper: Shopkeeper) -> None:
    assert with_money(keeper, paying(240, 5000), **left_out(14, 16)) == "paused"
    assert stored(keeper)["evaluation"]["blocked_reason"] == "excluded_currency_residue"
    assert stored(keeper)["evaluation"]["winning_variation_id"] == TREATMENT
    assert stored(keeper)["revenue_evaluation"] is None


def test_round__more_than_a_twentieth_that_may_be_chance__blocks_nothing(keeper: Shopkeeper) -> None:
    with_money(keeper, paying(240, 5000), **left_out(14, 15))
    assert "blocked_reason" not in stored(keeper)["evaluation"]
    assert stored(keeper)["revenue_evaluation"]["excluded_currency_percentage"] == pytest.approx(100 * 29 / 419)


def test_round__a_twentieth_in_other_currencies__is_told_and_blocks_nothing(keeper: Shopkeeper) -> None:
    with_money(keeper, paying(230, 5000), **left_out(8, 12))
    assert "blocked_reason" not in stored(keeper)["evaluation"]
    assert stored(keeper)["revenue_evaluation"]["excluded_currency_percentage"] == 5


def test_round__arms_differ_in_what_was_left_out__blocks_the_verdict_about_money(keeper: Shopkeeper) -> None:
    with_money(keeper, paying(240, 5000), **left_out(14, 0))
    assert stored(keeper)["evaluation"]["blocked_reason"] == "excluded_currency_residue"


def test_round__visitors_must_consent__blocks_the_verdict_about_money(keeper: Shopkeeper) -> None:
    keeper.ask_consent()
    with_money(keeper, paying(240, 5000))
    assert stored(keeper)["evaluation"]["blocked_reason"] == "measurement_quality_unavailable"
    assert stored(keeper)["revenue_evaluation"] is None


@pytest.mark.parametrize(("stitched", "blocked"), [(80, None), (79, "measurement_quality_unavailable")])
def test_round__orders_of_unseen_visitors__block_the_verdict_about_money(
    keeper: Shopkeeper, stitched: int, blocked: str | None
) -> None:
    day = {"shop_id": running().shop_id, "date": f"{BEGIN:%Y-%m-%d}", "generation": 1, "stitch": Stitch(100, stitched)}
    keeper.rollups.put_shop_day(day)
    with_money(keeper, paying(240, 5000))
    assert stored(keeper)["evaluation"].get("blocked_reason") == blocked


def money_first(keeper: Shopkeeper, control: Any, treatment: Any, **totals: Any) -> str:
    """Money decides; its plan is one of the rate of visitors who order."""
    keeper.keep(running(auto_stop_override=PLANNED, planned_test=plan(), goals=(MONEY_FIRST,)))
    arms = {CONTROL: (1500, 0), TREATMENT: (1500, 0)}
    keeper.count(1, arms, goals={GOAL: {CONTROL: control, TREATMENT: treatment}}, **totals)
    return keeper.one()


def test_round__money_decides__by_the_rate_that_was_planned(keeper: Shopkeeper) -> None:
    assert money_first(keeper, paying(150, 5000), paying(210, 5000)) == "paused"
    assert stored(keeper)["evaluation"]["winning_variation_id"] == TREATMENT
    assert stored(keeper)["revenue_evaluation"]["comparisons"][0]["is_significant"]


def test_round__more_orders_but_significantly_less_money__has_not_won(keeper: Shopkeeper) -> None:
    assert money_first(keeper, paying(150, 5000), paying(210, 1000)) == "paused"
    assert stored(keeper)["evaluation"]["outcome"] == "harm"
    assert stored(keeper)["evaluation"]["winning_variation_id"] is None


def test_round__money_decides_but_cannot_be_trusted__is_inconclusive(keeper: Shopkeeper) -> None:
    assert money_first(keeper, paying(150, 5000), paying(210, 5000), **left_out(15, 15, GOAL)) == "evaluated"
    assert stored(keeper)["evaluation"]["outcome"] == "continue_inconclusive"
    assert stored(keeper)["evaluation"]["blocked_reason"] == "excluded_currency_residue"
