"""What the template lets functions do with the delivery bucket."""

from typing import Any

import pytest

from tests.support.template import TEMPLATE
from tools.local.template.document import load

RESOURCES: dict[str, Any] = load(TEMPLATE).resources
FUNCTIONS = {
    name: str(resource["Properties"]["Policies"])
    for name, resource in RESOURCES.items()
    if resource["Type"] == "AWS::Serverless::Function" and "DeliveryBucket" in str(resource["Properties"]["Policies"])
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_function__that_reads_pointers__may_list_the_bucket(name: str) -> None:
    """Without it S3 says "forbidden" for what is absent, and an unknown shop would look like a failing store."""
    statements = RESOURCES[name]["Properties"]["Policies"][0]["Statement"]
    listed = [str(each["Resource"]) for each in statements if "s3:ListBucket" in each["Action"]]
    assert any("DeliveryBucket" in resource for resource in listed)


@pytest.mark.parametrize("name", ["EdgeConfig", "EdgeSnippet"])
def test_edge_function__cannot_write_what_it_serves(name: str) -> None:
    assert "s3:PutObject" not in FUNCTIONS[name]
