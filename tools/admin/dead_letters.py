"""Dead letters of the event queue, sent back to it: by the queue service's own task where there is one, else by hand.

Safe to stop at any line: a message is deleted only after it was sent, and events that arrive twice count once.
"""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from botocore.exceptions import ClientError

from tools.admin.deployment import queues_of

if TYPE_CHECKING:
    from mypy_boto3_sqs.client import SQSClient

POLL_SECONDS = 2.0
AT_ONCE = 10
HIDDEN_SECONDS = 60
"""Long enough to send ten messages. After an interruption they are visible again for the next run."""

Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Replay:
    """From one dead-letter queue back to its queue; `pause` waits between two looks at a task."""

    sqs: "SQSClient"
    dead_url: str
    queue_url: str
    say: Say
    pause: Callable[[float], None] = time.sleep

    def run(self) -> dict[str, Any]:
        """Send everything back; `{"found", "moved", "remaining"}` in messages.

        What dies again needs five deliveries for it, so it is not met twice in one run.
        """
        waiting = self.depth()
        self.say(f"{waiting} dead letters of the event queue")
        moved = self._by_task() if waiting else 0
        # What a task has left, or all of it where the service knows no tasks.
        for count in self._by_hand():
            moved += count
            self.say(f"{moved} of {max(waiting, moved)} sent back")
        return {"found": waiting, "moved": moved, "remaining": self.depth()}

    def depth(self) -> int:
        """Number of waiting messages, including those that another run has received."""
        names: Any = ["ApproximateNumberOfMessages", "ApproximateNumberOfMessagesNotVisible"]
        answer = self.sqs.get_queue_attributes(QueueUrl=self.dead_url, AttributeNames=names)
        return sum(int(count) for count in answer["Attributes"].values())

    def _by_task(self) -> int:
        """Messages moved by a task of the service; 0 if it has no such tasks."""
        dead, queue = self._arn(self.dead_url), self._arn(self.queue_url)
        try:
            if not self._is_running(dead):  # else an interrupted run left it to itself
                self.sqs.start_message_move_task(SourceArn=dead, DestinationArn=queue)
        except ClientError as error:
            self.say(f"no move task ({error.response['Error']['Code']}): one by one")
            return 0
        while True:
            task = self._task(dead)
            moved = int(task.get("ApproximateNumberOfMessagesMoved", 0))
            if task.get("Status") not in ("RUNNING", "CANCELLING"):
                return moved
            self.say(f"{moved} of {task.get('ApproximateNumberOfMessagesToMove', '?')} sent back")
            self.pause(POLL_SECONDS)

    def _is_running(self, dead: str) -> bool:
        return self._task(dead).get("Status") == "RUNNING"

    def _task(self, dead: str) -> dict[str, Any]:
        tasks = self.sqs.list_message_move_tasks(SourceArn=dead, MaxResults=1)["Results"]
        return dict(tasks[0]) if tasks else {}

    def _by_hand(self) -> Iterator[int]:
        while messages := self._received():
            for message in messages:
                self.sqs.send_message(QueueUrl=self.queue_url, MessageBody=message["Body"])
                self.sqs.delete_message(QueueUrl=self.dead_url, ReceiptHandle=message["ReceiptHandle"])
            yield len(messages)

    def _received(self) -> list[Any]:
        answer = self.sqs.receive_message(
            QueueUrl=self.dead_url, MaxNumberOfMessages=AT_ONCE, WaitTimeSeconds=1, VisibilityTimeout=HIDDEN_SECONDS
        )
        return list(answer.get("Messages", ()))

    def _arn(self, url: str) -> str:
        return self.sqs.get_queue_attributes(QueueUrl=url, AttributeNames=["QueueArn"])["Attributes"]["QueueArn"]


def replay(stack_name: str | None, say: Say) -> dict[str, Any]:
    """Replay the dead letters of the named stack, or of the environment's. Raises MissingSettingError."""
    from abtest.adapters import aws

    queue_url, dead_url = queues_of(stack_name)
    return Replay(aws.sqs(), dead_url, queue_url, say).run()
