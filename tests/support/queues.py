"""Queues of a stack, as Lambda's poller reads them."""

from __future__ import annotations

from typing import Any

from tests.support.moto_stack import AwsStack


def received(stack: AwsStack, queue: str) -> list[dict[str, Any]]:
    """Records of the messages that wait in a queue, which are deleted."""
    url, records = stack.name(queue), list[dict[str, Any]]()
    while messages := stack.clients.sqs.receive_message(QueueUrl=url, MaxNumberOfMessages=10).get("Messages"):
        for message in messages:
            records.append({"messageId": message["MessageId"], "body": message["Body"]})
            stack.clients.sqs.delete_message(QueueUrl=url, ReceiptHandle=message["ReceiptHandle"])
    return records
