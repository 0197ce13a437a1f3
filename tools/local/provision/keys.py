"""KMS keys with their aliases, and secrets whose value is generated once and then kept."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mypy_boto3_kms.client import KMSClient
    from mypy_boto3_secretsmanager.client import SecretsManagerClient

LOGICAL_ID = "abtest:logical-id"
PASSWORD_OPTIONS = (
    "PasswordLength",
    "ExcludeCharacters",
    "ExcludeNumbers",
    "ExcludePunctuation",
    "ExcludeUppercase",
    "ExcludeLowercase",
    "IncludeSpace",
    "RequireEachIncludedType",
)


def ensure_key(client: KMSClient, logical_id: str) -> dict[str, str]:
    """Find the key by its tag or create it; returns Ref, KeyId and Arn."""
    key_id = _find_key(client, logical_id)
    if key_id is None:
        created = client.create_key(Tags=[{"TagKey": LOGICAL_ID, "TagValue": logical_id}])
        key_id = created["KeyMetadata"]["KeyId"]
    arn = client.describe_key(KeyId=key_id)["KeyMetadata"]["Arn"]
    return {"Ref": key_id, "KeyId": key_id, "Arn": arn}


def _find_key(client: KMSClient, logical_id: str) -> str | None:
    for key in client.list_keys()["Keys"]:
        tags = client.list_resource_tags(KeyId=key["KeyId"])["Tags"]
        if {"TagKey": LOGICAL_ID, "TagValue": logical_id} in tags:
            return key["KeyId"]
    return None


def ensure_alias(client: KMSClient, name: str, key_id: str) -> None:
    """Point the alias at the key."""
    if any(alias.get("AliasName") == name for alias in client.list_aliases()["Aliases"]):
        client.update_alias(AliasName=name, TargetKeyId=key_id)
    else:
        client.create_alias(AliasName=name, TargetKeyId=key_id)


def ensure_secret(client: SecretsManagerClient, name: str, properties: dict[str, Any]) -> dict[str, str]:
    """Create the secret unless it exists: what was generated once stays; returns Ref, Arn and Id."""
    try:
        arn = client.describe_secret(SecretId=name)["ARN"]
    except client.exceptions.ResourceNotFoundException:
        arn = client.create_secret(Name=name, SecretString=_secret_value(client, properties))["ARN"]
    return {"Ref": arn, "Arn": arn, "Id": arn}


def _secret_value(client: SecretsManagerClient, properties: dict[str, Any]) -> str:
    generate = properties.get("GenerateSecretString")
    if generate is None:
        return str(properties.get("SecretString", ""))
    options = {key: generate[key] for key in PASSWORD_OPTIONS if key in generate}
    password = client.get_random_password(**options)["RandomPassword"]
    if "GenerateStringKey" not in generate:
        return password
    return json.dumps(
        {**json.loads(generate.get("SecretStringTemplate", "{}")), generate["GenerateStringKey"]: password}
    )
