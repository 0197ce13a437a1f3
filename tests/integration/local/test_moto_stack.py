"""The stack in moto: every test gets the resources as they were created, whatever an earlier test did to them."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.moto_stack import ENDPOINT, AwsStack, enter_moto, mocked, moto_stack
from tests.support.template import Stack
from tools.local.provision.clients import Clients

TABLES = ("CatalogTable", "EphemeralTable", "RollupsTable", "DeliveriesTable")
OWN_TO_EACH_CREATION = ("TableId", "CreationDateTime", "CreatedTimestamp", "LastModifiedTimestamp")


def facts(clients: Clients) -> dict[str, Any]:
    """Everything that a test may change in the stack and another one may notice, without names made at random."""
    tables = clients.dynamodb.list_tables()["TableNames"]
    buckets = [bucket["Name"] for bucket in clients.s3.list_buckets()["Buckets"]]
    queues = clients.sqs.list_queues().get("QueueUrls", [])
    keys = [clients.kms.describe_key(KeyId=key["KeyId"])["KeyMetadata"] for key in clients.kms.list_keys()["Keys"]]
    secrets = clients.secrets.list_secrets()["SecretList"]
    return {
        "tables": [_lasting(clients.dynamodb.describe_table(TableName=name)["Table"]) for name in tables],
        "items": {name: clients.dynamodb.scan(TableName=name)["Items"] for name in tables},
        "buckets": {name: clients.s3.get_bucket_versioning(Bucket=name).get("Status") for name in buckets},
        "objects": {name: clients.s3.list_objects_v2(Bucket=name).get("Contents", []) for name in buckets},
        "queues": {url: _attributes(clients, url) for url in queues},
        "keys": [(key["Enabled"], key["KeyState"]) for key in keys],
        "aliases": len(clients.kms.list_aliases()["Aliases"]),
        "secrets": [len(secret["SecretVersionsToStages"]) for secret in secrets],
        "databases": [database["Name"] for database in clients.glue.get_databases()["DatabaseList"]],
        "workgroups": [group["Name"] for group in clients.athena.list_work_groups()["WorkGroups"]],
    }


def _lasting(described: Any) -> dict[str, Any]:
    return {name: value for name, value in described.items() if name not in OWN_TO_EACH_CREATION}


def _attributes(clients: Clients, url: str) -> dict[str, str]:
    return _lasting(clients.sqs.get_queue_attributes(QueueUrl=url, AttributeNames=["All"])["Attributes"])


def spoil(stack: AwsStack) -> None:
    """Write to every kind of resource, change it, remove one and add one."""
    clients, queue, bucket = stack.clients, stack.name("EventQueue"), stack.name("BlobsBucket")
    for table in TABLES:
        item = {"pk": {"S": "left"}} | ({} if table == "EphemeralTable" else {"sk": {"S": "behind"}})
        clients.dynamodb.put_item(TableName=stack.name(table), Item=item)
    clients.dynamodb.delete_table(TableName=stack.name("RollupsTable"))
    clients.s3.put_object(Bucket=bucket, Key="left", Body=b"behind")
    clients.s3.put_bucket_versioning(Bucket=bucket, VersioningConfiguration={"Status": "Suspended"})
    clients.s3.create_bucket(Bucket="another")
    clients.sqs.send_message(QueueUrl=queue, MessageBody="left")
    clients.sqs.set_queue_attributes(QueueUrl=queue, Attributes={"VisibilityTimeout": "7"})
    clients.sqs.create_queue(QueueName="another")
    clients.kms.disable_key(KeyId=stack.name("WebhookKey"))
    clients.kms.create_alias(AliasName="alias/another", TargetKeyId=stack.name("WebhookKey"))
    clients.secrets.put_secret_value(SecretId=stack.name("SigningSecret"), SecretString="{}")
    clients.glue.create_database(DatabaseInput={"Name": "another"})
    clients.athena.create_work_group(Name="another")


def test_stack__after_a_test_that_changed_everything__is_as_it_was_created(monkeypatch: pytest.MonkeyPatch) -> None:
    with moto_stack(monkeypatch) as stack:
        secret = stack.clients.secrets.get_secret_value(SecretId=stack.name("SigningSecret"))["SecretString"]
        created = facts(stack.clients)
        spoil(stack)
        spoiled = facts(stack.clients)
        assert [name for name, fact in created.items() if fact == spoiled[name]] == []
    with moto_stack(monkeypatch) as stack:
        assert facts(stack.clients) == created
        assert stack.clients.secrets.get_secret_value(SecretId=stack.name("SigningSecret"))["SecretString"] == secret
        stack.clients.sqs.send_message(QueueUrl=stack.name("EventQueue"), MessageBody="new")
        messages = stack.clients.sqs.receive_message(QueueUrl=stack.name("EventQueue"))["Messages"]
        assert [message["Body"] for message in messages] == ["new"]


def test_stack__restored__equals_one_that_is_created(monkeypatch: pytest.MonkeyPatch) -> None:
    with moto_stack(monkeypatch):
        pass
    with moto_stack(monkeypatch) as stack:
        restored = facts(stack.clients)
    enter_moto(monkeypatch)
    with mocked() as clients:
        Stack.planned(endpoint=ENDPOINT).create(clients)
        assert facts(clients) == restored


def test_stack__under_other_parameters__has_an_environment_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    environments = []
    for parameters in (None, {"AllowLoopbackEgress": "true"}, None):
        with moto_stack(monkeypatch, parameters) as stack:
            environments.append(stack.environment("WorkerWebhooks"))
    first, other, second = environments
    assert first == second
    assert first != other


def test_stack__outside_of_a_test__leaves_moto_empty(monkeypatch: pytest.MonkeyPatch) -> None:
    with moto_stack(monkeypatch):
        pass
    with mocked() as clients:
        assert clients.dynamodb.list_tables()["TableNames"] == []
        assert clients.sqs.list_queues().get("QueueUrls", []) == []
