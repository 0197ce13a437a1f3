"""The family as it is deployed: the template's handler on DynamoDB and S3, as moto has them."""

from __future__ import annotations

from base64 import b64encode
from random import Random

import pytest

from abtest.kit.clock import SystemClock, timestamp, to_milliseconds
from tests.support.any_json import any_json
from tests.support.deployed import DeployedFamily
from tests.support.moto_stack import AwsStack

NOISE = b64encode(Random(1).randbytes(149_000)).decode()  # three of them do not fit into an item, however packed


@pytest.fixture
def author(aws_stack: AwsStack) -> DeployedFamily:
    """Who makes the experiments."""
    return DeployedFamily.started(aws_stack, "ApiExperiments", "api_experiments")


def test_results__of_an_experiment_larger_than_an_item__are_read(author: DeployedFamily, aws_stack: AwsStack) -> None:
    from abtest.adapters.dynamo import DynamoRollupStore

    code = {"experiment_css": NOISE, "experiment_js": f'"{NOISE[::-1]}"', "experiment_reset_js": f"/*{NOISE[7:]}*/"}
    made = author.client.post("/experiments", {"name": "x", **code}).json()
    analyst = author.calling("ApiAnalytics", "api_analytics")
    assert analyst.get(f"/experiments/{made['id']}/results").status == 200
    notes = DynamoRollupStore(aws_stack.environment("CronRollup")["ROLLUPS_TABLE"]).shops_read("")
    assert len(notes) == 1, "the policy allows the note that the shop is read"
    for reference in (made["id"], made["public_id"]):
        assert analyst.get(f"/experiments/{reference}/results").json()["computed_at"] is None
    assert analyst.post(f"/experiments/{made['id']}/results", {}, checked=False).status == 405


def test_results__of_every_engine__read_counts_looks_audit_and_guardian_as_the_policy_allows(
    author: DeployedFamily, aws_stack: AwsStack
) -> None:
    from abtest.adapters.dynamo import DynamoLookStore, DynamoRollupStore

    client = author.client
    goal = {"name": "Buy", "type": "click", "selector": "#buy"}
    made = client.post("/experiments", {"name": "x", "goals": [goal]}).json()
    assert client.post(f"/experiments/{made['id']}/launch", {"override_checklist_warnings": True}).status == 200
    control, treatment = (variation["id"] for variation in made["variations"])
    wish_for = {"weights": {control: 0.6, treatment: 0.4}, "confirm_live_impact": True}
    assert client.put(f"/experiments/{made['id']}/variations/weights", wish_for).status == 200
    now = timestamp(SystemClock().now())
    identity = {"experiment_id": made["id"], "measurement_epoch": 2, "generation": 1, "computed_at": now}
    tables = aws_stack.environment("WorkerDecide")["ROLLUPS_TABLE"]
    assert DynamoRollupStore(tables).put({**identity, **totals(made["goals"][0]["id"], control, treatment)}, {}, {})
    state = {**identity, "looks": 1, "goals": {}, "minima": {}, "srm_p": 0.5}
    assert DynamoLookStore(tables).put(any_json(state), {**identity, "goals": {}})
    analyst = author.calling("ApiAnalytics", "api_analytics")
    for engine in ("frequentist", "sequential", "bayesian"):
        answer = analyst.get(f"/experiments/{made['id']}/results", query={"engine": engine})
        assert answer.status == 200, answer.body
        found = answer.json()
        assert (found["engine"], found["measurement"]["because"]) == (engine, "weights_changed")
        assert found["srm"]["sequential_p_value"] <= 0.5
        assert found["goals"][0]["rows"][1]["conversions"] == 60


def test_overview__of_a_running_and_a_paused_test__is_read_as_the_policy_allows(
    author: DeployedFamily, aws_stack: AwsStack
) -> None:
    from abtest.adapters.dynamo import DynamoLookStore, DynamoRollupStore, DynamoSessions
    from abtest.services.last_seen import LastSeen

    client, goal = author.client, {"name": "Buy", "type": "click", "selector": "#buy"}
    made = [client.post("/experiments", {"name": name, "goals": [goal]}).json() for name in ("Runs", "Paused", "Draft")]
    for experiment in made[:2]:
        path = f"/experiments/{experiment['id']}"
        assert client.post(f"{path}/launch", {"override_checklist_warnings": True}).status == 200
        control, treatment = (variation["id"] for variation in experiment["variations"])
        now = timestamp(SystemClock().now())
        identity = {"experiment_id": experiment["id"], "measurement_epoch": 1, "generation": 1, "computed_at": now}
        tables = aws_stack.environment("WorkerDecide")["ROLLUPS_TABLE"]
        counted = {**identity, **totals(experiment["goals"][0]["id"], control, treatment)}
        assert DynamoRollupStore(tables).put(counted, {}, {})
        state = {**identity, "looks": 1, "goals": {}, "minima": {}, "srm_p": 0.5}
        assert DynamoLookStore(tables).put(any_json(state), {**identity, "goals": {}})
    assert client.post(f"/experiments/{made[1]['id']}/pause", {"reason": "holidays"}).status == 200
    ephemeral = aws_stack.environment("WorkerIngest")["EPHEMERAL_TABLE"]
    LastSeen(sessions=DynamoSessions(ephemeral)).note([(author.tenant.shop.id, to_milliseconds(SystemClock().now()))])
    analyst = author.calling("ApiAnalytics", "api_analytics")
    answer = analyst.get("/analytics/overview")
    assert answer.status == 200, answer.body
    overview = answer.json()
    assert [row["name"] for row in overview["data"]] == ["Paused", "Runs"]
    assert overview["last_seen_at"] is not None
    assert (overview["by_status"]["draft"], overview["publication"]["state"]) == (1, "published")
    assert overview["data"][0]["pause"]["sentence"] == "Paused: holidays"
    for row in overview["data"]:
        results = analyst.get(f"/experiments/{row['id']}/results").json()
        verdict = analyst.get(f"/experiments/{row['id']}/report").json()["verdict"]
        figures = results["goals"][0]["rows"][1]
        assert (row["srm"], row["visitors"]) == (results["srm"], 1000)
        for name in ("lift", "ci", "p_value", "adjusted_p_value", "always_valid_p", "state", "message"):
            assert row["lead"][name] == figures[name]
        assert (row["verdict"]["sentence"], row["verdict"]["status"]) == (verdict["sentence"], verdict["status"])


def totals(goal_id: str, control: str, treatment: str) -> dict[str, object]:
    """Of 600 and 400 visitors."""
    numbers = {control: 60, treatment: 60}
    return {
        "through": None,
        "currency": "EUR",
        "variations": {control: {"visitors": 600}, treatment: {"visitors": 400}},
        "goals": {
            goal_id: {
                arm: {"converters": n, "count": n, "sum_minor": n, "sum_squares_minor": str(n), "excluded": 0}
                for arm, n in numbers.items()
            }
        },
        "money": {},
        "multiple_exposure": 0,
        "days": [],
        "digests": {},
        "source": "x",
    }
