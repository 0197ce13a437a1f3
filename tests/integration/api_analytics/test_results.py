"""Results over HTTP, from events that came the whole way."""

from __future__ import annotations

import pytest
from scipy import stats

from abtest.domain.stats.multiplicity import benjamini_hochberg
from tests.integration.api_analytics.conftest import Lab, ordered, reached, seen


def test_results__before_any_count__are_zeros_without_a_moment(lab: Lab) -> None:
    found = lab.results(lab.launched())
    assert (found["computed_at"], found["generation"], found["srm"]["status"]) == (None, None, "not_evaluable")
    rows = found["goals"][0]["rows"]
    assert [(row["visitors"], row["conversions"], row["p_value"]) for row in rows] == [(0, 0, None)] * 2
    assert {(row["always_valid_p"], row["prob_to_beat_control"]) for row in rows} == {(None, None)}


def test_results__of_events_that_came_twice__count_each_once(lab: Lab) -> None:
    experiment = lab.launched()
    for number in range(100):
        visitor, variation = f"v-{number}", number % 2
        converts = number // 2 % 10 < 2 + 2 * variation
        exposure = {**seen(experiment, visitor, variation), "eventId": f"x-{number}"}
        goal = {**reached(experiment, visitor, 0), "eventId": f"g-{number}"}
        order = ordered(visitor, f"o-{number}", 10.5)
        events = [exposure, exposure, goal, order] if converts else [exposure]
        lab.send(*events)
        lab.send(*events[:1])
    lab.settle()
    found = lab.results(experiment, engine="frequentist")
    clicks, money = found["goals"]
    control, treatment = clicks["rows"]
    assert (control["visitors"], control["conversions"], control["rate"]) == (50, 10, 0.2)
    assert (treatment["visitors"], treatment["conversions"], treatment["rate"]) == (50, 20, 0.4)
    assert treatment["lift"] == pytest.approx(1.0)
    assert treatment["p_value"] == pytest.approx(2 * stats.norm.sf(0.2 / (0.3 * 0.7 * 2 / 50) ** 0.5))
    assert treatment["ci"]["lower"] < 1 < treatment["ci"]["upper"]
    assert (control["p_value"], control["revenue"], control["currency"]) == (None, None, None)
    control, treatment = money["rows"]
    assert (control["revenue"], treatment["revenue"], treatment["currency"]) == (105.0, 210.0, "EUR")
    assert (money["metric"], treatment["mean"]) == ("mean", pytest.approx(4.2))
    expected = stats.ttest_ind([10.5] * 20 + [0.0] * 30, [10.5] * 10 + [0.0] * 40, equal_var=False).pvalue
    assert treatment["p_value"] == pytest.approx(expected)
    assert (found["srm"]["status"], found["srm"]["p_value"], found["generation"]) == ("ok", 1.0, 1)


def test_restart__begins_to_count_anew(lab: Lab) -> None:
    experiment = lab.launched()
    path = f"/experiments/{experiment['id']}"
    lab.send(seen(experiment, "v-1", 0))
    lab.settle()
    assert lab.client.post(f"{path}/pause").status == 200
    assert lab.client.post(f"{path}/restart").status == 200
    lab.api.clock.advance(seconds=1)
    assert lab.results(experiment)["computed_at"] is None
    lab.send(seen(experiment, "v-1", 1, assignment_epoch=2), seen(experiment, "v-2", 0, assignment_epoch=1))
    lab.settle()
    rows = lab.results(experiment)["goals"][0]["rows"]
    assert [row["visitors"] for row in rows] == [0, 1]


def test_goal_of_nobody__is_quarantined_by_the_worker_and_the_rest_counts(lab: Lab) -> None:
    experiment = lab.launched()
    unknown = {"type": "goal", "visitorId": "v-1", "data": {"goalId": lab.api.world.new_id()}}
    lab.send(seen(experiment, "v-1", 0), unknown, reached(experiment, "v-1", 0))
    lab.settle()
    assert [line["reason"] for line in lab.edge.quarantined()] == ["unknown_goal"]
    assert lab.results(experiment)["goals"][0]["rows"][0]["conversions"] == 1


def test_goal__archived_or_newer_than_the_count__is_told_apart(lab: Lab) -> None:
    experiment = lab.launched()
    lab.send(seen(experiment, "v-1", 0))
    lab.settle()
    added = lab.client.post(
        f"/experiments/{experiment['id']}/goals", {"name": "Sign up", "type": "custom", "event_name": "sign_up"}
    )
    assert added.status == 201, added.body
    goal = next(goal for goal in lab.results(experiment)["goals"] if goal["goal_id"] == added.json()["id"])
    assert (goal["not_evaluable"], goal["rows"][0]["conversions"]) == ("not_counted_yet", None)
    lab.settle()
    assert lab.results(experiment)["goals"][-1]["not_evaluable"] is None


def test_several_treatments__are_corrected_by_holm_unless_asked_otherwise(lab: Lab) -> None:
    variations = [
        {"name": name, "weight": weight, "is_control": name == "A"}
        for name, weight in zip("ABC", (0.4, 0.3, 0.3), strict=True)
    ]
    experiment = lab.launched(variations=variations)
    for number in range(90):
        lab.send(seen(experiment, f"v-{number}", number % 3))
        if number % 7 < number % 3 + 1:
            lab.send(reached(experiment, f"v-{number}", 0))
    lab.settle()
    corrected = lab.results(experiment, engine="frequentist")["goals"][0]["rows"][1:]
    plain = lab.results(experiment, engine="frequentist", correction="none")["goals"][0]["rows"][1:]
    assert [row["p_value"] for row in corrected] == [row["p_value"] for row in plain]
    assert min(row["adjusted_p_value"] for row in corrected) == pytest.approx(2 * min(row["p_value"] for row in plain))
    assert all(row["adjusted_p_value"] == row["p_value"] for row in plain)


def test_family__of_all_goals__is_corrected_together_and_named(lab: Lab) -> None:
    experiment = lab.launched()
    for number in range(60):
        lab.send(seen(experiment, f"v-{number}", number % 2))
        if number % 5 < number % 2 + 1:
            lab.send(reached(experiment, f"v-{number}", 0), ordered(f"v-{number}", f"o-{number}", 10.5 + number % 7))
    lab.settle()
    plain = [goal["rows"][1]["p_value"] for goal in lab.results(experiment, engine="frequentist")["goals"]]
    results = lab.results(experiment, engine="frequentist", correction="bh", correction_family="goals")
    assert (results["correction"], results["correction_family"]) == ("bh", "goals")
    assert results["correction_message"] == "Benjamini and Hochberg, across all goals and treatments"
    assert [goal["rows"][1]["adjusted_p_value"] for goal in results["goals"]] == pytest.approx(
        list(benjamini_hochberg(plain, alpha=0.05).adjusted)
    )
    usual = lab.results(experiment)
    assert (usual["correction_family"], usual["correction_message"]) == (
        "treatments",
        "Holm, across the treatments of a goal",
    )


def test_sessions__that_a_server_sends_without_sticky__are_counted(lab: Lab) -> None:
    experiment = lab.launched()
    assert "without_sticky" not in lab.results(experiment)
    for number in range(30):
        lab.send(seen(experiment, f"browser-{number}", number % 2))
        lab.send_by_server(seen(experiment, f"kept-{number}", number % 2, is_sticky=True))
        lab.send_by_server(seen(experiment, f"first-{number}", number % 2, data={"is_sticky": True}))
    lab.settle()
    assert lab.results(experiment)["without_sticky"] == 0
    for number in range(7):
        lab.send_by_server(seen(experiment, f"old-{number}", number % 2))
        lab.send_by_server(seen(experiment, f"lost-{number}", number % 2, is_sticky=False))
    lab.settle()
    assert lab.results(experiment)["without_sticky"] == 14


def test_visitors__in_two_variations_and_a_skewed_split__are_findings(lab: Lab) -> None:
    experiment = lab.launched()
    for number in range(150):
        lab.send(seen(experiment, f"v-{number}", 0))
    for number in range(12):
        lab.send(seen(experiment, f"v-{number}", 1))
    lab.settle()
    found = lab.results(experiment)
    assert (found["multiple_exposure"], found["srm"]["status"]) == (12, "mismatch")
    assert {finding["kind"] for finding in found["health"]} == {"sample_ratio_mismatch", "multiple_exposure"}


def test_results__by_public_id_and_for_one_goal(lab: Lab) -> None:
    experiment = lab.launched()
    goal_id = experiment["goals"][1]["id"]
    by_public_id = lab.client.get(f"/experiments/{experiment['public_id']}/results", query={"goal_id": goal_id})
    assert [goal["goal_id"] for goal in by_public_id.json()["goals"]] == [goal_id]


def test_results__of_another_shop_or_goal__are_not_found(lab: Lab) -> None:
    experiment = lab.launched()
    path = f"/experiments/{experiment['id']}/results"
    other = lab.api.client(lab.api.tenant("Other").admin)
    unknown = lab.client.get(f"/experiments/{lab.api.world.new_id()}/results")
    assert (other.get(path).status, unknown.status) == (404, 404)
    assert other.get(path).json()["error"]["message"] == unknown.json()["error"]["message"]
    assert lab.client.get(path, query={"goal_id": lab.api.world.new_id()}).status == 404


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ({"engine": "cuped"}, "engine"),
        ({"correction": "sidak"}, "correction"),
        ({"goal_id": "x"}, "goal_id"),
        ({"from": "2026-02-30"}, "from"),
        ({"from": "1999-12-31"}, "from"),
        ({"to": "2200-01-01"}, "to"),
        ({"to": "2026-03-01T09:00:00"}, "to"),
        ({"segment": "browser"}, "segment"),
        ({"segment": "device:"}, "segment"),
        ({"segment": "device:" + "x" * 101}, "segment"),
        ({"since": "2026-01-01"}, "since"),
    ],
)
def test_parameter__that_is_wrong_or_not_available__is_400_and_named(
    lab: Lab, query: dict[str, str], field: str
) -> None:
    answer = lab.client.get(f"/experiments/{lab.launched()['id']}/results", query=query)
    assert answer.status == 400
    assert any(field in path for path in answer.paths)


def test_key__without_the_scope__is_refused(lab: Lab) -> None:
    key = lab.api.key(["experiments:read"], shop_id=lab.tenant.shop.id)
    answer = lab.api.client(key.text).get(f"/experiments/{lab.launched()['id']}/results")
    assert (answer.status, answer.json()["required_scope"]) == (403, "analytics:read")
