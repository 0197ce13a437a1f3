"""Queue on SQS."""

from functools import partial
from typing import Literal

from botocore.exceptions import BotoCoreError, ClientError

from abtest.adapters import aws
from abtest.ports.queue import MAX_DELAY_SECONDS, MAX_MESSAGE_BYTES, QueueUnavailableError


class SqsQueue:
    """Queue with this URL."""

    def __init__(self, url: str) -> None:
        self._url = url

    def send(self, body: str, *, delay_seconds: int = 0) -> None:
        if len(body.encode()) > MAX_MESSAGE_BYTES:
            raise QueueUnavailableError("the message is larger than 1 MiB")
        if not 0 <= delay_seconds <= MAX_DELAY_SECONDS:
            raise ValueError(f"delay_seconds must be from 0 to {MAX_DELAY_SECONDS}")
        send = partial(aws.sqs().send_message, QueueUrl=self._url, MessageBody=body, DelaySeconds=delay_seconds)
        try:
            aws.called("sqs", send)
        except (BotoCoreError, ClientError) as error:
            raise QueueUnavailableError(str(error)) from error

    def depth(self) -> int:
        names: list[Literal["ApproximateNumberOfMessages"]] = ["ApproximateNumberOfMessages"]
        read = partial(aws.sqs().get_queue_attributes, QueueUrl=self._url, AttributeNames=names)
        try:
            answer = aws.called("sqs", read)
        except (BotoCoreError, ClientError) as error:
            raise QueueUnavailableError(str(error)) from error
        return int(answer["Attributes"]["ApproximateNumberOfMessages"])
