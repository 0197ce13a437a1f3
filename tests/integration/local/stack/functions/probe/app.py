# ruff: noqa: T201 - a function reads the environment that the template gives it
"""Shows the caller what the function was given, and misbehaves when told to."""

import json
import os
import signal
import sys
import time
from collections.abc import Callable
from typing import Any

import boto3
import layered  # noqa: F401 - proves that the layer is on the path

REPLIES: dict[str, Callable[[], object]] = {
    "plain": lambda: "hello",
    "inferred": lambda: {"message": "hello"},
    "cookies": lambda: {
        "statusCode": 201,
        "cookies": ["a=1; Path=/", "b=2"],
        "headers": {"X-Many": "1,2"},
        "body": "x",
    },
    "binary": lambda: {
        "statusCode": 200,
        "body": "AAEC/w==",
        "isBase64Encoded": True,
        "headers": {"content-type": "image/png"},
    },
    "malformed": lambda: {"statusCode": "teapot"},
    "split": lambda: {"statusCode": 200, "headers": {"x-a": "1\r\nx-b: 2"}},
    "unserialisable": lambda: {"statusCode": 200, "body": object()},
    "large": lambda: {"statusCode": 200, "body": "x" * 6_291_600},
    "large-but-allowed": lambda: {"statusCode": 200, "body": "x" * 6_000_000},
    "empty": lambda: {"statusCode": 204},
    "raise": lambda: 1 / 0,
    "exit": lambda: sys.exit(3),
    "crash": lambda: os.kill(os.getpid(), signal.SIGKILL),
    "pid": lambda: {"pid": os.getpid()},
    "environment": lambda: dict(os.environ),
    "state": lambda: state(),
}


def state() -> dict[str, Any]:
    dynamodb, s3 = boto3.client("dynamodb"), boto3.client("s3")
    return {
        "secret": boto3.client("secretsmanager").get_secret_value(SecretId=os.environ["SECRET_ARN"])["SecretString"],
        "key": boto3.client("kms").describe_key(KeyId="alias/abtest-local")["KeyMetadata"]["KeyId"],
        "items": sorted(item["pk"]["S"] for item in dynamodb.scan(TableName=os.environ["TABLE"])["Items"]),
        "objects": [found["Key"] for found in s3.list_objects_v2(Bucket=os.environ["BUCKET"]).get("Contents", [])],
    }


def handler(event: dict[str, Any], context: Any) -> object:
    """Echo, or one of the replies above, or store or send what the body says."""
    action = (event.get("pathParameters") or {}).get("action")
    if action in REPLIES:
        return REPLIES[action]()
    if action == "store":
        boto3.client("dynamodb").put_item(TableName=os.environ["TABLE"], Item={"pk": {"S": event["body"]}})
        boto3.client("s3").put_object(Bucket=os.environ["BUCKET"], Key=event["body"], Body=b"x")
        return {"statusCode": 204}
    if action in {"send", "send-batched"}:
        url = os.environ["QUEUE_URL" if action == "send" else "BATCHED_URL"]
        sqs = boto3.client("sqs")
        for body in json.loads(event["body"]):
            sqs.send_message(QueueUrl=url, MessageBody=body)
        return {"statusCode": 204}
    print("echoing")
    described = {
        "request_id": context.aws_request_id,
        "memory": context.memory_limit_in_mb,
        "arn": context.invoked_function_arn,
        "remaining": context.get_remaining_time_in_millis(),
    }
    return {"statusCode": 200, "body": json.dumps({"event": event, "context": described})}


def hang(event: object, context: object) -> None:
    """Never answer in time."""
    time.sleep(60)
