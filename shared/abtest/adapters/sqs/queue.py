"""Queue on SQS."""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Literal

from botocore.exceptions import BotoCoreError, ClientError

from abtest.adapters import aws
from abtest.ports.queue import (
    MAX_DELAY_SECONDS,
    MAX_MESSAGE_BYTES,
    QueueMessage,
    QueueUnavailableError,
    ReceivedMessage,
)

if TYPE_CHECKING:
    from mypy_boto3_sqs.type_defs import SendMessageBatchRequestEntryTypeDef, SendMessageRequestTypeDef

MAX_BATCH = 10


class SqsQueue:
    """Queue with this URL."""

    def __init__(self, url: str) -> None:
        self._url = url

    def send(self, body: str, *, delay_seconds: int = 0, group: str = "") -> None:
        _check_size(body)
        if not 0 <= delay_seconds <= MAX_DELAY_SECONDS:
            raise ValueError(f"delay_seconds must be from 0 to {MAX_DELAY_SECONDS}")
        request: SendMessageRequestTypeDef = {
            "QueueUrl": self._url,
            "MessageBody": body,
            "DelaySeconds": delay_seconds,
        }
        if group:
            request["MessageGroupId"] = group
        try:
            aws.called("sqs", partial(aws.sqs().send_message, **request))
        except (BotoCoreError, ClientError) as error:
            raise QueueUnavailableError(str(error)) from error

    def send_many(self, messages: Sequence[QueueMessage]) -> None:
        for batch in _batches(messages):
            entries = [_entry(number, message) for number, message in enumerate(batch)]
            send = partial(aws.sqs().send_message_batch, QueueUrl=self._url, Entries=entries)
            try:
                answer = aws.called("sqs", send)
            except (BotoCoreError, ClientError) as error:
                raise QueueUnavailableError(str(error)) from error
            if answer.get("Failed"):
                raise QueueUnavailableError(f"not accepted: {answer['Failed'][0].get('Code')}")

    def depth(self) -> int:
        names: list[Literal["ApproximateNumberOfMessages"]] = ["ApproximateNumberOfMessages"]
        read = partial(aws.sqs().get_queue_attributes, QueueUrl=self._url, AttributeNames=names)
        try:
            answer = aws.called("sqs", read)
        except (BotoCoreError, ClientError) as error:
            raise QueueUnavailableError(str(error)) from error
        return int(answer["Attributes"]["ApproximateNumberOfMessages"])

    def receive(self, *, wait_seconds: int) -> ReceivedMessage | None:
        take = partial(
            aws.sqs().receive_message, QueueUrl=self._url, MaxNumberOfMessages=1, WaitTimeSeconds=wait_seconds
        )
        try:
            messages = aws.called("sqs", take).get("Messages", [])
        except (BotoCoreError, ClientError) as error:
            raise QueueUnavailableError(str(error)) from error
        return ReceivedMessage(body=messages[0]["Body"], receipt=messages[0]["ReceiptHandle"]) if messages else None

    def delete(self, message: ReceivedMessage) -> None:
        remove = partial(aws.sqs().delete_message, QueueUrl=self._url, ReceiptHandle=message.receipt)
        try:
            aws.called("sqs", remove)
        except (BotoCoreError, ClientError) as error:
            raise QueueUnavailableError(str(error)) from error


def _check_size(body: str) -> int:
    size = len(body.encode())
    if size > MAX_MESSAGE_BYTES:
        raise QueueUnavailableError("the message is larger than 1 MiB")
    return size


def _batches(messages: Sequence[QueueMessage]) -> Iterator[list[QueueMessage]]:
    """Yield the messages in their order, as many at once as one call takes: ten, and 1 MiB in all."""
    batch: list[QueueMessage] = []
    size = 0
    for message in messages:
        bytes_ = _check_size(message.body)
        if batch and (len(batch) == MAX_BATCH or size + bytes_ > MAX_MESSAGE_BYTES):
            yield batch
            batch, size = [], 0
        batch.append(message)
        size += bytes_
    if batch:
        yield batch


def _entry(number: int, message: QueueMessage) -> "SendMessageBatchRequestEntryTypeDef":
    entry: SendMessageBatchRequestEntryTypeDef = {"Id": str(number), "MessageBody": message.body}
    if message.group:
        entry["MessageGroupId"] = message.group
    return entry
