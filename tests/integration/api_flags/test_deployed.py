"""The family as it is deployed: the template's handler on DynamoDB and S3, as moto has them."""

from __future__ import annotations

import pytest

from tests.support.client import Client
from tests.support.deployed import DeployedFamily
from tests.support.handlers import fresh_handler
from tests.support.invocations import Context, sample
from tests.support.moto_stack import AwsStack


@pytest.fixture
def deployed(aws_stack: AwsStack) -> DeployedFamily:
    return DeployedFamily.started(aws_stack, "ApiFlags", "api_flags")


def test_flag__made_activated_edited_moved__is_read_back_published_evaluated(deployed: DeployedFamily) -> None:
    client = deployed.client
    large = {"on_value": "x" * 65_000, "off_value": ["y" * 65_000]}
    made = client.post("/flags", {"key": "k", "name": "K", "activate": True, **large}).json()
    assert client.get("/flags/k").json() == client.get(f"/flags/{made['id']}").json() == made
    assert client.post("/flags", {"key": "k", "name": "K"}).code == "key_taken"
    moved = client.patch("/flags/k", {"key": "j", "confirm_live_impact": True}, headers={"if-match": 'W/"1"'})
    assert moved.json()["key"] == "j"
    assert "publication_warning" not in moved.json()
    assert client.get("/flags/k").status == 404
    assert client.post("/flags", {"key": "k", "name": "K", "delivery_type": "api"}).status == 201
    assert {flag["key"] for flag in client.get("/flags", query={"sort": "name"}).json()["data"]} == {"k", "j"}
    assert client.delete("/flags/k").status == 204

    (flag,) = deployed.published()["flags"]
    assert (flag["key"], flag["on"]) == ("j", large["on_value"])
    assert client.post("/flags/evaluate", {"visitor_id": "v"}).json() == {
        "flags": {"j": {"value": large["on_value"], "reason": "on"}}
    }


def test_failures__of_one_viewer_of_the_cdn__are_not_counted_for_another(
    aws_stack: AwsStack, monkeypatch: pytest.MonkeyPatch
) -> None:
    environment = aws_stack.environment("ApiFlags") | {"CDN_SECRET": "proof"}
    monkeypatch.setattr(aws_stack, "environment", lambda _: environment)
    handler = fresh_handler(aws_stack, "ApiFlags", "api_flags")

    def status(viewer: str) -> int:
        headers = {"x-svc-cdn": "proof", "x-svc-viewer": viewer}
        return Client(handler, key="svc_sk_wrong", headers=headers).get("/flags").status

    assert [status("198.51.100.1") for _ in range(31)] == [401] * 30 + [429]
    assert status("198.51.100.2") == 401


def test_sample_event__without_a_key__is_what_the_shelf_says(deployed: DeployedFamily) -> None:
    answer = deployed.handler(sample("api_flags__no_key"), Context())
    assert answer["statusCode"] == 401
