"""Dead letters back into their queue: by the service's task, by hand where there is none, and after an interruption."""

from __future__ import annotations

from typing import Any

import pytest
from botocore.exceptions import ClientError

from abtest.adapters import aws
from tests.support.moto_stack import AwsStack
from tools.admin.__main__ import main
from tools.admin.dead_letters import Replay


class WithoutTasks:
    """A queue service that has never heard of move tasks; it may break off after so many messages sent."""

    def __init__(self, real: Any, sends: int | None = None) -> None:
        self._real, self._sends = real, sends

    def __getattr__(self, name: str) -> Any:
        return getattr(self._real, name)

    def start_message_move_task(self, **_: Any) -> Any:
        raise ClientError({"Error": {"Code": "InvalidAction", "Message": "?"}}, "StartMessageMoveTask")

    list_message_move_tasks = start_message_move_task

    def send_message(self, **said: Any) -> Any:
        if self._sends is not None:
            if self._sends == 0:
                raise KeyboardInterrupt
            self._sends -= 1
        return self._real.send_message(**said)


class WithTasks(WithoutTasks):
    """A queue service that moves ten messages between two looks at its task."""

    moved = left = 0
    running = False

    def list_message_move_tasks(self, **_: Any) -> Any:
        for _number in range(10 if self.running else 0):
            if not (found := self._real.receive_message(QueueUrl=self.source).get("Messages")):
                self.running = False
                break
            self._real.send_message(QueueUrl=self.target, MessageBody=found[0]["Body"])
            self._real.delete_message(QueueUrl=self.source, ReceiptHandle=found[0]["ReceiptHandle"])
            self.moved += 1
        if not self.moved and not self.running:
            return {"Results": []}
        status = "RUNNING" if self.running else "COMPLETED"
        return {
            "Results": [
                {
                    "Status": status,
                    "ApproximateNumberOfMessagesMoved": self.moved,
                    "ApproximateNumberOfMessagesToMove": self.left,
                }
            ]
        }

    def start_message_move_task(self, **task: Any) -> Any:
        assert not self.running, "AWS refuses a second task"
        self.source, self.target = (self._url(arn) for arn in (task["SourceArn"], task["DestinationArn"]))
        self.running, self.left = True, 23
        return {"TaskHandle": "t"}

    def _url(self, arn: str) -> str:
        url: str = self._real.get_queue_url(QueueName=arn.rpartition(":")[2])["QueueUrl"]
        return url


@pytest.fixture
def dead(aws_stack: AwsStack) -> set[str]:
    """Bodies that wait among the dead letters."""
    bodies = {f'{{"rows":[{number}]}}' for number in range(23)}
    for body in bodies:
        aws_stack.clients.sqs.send_message(QueueUrl=aws_stack.name("EventQueueDeadLetters"), MessageBody=body)
    return bodies


def replay_of(stack: AwsStack, sqs: Any, said: list[str]) -> Replay:
    return Replay(sqs, stack.name("EventQueueDeadLetters"), stack.name("EventQueue"), said.append, pause=lambda _: None)


def waiting(stack: AwsStack) -> list[str]:
    """What is in the event queue now."""
    found: list[str] = []
    while messages := stack.clients.sqs.receive_message(QueueUrl=stack.name("EventQueue"), MaxNumberOfMessages=10).get(
        "Messages"
    ):
        found += [message["Body"] for message in messages]
    return found


def test_replay__by_hand__moves_all_and_tells_how_far_it_is(aws_stack: AwsStack, dead: set[str]) -> None:
    said: list[str] = []
    told = replay_of(aws_stack, WithoutTasks(aws_stack.clients.sqs), said).run()
    assert told == {"found": 23, "moved": 23, "remaining": 0}
    assert sorted(waiting(aws_stack)) == sorted(dead)
    assert said[0] == "23 dead letters of the event queue"
    assert said[-1] == "23 of 23 sent back"


def test_replay__by_a_task__moves_all_and_tells_how_far_it_is(aws_stack: AwsStack, dead: set[str]) -> None:
    said: list[str] = []
    told = replay_of(aws_stack, WithTasks(aws_stack.clients.sqs), said).run()
    assert told == {"found": 23, "moved": 23, "remaining": 0}
    assert said[1:] == ["10 of 23 sent back", "20 of 23 sent back"]
    assert sorted(waiting(aws_stack)) == sorted(dead)


def test_replay__whose_task_runs_still__waits_for_that_one(aws_stack: AwsStack, dead: set[str]) -> None:
    service = WithTasks(aws_stack.clients.sqs)
    source, target = (
        aws_stack.clients.sqs.get_queue_attributes(QueueUrl=aws_stack.name(queue), AttributeNames=["QueueArn"])
        for queue in ("EventQueueDeadLetters", "EventQueue")
    )
    service.start_message_move_task(
        SourceArn=source["Attributes"]["QueueArn"], DestinationArn=target["Attributes"]["QueueArn"]
    )
    told = replay_of(aws_stack, service, []).run()
    assert told["remaining"] == 0
    assert sorted(waiting(aws_stack)) == sorted(dead)


def test_replay__that_was_interrupted__loses_nothing_and_goes_on(aws_stack: AwsStack, dead: set[str]) -> None:
    with pytest.raises(KeyboardInterrupt):
        replay_of(aws_stack, WithoutTasks(aws_stack.clients.sqs, sends=7), []).run()
    replay = replay_of(aws_stack, WithoutTasks(aws_stack.clients.sqs), [])
    assert replay.depth() == 16
    for message in range(3):  # what the first run had in hand shows again when its minute is over
        aws_stack.clients.sqs.send_message(
            QueueUrl=aws_stack.name("EventQueueDeadLetters"), MessageBody=f"later {message}"
        )
    told = replay.run()
    assert told["moved"] + told["remaining"] == 19
    assert len(set(waiting(aws_stack)) & dead) == 7 + told["moved"] - 3


def test_replay__with_nothing_to_do__says_so(aws_stack: AwsStack) -> None:
    said: list[str] = []
    assert replay_of(aws_stack, aws_stack.clients.sqs, said).run() == {"found": 0, "moved": 0, "remaining": 0}
    assert said == ["0 dead letters of the event queue"]


def test_command__on_the_environments_queues__answers_json(
    aws_stack: AwsStack, dead: set[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    known = WithoutTasks(aws.sqs())
    monkeypatch.setattr(aws, "sqs", lambda: known)
    monkeypatch.setenv("EVENT_QUEUE_URL", aws_stack.name("EventQueue"))
    monkeypatch.setenv("EVENT_DLQ_URL", aws_stack.name("EventQueueDeadLetters"))
    assert main(["ledger", "replay"]) == 0
    told = capsys.readouterr()
    assert '"remaining": 0' in told.out
    assert "23 dead letters" in told.err
    assert len(waiting(aws_stack)) == len(dead)


def test_command__without_a_stack__says_what_is_missing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Any
) -> None:
    monkeypatch.delenv("EVENT_QUEUE_URL", raising=False)
    assert main(["ledger", "replay"]) == 1
    assert "EVENT_QUEUE_URL" in capsys.readouterr().err


@pytest.mark.parametrize("line", [["ledger", "replay", "--local"], ["--local", "ledger", "recompute"]])
def test_command__on_a_local_stack_that_does_not_run__says_how_to_start_one(
    line: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Any
) -> None:
    monkeypatch.setenv("ABTEST_LOCAL_DIR", str(tmp_path))
    assert main(line) == 1
    assert "start one with `make run`" in capsys.readouterr().err
