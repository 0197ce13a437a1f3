"""The family as it is deployed: the template's handler on DynamoDB and S3, as moto has them."""

from __future__ import annotations

import pytest

from abtest.services.personalizations.priorities import MAX_ORDERED
from tests.support.deployed import DeployedFamily
from tests.support.invocations import Context, sample
from tests.support.moto_stack import AwsStack


@pytest.fixture
def deployed(aws_stack: AwsStack) -> DeployedFamily:
    return DeployedFamily.started(aws_stack, "ApiPersonalizations", "api_personalizations")


def test_personalization__as_large_as_may_be__is_read_back_and_published(deployed: DeployedFamily) -> None:
    client = deployed.client
    experience = {"custom_css": "x" * 200_000, "custom_js": "1" * 200_000, "value": "y" * 65_000}
    made = client.post("/personalizations", {"key": "k", "name": "K", "activate": True, "experience": experience})
    assert made.status == 201, made.body[:500]
    assert "publication_warning" not in made.json()
    path = f"/personalizations/{made.json()['id']}"
    assert client.get(path).json() == made.json()
    added = client.post(f"{path}/experiences", {"key": "a/b", "confirm_live_impact": True})
    assert added.status == 201
    changed = client.patch(f"{path}/experiences/a/b", {"name": "AB", "confirm_live_impact": True}, checked=False)
    assert changed.json()["name"] == "AB"
    rules = [{"experience_key": "a/b", "targeting": {"pageMatchMode": "any"}}]
    assert client.put(f"{path}/rules", rules, query={"confirm_live_impact": "true"}).status == 200
    assert client.post(f"{path}/duplicate").json()["key"] == "k-copy"
    assert client.post(f"{path}/duplicate").json()["key"] == "k-copy-2"

    (found,) = deployed.published()["personalizations"]
    assert [item["key"] for item in found["experiences"]] == ["default", "a/b"]
    assert [rule["experience"] for rule in found["rules"]] == ["a/b"]


def test_life__of_a_personalization__from_draft_to_archive_and_away(deployed: DeployedFamily) -> None:
    client = deployed.client
    made = client.post("/personalizations", {"key": "k", "name": "K"}).json()
    path = f"/personalizations/{made['id']}"
    states = [client.post(f"{path}/{verb}").json()["status"] for verb in ("activate", "pause", "archive", "unarchive")]
    assert states == ["active", "paused", "archived", "paused"]
    draft = client.post(f"{path}/duplicate").json()
    assert client.delete(f"/personalizations/{draft['id']}").status == 204
    assert client.get("/personalizations").json()["data"][0]["id"] == made["id"]


def test_order__of_as_many_as_fit__is_one_commit(deployed: DeployedFamily) -> None:
    client = deployed.client
    made = [
        client.post("/personalizations", {"key": str(number), "name": "K"}).json()["id"]
        for number in range(MAX_ORDERED)
    ]
    assert client.put("/personalizations/order", {"ids": made[1:]}).status == 200
    client.post(f"/personalizations/{made[0]}/activate")
    answer = client.put("/personalizations/order", {"ids": made})
    assert answer.status == 200, answer.body
    assert client.get(f"/personalizations/{made[-1]}").json()["priority"] == 10 * MAX_ORDERED


def test_sample_event__without_a_key__is_refused(deployed: DeployedFamily) -> None:
    answer = deployed.handler(sample("api_personalizations__no_key"), Context())
    assert answer["statusCode"] == 401
