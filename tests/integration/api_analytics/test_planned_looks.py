"""Results of an experiment whose error is shared among planned looks: between looks, at the end, and for a part."""

from __future__ import annotations

from typing import Any

import pytest

from tests.integration.api_analytics.conftest import Lab
from tests.integration.api_analytics.looking import look, report, shoppers

Json = dict[str, Any]
MODE = {"auto_stop_override": {"mode": "group_sequential"}}


@pytest.fixture
def experiment(lab: Lab) -> Json:
    """A running experiment in the mode, planned for a rate of 20 % and a rise of 30 %."""
    made = lab.launched()
    path = f"/experiments/{made['id']}"
    plan = {"goal_id": made["goals"][0]["id"], "baseline_rate": 0.2, "mde": 0.3, "confirm_live_impact": True}
    assert lab.client.put(f"{path}/plan", plan).status == 200
    lab.api.clock.advance(seconds=1)
    answer = lab.client.patch(path, {**MODE, "confirm_live_impact": True})
    assert answer.status == 200, answer.body
    planned: Json = answer.json()
    return planned


def row(results: Json) -> Json:
    treatment: Json = results["goals"][0]["rows"][1]
    return treatment


def comparison(results: Json) -> Json:
    names = ("difference", "difference_ci", "lift", "ci", "p_value", "adjusted_p_value", "is_significant", "state")
    return {name: row(results)[name] for name in names}


def test_results__before_the_first_look__are_always_valid_and_say_why_there_is_no_look(
    lab: Lab, experiment: Json
) -> None:
    shoppers(lab, experiment, buying=(30, 36), visitors=150)
    results = lab.results(experiment)
    assert (results["engine"], results["engine_reason"], results["planned_looks"]) == ("sequential", "running", None)
    requested = lab.results(experiment, engine="group_sequential")
    assert (requested["engine"], requested["engine_reason"], requested["engine_warning"]) == (
        "group_sequential",
        "requested",
        None,
    )
    assert (row(requested)["state"], row(requested)["is_significant"]) == ("no_look", None)
    assert row(requested)["message"].startswith("no planned look yet")


def test_results__between_looks__stay_those_of_the_latest_look(lab: Lab, experiment: Json) -> None:
    shoppers(lab, experiment, buying=(40, 50))
    assert look(lab) == {"no_winner": 1}
    first = lab.results(experiment)
    assert (first["engine"], first["engine_reason"]) == ("group_sequential", "planned_look_taken")
    assert [goal["engine"] for goal in first["goals"]] == ["group_sequential", "sequential"]
    assert row(first)["always_valid_p"] is None
    assert row(first)["difference_ci"]["lower"] < 0 < row(first)["difference_ci"]["upper"]
    assert "planned information" in row(first)["message"]

    shoppers(lab, experiment, buying=(0, 80), visitors=100, name="later")
    for _ in range(3):
        later = lab.results(experiment)
        assert row(later)["visitors"] == 300
        assert comparison(later) == comparison(first)
        assert later["planned_looks"] == first["planned_looks"]
    (history,) = first["planned_looks"]["treatments"]
    assert (history["state"], len(history["looks"]), history["left_out"]) == ("goes_on", 1, None)
    assert 0 < history["looks"][0]["spent"] < 0.05


def test_results__a_winner_at_a_look__have_the_inference_of_all_looks_and_do_not_change(
    lab: Lab, experiment: Json
) -> None:
    shoppers(lab, experiment, buying=(40, 45))
    assert look(lab) == {"no_winner": 1}
    shoppers(lab, experiment, buying=(40, 100), name="w")
    assert look(lab) == {"paused": 1}
    results = lab.results(experiment)
    assert (results["engine"], results["engine_reason"]) == ("group_sequential", "planned_looks_ended")
    assert (row(results)["state"], row(results)["is_significant"]) == ("better", True)
    # Median-unbiased: below the difference at which the test stopped.
    assert 0 < row(results)["difference"] < 65 / 400
    assert row(results)["p_value"] < 0.05
    assert row(results)["difference_ci"]["lower"] > 0
    assert results["planned_looks"]["ended_by"] == "winner"
    assert results["plan"]["message"].startswith("A planned look before the end had a significant result.")

    shoppers(lab, experiment, buying=(90, 0), visitors=90, name="late")
    look(lab)
    after = lab.results(experiment)
    assert comparison(after) == comparison(results)
    assert after["planned_looks"] == results["planned_looks"]


def test_report__of_a_winner_at_a_look__names_it_and_has_the_history(lab: Lab, experiment: Json) -> None:
    shoppers(lab, experiment, buying=(40, 95))
    assert look(lab) == {"paused": 1}
    facts = report(lab, experiment)
    assert facts.engine == "group_sequential"
    assert facts.verdict.status == "winner"
    assert "won at a planned look" in facts.verdict.sentence
    assert facts.planned_looks is not None
    # A second test next to them would have an error that no one has planned.
    assert facts.interval_over_time is None
    assert facts.goals[0].engine == "group_sequential"
    assert any("“Variant” won" in entry.sentence for entry in facts.timeline)


def test_results__of_a_part_of_the_visitors__are_always_valid(lab: Lab, experiment: Json) -> None:
    shoppers(lab, experiment, buying=(40, 50))
    look(lab)
    part = lab.results(experiment, segment="device:mobile")
    assert (part["engine"], part["engine_reason"], part["planned_looks"]) == ("sequential", "part_of_visitors", None)
    path = f"/experiments/{experiment['id']}/results"
    segments = lab.client.get(f"{path}/segments", query={"dimension": "device"}).json()
    assert (segments["engine"], segments["engine_reason"]) == ("sequential", "part_of_visitors")
    for query in ({"segment": "device:mobile"}, {"from": "2026-03-01"}):
        answer = lab.client.get(path, query={**query, "engine": "group_sequential"})
        assert (answer.status, answer.paths) == (422, ["engine"])
    by_device = lab.results(experiment, segment="device", engine="group_sequential")
    assert by_device["goals"][0]["engine"] == "group_sequential"
    assert {goal["engine"] for part in by_device["segments"] for goal in part["goals"]} == {"sequential"}


def test_engine__of_one_look__is_given_with_a_warning_in_a_test_of_planned_looks(lab: Lab, experiment: Json) -> None:
    shoppers(lab, experiment, buying=(40, 50))
    look(lab)
    assert lab.results(experiment, engine="frequentist")["engine_warning"]["code"] == "error_is_shared"
    assert lab.results(experiment, engine="bayesian")["engine_warning"]["code"] == "no_error_rate"
    assert lab.results(experiment, engine="sequential")["engine_warning"] is None


def test_engine__of_planned_looks__where_there_are_none__is_refused_with_what_to_do(lab: Lab) -> None:
    without = lab.launched()
    answer = lab.client.get(f"/experiments/{without['id']}/results", query={"engine": "group_sequential"})
    assert (answer.status, answer.paths) == (422, ["engine"])
    assert "auto-stop's mode group_sequential" in answer.json()["error"]["fields"][0]["message"]


def test_goal__redefined_while_it_runs__starts_its_looks_over(lab: Lab, experiment: Json) -> None:
    shoppers(lab, experiment, buying=(40, 50))
    look(lab)
    goal = experiment["goals"][0]["id"]
    assert lab.client.patch(f"/experiments/{experiment['id']}/goals/{goal}", {"selector": ".buy-now"}).status == 200
    waiting = lab.results(experiment, engine="group_sequential")
    assert "redefined" in row(waiting)["message"]
    assert lab.results(experiment)["engine"] == "sequential"
    lab.api.clock.advance(minutes=5)
    shoppers(lab, experiment, buying=(40, 50), name="next")
    look(lab)
    restarted = lab.results(experiment)
    assert restarted["engine"] == "group_sequential"
    assert restarted["planned_looks"]["restarted_at"] is not None
    assert len(restarted["planned_looks"]["treatments"][0]["looks"]) == 1


@pytest.mark.parametrize("engine", [None, "group_sequential"])
def test_correction__over_all_goals__is_refused_where_planned_looks_share_the_error(
    lab: Lab, experiment: Json, engine: str | None
) -> None:
    shoppers(lab, experiment, buying=(40, 50))
    look(lab)
    path, chosen = f"/experiments/{experiment['id']}/results", {"engine": engine} if engine else {}
    for name, query in (
        ("correction", {"correction": "bh"}),
        ("correction_family", {"correction": "holm", "correction_family": "goals"}),
    ):
        answer = lab.client.get(path, query={**query, **chosen})
        assert (answer.status, answer.paths) == (422, [name])
        assert "engine=sequential" in answer.json()["error"]["message"]
        assert lab.client.get(path, query={**query, "engine": "sequential"}).status == 200
    apart = lab.results(experiment, correction="holm", correction_family="goals_primary_apart", **chosen)
    assert comparison(apart) == comparison(lab.results(experiment, correction="holm", **chosen))


@pytest.mark.parametrize(("correction", "state"), [("none", "better"), ("holm", "undecided")])
def test_results__of_several_treatments__are_corrected_as_the_plan_decides(
    lab: Lab, correction: str, state: str
) -> None:
    weights = [{"name": name, "weight": 0.25} for name in ("A", "B", "C", "D")]
    made = lab.launched(variations=weights)
    plan = {"goal_id": made["goals"][0]["id"], "baseline_rate": 0.2, "mde": 0.4, "looks": 1}
    body = {**plan, "engine": "group_sequential", "correction_method": correction, "confirm_live_impact": True}
    assert lab.client.put(f"/experiments/{made['id']}/plan", body).status == 200
    assert lab.client.patch(f"/experiments/{made['id']}", {**MODE, "confirm_live_impact": True}).status == 200
    lab.api.clock.advance(seconds=1)
    shoppers(lab, made, buying=(140, 145, 142, 174), visitors=700)
    assert look(lab) == {"paused" if state == "better" else "evaluated": 1}
    results, verdict = lab.results(made), report(lab, made).verdict
    won = results["goals"][0]["rows"][3]
    assert (results["correction"], won["state"]) == (correction, state)
    assert (won["adjusted_p_value"] <= 0.05, won["ci"]["lower"] > 0) == (state == "better", state == "better")
    assert verdict.status == ("winner" if state == "better" else "no_winner")
    # Whatever the shop's default is, and unless another is requested.
    assert lab.results(made, correction="holm")["goals"][0]["rows"][3]["state"] == "undecided"


def test_planned_looks__with_auto_stop_off__have_ended_after_the_last_one(lab: Lab) -> None:
    made = lab.launched()
    plan = {"goal_id": made["goals"][0]["id"], "baseline_rate": 0.2, "mde": 0.5, "looks": 1}
    body = {**plan, "engine": "group_sequential", "confirm_live_impact": True}
    assert lab.client.put(f"/experiments/{made['id']}/plan", body).status == 200
    lab.api.clock.advance(seconds=1)
    shoppers(lab, made, buying=(40, 44))
    look(lab)
    assert "The last look is taken at" in lab.results(made)["planned_looks"]["message"]
    shoppers(lab, made, buying=(60, 64), visitors=300, name="w")
    look(lab)
    results = lab.results(made)
    assert (results["engine_reason"], results["planned_looks"]["ended_by"]) == ("planned_looks_ended", None)
    assert results["planned_looks"]["message"] == "The looks have ended."
