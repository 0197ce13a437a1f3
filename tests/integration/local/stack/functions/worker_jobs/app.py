"""Stores each message; a message that says fail fails, one that says poison breaks its whole batch."""

import os
from typing import Any

import boto3


def handler(event: dict[str, Any], _context: object) -> dict[str, Any]:
    """Report the failures of one batch."""
    failures = []
    if any(record["body"] == "poison" for record in event["Records"]):
        raise ValueError("poison")
    for record in event["Records"]:
        if record["body"] == "fail":
            failures.append({"itemIdentifier": record["messageId"]})
        else:
            pk = f"job:{record['body']}:{record['attributes']['ApproximateReceiveCount']}:{len(event['Records'])}"
            boto3.client("dynamodb").put_item(TableName=os.environ["TABLE"], Item={"pk": {"S": pk}})
    return {"batchItemFailures": failures}
