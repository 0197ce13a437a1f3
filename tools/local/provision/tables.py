"""DynamoDB tables: keys, indexes, streams and time to live."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tools.local.template.document import TemplateError

if TYPE_CHECKING:
    from mypy_boto3_dynamodb.client import DynamoDBClient

CREATED_WITH = (
    "AttributeDefinitions",
    "KeySchema",
    "BillingMode",
    "ProvisionedThroughput",
    "GlobalSecondaryIndexes",
    "LocalSecondaryIndexes",
)


def ensure(client: DynamoDBClient, name: str, properties: dict[str, Any]) -> dict[str, str]:
    """Create the table, or add what the template has gained since; returns attributes only the engine knows."""
    try:
        table: dict[str, Any] = dict(client.describe_table(TableName=name)["Table"])
        _refuse_other_keys(name, table, properties)
        _add_indexes(client, name, table, properties)
    except client.exceptions.ResourceNotFoundException:
        table = _create(client, name, properties)
    _expire(client, name, properties.get("TimeToLiveSpecification"))
    stream = table.get("LatestStreamArn")
    return {"StreamArn": str(stream)} if stream else {}


def _create(client: DynamoDBClient, name: str, properties: dict[str, Any]) -> dict[str, Any]:
    arguments = {key: properties[key] for key in CREATED_WITH if key in properties}
    if stream := properties.get("StreamSpecification"):
        arguments["StreamSpecification"] = {"StreamEnabled": True, **stream}
    return dict(client.create_table(TableName=name, **arguments)["TableDescription"])


def _refuse_other_keys(name: str, table: dict[str, Any], properties: dict[str, Any]) -> None:
    if table["KeySchema"] != properties["KeySchema"] or _local_keys(table) != _local_keys(properties):
        raise TemplateError(f"table {name} has other keys than the template: start once with --fresh")


def _local_keys(table: dict[str, Any]) -> dict[str, Any]:
    """Keys of the local indexes: like the table's own they are settled when it is created."""
    return {index["IndexName"]: index["KeySchema"] for index in table.get("LocalSecondaryIndexes") or []}


def _add_indexes(client: DynamoDBClient, name: str, table: dict[str, Any], properties: dict[str, Any]) -> None:
    present = {index["IndexName"]: index["KeySchema"] for index in table.get("GlobalSecondaryIndexes") or []}
    for index in properties.get("GlobalSecondaryIndexes") or []:
        if present.get(index["IndexName"], index["KeySchema"]) != index["KeySchema"]:
            raise TemplateError(f"index {index['IndexName']} of {name} has changed: start once with --fresh")
        if index["IndexName"] not in present:
            client.update_table(
                TableName=name,
                AttributeDefinitions=properties["AttributeDefinitions"],
                GlobalSecondaryIndexUpdates=[{"Create": index}],
            )


def _expire(client: DynamoDBClient, name: str, expiry: dict[str, Any] | None) -> None:
    if not expiry or not expiry.get("Enabled"):
        return
    present = client.describe_time_to_live(TableName=name)["TimeToLiveDescription"]
    if present.get("TimeToLiveStatus") != "ENABLED":
        client.update_time_to_live(
            TableName=name, TimeToLiveSpecification={"Enabled": True, "AttributeName": expiry["AttributeName"]}
        )
