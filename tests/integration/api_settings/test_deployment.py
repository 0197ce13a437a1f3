"""Where the operator's tool finds a deployment."""

from datetime import UTC, datetime
from typing import Any

import pytest
from botocore.session import get_session
from botocore.stub import Stubber

from abtest.wiring.settings import MissingSettingError, Settings
from tests.support.template import TEMPLATE
from tools.admin.deployment import OUTPUTS, RESOURCES, from_stack, settings_of
from tools.local.template.document import load

NOW = datetime(2026, 3, 2, tzinfo=UTC)


def _summary(logical_id: str) -> dict[str, Any]:
    return {
        "LogicalResourceId": logical_id,
        "PhysicalResourceId": f"{logical_id}-in-the-cloud",
        "ResourceType": "AWS::Whatever",
        "LastUpdatedTimestamp": NOW,
        "ResourceStatus": "CREATE_COMPLETE",
    }


def test_from_stack__resources_and_outputs__become_settings() -> None:
    client = get_session().create_client(
        "cloudformation", region_name="us-east-1", aws_access_key_id="testing", aws_secret_access_key="testing"
    )
    described = {
        "StackName": "shop-tests",
        "CreationTime": NOW,
        "StackStatus": "CREATE_COMPLETE",
        "Outputs": [{"OutputKey": "WorkerBaseUrl", "OutputValue": "https://edge.example"}, {"OutputKey": "Other"}],
    }
    with Stubber(client) as stubbed:
        pages = [[*RESOURCES][:2], [*[*RESOURCES][2:], "ApiSettings"]]
        for page, names in enumerate(pages):
            token = {"NextToken": "more"} if page == 0 else {}
            stubbed.add_response("list_stack_resources", {"StackResourceSummaries": [*map(_summary, names)], **token})
        stubbed.add_response("describe_stacks", {"Stacks": [described]})
        found = from_stack(client, "shop-tests")
    assert found.worker_base_url == "https://edge.example"
    assert found.catalog_table == "CatalogTable-in-the-cloud"
    assert found.signing_secret_arn == "SigningSecret-in-the-cloud"


def test_names__that_the_tool_asks_for__are_in_the_template() -> None:
    template = load(TEMPLATE)
    assert set(RESOURCES) <= set(template.resources)
    assert all(f"\n  {name}:\n" in TEMPLATE.read_text().partition("\nOutputs:")[2] for name in OUTPUTS)


def test_settings_of__empty_environment__names_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in Settings.__dataclass_fields__:
        monkeypatch.delenv(name.upper(), raising=False)
    with pytest.raises(MissingSettingError, match="CATALOG_TABLE"):
        settings_of(None)
