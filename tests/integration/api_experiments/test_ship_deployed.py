"""Shipping as it is deployed: the template's handler on DynamoDB and S3, as moto has them."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from tests.support.client import Client
from tests.support.deployed import DeployedFamily
from tests.support.moto_stack import AwsStack


@pytest.fixture
def client(aws_stack: AwsStack) -> Client:
    """The admin of a new shop, calling the experiments family in a fresh process."""
    return DeployedFamily.started(aws_stack, "ApiExperiments", "api_experiments").client


def block(number: int) -> dict[str, Any]:
    rules = [{"type": "simple", "pattern": f"/products/{number}"}]
    return {"id": str(number), "name": str(number), "urlRules": rules, "mutations": []}


def ended(client: Client, **winner: Any) -> dict[str, Any]:
    """An experiment with as much code as it may have, and a treatment of these fields, that was completed."""
    letters = Random(7).choices("abcdefghijklmnopqrstuvwxyz0123456789", k=190_000)
    arms = [{"name": "Control", "weight": 0.5}, {"name": "Bold", "weight": 0.5, **winner}]
    goals = [{"name": str(number), "type": "pageview"} for number in range(12)]
    fields = {"variations": arms, "goals": goals, "experiment_css": "".join(letters)}
    made: dict[str, Any] = client.post("/experiments", {"name": "Headline", **fields}).json()
    for action in ("launch", "complete"):
        answer = client.post(f"/experiments/{made['id']}/{action}")
        assert answer.status == 200, answer.body[:500]
    return made


def test_ship__with_all_that_fits__is_one_commit(client: Client) -> None:
    experiment = ended(client, url_blocks=[block(number) for number in range(4)])
    wish = {"variation_id": experiment["variations"][1]["id"]}
    answer = client.post(f"/experiments/{experiment['public_id']}/ship", wish)
    assert answer.status == 201, answer.body[:500]
    made = answer.json()["personalization"]
    assert "publication_warning" not in made
    assert len(made["experiences"]) == 5
    assert len(made["personalization_goals"]) == 10
    assert client.post(f"/experiments/{experiment['id']}/ship", wish).code == "key_taken"


def test_ship__of_more_than_can_be_stored__is_refused(client: Client) -> None:
    experiment = ended(client, url_blocks=[block(number) for number in range(50)])
    wish = {"variation_id": experiment["variations"][1]["id"]}
    answer = client.post(f"/experiments/{experiment['id']}/ship", wish)
    assert (answer.status, answer.code, answer.paths) == (422, "code_budget_exceeded", ["experiences"])
