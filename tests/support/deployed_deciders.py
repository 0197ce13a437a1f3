"""The schedules of auto-stop and Guardian and their worker, deployed in moto, with DecideQueue between them."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from abtest.services.decisions.messages import Task
from tests.support.handlers import Handler, fresh_handler
from tests.support.invocations import Context, sample
from tests.support.moto_stack import AwsStack

_SCHEDULES: dict[Task, tuple[str, str, str]] = {
    "autostop": ("CronAutostop", "cron_autostop", "cron_autostop__five_minutes"),
    "guardian": ("CronGuardian", "cron_guardian", "cron_guardian__quarter_of_an_hour"),
}


class DeployedDeciders:
    """Each function in its own environment, with no more rights than its policy gives."""

    def __init__(self, stack: AwsStack) -> None:
        self._stack = stack
        self.queue = stack.name("DecideQueue")

    def dispatch(self, task: Task) -> Any:
        """Fire a schedule, and return its answer."""
        function_id, folder, event = _SCHEDULES[task]
        return fresh_handler(self._stack, function_id, folder)(sample(event), Context())

    def worker(self) -> Handler:
        """The worker in a fresh process."""
        return fresh_handler(self._stack, "WorkerDecide", "worker_decide")

    def run(self, task: Task) -> dict[str, int]:
        """Fire a schedule, carry out its messages, and return how many experiments came to which result."""
        self.dispatch(task)
        results: dict[str, int] = {}
        for outcome in self.carried_out():
            for word, number in outcome[task]["results"].items():
                results[word] = results.get(word, 0) + number
        return results

    def carried_out(self) -> list[Any]:
        """Hand what waits to the worker, until nothing does, and return the outcomes."""
        work = self.worker()
        with _outcomes() as outcomes:
            while messages := self.received():
                for message in messages:
                    assert work(event_of(message["Body"]), Context()) == {"batchItemFailures": []}
                    self._stack.clients.sqs.delete_message(QueueUrl=self.queue, ReceiptHandle=message["ReceiptHandle"])
        return outcomes

    def received(self) -> list[Any]:
        """Messages that are not delayed."""
        answer: Any = self._stack.clients.sqs.receive_message(
            QueueUrl=self.queue, MaxNumberOfMessages=10, AttributeNames=["All"]
        )
        return list(answer.get("Messages", []))


def event_of(*bodies: str) -> dict[str, Any]:
    """The event of a batch with these bodies."""
    event = sample("worker_decide__shop")
    (record,) = event["Records"]
    event["Records"] = [{**record, "messageId": f"m{number}", "body": body} for number, body in enumerate(bodies)]
    return event


@contextmanager
def _outcomes() -> Iterator[list[Any]]:
    noted: list[Any] = []

    class Noting(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            if record.msg == "decisions.done":
                noted.append(vars(record)["outcome"])

    logger, handler = logging.getLogger("abtest.services.decisions.worker"), Noting()
    level = logger.level
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    try:
        yield noted
    finally:
        logger.removeHandler(handler)
        logger.setLevel(level)
