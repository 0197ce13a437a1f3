"""SQS queues with their attributes; a dead-letter queue before the queue that names it."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mypy_boto3_sqs.client import SQSClient
    from mypy_boto3_sqs.literals import QueueAttributeNameType

SET: tuple[QueueAttributeNameType, ...] = (
    "VisibilityTimeout",
    "DelaySeconds",
    "MessageRetentionPeriod",
    "MaximumMessageSize",
    "ReceiveMessageWaitTimeSeconds",
    "ContentBasedDeduplication",
)


def ensure_all(client: SQSClient, queues: Iterable[tuple[str, dict[str, Any]]]) -> None:
    """Create every queue, or set its attributes to those in the template."""
    for name, properties in sorted(queues, key=lambda queue: "RedrivePolicy" in queue[1]):
        attributes: dict[QueueAttributeNameType, str] = {
            key: _text(properties[key]) for key in SET if key in properties
        }
        if redrive := properties.get("RedrivePolicy"):
            attributes["RedrivePolicy"] = json.dumps(redrive)
        _ensure(client, name, attributes, fifo=bool(properties.get("FifoQueue")))


def _ensure(client: SQSClient, name: str, attributes: dict[QueueAttributeNameType, str], *, fifo: bool) -> None:
    first: dict[QueueAttributeNameType, str] = {"FifoQueue": "true"} if fifo else {}
    try:
        client.create_queue(QueueName=name, Attributes=first | attributes)
    except client.exceptions.QueueNameExists:  # with other attributes
        client.set_queue_attributes(QueueUrl=client.get_queue_url(QueueName=name)["QueueUrl"], Attributes=attributes)


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def dead_letter_queues(queues: Iterable[tuple[str, dict[str, Any]]]) -> set[str]:
    """Name the queues that another queue's redrive policy points to."""
    policies = (properties.get("RedrivePolicy") for _, properties in queues)
    return {str(policy["deadLetterTargetArn"]).rpartition(":")[2] for policy in policies if policy}
