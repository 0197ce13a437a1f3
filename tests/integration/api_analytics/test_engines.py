"""The engines of results over HTTP, the words for too little data, and since when is counted."""

from __future__ import annotations

from typing import Any

import pytest

from abtest.domain.stats.bayes import bayesian_rates
from abtest.domain.stats.samples import Conversions
from abtest.domain.stats.sequential import mixture_test
from tests.integration.api_analytics.conftest import Lab, reached, seen
from tests.integration.api_analytics.looking import look, shoppers, watch

THREE = [
    {"name": name, "weight": weight, "is_control": name == "A"}
    for name, weight in zip("ABC", (0.4, 0.3, 0.3), strict=True)
]


def treatment(lab: Lab, experiment: dict[str, Any], place: int = 1, **query: Any) -> dict[str, Any]:
    row: dict[str, Any] = lab.results(experiment, **query)["goals"][0]["rows"][place]
    return row


def rates(control: int, variant: int, visitors: int = 200) -> tuple[Conversions, Conversions]:
    return (
        Conversions(visitors=visitors, conversions=control),
        Conversions(visitors=visitors, conversions=variant),
    )


def test_engine__named__is_that_of_every_number(lab: Lab) -> None:
    experiment = lab.launched()
    shoppers(lab, experiment, buying=(40, 60))
    answers = {engine: lab.results(experiment, engine=engine) for engine in ("frequentist", "sequential", "bayesian")}
    assert {name: answer["engine"] for name, answer in answers.items()} == {name: name for name in answers}
    assert {answer["generation"] for answer in answers.values()} == {1}
    told = {
        name: {
            field
            for field in ("p_value", "always_valid_p", "prob_to_beat_control", "expected_loss", "is_significant")
            if answer["goals"][0]["rows"][1][field] is not None
        }
        for name, answer in answers.items()
    }
    assert told == {
        "frequentist": {"p_value", "is_significant"},
        "sequential": {"p_value", "always_valid_p", "is_significant"},
        "bayesian": {"prob_to_beat_control", "expected_loss"},
    }


def test_bayesian__rate__is_the_posterior_from_weak_priors_and_uncorrected(lab: Lab) -> None:
    experiment = lab.launched()
    shoppers(lab, experiment, buying=(40, 60))
    expected = bayesian_rates(*rates(40, 60), alpha=0.05)
    row = treatment(lab, experiment, engine="bayesian")
    assert expected is not None
    assert row["prob_to_beat_control"] == pytest.approx(expected.probability_to_beat_control)
    assert row["expected_loss"] == pytest.approx(expected.expected_loss)
    assert row["difference_ci"]["lower"] == pytest.approx(expected.interval.lower)
    assert (row["state"], lab.results(experiment, engine="bayesian")["correction"]) == ("estimated", "none")


def test_bayesian__goal_that_is_to_fall__is_beaten_by_falling(lab: Lab) -> None:
    goal = {"name": "Leave", "type": "click", "selector": "#x", "direction": "decrease"}
    experiment = lab.launched(goals=[goal])
    shoppers(lab, experiment, buying=(60, 40))
    row = treatment(lab, experiment, engine="bayesian")
    expected = bayesian_rates(*rates(60, 40), alpha=0.05)
    assert expected is not None
    assert row["prob_to_beat_control"] == pytest.approx(1 - expected.probability_to_beat_control)
    assert row["expected_loss"] == pytest.approx(expected.expected_loss_of_control)


def test_sequential__after_a_surer_look__keeps_the_smallest_p_and_an_interval_that_agrees(lab: Lab) -> None:
    experiment = lab.launched()
    shoppers(lab, experiment, buying=(40, 80))
    look(lab)
    sure = treatment(lab, experiment, engine="sequential")
    assert (sure["is_significant"], sure["state"]) == (True, "better")
    shoppers(lab, experiment, buying=(60, 42), name="w")
    row = treatment(lab, experiment, engine="sequential")
    now = mixture_test(*rates(100, 122, 400), alpha=0.05)
    assert now is not None
    assert row["p_value"] == pytest.approx(now.always_valid_p)
    assert row["p_value"] > 0.05 >= row["always_valid_p"] == pytest.approx(sure["always_valid_p"])
    assert (row["is_significant"], row["difference_ci"]["lower"], row["ci"]["lower"]) == (True, 0, 0)


def test_sequential__events_that_come_late_while_paused__do_not_raise_the_smallest_p(lab: Lab) -> None:
    experiment = lab.launched()
    shoppers(lab, experiment, buying=(40, 50))
    assert lab.client.post(f"/experiments/{experiment['id']}/pause").status == 200
    shoppers(lab, experiment, buying=(40, 80), name="w")
    look(lab)
    sure = treatment(lab, experiment, engine="sequential")
    shoppers(lab, experiment, buying=(60, 30), name="x")
    row = treatment(lab, experiment, engine="sequential")
    assert row["p_value"] > 0.05 >= row["always_valid_p"] == pytest.approx(sure["always_valid_p"])


def test_sequential__after_a_look_that_was_sure_of_the_contrary__is_no_verdict_but_a_warning(lab: Lab) -> None:
    experiment = lab.launched()
    shoppers(lab, experiment, buying=(40, 80))
    look(lab)
    shoppers(lab, experiment, buying=(100, 40), name="w")
    row = treatment(lab, experiment, engine="sequential")
    assert (row["adjusted_p_value"] <= 0.05, row["difference"] < 0) == (True, True)
    assert (row["is_significant"], row["state"]) == (False, "contradictory")


def test_sequential__present_counts_surer_than_the_last_look__count_at_once(lab: Lab) -> None:
    experiment = lab.launched()
    shoppers(lab, experiment, buying=(40, 50))
    look(lab)
    shoppers(lab, experiment, buying=(40, 90), name="w")
    row = treatment(lab, experiment, engine="sequential")
    now = mixture_test(*rates(80, 140, 400), alpha=0.05)
    assert now is not None
    assert row["always_valid_p"] == pytest.approx(now.always_valid_p)


def test_sequential__goal_defined_anew__does_not_take_looks_at_the_old_one(lab: Lab) -> None:
    experiment = lab.launched()
    shoppers(lab, experiment, buying=(40, 80))
    look(lab)
    goal = f"/experiments/{experiment['id']}/goals/{experiment['goals'][0]['id']}"
    assert lab.client.patch(goal, {"attribution_window_days": 3}).status == 200
    shoppers(lab, experiment, buying=(60, 42), name="w")
    row = treatment(lab, experiment, engine="sequential")
    assert row["always_valid_p"] == row["p_value"]


def test_sequential__several_treatments__holm_is_over_the_smallest_p_of_each(lab: Lab) -> None:
    experiment = lab.launched(variations=THREE)
    shoppers(lab, experiment, buying=(40, 80, 45))
    look(lab)
    shoppers(lab, experiment, buying=(60, 50, 65), name="w")
    rows = lab.results(experiment, engine="sequential")["goals"][0]["rows"][1:]
    assert rows[0]["adjusted_p_value"] == pytest.approx(2 * rows[0]["always_valid_p"])
    plain = lab.results(experiment, engine="sequential", correction="none")["goals"][0]["rows"][1:]
    assert [row["adjusted_p_value"] for row in plain] == [row["always_valid_p"] for row in plain]


def test_sequential__narrowed__is_of_the_present_numbers_alone(lab: Lab) -> None:
    experiment = lab.launched()
    shoppers(lab, experiment, buying=(40, 80))
    look(lab)
    shoppers(lab, experiment, buying=(60, 42), name="w")
    found = lab.results(experiment, engine="sequential", **{"from": "2026-03-02"})
    row = found["goals"][0]["rows"][1]
    assert row["always_valid_p"] == row["p_value"]
    assert (found["srm"]["sequential_p_value"], lab.results(experiment)["srm"]["sequential_p_value"]) == (None, 1.0)


def test_sequential__each_segment_of_a_dimension__is_of_the_present_numbers_alone(lab: Lab) -> None:
    experiment = lab.launched()
    shoppers(lab, experiment, buying=(40, 80))
    look(lab)
    shoppers(lab, experiment, buying=(60, 42), name="w")
    found = lab.results(experiment, engine="sequential", segment="device")
    assert found["goals"][0]["rows"][1]["always_valid_p"] < 0.05
    (part,) = found["segments"]
    assert part["goals"][0]["rows"][1]["always_valid_p"] == part["goals"][0]["rows"][1]["p_value"] > 0.05


def test_sequential__segments__are_compared_by_it(lab: Lab) -> None:
    experiment = lab.launched()
    shoppers(lab, experiment, buying=(40, 80))
    path = f"/experiments/{experiment['id']}/results/segments"
    answer = lab.client.get(path, query={"dimension": "device", "engine": "sequential"})
    assert answer.status == 200, answer.body
    assert answer.json()["engine"] == "sequential"
    assert answer.json()["data"][0]["goals"][0]["rows"][1]["always_valid_p"] is not None


@pytest.mark.parametrize(
    ("path", "query", "status", "field"),
    [
        ("results", {"engine": "bayesian", "correction": "holm"}, 422, "correction"),
        ("results", {"engine": "bayesian", "correction": "bh"}, 422, "correction"),
        ("results", {"engine": "bayesian", "correction_family": "goals"}, 422, "correction_family"),
        ("results", {"correction": "none", "correction_family": "goals"}, 422, "correction_family"),
        ("results", {"correction_family": "all"}, 400, "correction_family"),
        (
            "results/segments",
            {"dimension": "device", "correction": "none", "correction_family": "goals"},
            422,
            "correction_family",
        ),
        ("results", {"engine": "bayesian", "segment": "device"}, 422, "segment"),
        ("results", {"engine": "guess"}, 400, "engine"),
        ("results/segments", {"engine": "bayesian", "dimension": "device"}, 400, "engine"),
        ("results/timeseries", {"engine": "sequential"}, 400, "engine"),
    ],
)
def test_engine__that_cannot_answer__is_refused_by_name(
    lab: Lab, path: str, query: dict[str, str], status: int, field: str
) -> None:
    answer = lab.client.get(f"/experiments/{lab.launched()['id']}/{path}", query=query)
    assert (answer.status, any(field in named for named in answer.paths)) == (status, True)


@pytest.mark.parametrize(
    ("visitors", "buying", "state", "message"),
    [
        (99, (40, 60), "too_few_visitors", "too few visitors yet: 99 of 100 in Control, 99 of 100 in Variant"),
        (100, (24, 60), "too_few_conversions", "too few conversions yet: 24 of 25 in Control"),
        (100, (25, 60), "better", "significantly better: +140.0%"),
        (100, (25, 12), "too_few_conversions", "too few conversions yet: 12 of 25 in Variant"),
        (100, (30, 0), "no_conversions", "no visitor has converted yet in Variant"),
        (100, (100, 100), "no_variance", "every visitor of Control and Variant did the same"),
    ],
)
def test_minimum_data__at_and_below__is_said_in_words(
    lab: Lab, visitors: int, buying: tuple[int, int], state: str, message: str
) -> None:
    experiment = lab.launched()
    shoppers(lab, experiment, buying=buying, visitors=visitors)
    row = treatment(lab, experiment, engine="frequentist")
    assert (row["state"], row["message"].startswith(message)) == (state, True), row["message"]
    has_verdict = {"better": True, "no_variance": False}.get(state)
    assert row["is_significant"] is has_verdict


def test_minimum_data__of_the_experiments_settings__holds(lab: Lab) -> None:
    stops = {"mode": "off", "sequential": {"min_visitors": 1, "min_conversions": 1}}
    experiment = lab.launched(auto_stop_override=stops)
    shoppers(lab, experiment, buying=(3, 1), visitors=10)
    found = lab.results(experiment)
    assert (found["min_visitors"], found["min_conversions"]) == (1, 1)
    assert found["goals"][0]["rows"][1]["state"] == "undecided"


def test_measurement__of_changed_weights__says_since_when_and_why(lab: Lab) -> None:
    experiment = lab.launched()
    path = f"/experiments/{experiment['id']}"
    assert lab.results(experiment)["measurement"]["because"] == "launched"
    lab.api.clock.advance(minutes=30)
    ids = [variation["id"] for variation in experiment["variations"]]
    wish = {"weights": dict(zip(ids, (0.7, 0.3), strict=True)), "confirm_live_impact": True}
    assert lab.client.put(f"{path}/variations/weights", wish).status == 200
    found = lab.results(experiment)["measurement"]
    assert (found["epoch"], found["because"]) == (2, "weights_changed")
    assert found["message"].startswith("Counted since the weights were changed, 2026-03-02 09:30 UTC.")
    assert lab.client.post(f"{path}/pause").status == 200
    assert lab.client.post(f"{path}/restart").status == 200
    assert lab.results(experiment)["measurement"]["because"] == "restarted"


def plan(lab: Lab, experiment: dict[str, Any], **fields: Any) -> None:
    wish = {
        "goal_id": experiment["goals"][0]["id"],
        "baseline_rate": 0.2,
        "mde": 0.1,
        "alpha": 0.01,
        "power": 0.8,
        "tail": "two-sided",
        "correction_method": "holm",
        "confirm_live_impact": True,
        **fields,
    }
    answer = lab.client.put(f"/experiments/{experiment['id']}/plan", wish)
    assert answer.status == 200, answer.body


def seen_for(lab: Lab, experiment: dict[str, Any]) -> None:
    """Enough traffic for a plan that estimates its days."""
    shoppers(lab, experiment, buying=(40, 40))


def test_plan__of_a_running_experiment__begins_to_count_anew_and_shows_its_progress(lab: Lab) -> None:
    experiment = lab.launched()
    seen_for(lab, experiment)
    lab.api.clock.advance(hours=2)
    plan(lab, experiment)
    lab.api.clock.advance(hours=12)
    shoppers(lab, experiment, buying=(50, 60), name="w")
    found = lab.results(experiment)
    assert (found["measurement"]["because"], found["alpha"]) == ("plan_changed", 0.01)
    progress = found["plan"]
    assert (progress["goal_state"], progress["reached_visitors"]) == ("in_use", 400)
    required = progress["required_total_visitors"]
    assert progress["reached"] == pytest.approx(400 / required)
    assert progress["days_left"] == pytest.approx((required - 400) / 400 / 2)


def test_plan__whose_goal_was_archived__is_told_and_its_alpha_no_longer_holds(lab: Lab) -> None:
    experiment = lab.launched()
    seen_for(lab, experiment)
    plan(lab, experiment)
    goal_id = experiment["goals"][0]["id"]
    assert lab.client.post(f"/experiments/{experiment['id']}/goals/{goal_id}/archive").status == 200
    found = lab.results(experiment)
    assert (found["plan"]["goal_state"], found["alpha"]) == ("archived", 0.05)
    assert "was archived" in found["plan"]["message"]
    named = lab.results(experiment, goal_id=goal_id)["goals"][0]
    assert (named["goal_id"], named["is_archived"]) == (goal_id, True)


def test_health__what_guardian_found__is_told_with_what_it_did(lab: Lab) -> None:
    experiment = lab.launched(guardian_override={"pause_on_broken": False, "pause_on_harm": False})
    shoppers(lab, experiment, buying=(120, 2))
    assert lab.results(experiment)["health"] == []
    watch(lab)
    findings = {finding["kind"]: finding for finding in lab.results(experiment)["health"]}
    assert findings["broken_conversion"]["action"] == "pause_suppressed"
    assert "“Variant”" in findings["broken_conversion"]["message"]


def test_variation_without_traffic__that_has_visitors__is_a_finding_and_not_compared(lab: Lab) -> None:
    weights = [{**variation, "weight": 0.5 if variation["name"] != "C" else 0.0} for variation in THREE]
    experiment = lab.launched(variations=weights)
    shoppers(lab, experiment, buying=(40, 40))
    lab.send(seen(experiment, "stray", 2), reached(experiment, "stray", 0))
    lab.settle()
    found = lab.results(experiment)
    assert [(finding["kind"], finding["variation_id"]) for finding in found["health"]] == [
        ("zero_weight_visitors", experiment["variations"][2]["id"])
    ]
    row = found["goals"][0]["rows"][2]
    assert (row["state"], row["p_value"], found["srm"]["status"]) == ("no_traffic", None, "mismatch")


def test_engine__not_named__holds_at_every_look_while_the_experiment_runs(lab: Lab) -> None:
    experiment = lab.launched(sequential_testing_enabled=True)
    shoppers(lab, experiment, buying=(40, 60))
    results = lab.results(experiment)
    assert (results["engine"], results["engine_reason"], results["engine_warning"]) == (
        "sequential",
        "sequential_testing_enabled",
        None,
    )
    assert results["goals"] == lab.results(experiment, engine="sequential")["goals"]
    other = lab.launched(name="Other")
    assert lab.results(other)["engine_reason"] == "running"
    path = f"/experiments/{experiment['id']}/results/segments"
    parts = lab.client.get(path, query={"dimension": "device"}).json()
    assert (parts["engine"], parts["engine_reason"]) == ("sequential", "sequential_testing_enabled")


def test_engine__of_one_look_before_its_end__is_given_with_a_warning(lab: Lab) -> None:
    experiment = lab.launched()
    shoppers(lab, experiment, buying=(25, 60))
    results = lab.results(experiment, engine="frequentist")
    assert (results["engine"], results["engine_reason"]) == ("frequentist", "requested")
    assert results["engine_warning"]["code"] == "no_planned_end"
    assert "one look" in results["engine_warning"]["message"]
    path = f"/experiments/{experiment['id']}/results/segments"
    parts = lab.client.get(path, query={"dimension": "device", "engine": "frequentist"}).json()
    assert parts["engine_warning"]["code"] == "no_planned_end"


def test_engine__at_the_end_of_a_fixed_plan__is_that_of_one_look(lab: Lab) -> None:
    experiment = lab.launched()
    plan(lab, experiment, baseline_rate=0.3, mde=0.9, alpha=0.05)
    mode = {"auto_stop_override": {"mode": "fixed_horizon_planned_end"}}
    planned = lab.client.patch(f"/experiments/{experiment['id']}", mode)
    required = planned.json()["planned_test"]["required_total_visitors"]
    lab.api.clock.advance(seconds=1)
    shoppers(lab, experiment, buying=(10, 20), visitors=required // 2 - 10)
    early = lab.results(experiment)
    assert (early["engine"], early["engine_reason"]) == ("sequential", "running")
    assert lab.results(experiment, engine="frequentist")["engine_warning"]["code"] == "before_planned_end"
    shoppers(lab, experiment, buying=(5, 10), visitors=11, name="late")
    results = lab.results(experiment)
    assert (results["engine"], results["engine_reason"]) == ("frequentist", "planned_end_reached")
    assert lab.results(experiment, engine="frequentist")["engine_warning"] is None


def test_engine__of_a_test_completed_without_a_planned_end__stays_always_valid(lab: Lab) -> None:
    experiment = lab.launched()
    shoppers(lab, experiment, buying=(40, 60))
    assert lab.client.post(f"/experiments/{experiment['id']}/complete", {}).status == 200
    results = lab.results(experiment)
    assert (results["engine"], results["engine_reason"]) == ("sequential", "ended_without_planned_end")
