"""What the template lets functions do with the delivery bucket, and that tests notice what it does not."""

from datetime import UTC, datetime
from typing import Any

import pytest

from abtest.adapters.dynamo import DynamoSessions
from tests.support.moto_stack import AwsStack
from tests.support.template import TEMPLATE
from tools.local.template.document import load

RESOURCES: dict[str, Any] = load(TEMPLATE).resources


def reads_pointers(policies: Any) -> bool:
    statements = policies[0].get("Statement", ()) if policies else ()
    return any("DeliveryBucket" in str(each) and "s3:GetObject" in each["Action"] for each in statements)


FUNCTIONS = {
    name: str(resource["Properties"].get("Policies", []))
    for name, resource in RESOURCES.items()
    if resource["Type"] == "AWS::Serverless::Function" and reads_pointers(resource["Properties"].get("Policies", []))
}
"""Functions that read the delivery bucket."""


@pytest.mark.parametrize("name", FUNCTIONS)
def test_function__that_reads_pointers__may_list_the_bucket(name: str) -> None:
    """Without it S3 says "forbidden" for what is absent, and an unknown shop would look like a failing store."""
    statements = RESOURCES[name]["Properties"]["Policies"][0]["Statement"]
    listed = [str(each["Resource"]) for each in statements if "s3:ListBucket" in each.get("Action", ())]
    assert any("DeliveryBucket" in resource for resource in listed)


@pytest.mark.parametrize("name", ["EdgeConfig", "EdgePages", "EdgeSnippet"])
def test_edge_function__cannot_write_what_it_serves(name: str) -> None:
    assert "s3:PutObject" not in FUNCTIONS[name]


def test_guard__call_that_no_statement_allows__is_told(aws_stack: AwsStack) -> None:
    """All tests of deployed functions lean on it: silent here, it would be silent everywhere."""
    table = DynamoSessions(aws_stack.name("EphemeralTable"))
    guard = aws_stack.guard("CronLaunch")
    with (
        pytest.raises(AssertionError, match=r"CronLaunch lacks .'dynamodb:GetItem on arn:aws:dynamodb:"),
        guard.running(),
    ):
        table.get("x", now=datetime(2026, 1, 1, tzinfo=UTC))
