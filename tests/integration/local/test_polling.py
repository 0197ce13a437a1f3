"""How many batches of one queue are worked at side by side."""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from typing import Any, cast

import pytest

from tests.support.template import Stack
from tools.local.template.functions import QueueSource
from tools.local.triggers.queues import QueuePoller


class ListedQueue:
    """An SQS client with one queue of given messages."""

    def __init__(self, bodies: list[str]) -> None:
        self.waiting = list(bodies)
        self.deleted: list[str] = []

    def get_queue_url(self, **_: Any) -> dict[str, str]:
        return {"QueueUrl": "http://127.0.0.1:9/jobs"}

    def receive_message(self, **_: Any) -> dict[str, Any]:
        if not self.waiting:
            return {}
        body = self.waiting.pop(0)
        message = {"MessageId": body, "ReceiptHandle": body, "Body": body, "MD5OfBody": ""}
        return {"Messages": [message]}

    def delete_message_batch(self, *, QueueUrl: str, Entries: list[dict[str, str]]) -> None:  # noqa: N803 - SQS's names
        self.deleted += [entry["ReceiptHandle"] for entry in Entries]


class Hanging:
    """Workers that do not answer some messages until all others are done."""

    def __init__(self, others: int) -> None:
        self.left = others
        self.released = asyncio.Event()
        self.at_once = self.most = 0

    async def invoke(self, event: dict[str, Any]) -> None:
        self.at_once += 1
        self.most = max(self.most, self.at_once)
        if event["Records"][0]["body"].startswith("hangs"):
            await self.released.wait()
        else:
            self.left -= 1
            if not self.left:
                self.released.set()
        self.at_once -= 1


def polled(at_once: int, bodies: list[str]) -> tuple[ListedQueue, Hanging]:
    queue = ListedQueue(bodies)
    source = QueueSource(queue="jobs", batch_size=1, window_seconds=0, reports_failures=True, at_once=at_once)

    async def polling() -> Hanging:
        workers = Hanging(sum(not body.startswith("hangs") for body in bodies))
        with ThreadPoolExecutor(2) as threads:
            poller = QueuePoller(cast(Any, queue), source, cast(Any, workers), threads)
            running = asyncio.create_task(poller.run())
            async with asyncio.timeout(10):
                while len(queue.deleted) < len(bodies):
                    await asyncio.sleep(0)
            poller.stopping = True
            await running
        return workers

    return queue, asyncio.run(polling())


@pytest.mark.parametrize("at_once", [4, 50])
def test_queue__with_messages_that_hang__goes_on_with_the_others(at_once: int) -> None:
    bodies = ["hangs-1", "hangs-2", "hangs-3", *map(str, range(20))]
    queue, workers = polled(at_once, bodies)
    assert sorted(queue.deleted) == sorted(bodies)
    assert workers.most == 4


def test_queue__of_which_less_is_asked__has_so_many_batches_at_once() -> None:
    _, workers = polled(2, ["hangs-1", *map(str, range(5))])
    assert workers.most == 2


def test_template__tells_how_many_batches_a_queue_may_have() -> None:
    stack = Stack.planned(endpoint="http://127.0.0.1:1")
    found = {function.logical_id: [source.at_once for source in function.queues] for function in stack.functions()}
    assert (found["WorkerWebhooks"], found["WorkerExports"], found["WorkerPublish"]) == ([50], [2], [2])
