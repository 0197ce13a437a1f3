"""Guardrails: what a winner must not harm, at every look, in the goal's own direction."""

from __future__ import annotations

from typing import Any

import pytest

from abtest.contract import guardrails as contract
from abtest.contract.planned_test import PlannedTestSnapshot, shown_plan
from abtest.domain.stats.samples import Conversions
from abtest.domain.stats.sequential import one_sided_mixture_test
from tests.support.autostopping import (
    CONTROL,
    GOAL,
    OTHER,
    PLANNED,
    SEQUENTIAL,
    TREATMENT,
    Shopkeeper,
    paying,
    plan,
    running,
)
from tests.support.storefronts import goal, variation

PRIMARY = goal(is_primary=True, role="primary")
ORDERS = goal(id="0192a3b4-0000-7000-8000-000000000301", name="Orders", role="guardrail")
ERRORS = goal(id="0192a3b4-0000-7000-8000-000000000302", name="Errors", role="guardrail", direction="decrease")
MONEY = goal(id="0192a3b4-0000-7000-8000-000000000303", name="Revenue", type="revenue", selector=None)
VISITORS = {CONTROL: 4000, TREATMENT: 4000}
CART = {CONTROL: 400, TREATMENT: 600}
CONTINUE = {**SEQUENTIAL, "action_on_harm": "continue"}


@pytest.fixture
def keeper() -> Shopkeeper:
    return Shopkeeper()


def clicks(counts: dict[str, int]) -> dict[str, Any]:
    return {
        arm: {"converters": hits, "count": hits, "sum_minor": hits, "sum_squares_minor": str(hits), "excluded": 0}
        for arm, hits in counts.items()
    }


def counted(keeper: Shopkeeper, guardrail: Any, counts: Any, *, generation: int = 1, **fields: Any) -> str:
    """Count a primary goal that is significantly better, and one guardrail; return the result of the round."""
    totals = fields.pop("totals", {})
    keeper.keep(running(**{"goals": (PRIMARY, guardrail), **fields}))
    arms = {arm: (visitors, 0) for arm, visitors in VISITORS.items()}
    numbers = counts if guardrail.type == "revenue" else clicks(counts)
    keeper.count(generation, arms, goals={GOAL: clicks(CART), guardrail.id: numbers}, **totals)
    return keeper.one()


def facts(keeper: Shopkeeper) -> Any:
    """Return the payload of the first event."""
    return keeper.outbox("webhook")[0].payload


@pytest.mark.parametrize(
    ("guardrail", "counts"),
    [
        pytest.param(ORDERS, {CONTROL: 400, TREATMENT: 250}, id="orders fall"),
        pytest.param(ORDERS, {CONTROL: 400, TREATMENT: 0}, id="orders are lost"),
        pytest.param(ERRORS, {CONTROL: 100, TREATMENT: 250}, id="errors rise"),
        pytest.param(MONEY, {CONTROL: paying(400, 5000), TREATMENT: paying(400, 2500)}, id="revenue falls"),
    ],
)
def test_round__winner_harms_a_guardrail__is_paused_for_harm_and_no_winner_is_declared(
    keeper: Shopkeeper, guardrail: Any, counts: Any
) -> None:
    assert counted(keeper, guardrail, counts) == "paused"
    assert keeper.events() == ["experiment.significant"]
    payload = facts(keeper)
    assert (payload["outcome"], payload["winning_variation_id"], payload["goal_id"]) == ("harm", None, guardrail.id)
    (shown,) = payload["guardrails"]
    assert (shown["goal_id"], shown["variation_id"], shown["status"]) == (guardrail.id, TREATMENT, "harmed")
    assert shown["p_value"] <= 0.05
    assert f"harms “{guardrail.name}” (" in shown["message"]
    row = keeper.audited()[0].diff
    assert (row["reason"], row["guardrails"]) == ([None, "auto_stop_harm"], [None, [shown]])
    assert keeper.look()["verdict"]["outcome"] == "harm"
    assert keeper.look()["verdict"]["guardrails"][0]["status"] == "harmed"


@pytest.mark.parametrize(
    ("guardrail", "counts"),
    [
        pytest.param(ORDERS, {CONTROL: 400, TREATMENT: 390}, id="orders hardly change"),
        pytest.param(ORDERS, {CONTROL: 250, TREATMENT: 400}, id="orders rise"),
        pytest.param(ERRORS, {CONTROL: 250, TREATMENT: 100}, id="errors fall"),
        pytest.param(MONEY, {CONTROL: paying(400, 5000), TREATMENT: paying(400, 5100)}, id="revenue holds"),
    ],
)
def test_round__winner_harms_nothing__has_won_and_shows_all_guardrails(
    keeper: Shopkeeper, guardrail: Any, counts: Any
) -> None:
    assert counted(keeper, guardrail, counts) == "paused"
    assert keeper.events() == ["experiment.significant", "variation.winning"]
    payload = facts(keeper)
    (shown,) = payload["guardrails"]
    assert (payload["outcome"], payload["winning_variation_id"]) == ("winner", TREATMENT)
    assert (shown["goal_id"], shown["status"]) == (guardrail.id, "no_harm_shown")
    assert shown["message"].startswith(f"No harm of “{guardrail.name}” is shown in")
    assert keeper.audited()[0].diff["guardrails"] == [None, [shown]]
    assert keeper.look()["verdict"]["guardrails"] == [
        {name: shown[name] for name in ("goal_id", "variation_id", "status", "p_value")}
    ]


def test_round__harm_with_the_setting_continue__goes_on_without_a_winner(keeper: Shopkeeper) -> None:
    counts = {CONTROL: 400, TREATMENT: 250}
    assert counted(keeper, ORDERS, counts, auto_stop_override=CONTINUE) == "guardrail_harmed"
    assert (keeper.found().status, keeper.events()) == ("running", [])
    assert keeper.look()["verdict"]["reason"] == "guardrail_harmed"


def test_settings__action_on_harm_of_the_shop__is_inherited(keeper: Shopkeeper) -> None:
    keeper.default({"auto_stop": CONTINUE})
    counts = {CONTROL: 400, TREATMENT: 250}
    assert counted(keeper, ORDERS, counts, auto_stop_override={"mode": "inherit"}) == "guardrail_harmed"


def test_round__harm_without_a_winner__is_paused_as_well(keeper: Shopkeeper) -> None:
    keeper.keep(running(goals=(PRIMARY, ORDERS)))
    arms = {arm: (visitors, 0) for arm, visitors in VISITORS.items()}
    goals = {GOAL: clicks({CONTROL: 400, TREATMENT: 402}), ORDERS.id: clicks({CONTROL: 400, TREATMENT: 250})}
    keeper.count(1, arms, goals=goals)
    assert keeper.one() == "paused"
    assert facts(keeper)["outcome"] == "harm"


@pytest.mark.parametrize(
    ("orders", "words"), [(790, "harms “Orders” (−1.3%, p"), (816, "has harmed “Orders” at an earlier look (p")]
)
def test_round__one_look_showed_harm_and_later_ones_do_not__still_no_winner(
    keeper: Shopkeeper, orders: int, words: str
) -> None:
    counted(keeper, ORDERS, {CONTROL: 400, TREATMENT: 250}, auto_stop_override={"mode": "off"})
    keeper.keep(running(goals=(PRIMARY, ORDERS)))
    arms = {CONTROL: (8000, 0), TREATMENT: (8000, 0)}
    goals = {GOAL: clicks({CONTROL: 800, TREATMENT: 1200}), ORDERS.id: clicks({CONTROL: 800, TREATMENT: orders})}
    keeper.count(2, arms, goals=goals)
    assert keeper.one() == "paused"
    assert facts(keeper)["outcome"] == "harm"
    assert words in facts(keeper)["guardrails"][0]["message"]


def test_round__guardrail_redefined__starts_over_and_names_the_time(keeper: Shopkeeper) -> None:
    counted(keeper, ORDERS, {CONTROL: 400, TREATMENT: 250}, auto_stop_override={"mode": "off"})
    changed = goal(id=ORDERS.id, name="Orders", role="guardrail", attribution_window_days=3)
    keeper.keep(running(goals=(PRIMARY, changed), auto_stop_override=CONTINUE))
    assert keeper.one() == "guardrail_not_counted"
    other = Shopkeeper()
    counted(other, ORDERS, {CONTROL: 400, TREATMENT: 250}, auto_stop_override={"mode": "off"})
    counted(other, changed, {CONTROL: 390, TREATMENT: 385}, generation=2)
    (shown,) = facts(other)["guardrails"]
    assert shown["status"] == "no_harm_shown"
    assert "The goal was redefined; only looks since" in shown["message"]


@pytest.mark.parametrize(
    ("counts", "status"),
    [({CONTROL: 0, TREATMENT: 0}, "no_data"), ({CONTROL: 20, TREATMENT: 0}, "too_little_data")],
)
def test_round__guardrail_without_data__is_named_and_nothing_is_guessed(
    keeper: Shopkeeper, counts: dict[str, int], status: str
) -> None:
    assert counted(keeper, ORDERS, counts) == "paused"
    assert facts(keeper)["outcome"] == "winner"
    assert facts(keeper)["guardrails"][0]["status"] == status
    # The contract promises the value where there are data at all.
    assert (facts(keeper)["guardrails"][0]["p_value"] is None) == (status == "no_data")
    assert "`too_little_data`: `p_value` is shown" in (contract.GuardrailFinding.__doc__ or "")


@pytest.mark.parametrize("override", [SEQUENTIAL, PLANNED])
def test_round__guardrail_that_is_not_counted_yet__is_waited_for(keeper: Shopkeeper, override: Any) -> None:
    keeper.keep(running(goals=(PRIMARY, ORDERS), auto_stop_override=override, planned_test=plan()))
    keeper.count(1, {arm: (visitors, 0) for arm, visitors in VISITORS.items()}, goals={GOAL: clicks(CART)})
    assert keeper.one() == "guardrail_not_counted"
    assert (keeper.found().planned_test or {})["evaluation"] is None


def test_round__money_in_other_currencies__is_not_tested(keeper: Shopkeeper) -> None:
    counts = {CONTROL: paying(400, 5000), TREATMENT: paying(400, 2500)}
    foreign = {"money": {MONEY.id: {arm: [["foreign", "USD", 60, 6000]] for arm in (CONTROL, TREATMENT)}}}
    assert counted(keeper, MONEY, counts, totals=foreign) == "paused"
    (shown,) = facts(keeper)["guardrails"]
    assert (facts(keeper)["outcome"], shown["status"]) == ("winner", "excluded_currency_residue")
    assert "other currencies" in shown["message"]


def test_round__visitors_must_consent__money_is_not_tested(keeper: Shopkeeper) -> None:
    keeper.ask_consent()
    counts = {CONTROL: paying(400, 5000), TREATMENT: paying(400, 2500)}
    assert counted(keeper, MONEY, counts) == "paused"
    assert facts(keeper)["guardrails"][0]["status"] == "measurement_quality_unavailable"


THREE = (variation(0, weight=0.4), variation(1, weight=0.3), variation(2, weight=0.3))


def test_round__one_treatment_harms_and_another_wins__the_harmless_one_has_won(keeper: Shopkeeper) -> None:
    keeper.keep(running(goals=(PRIMARY, ORDERS), variations=THREE))
    arms = {CONTROL: (4000, 0), TREATMENT: (3000, 0), OTHER: (3000, 0)}
    goals = {
        GOAL: clicks({CONTROL: 400, TREATMENT: 600, OTHER: 480}),
        ORDERS.id: clicks({CONTROL: 400, TREATMENT: 150, OTHER: 300}),
    }
    keeper.count(1, arms, goals=goals)
    assert keeper.one() == "paused"
    payload = facts(keeper)
    assert (payload["outcome"], payload["winning_variation_id"]) == ("winner", OTHER)
    assert {one["variation_id"]: one["status"] for one in payload["guardrails"]} == {
        TREATMENT: "harmed",
        OTHER: "no_harm_shown",
    }


def test_p_value__is_corrected_over_guardrails_times_treatments(keeper: Shopkeeper) -> None:
    keeper.keep(running(goals=(PRIMARY, ORDERS, ERRORS), auto_stop_override=CONTINUE))
    arms = {arm: (visitors, 0) for arm, visitors in VISITORS.items()}
    orders, errors = {CONTROL: 400, TREATMENT: 310}, {CONTROL: 100, TREATMENT: 100}
    keeper.count(1, arms, goals={GOAL: clicks(CART), ORDERS.id: clicks(orders), ERRORS.id: clicks(errors)})
    keeper.round()
    alone = one_sided_mixture_test(
        *(Conversions(visitors=VISITORS[arm], conversions=orders[arm]) for arm in (CONTROL, TREATMENT)),
        direction="decrease",
        alpha=0.05,
    )
    assert alone is not None
    assert keeper.state()["goals"][ORDERS.id]["harm"] == {TREATMENT: pytest.approx(alone.always_valid_p)}
    assert keeper.look()["goals"][ORDERS.id][TREATMENT]["harm_p"] == pytest.approx(alone.always_valid_p)
    assert "harm" not in keeper.state()["goals"][GOAL]


def test_round__paused_for_harm_and_resumed__is_left_alone(keeper: Shopkeeper) -> None:
    counted(keeper, ORDERS, {CONTROL: 400, TREATMENT: 250})
    counted(keeper, ORDERS, {CONTROL: 400, TREATMENT: 240}, generation=2)
    assert keeper.found().status == "running"
    assert keeper.events() == ["experiment.significant"]


def test_round__split_is_broken__harm_decides_nothing(keeper: Shopkeeper) -> None:
    keeper.keep(running(goals=(PRIMARY, ORDERS)))
    goals = {GOAL: clicks(CART), ORDERS.id: clicks({CONTROL: 400, TREATMENT: 200})}
    keeper.count(1, {CONTROL: (4000, 0), TREATMENT: (3500, 0)}, goals=goals)
    assert keeper.one() == "sample_ratio_mismatch"


@pytest.mark.parametrize(
    ("override", "result", "status"),
    [(PLANNED, "paused", "paused"), ({**PLANNED, "action_on_harm": "continue"}, "evaluated", "running")],
)
def test_planned_end__winner_harms_a_guardrail__is_stored_as_harm(
    keeper: Shopkeeper, override: Any, result: str, status: str
) -> None:
    counts = {CONTROL: 400, TREATMENT: 250}
    assert counted(keeper, ORDERS, counts, auto_stop_override=override, planned_test=plan()) == result
    snapshot: Any = keeper.found().planned_test
    PlannedTestSnapshot.model_validate(shown_plan(snapshot))
    evaluation = snapshot["evaluation"]
    assert (evaluation["outcome"], evaluation["winning_variation_id"]) == ("harm", None)
    assert evaluation["guardrails"][0]["status"] == "harmed"
    assert keeper.found().status == status
    assert keeper.events() == (["experiment.significant"] if status == "paused" else [])


@pytest.mark.parametrize(
    ("inconclusive", "carts", "status"), [(True, 405, "paused"), (False, 405, "running"), (True, 600, "running")]
)
def test_planned_end__harm_that_may_go_on__is_paused_where_an_inconclusive_end_is(
    keeper: Shopkeeper, inconclusive: bool, carts: int, status: str
) -> None:
    override: Any = {
        **PLANNED,
        "action_on_harm": "continue",
        "fixed_horizon": {"auto_pause_on_inconclusive": inconclusive},
    }
    keeper.keep(running(goals=(PRIMARY, ORDERS), auto_stop_override=override, planned_test=plan()))
    goals = {GOAL: clicks({CONTROL: 400, TREATMENT: carts}), ORDERS.id: clicks({CONTROL: 400, TREATMENT: 250})}
    keeper.count(1, {arm: (visitors, 0) for arm, visitors in VISITORS.items()}, goals=goals)
    keeper.one()
    evaluation: Any = (keeper.found().planned_test or {})["evaluation"]
    assert evaluation["outcome"] == "harm"
    assert keeper.found().status == status


def test_planned_end__winner_harms_nothing__stores_what_its_guardrails_show(keeper: Shopkeeper) -> None:
    counts = {CONTROL: 400, TREATMENT: 395}
    assert counted(keeper, ORDERS, counts, auto_stop_override=PLANNED, planned_test=plan()) == "paused"
    evaluation: Any = (keeper.found().planned_test or {})["evaluation"]
    assert (evaluation["outcome"], evaluation["winning_variation_id"]) == ("significant_pause", TREATMENT)
    assert [one["status"] for one in evaluation["guardrails"]] == ["no_harm_shown"]
