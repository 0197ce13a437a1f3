"""Which resources of the template the stack creates, their names, and the attributes that follow from those."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from tools.local.template.document import Document, Node
from tools.local.template.intrinsics import ACCOUNT, REGION, STACK, Resolver

FUNCTION = "AWS::Serverless::Function"
LAYER = "AWS::Serverless::LayerVersion"
HTTP_API = "AWS::Serverless::HttpApi"
TABLE = "AWS::DynamoDB::Table"
BUCKET = "AWS::S3::Bucket"
QUEUE = "AWS::SQS::Queue"
KEY = "AWS::KMS::Key"
ALIAS = "AWS::KMS::Alias"
DATABASE = "AWS::Glue::Database"
LEDGER_TABLE = "AWS::Glue::Table"
WORKGROUP = "AWS::Athena::WorkGroup"
SECRET = "AWS::SecretsManager::Secret"  # noqa: S105 - a resource type

NAME_PROPERTY: Mapping[str, str] = {
    FUNCTION: "FunctionName",
    TABLE: "TableName",
    BUCKET: "BucketName",
    QUEUE: "QueueName",
    ALIAS: "AliasName",
    SECRET: "Name",
    WORKGROUP: "Name",
    DATABASE: "DatabaseInput.Name",
    LEDGER_TABLE: "TableInput.Name",
}


@dataclass(frozen=True)
class Resource:
    """One resource that exists under the given parameters; `properties` are still unresolved."""

    logical_id: str
    type: str
    name: str
    properties: dict[str, Node]


def _arn(service: str, resource: str) -> str:
    return f"arn:aws:{service}:{REGION}:{ACCOUNT}:{resource}"


def _table(name: str, _endpoint: str) -> dict[str, str]:
    return {"Ref": name, "Arn": _arn("dynamodb", f"table/{name}")}


def _bucket(name: str, _endpoint: str) -> dict[str, str]:
    host = f"{name}.s3.amazonaws.com"
    regional = f"{name}.s3.{REGION}.amazonaws.com"
    return {"Ref": name, "Arn": f"arn:aws:s3:::{name}", "DomainName": host, "RegionalDomainName": regional}


def _queue(name: str, endpoint: str) -> dict[str, str]:
    url = f"{endpoint}/{ACCOUNT}/{name}"
    return {"Ref": url, "QueueUrl": url, "QueueName": name, "Arn": _arn("sqs", name)}


def _function(name: str, _endpoint: str) -> dict[str, str]:
    return {"Ref": name, "Arn": _arn("lambda", f"function:{name}")}


def _only_name(name: str, _endpoint: str) -> dict[str, str]:
    return {"Ref": name}


# Keys and secrets are not here: the engine gives them their ids when it creates them.
ATTRIBUTES: Mapping[str, Callable[[str, str], dict[str, str]]] = {
    TABLE: _table,
    BUCKET: _bucket,
    QUEUE: _queue,
    FUNCTION: _function,
    ALIAS: _only_name,
    DATABASE: _only_name,
    LEDGER_TABLE: _only_name,
    WORKGROUP: _only_name,
    HTTP_API: _only_name,
}


def existing(document: Document, resolver: Resolver, endpoint: str) -> list[Resource]:
    """List the resources whose condition holds, and put their attributes into the resolver."""
    resources = [
        Resource(logical_id, declared["Type"], _name(logical_id, declared, resolver), declared.get("Properties") or {})
        for logical_id, declared in document.resources.items()
        if "Condition" not in declared or resolver.holds(declared["Condition"])
    ]
    for resource in resources:
        if attributes := ATTRIBUTES.get(resource.type):
            resolver.attributes[resource.logical_id] = attributes(resource.name, endpoint)
        if resource.type == LAYER:  # a function's layer is looked up again by its logical id
            resolver.attributes[resource.logical_id] = {"Ref": resource.logical_id}
    return resources


def _name(logical_id: str, declared: dict[str, Node], resolver: Resolver) -> str:
    given: Node = declared.get("Properties") or {}
    for part in NAME_PROPERTY.get(declared["Type"], "none").split("."):
        given = given.get(part) or {}
    return resolver.text(given) if given else f"{STACK}-{logical_id.lower()}"


def of_type(resources: list[Resource], type_: str) -> list[Resource]:
    """Pick the resources of one type, in the template's order."""
    return [resource for resource in resources if resource.type == type_]
