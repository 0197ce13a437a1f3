"""Guardrails over HTTP: results, report and plan name the harm, and auto-stop declares no winner that does it."""

from __future__ import annotations

from typing import Any

from tests.integration.api_analytics.conftest import Lab, reached, seen
from tests.integration.api_analytics.looking import look, report

GOALS = [
    {"name": "Cart", "type": "click", "selector": "#cart"},
    {"name": "Orders", "type": "click", "selector": "#order", "role": "guardrail"},
]
SEQUENTIAL = {"mode": "sequential_significance"}


def launched(lab: Lab, **fields: Any) -> dict[str, Any]:
    return lab.launched(**{"goals": GOALS, "auto_stop_override": SEQUENTIAL, **fields})


def shopping(lab: Lab, experiment: dict[str, Any], *, carts: tuple[int, ...], orders: tuple[int, ...]) -> None:
    """Count 400 visitors an arm, with so many who reach the two goals."""
    events = []
    for variation, (carters, buyers) in enumerate(zip(carts, orders, strict=True)):
        for number in range(400):
            visitor = f"v-{variation}-{number}"
            events.append(seen(experiment, visitor, variation))
            if number < carters:
                events.append(reached(experiment, visitor, 0))
            if number < buyers:
                events.append(reached(experiment, visitor, 1))
    for start in range(0, len(events), 200):
        lab.send(*events[start : start + 200])
    lab.settle()


def test_winner_that_harms__is_declared_nowhere(lab: Lab) -> None:
    experiment = launched(lab)
    shopping(lab, experiment, carts=(80, 180), orders=(120, 40))
    before = lab.results(experiment)["guardrails"]
    assert look(lab) == {"paused": 1}
    results = lab.results(experiment)
    (shown,) = results["guardrails"]
    assert before == [shown]
    treatment = experiment["variations"][1]
    assert (shown["goal_id"], shown["variation_id"]) == (experiment["goals"][1]["id"], treatment["id"])
    assert (shown["status"], shown["p_value"] < 0.001, shown["lift"]) == ("harmed", True, -2 / 3)
    page = report(lab, experiment)
    assert (page.verdict.status, page.verdict.variation_id) == ("stopped_for_harm", treatment["id"])
    assert page.verdict.sentence.startswith(
        "Auto-stop paused this experiment without a winner. “Variant” harms “Orders” ("
    )
    assert page.guardrails[0].status == "harmed"
    assert page.timeline[-1].sentence.startswith(
        "Paused by auto-stop for harm, without a winner: “Variant” harms “Orders”"
    )
    (event,) = [
        row.payload
        for row in lab.api.management.catalog.outbox("webhook", created_before="9999", limit=100)
        if row.payload["event"] in ("experiment.significant", "variation.winning")
    ]
    assert (event["outcome"], event["winning_variation_id"]) == ("harm", None)
    assert event["guardrails"] == [shown]


def test_winner_that_harms_nothing__has_all_guardrails_in_its_verdict(lab: Lab) -> None:
    experiment = launched(lab)
    shopping(lab, experiment, carts=(80, 180), orders=(100, 101))
    look(lab)
    page = report(lab, experiment)
    assert page.verdict.status == "winner"
    assert page.verdict.details[0].startswith("No harm of “Orders” is shown in “Variant” so far (+1.0%, p = ")
    assert [one["status"] for one in lab.results(experiment)["guardrails"]] == ["no_harm_shown"]


def test_harm_while_auto_stop_is_off__is_the_headline(lab: Lab) -> None:
    experiment = launched(lab, auto_stop_override={"mode": "off"})
    shopping(lab, experiment, carts=(80, 180), orders=(120, 40))
    look(lab)
    verdict = report(lab, experiment).verdict
    assert verdict.status == "harm"
    assert verdict.sentence.startswith("“Variant” harms “Orders” (−66.7%, p = ")
    assert verdict.sentence.endswith("It is better in Cart, and no winner.")


def test_harm_with_the_setting_continue__goes_on(lab: Lab) -> None:
    experiment = launched(lab, auto_stop_override={**SEQUENTIAL, "action_on_harm": "continue"})
    assert experiment["auto_stop_override"]["action_on_harm"] == "continue"
    shopping(lab, experiment, carts=(80, 180), orders=(120, 40))
    assert look(lab) == {"guardrail_harmed": 1}
    assert report(lab, experiment).verdict.status == "harm"


def test_action_on_harm__that_does_not_exist__is_refused(lab: Lab) -> None:
    answer = lab.client.post(
        "/experiments", {"name": "E", "auto_stop_override": {**SEQUENTIAL, "action_on_harm": "stop"}}
    )
    assert answer.status == 400


def test_guardrails__of_narrowed_results__are_those_of_the_measurement(lab: Lab) -> None:
    experiment = launched(lab)
    shopping(lab, experiment, carts=(80, 180), orders=(120, 40))
    look(lab)
    whole = lab.results(experiment)["guardrails"]
    assert lab.results(experiment, segment="device")["guardrails"] == whole
    assert lab.results(experiment, engine="bayesian")["guardrails"] == whole


def test_guardrails__before_the_first_count_and_without_any__guess_nothing(lab: Lab) -> None:
    experiment = launched(lab)
    (shown,) = lab.results(experiment)["guardrails"]
    assert (shown["status"], shown["p_value"], shown["lift"]) == ("not_counted", None, None)
    assert lab.results(lab.launched(name="Other", goals=GOALS[:1]))["guardrails"] == []


def test_guardrail__redefined_in_the_measurement__starts_over_in_results(lab: Lab) -> None:
    experiment = launched(lab, auto_stop_override={"mode": "off"})
    shopping(lab, experiment, carts=(80, 80), orders=(120, 40))
    look(lab)
    path = f"/experiments/{experiment['id']}/goals/{experiment['goals'][1]['id']}"
    answer = lab.client.patch(path, {"attribution_window_days": 3})
    assert answer.status == 200, answer.body
    (shown,) = lab.results(experiment)["guardrails"]
    assert shown["status"] == "redefined"
    lab.send(seen(experiment, "late", 0))
    lab.settle()
    look(lab)
    (shown,) = lab.results(experiment)["guardrails"]
    assert (shown["status"], "The goal was redefined; only looks since" in shown["message"]) == ("harmed", True)
