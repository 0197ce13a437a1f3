"""Polls one queue for one function, as an SQS event source mapping does."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from botocore.exceptions import BotoCoreError, ClientError

from tools.local.runtime.pool import MOST_EVENT_BYTES, MOST_WORKERS, EventTooLargeError, Pool
from tools.local.runtime.process import InvocationError
from tools.local.template.functions import QueueSource
from tools.local.template.intrinsics import ACCOUNT, REGION

if TYPE_CHECKING:
    from mypy_boto3_sqs.client import SQSClient

LONG_POLL_SECONDS = 1
# The template's batching window is honoured up to this; a minute is too long on a developer's machine.
MOST_WINDOW_SECONDS = 1.0
MOST_A_RECEIVE = 10
STOPPING_SECONDS = 10
RECORD_BYTES = 500  # what a record has around its message
_ATTRIBUTES = {"stringValue": "StringValue", "binaryValue": "BinaryValue", "dataType": "DataType"}

Result = TypeVar("Result")
Message = dict[str, Any]


def batch_event(messages: list[Message], queue: str) -> dict[str, Any]:
    """The event of one batch."""
    return {"Records": [_record(message, f"arn:aws:sqs:{REGION}:{ACCOUNT}:{queue}") for message in messages]}


def _record(message: Message, arn: str) -> dict[str, Any]:
    return {
        "messageId": message["MessageId"],
        "receiptHandle": message["ReceiptHandle"],
        "body": message["Body"],
        "attributes": message.get("Attributes", {}),
        "messageAttributes": {
            name: {
                **{ours: value[theirs] for ours, theirs in _ATTRIBUTES.items() if theirs in value},
                "stringListValues": [],
                "binaryListValues": [],
            }
            for name, value in message.get("MessageAttributes", {}).items()
        },
        "md5OfBody": message["MD5OfBody"],
        "eventSource": "aws:sqs",
        "eventSourceARN": arn,
        "awsRegion": REGION,
    }


class InvalidBatchResponseError(Exception):
    """The function's answer names failures in a way Lambda would take as the failure of all."""


def failed_ids(result: Any, messages: list[Message]) -> set[str]:
    """Read a partial batch response; anything malformed or unknown fails the whole batch."""
    if not result or not isinstance(result, dict) or not result.get("batchItemFailures"):
        return set()
    try:
        failed = {failure["itemIdentifier"] for failure in result["batchItemFailures"]}
    except (TypeError, KeyError) as problem:
        raise InvalidBatchResponseError(str(problem)) from None
    if unknown := failed - {message["MessageId"] for message in messages}:
        raise InvalidBatchResponseError(f"unknown items {sorted(map(str, unknown))}")
    return failed


def within_limits(messages: list[Message]) -> Iterator[list[Message]]:
    """Split a batch so that each part's event fits into Lambda's 6 MB; usually there is one part."""
    part: list[Message] = []
    size = 0
    for message in messages:
        bytes_ = len(json.dumps(message, default=str)) + RECORD_BYTES
        if part and size + bytes_ > MOST_EVENT_BYTES:
            yield part
            part, size = [], 0
        part.append(message)
        size += bytes_
    if part:
        yield part


@dataclass
class QueuePoller:
    """Receives, invokes, deletes what succeeded; the rest comes back when its visibility ends."""

    client: SQSClient
    source: QueueSource
    pool: Pool
    threads: ThreadPoolExecutor
    stopping: bool = False

    async def run(self) -> None:
        """Poll until `stopping`, finishing what was received; an engine that is away is tried again."""
        url = None
        running: set[asyncio.Task[None]] = set()
        at_once = min(self.source.at_once, MOST_WORKERS)
        while not self.stopping:
            try:
                url = url or (await self._ask(self.client.get_queue_url, QueueName=self.source.queue))["QueueUrl"]
                messages = await self._batch(url)
            except (BotoCoreError, ClientError):
                await asyncio.sleep(1)
                continue
            running |= {asyncio.create_task(self._handle(url, part)) for part in within_limits(messages)}
            if len(running) >= at_once:
                await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)
            running = {task for task in running if not task.done()}
        if running:
            await asyncio.wait(running, timeout=STOPPING_SECONDS)

    async def _ask(self, call: Callable[..., Result], **arguments: Any) -> Result:
        return await asyncio.get_running_loop().run_in_executor(self.threads, partial(call, **arguments))

    async def _batch(self, url: str) -> list[Message]:
        """Collect messages until the batch is full or its window is over."""
        messages = await self._receive(url, LONG_POLL_SECONDS, self.source.batch_size)
        ends = time.monotonic() + min(self.source.window_seconds, MOST_WINDOW_SECONDS)
        while messages and len(messages) < self.source.batch_size and not self.stopping:
            left = ends - time.monotonic()
            if left <= 0:
                break
            more = await self._receive(url, 0, self.source.batch_size - len(messages))
            messages += more
            if not more:
                await asyncio.sleep(min(left, 0.1))
        return messages

    async def _receive(self, url: str, wait: int, most: int) -> list[Message]:
        answer = await self._ask(
            self.client.receive_message,
            QueueUrl=url,
            MaxNumberOfMessages=min(most, MOST_A_RECEIVE),
            WaitTimeSeconds=wait,
            AttributeNames=["All"],
            MessageAttributeNames=["All"],
        )
        return [dict(message) for message in answer.get("Messages", [])]

    async def _handle(self, url: str, messages: list[Message]) -> None:
        try:
            result = await self.pool.invoke(batch_event(messages, self.source.queue))
            failed = failed_ids(result, messages) if self.source.reports_failures else set()
        except (InvocationError, InvalidBatchResponseError, EventTooLargeError) as problem:
            self.pool.note(f"batch of {len(messages)} from {self.source.queue} failed: {problem}")
            return
        done = [message for message in messages if message["MessageId"] not in failed]
        for start in range(0, len(done), MOST_A_RECEIVE):
            entries = [
                {"Id": str(number), "ReceiptHandle": message["ReceiptHandle"]}
                for number, message in enumerate(done[start : start + MOST_A_RECEIVE])
            ]
            try:
                await self._ask(self.client.delete_message_batch, QueueUrl=url, Entries=entries)
            except (BotoCoreError, ClientError) as problem:
                self.pool.note(f"processed messages of {self.source.queue} were not deleted: {problem!r}")
