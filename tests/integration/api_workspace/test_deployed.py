"""The family as it is deployed: the template's handler on DynamoDB, as moto has it."""

from __future__ import annotations

from tests.support.deployed import DeployedFamily
from tests.support.moto_stack import AwsStack


def test_inbox__on_real_tables_within_its_policy(aws_stack: AwsStack) -> None:
    client = DeployedFamily.started(aws_stack, "ApiWorkspace", "api_workspace").client
    first, second = (client.post("/inbox/messages", {"body": body}).json() for body in ("one", "two"))
    assert [each["id"] for each in client.get("/inbox/messages").json()["data"]] == [second["id"], first["id"]]
    assert client.get(f"/inbox/messages/{first['id']}").json() == first
    assert client.put("/inbox/read", {"until": second["id"]}).json()["until"] == second["id"]
    assert client.get("/inbox/unread").json()["unread"] == 0
