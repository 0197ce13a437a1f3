"""The health of experiments over HTTP, from events that came the whole way."""

from __future__ import annotations

from typing import Any

import pytest

from tests.integration.api_analytics.conftest import Lab, reached, seen
from tests.integration.api_analytics.looking import watch


def health(lab: Lab, experiment: dict[str, Any]) -> dict[str, Any]:
    answer = lab.client.get(f"/experiments/{experiment['id']}/health")
    assert answer.status == 200, answer.body
    found: dict[str, Any] = answer.json()
    return found


def shoppers(lab: Lab, experiment: dict[str, Any], *, buying: tuple[int, int], first: int = 0) -> None:
    """200 visitors an arm, of whom so many buy."""
    for variation in (0, 1):
        events = []
        for number in range(first, first + 200):
            visitor = f"v-{variation}-{number}"
            events.append(seen(experiment, visitor, variation))
            if number - first < buying[variation]:
                events.append(reached(experiment, visitor, 0))
        for start in range(0, len(events), 200):
            lab.send(*events[start : start + 200])
    lab.settle()


def test_health__before_guardian_looked__is_empty(lab: Lab) -> None:
    experiment = lab.launched()
    assert health(lab, experiment) == {
        "experiment_id": experiment["id"],
        "measurement_epoch": 1,
        "checked_at": None,
        "generation": None,
        "data": [],
        "not_evaluated": [],
        "unseen": None,
    }


def test_health__of_a_measurement_that_guardian_has_not_looked_at__says_so_whatever_it_saw_before(lab: Lab) -> None:
    experiment = lab.launched()
    shoppers(lab, experiment, buying=(20, 20))
    watch(lab)
    assert health(lab, experiment)["checked_at"] is not None
    arms = [arm["id"] for arm in experiment["variations"]]
    weights = {"weights": dict(zip(arms, (0.4, 0.6), strict=True)), "confirm_live_impact": True}
    assert lab.client.put(f"/experiments/{experiment['id']}/variations/weights", weights).status == 200
    found = health(lab, experiment)
    assert (found["measurement_epoch"], found["checked_at"], found["generation"]) == (2, None, None)
    assert lab.results(experiment)["checked_at"] is None


@pytest.mark.parametrize(
    ("browsing", "said"), [(40, "while 40 were on the shop's pages"), (0, "on any page"), (29, "")]
)
def test_health__nobody_is_ever_seen_in_a_running_experiment__says_so_and_what_to_check(
    lab: Lab, browsing: int, said: str
) -> None:
    experiment = lab.launched()
    began = lab.client.get(f"/experiments/{experiment['id']}").json()["started_at"]
    lab.settle()
    watch(lab)
    for number in range(browsing):
        lab.send({"type": "pageview", "visitorId": f"v-{number}"})
    for _ in range(2):
        lab.settle()
        watch(lab)
    assert health(lab, experiment)["unseen"] is None, "an hour is not over yet"
    for _ in range(4):
        lab.settle()
        watch(lab)
    found = health(lab, experiment)
    assert found["data"] == []
    told = lab.results(experiment)["health"]
    if not said:
        assert (found["unseen"], told) == (None, [])
        return
    assert (found["unseen"]["shop_visitors"], found["unseen"]["since"] >= began) == (browsing, True)
    assert said in found["unseen"]["message"]
    assert [(one["kind"], one["message"]) for one in told] == [("no_visitors", found["unseen"]["message"])]
    page = lab.client.get(f"/experiments/{experiment['id']}/report", query={"format": "html"}).body.decode()
    assert "No visitor" in page
    assert "Nothing found" not in page

    shoppers(lab, experiment, buying=(20, 20))
    assert lab.results(experiment)["health"] == []
    watch(lab)
    assert health(lab, experiment)["unseen"] is None


def test_health__paused_while_nobody_was_seen__wonders_no_more(lab: Lab) -> None:
    experiment = lab.launched()
    for _ in range(7):
        lab.settle()
        watch(lab)
    assert health(lab, experiment)["unseen"] is not None
    assert lab.client.post(f"/experiments/{experiment['id']}/pause").status == 200
    assert health(lab, experiment)["unseen"] is None


def test_health__treatment_that_breaks_the_primary_goal__is_paused_and_told(lab: Lab) -> None:
    experiment = lab.launched()
    shoppers(lab, experiment, buying=(40, 0))
    assert watch(lab) == {"paused": 1}
    found = health(lab, experiment)
    broken, harm = found["data"]
    treatment, goal = experiment["variations"][1]["id"], experiment["goals"][0]["id"]
    assert (broken["kind"], broken["severity"], broken["action"]) == ("broken_conversion", "critical", "pause")
    assert (broken["variation_id"], broken["goal_id"], broken["resolved_at"]) == (treatment, goal, None)
    assert broken["message"].startswith("0 % of the visitors of")
    details = broken["details"]
    assert (details["metric"], details["observed"], details["expected"], details["sample"]) == (
        "conversion_rate",
        0,
        0.2,
        400,
    )
    assert (details["threshold"], details["consecutive_checks"], details["generation"]) == (0.05, 1, 1)
    assert set(details["window"]) == {"from", "to"}
    assert harm["kind"] == "conversion_harm"
    assert found["checked_at"] == broken["detected_at"]
    reasons = {each["kind"]: each["reason"] for each in found["not_evaluated"]}
    assert reasons["revenue_loss"] == "no_threshold"
    assert all(each["message"] for each in found["not_evaluated"])
    read = lab.client.get(f"/experiments/{experiment['id']}").json()
    assert read["status"] == "paused"
    history = lab.client.get(f"/experiments/{experiment['id']}/history").json()["data"]
    assert history[0]["diff"]["reason"] == [None, "broken_conversion"]


def test_health__by_public_id__is_the_same(lab: Lab) -> None:
    experiment = lab.launched()
    watch(lab)
    assert health(lab, {"id": experiment["public_id"]}) == health(lab, experiment)


def test_health__after_a_restart__findings_are_over(lab: Lab) -> None:
    experiment = lab.launched()
    shoppers(lab, experiment, buying=(40, 0))
    watch(lab)
    assert lab.client.post(f"/experiments/{experiment['id']}/restart").status == 200
    watch(lab)
    found = health(lab, experiment)
    assert found["measurement_epoch"] == 2
    assert {(each["measurement_epoch"], each["resolved_at"]) for each in found["data"]} == {(1, found["checked_at"])}
    assert {each["reason"] for each in found["not_evaluated"]} == {"not_counted_yet"}


def test_health__settings_in_three_layers__hold_field_by_field(lab: Lab) -> None:
    assert (
        lab.client.patch("/shop/defaults", {"guardian": {"pause_on_broken": False, "pause_on_harm": False}}).status
        == 200
    )
    experiment = lab.launched(guardian_override={"pause_on_harm": True, "pause_on_broken": None})
    shoppers(lab, experiment, buying=(40, 0))
    assert watch(lab) == {"paused": 1}
    actions = {each["kind"]: each["action"] for each in health(lab, experiment)["data"]}
    assert actions == {"broken_conversion": "pause_suppressed", "conversion_harm": "pause"}


def test_health__of_another_shop__is_not_found(lab: Lab) -> None:
    experiment = lab.launched()
    other = lab.api.client(lab.api.tenant("Other").admin)
    theirs = other.get(f"/experiments/{experiment['id']}/health")
    nobodys = other.get(f"/experiments/{lab.api.world.new_id()}/health")
    assert (theirs.status, nobodys.status) == (404, 404)
    assert {**theirs.json()["error"], "request_id": ""} == {**nobodys.json()["error"], "request_id": ""}
    assert other.get("/experiments/x/health").status == 400


def test_health__without_the_scope__is_forbidden(lab: Lab) -> None:
    experiment = lab.launched()
    key = lab.api.key(["experiments:read"], shop_id=lab.tenant.shop.id)
    assert lab.api.client(key.text).get(f"/experiments/{experiment['id']}/health").status == 403


GOOD: list[dict[str, Any]] = [
    {},
    {"enabled": None, "pause_on_broken": None, "pause_on_harm": None, "alert_on_data_quality": None},
    {"delivery_drift": None, "revenue_loss": None},
    {"delivery_drift": {"missRateThreshold": 0, "minSamples": 1, "consecutiveChecks": 1, "shouldPause": None}},
    {"delivery_drift": {"missRateThreshold": 1, "enabled": None}},
    {"revenue_loss": {"threshold_amount": 5e-324, "currency": "USD"}},
    {"revenue_loss": {"threshold_amount": None, "currency": None, "enabled": False}},
]
BAD: list[tuple[str, dict[str, Any]]] = [
    ("guardian_override.enabled", {"enabled": "true"}),
    ("guardian_override.pause_on_harm", {"pause_on_harm": 1}),
    ("guardian_override.unknown", {"unknown": True}),
    ("guardian_override.delivery_drift", {"delivery_drift": []}),
    ("guardian_override.delivery_drift.missRateThreshold", {"delivery_drift": {"missRateThreshold": -1e-9}}),
    ("guardian_override.delivery_drift.missRateThreshold", {"delivery_drift": {"missRateThreshold": 1.0000001}}),
    ("guardian_override.delivery_drift.minSamples", {"delivery_drift": {"minSamples": 0}}),
    ("guardian_override.delivery_drift.minSamples", {"delivery_drift": {"minSamples": 1.5}}),
    ("guardian_override.delivery_drift.consecutiveChecks", {"delivery_drift": {"consecutiveChecks": 0}}),
    ("guardian_override.delivery_drift.miss_rate_threshold", {"delivery_drift": {"miss_rate_threshold": 0.1}}),
    ("guardian_override.revenue_loss.threshold_amount", {"revenue_loss": {"threshold_amount": 0}}),
    ("guardian_override.revenue_loss.threshold_amount", {"revenue_loss": {"threshold_amount": -1}}),
    ("guardian_override.revenue_loss.threshold_amount", {"revenue_loss": {"threshold_amount": "9"}}),
    ("guardian_override.revenue_loss.currency", {"revenue_loss": {"currency": "EU"}}),
    ("guardian_override.revenue_loss.currency", {"revenue_loss": {"currency": "EURO"}}),
]


@pytest.mark.parametrize("override", GOOD)
def test_override__at_its_borders__is_kept_and_watched_by(lab: Lab, override: dict[str, Any]) -> None:
    experiment = lab.launched(guardian_override=override)
    shoppers(lab, experiment, buying=(20, 20))
    assert watch(lab) == {"quiet": 1}
    assert health(lab, experiment)["checked_at"] is not None


@pytest.mark.parametrize(("path", "override"), BAD)
def test_override__past_its_borders__is_refused_and_changes_nothing(
    lab: Lab, path: str, override: dict[str, Any]
) -> None:
    made = lab.client.post("/experiments", {"name": "x"}).json()
    answer = lab.client.patch(f"/experiments/{made['id']}", {"guardian_override": override})
    assert answer.status == 400
    assert [field["path"] for field in answer.json()["error"]["fields"]] == [path]
    assert lab.client.get(f"/experiments/{made['id']}").json()["guardian_override"] == made["guardian_override"]


@pytest.mark.parametrize("number", ["1e400", "NaN", "Infinity", "-1e400"])
def test_override__numbers_that_are_none__are_refused(lab: Lab, number: str) -> None:
    made = lab.client.post("/experiments", {"name": "x"}).json()
    body = f'{{"guardian_override": {{"revenue_loss": {{"threshold_amount": {number}}}}}}}'
    answer = lab.client.request("PATCH", f"/experiments/{made['id']}", raw=body)
    assert answer.status == 400
