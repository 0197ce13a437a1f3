"""The schedule and the operator's commands on the template's resources, with no more than the function's policy."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest

from abtest.adapters.dynamo import DynamoCatalog
from abtest.adapters.dynamo.keys import audit_month, month_of
from abtest.adapters.s3 import S3Blobs
from abtest.kit.clock import SystemClock
from abtest.kit.ids import SystemRandomness, uuid7
from abtest.ports.catalog import AuditRow, Commit
from tests.support.deployed import DeployedFamily
from tests.support.handlers import fresh_handler
from tests.support.invocations import Context, sample
from tests.support.moto_stack import AwsStack
from tools.admin.__main__ import main


def of_yesterday(shop_id: str, moment: datetime) -> AuditRow:
    return AuditRow(
        id=uuid7(moment, SystemRandomness()),
        shop_id=shop_id,
        user_id="0192e4a0-ffff-7000-8000-000000000001",
        action="experiment.update",
        entity_type="experiment",
        entity_id="0192e4a0-ffff-7000-8000-000000000002",
        entity_name="Sale",
        diff={},
        created_at="2026-03-02T09:00:00.000Z",
    )


def test_night__seals_what_the_operator_then_verifies(
    aws_stack: AwsStack, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    family = DeployedFamily.started(aws_stack, "ApiWorkspace", "api_workspace")
    shop_id = family.tenant.shop.id
    catalog = DynamoCatalog(aws_stack.name("CatalogTable"), S3Blobs(aws_stack.name("BlobsBucket")))
    rows = [of_yesterday(shop_id, SystemClock().now() - timedelta(days=1, seconds=-each)) for each in range(3)]
    catalog.commit(Commit(audit=rows))
    night = fresh_handler(aws_stack, "CronSeals", "cron_seals")

    def sealed() -> Any:
        return night(sample("cron_seals__night"), Context())

    assert sealed() == {"shops": 2, "seals": 1, "rows": 3, "left": 0}
    assert sealed() == {"shops": 2, "seals": 0, "rows": 0, "left": 0}
    client = family.calling("ApiWorkspace", "api_workspace")
    assert client.get("/audit-logs", query={"user_id": rows[0].user_id}).json()["data"][0]["id"] == rows[2].id
    assert client.get(f"/audit-logs/{rows[1].id}/proof").json()["seal"]["size"] == 3
    assert len(client.get("/audit-logs/seals").json()["data"]) == 1

    for name, value in aws_stack.environment("ApiSettings").items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("AUDIT_BUCKET", aws_stack.name("AuditBucket"))
    assert main(["audit", "verify", shop_id]) == 0
    assert json.loads(capsys.readouterr().out)["problems"] == []
    table = aws_stack.name("CatalogTable")
    key = {"pk": {"S": audit_month(shop_id, month_of(rows[1].id))}, "sk": {"S": rows[1].id}}
    aws_stack.clients.dynamodb.delete_item(TableName=table, Key=key)
    assert main(["audit", "verify", shop_id]) == 1
    assert json.loads(capsys.readouterr().out)["problems"][0].startswith(f"row {rows[1].id}: is gone")
    catalog.commit(Commit(audit=[replace(rows[1], action="experiment.delete")]))
    assert main(["audit", "verify", shop_id]) == 1
    assert f"row {rows[1].id}: differs" in json.loads(capsys.readouterr().out)["problems"][0]
    assert main(["audit", "seal", shop_id, "--today"]) == 0
    assert json.loads(capsys.readouterr().out)["seals"][0]["previous"]
    assert main(["inbox", "reply", shop_id, "Hello", "--sender", "Ada"]) == 0
    message = json.loads(capsys.readouterr().out)
    assert (message["role"], message["sender_id"]) == ("operator", "Ada")
    assert client.get("/inbox/messages").json()["data"] == [message]
    assert main(["inbox", "list", shop_id]) == 0
    assert json.loads(capsys.readouterr().out)["messages"] == [message]
    for refused in (["inbox", "reply", shop_id, ""], ["audit", "verify", "0192e4a0-ffff-7000-8000-000000000009"]):
        assert main(refused) == 1
        assert capsys.readouterr().err
