"""IAM as far as template.yaml uses it: engines here let everything pass, AWS does not."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

import pytest
from botocore.client import BaseClient

from tools.local.template.intrinsics import ACCOUNT, REGION, STACK

Statement = Mapping[str, Any]


@dataclass(frozen=True)
class Need:
    """One permission that a call takes; `leading_keys` are the partitions of its DynamoDB items."""

    action: str
    resource: str
    leading_keys: tuple[str, ...] = ("",)


class Guard:
    """Watches what a function asks of AWS while it runs."""

    def __init__(self, function_id: str, statements: Sequence[Statement], monkeypatch: pytest.MonkeyPatch) -> None:
        self._function_id = function_id
        self._statements = statements
        self._is_running = False
        self._refused: set[str] = set()
        self._watch(monkeypatch)

    @contextmanager
    def running(self) -> Iterator[None]:
        """While the function runs. Raises AssertionError, at its end, for what its policy does not allow."""
        self._is_running = True
        try:
            yield
        finally:
            self._is_running = False
        assert not self._refused, f"{self._function_id} lacks {sorted(self._refused)}"

    def _watch(self, monkeypatch: pytest.MonkeyPatch) -> None:
        call: Callable[..., Any] = BaseClient._make_api_call  # type: ignore[attr-defined]

        def watched(client: BaseClient, operation: str, parameters: dict[str, Any]) -> Any:
            if self._is_running:
                needs = _NEEDS[client.meta.service_model.service_name](operation, parameters)
                self._refused.update(
                    f"{need.action} on {need.resource}" for need in needs if not allows(self._statements, need)
                )
            return call(client, operation, parameters)

        monkeypatch.setattr(BaseClient, "_make_api_call", watched)


def allows(statements: Sequence[Statement], need: Need) -> bool:
    """Return whether one of a policy's statements grants the permission."""
    return any(
        need.action in _listed(each["Action"])
        and any(fnmatchcase(need.resource, pattern) for pattern in _listed(each["Resource"]))
        and _holds(each.get("Condition"), need)
        for each in statements
    )


def _listed(value: Any) -> Sequence[str]:
    return [value] if isinstance(value, str) else value


def _holds(condition: Any, need: Need) -> bool:
    """The one condition that the template has: every item of the call is in a partition that one statement names."""
    if condition is None:
        return True
    patterns = condition["ForAllValues:StringLike"]["dynamodb:LeadingKeys"]
    return all(any(fnmatchcase(key, pattern) for pattern in patterns) for key in need.leading_keys)


def _dynamodb(operation: str, parameters: Mapping[str, Any]) -> Iterator[Need]:
    if operation == "TransactWriteItems":
        for item in parameters["TransactItems"]:
            for kind, request in item.items():
                yield from _dynamodb(f"{kind}Item", request)
    elif operation == "BatchGetItem":
        for table, wanted in parameters["RequestItems"].items():
            yield Need("dynamodb:BatchGetItem", _table(table), tuple(map(_leading, wanted["Keys"])))
    elif operation == "Query":
        yield Need("dynamodb:Query", _queried(parameters), (_leading_of_query(parameters),))
    else:
        key = parameters.get("Key") or parameters.get("Item") or {}
        yield Need(f"dynamodb:{operation}", _table(parameters["TableName"]), (_leading(key),))


def _leading(key: Mapping[str, Any]) -> str:
    return str(key.get("pk", {}).get("S", ""))


def _queried(parameters: Mapping[str, Any]) -> str:
    index = f"/index/{parameters['IndexName']}" if "IndexName" in parameters else ""
    return _table(parameters["TableName"]) + index


def _leading_of_query(parameters: Mapping[str, Any]) -> str:
    """The one partition that a query names, the index's where it reads one: `#0 = :0`."""
    (named,) = re.findall(r"#\w+ = (:\w+)", parameters["KeyConditionExpression"])
    return str(parameters["ExpressionAttributeValues"][named]["S"])


def _table(name: str) -> str:
    return f"arn:aws:dynamodb:{REGION}:{ACCOUNT}:table/{name}"


def _s3(operation: str, parameters: Mapping[str, Any]) -> Iterator[Need]:
    bucket = f"arn:aws:s3:::{parameters['Bucket']}"
    if operation == "ListObjectsV2":
        yield Need("s3:ListBucket", bucket)
    else:
        yield Need(f"s3:{_S3_ACTIONS.get(operation, operation)}", f"{bucket}/{parameters['Key']}")


_S3_ACTIONS = {
    "HeadObject": "GetObject",
    "CreateMultipartUpload": "PutObject",
    "UploadPart": "PutObject",
    "CompleteMultipartUpload": "PutObject",
}
"""Calls that are permitted by the name of another."""


def _sqs(operation: str, parameters: Mapping[str, Any]) -> Iterator[Need]:
    name = parameters["QueueUrl"].rpartition("/")[2]
    # Many messages at once need the permission of one.
    action = operation.removesuffix("Batch")
    yield Need(f"sqs:{action}", f"arn:aws:sqs:{REGION}:{ACCOUNT}:{name}")


def _secrets(operation: str, parameters: Mapping[str, Any]) -> Iterator[Need]:
    yield Need(f"secretsmanager:{operation}", parameters["SecretId"])


def _kms(operation: str, parameters: Mapping[str, Any]) -> Iterator[Need]:
    yield Need(f"kms:{operation}", parameters["KeyId"])


def _athena(operation: str, parameters: Mapping[str, Any]) -> Iterator[Need]:
    """Whoever names a query alone needs the right for the workgroup in which it runs: the template has one."""
    workgroup = parameters.get("WorkGroup", f"{STACK}-ledger")
    yield Need(f"athena:{operation}", f"arn:aws:athena:{REGION}:{ACCOUNT}:workgroup/{workgroup}")


_NEEDS: Mapping[str, Callable[[str, Mapping[str, Any]], Iterator[Need]]] = {
    "athena": _athena,
    "dynamodb": _dynamodb,
    "kms": _kms,
    "s3": _s3,
    "sqs": _sqs,
    "secretsmanager": _secrets,
}
