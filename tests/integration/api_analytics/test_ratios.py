"""Ratio goals over HTTP: counted from events, compared by every engine, in segments, series, reports and looks."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
import statsmodels.api as sm

from abtest.domain.experiments.model import Experiment
from abtest.domain.exports.order import ExportOrder
from abtest.domain.exports.results import result_rows
from abtest.kit.documents import decode
from abtest.services.report_page.page import render_report
from tests.integration.api_analytics.conftest import Lab, ordered, seen
from tests.integration.api_analytics.looking import look, report, watch

VALUE = {
    "name": "Order value",
    "type": "revenue",
    "aggregation": "ratio",
    "numerator": "value",
    "denominator": "events",
}
ITEMS = {**VALUE, "name": "Items per order", "numerator": "items"}
PRICE = {**VALUE, "name": "Unit price", "denominator": "items", "role": "guardrail"}
REVENUE = {"name": "Revenue", "type": "revenue"}
SEQUENTIAL = {"mode": "sequential_significance"}
Visitors = dict[str, list[tuple[float, int]]]
"""By visitor the orders: euros and items."""


def launched(lab: Lab, **fields: Any) -> dict[str, Any]:
    return lab.launched(**{"goals": [VALUE, ITEMS, PRICE, REVENUE], "auto_stop_override": SEQUENTIAL, **fields})


def shopping(
    lab: Lab, experiment: dict[str, Any], *, factors: tuple[float, ...], visitors: int = 120
) -> list[Visitors]:
    """Half of the visitors of an arm order, some twice; amounts are multiplied by the arm's factor."""
    chance, events, arms = random.Random(7), [], []
    for variation, factor in enumerate(factors):
        arm: Visitors = {}
        for number in range(visitors):
            visitor = f"v-{variation}-{number}"
            events.append(seen(experiment, visitor, variation))
            times = 0 if number % 2 else 1 + (number % 8 == 0)
            orders = [(round(factor * chance.uniform(30, 60), 2), chance.randrange(1, 5)) for _ in range(times)]
            events += [_order(visitor, place, *each) for place, each in enumerate(orders)]
            if orders:
                arm[visitor] = orders
        arms.append(arm)
    for start in range(0, len(events), 200):
        lab.send(*events[start : start + 200])
    lab.settle()
    return arms


def _order(visitor: str, place: int, euros: float, quantity: int, **data: Any) -> dict[str, Any]:
    event = ordered(visitor, f"o-{visitor}-{place}", euros)
    event["data"] |= {"items": [{"sku": "mug", "quantity": quantity}], **data}
    return event


def goal_of(results: dict[str, Any], name: str) -> dict[str, Any]:
    goal: dict[str, Any] = next(goal for goal in results["goals"] if goal["name"] == name)
    return goal


def test_results__of_order_values__are_those_of_a_robust_regression(lab: Lab) -> None:
    experiment = launched(lab)
    arms = shopping(lab, experiment, factors=(1.0, 1.2))
    goal = goal_of(lab.results(experiment, engine="frequentist"), "Order value")
    assert (goal["metric"], goal["numerator"], goal["denominator"]) == ("ratio", "value", "events")
    fits = []
    for row, arm in zip(goal["rows"], arms, strict=True):
        y = np.array([sum(euros for euros, _ in orders) for orders in arm.values()])
        x = np.array([len(orders) for orders in arm.values()])
        fits.append(sm.WLS(y, x, weights=1 / x).fit(cov_type="HC1"))
        assert row["ratio"] == pytest.approx(y.sum() / x.sum())
        assert (row["numerator_sum"], row["denominator_sum"]) == (pytest.approx(y.sum()), x.sum())
        assert (row["revenue"], row["currency"], row["conversions"]) == (pytest.approx(y.sum()), "EUR", len(y))
        assert (row["mean"], row["value"], row["is_winsorized"], row["cuped"]) == (None, None, None, None)
    control, treatment = goal["rows"]
    assert treatment["difference"] == pytest.approx(treatment["ratio"] - control["ratio"])
    assert treatment["lift"] == pytest.approx(treatment["ratio"] / control["ratio"] - 1)
    error = np.hypot(fits[0].bse[0], fits[1].bse[0])
    margin = (treatment["difference_ci"]["upper"] - treatment["difference_ci"]["lower"]) / 2
    # Student's quantile of about 118 degrees of freedom.
    assert margin / error == pytest.approx(1.98, abs=0.005)
    assert (treatment["state"], treatment["is_significant"]) == ("better", True)


def test_results__of_items__are_counted_in_items(lab: Lab) -> None:
    experiment = launched(lab)
    arms = shopping(lab, experiment, factors=(1.0, 1.0))
    results = lab.results(experiment)
    for place, arm in enumerate(arms):
        items = sum(count for orders in arm.values() for _, count in orders)
        euros, orders = sum(e for each in arm.values() for e, _ in each), sum(map(len, arm.values()))
        per_order, price = (goal_of(results, name)["rows"][place] for name in ("Items per order", "Unit price"))
        assert per_order["ratio"] == pytest.approx(items / orders)
        assert (per_order["currency"], per_order["revenue"], per_order["excluded"]) == (None, None, None)
        assert price["ratio"] == pytest.approx(euros / items)
        assert (price["currency"], price["denominator_sum"]) == ("EUR", items)


def test_results__of_every_engine__compare_the_ratio(lab: Lab) -> None:
    experiment = launched(lab)
    shopping(lab, experiment, factors=(1.0, 1.4))
    rows = {
        engine: goal_of(lab.results(experiment, engine=engine), "Order value")["rows"][1]
        for engine in ("frequentist", "sequential", "bayesian")
    }
    assert len({round(row["difference"], 0) for row in rows.values()}) == 1
    for row in rows.values():
        assert row["ci"]["lower"] < row["lift"] < row["ci"]["upper"]
    assert rows["sequential"]["always_valid_p"] == rows["sequential"]["p_value"]
    assert rows["bayesian"]["prob_to_beat_control"] > 0.999


def test_results__of_a_zero_denominator__name_the_variation_and_the_reason(lab: Lab) -> None:
    experiment = launched(lab)
    lab.send(*(seen(experiment, f"v-{number}", number % 2) for number in range(200)))
    lab.send(_order("v-0", 0, 20.0, 2), _order("v-2", 0, 30.0, 0), _order("v-1", 0, 25.0, 0))
    lab.settle()
    results = lab.results(experiment)
    price = goal_of(results, "Unit price")
    assert price["not_evaluable"] == "zero_denominator"
    control, treatment = price["rows"]
    assert (control["ratio"], control["denominator_sum"]) == (25.0, 2.0)
    assert (treatment["ratio"], treatment["numerator_sum"], treatment["denominator_sum"]) == (None, 25.0, 0.0)
    assert treatment["state"] == "zero_denominator"
    assert treatment["message"].startswith("the denominator is zero in Variant: no items were counted")
    assert [treatment[name] for name in ("lift", "difference", "p_value", "is_significant")] == [None] * 4
    orders = goal_of(results, "Order value")
    assert (orders["not_evaluable"], orders["rows"][1]["state"]) == (None, "too_few_conversions")


def test_results__of_orders_without_items__leave_them_out_of_both_sums(lab: Lab) -> None:
    experiment = launched(lab)
    lab.send(seen(experiment, "v-0", 0), ordered("v-0", "o-1", 99.0), _order("v-0", 2, 20.0, 2))
    lab.send(_order("v-0", 3, 40.0, 0, items=[{"sku": "mug", "quantity": "some"}]))
    lab.settle()
    results = lab.results(experiment)
    row = goal_of(results, "Unit price")["rows"][0]
    assert (row["numerator_sum"], row["denominator_sum"], row["count"]) == (20.0, 2.0, 1)
    row = goal_of(results, "Order value")["rows"][0]
    assert (row["numerator_sum"], row["denominator_sum"], row["ratio"]) == (159.0, 3.0, 53.0)


def test_results__of_other_currencies__leave_orders_out_where_money_counts(lab: Lab) -> None:
    experiment = launched(lab)
    lab.send(seen(experiment, "v-0", 0), _order("v-0", 1, 20.0, 2), _order("v-0", 2, 70.0, 4, currency="USD"))
    lab.settle()
    results = lab.results(experiment)
    row = goal_of(results, "Order value")["rows"][0]
    assert (row["ratio"], row["denominator_sum"], row["excluded"]) == (20.0, 1.0, 1)
    assert goal_of(results, "Items per order")["rows"][0]["ratio"] == 3.0


def test_sample_size__of_ratio_and_deviation_in_results__is_that_of_visitors(lab: Lab) -> None:
    experiment = launched(lab)
    (arm, _) = shopping(lab, experiment, factors=(1.0, 1.0))
    row = goal_of(lab.results(experiment), "Order value")["rows"][0]
    y = np.array([sum(euros for euros, _ in orders) for orders in arm.values()])
    x = np.array([len(orders) for orders in arm.values()])
    error = sm.WLS(y, x, weights=1 / x).fit(cov_type="HC1").bse[0]
    assert row["sd"] == pytest.approx(error * 120**0.5)
    size = lab.client.post("/sample-size", {"mean": row["ratio"], "sd": row["sd"], "mde": 0.1}).json()
    demanded = 2 * (1.959964 + 0.841621) ** 2 * row["sd"] ** 2 / (0.1 * row["ratio"]) ** 2
    assert size["required_sample_per_variant"] == pytest.approx(demanded, abs=1)
    money = goal_of(lab.results(experiment), "Revenue")["rows"][0]
    assert money["sd"] == pytest.approx(np.std([*y, *[0.0] * (120 - len(y))], ddof=1))


def test_segments_and_series__of_a_ratio__have_its_ratio(lab: Lab) -> None:
    experiment = launched(lab)
    arms = shopping(lab, experiment, factors=(1.0, 1.2))
    expected = [
        sum(euros for orders in arm.values() for euros, _ in orders) / sum(map(len, arm.values())) for arm in arms
    ]
    path = f"/experiments/{experiment['id']}/results"
    segments = lab.client.get(f"{path}/segments", query={"dimension": "device"}).json()["data"]
    assert [row["ratio"] for row in goal_of(segments[0], "Order value")["rows"]] == pytest.approx(expected)
    bucket = lab.client.get(f"{path}/timeseries").json()["data"][-1]
    goal = bucket["goals"][0]
    assert (goal["metric"], [row["mean"] for row in goal["rows"]]) == ("ratio", [None, None])
    assert [row["ratio"] for row in goal["rows"]] == pytest.approx(expected)


def test_winner__by_order_value__pauses_and_is_reported(lab: Lab) -> None:
    experiment = launched(lab)
    shopping(lab, experiment, factors=(1.0, 2.0), visitors=300)
    assert look(lab) == {"paused": 1}
    facts = report(lab, experiment)
    assert (facts.verdict.status, facts.verdict.variation_id) == ("winner", experiment["variations"][1]["id"])
    assert "Order value rises by" in facts.verdict.sentence
    assert facts.interval_over_time is not None
    assert (facts.interval_over_time.metric, facts.interval_over_time.currency) == ("ratio", "EUR")
    page = render_report(facts)
    assert "EUR an order" in page


def test_guardrail__that_is_a_ratio__is_harmed_by_its_fall(lab: Lab) -> None:
    experiment = launched(lab, goals=[{**REVENUE, "is_primary": True}, PRICE, VALUE])
    shopping(lab, experiment, factors=(1.0, 0.4), visitors=300)
    shown = {row["goal_id"]: row["status"] for row in lab.results(experiment)["guardrails"]}
    # Order value is not a guardrail unless its role is.
    assert shown == {experiment["goals"][1]["id"]: "harmed"}
    assert look(lab) == {"paused": 1}


def test_guardian__does_not_take_a_ratio_for_conversions_or_money(lab: Lab) -> None:
    experiment = launched(lab, goals=[VALUE, PRICE])
    shopping(lab, experiment, factors=(1.0, 0.2), visitors=300)
    assert watch(lab) == {"quiet": 1}


def test_plan__of_a_ratio__is_refused_in_words(lab: Lab) -> None:
    experiment = launched(lab)
    assert experiment["planned_test"] is None
    plan = {"goal_id": experiment["goals"][0]["id"], "mde": 0.1, "baseline_rate": 0.1, "confirm_live_impact": True}
    answer = lab.client.put(f"/experiments/{experiment['id']}/plan", plan)
    assert (answer.status, answer.paths) == (422, ["goal_id"])
    assert "POST /sample-size" in answer.json()["error"]["fields"][0]["message"]


def test_launch__with_a_planned_end_of_a_ratio__is_refused_in_words(lab: Lab) -> None:
    mode = {"auto_stop_override": {"mode": "fixed_horizon_planned_end"}}
    made = lab.client.post("/experiments", {"name": "Headline", "goals": [VALUE], **mode}).json()
    answer = lab.client.post(f"/experiments/{made['id']}/launch", {"override_checklist_warnings": True})
    assert answer.status == 422
    assert "goal_id must not be a ratio" in answer.body.decode()


def test_plan__whose_goal_becomes_a_ratio__is_not_evaluated(lab: Lab) -> None:
    mode = {"auto_stop_override": {"mode": "fixed_horizon_planned_end"}}
    experiment = lab.client.post("/experiments", {"name": "Headline", "goals": [REVENUE], **mode}).json()
    path, goal_id = f"/experiments/{experiment['id']}", experiment["goals"][0]["id"]
    plan = {"goal_id": goal_id, "mde": 0.9, "baseline_rate": 0.5}
    assert lab.client.put(f"{path}/plan", plan).status == 200
    assert lab.client.post(f"{path}/launch", {"override_checklist_warnings": True}).status == 200
    lab.api.clock.advance(seconds=1)
    ratio = {name: VALUE[name] for name in ("aggregation", "numerator", "denominator")}
    assert lab.client.patch(f"{path}/goals/{goal_id}", ratio).status == 200
    shopping(lab, experiment, factors=(1.0, 2.0))
    assert look(lab) == {"planned_goal_not_in_use": 1}


def test_goal__that_becomes_a_ratio__is_not_counted_before_the_next_count(lab: Lab) -> None:
    experiment = launched(lab, goals=[REVENUE])
    shopping(lab, experiment, factors=(1.0, 1.0))
    path = f"/experiments/{experiment['id']}/goals/{experiment['goals'][0]['id']}"
    ratio = {name: VALUE[name] for name in ("aggregation", "numerator", "denominator")}
    assert lab.client.patch(path, ratio).status == 200
    assert lab.results(experiment)["goals"][0]["not_evaluable"] == "not_counted_yet"
    lab.settle()
    assert lab.results(experiment)["goals"][0]["rows"][0]["ratio"] > 0


def test_export__of_a_ratio__has_all_of_its_sums(lab: Lab) -> None:
    experiment = launched(lab)
    (arm, _) = shopping(lab, experiment, factors=(1.0, 1.0))
    record = lab.api.management.catalog.get(lab.tenant.shop.id, "EXP", experiment["id"])
    totals = lab.store.totals(experiment["id"], 1)
    assert record is not None
    assert totals is not None
    days = lab.store.days(experiment["id"], 1, "2026-01-01", "2026-12-31")
    order = ExportOrder(
        dataset="results", format="csv", since="2026-01-01T00:00:00.000Z", until="2026-12-31T00:00:00.000Z"
    )
    rows = list(result_rows(decode(Experiment, record.body), totals, days, order))
    of_goals = {(row["goal_name"], row["variation_id"]): row for row in rows}
    control = experiment["variations"][0]["id"]
    row = of_goals["Order value", control]
    pairs = [(round(100 * sum(euros for euros, _ in orders)), len(orders)) for orders in arm.values()]
    assert (row["sum"], row["sum_squares"]) == (sum(y for y, _ in pairs), str(sum(y * y for y, _ in pairs)))
    assert row["denominator_sum"] == sum(x for _, x in pairs)
    assert row["denominator_sum_squares"] == str(sum(x * x for _, x in pairs))
    assert row["sum_products"] == str(sum(x * y for y, x in pairs))
    assert of_goals["Revenue", control]["sum_products"] is None
