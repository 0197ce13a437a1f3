"""`settle` before a stack that is told what to answer."""

from typing import Any

import pytest

from tools.local.commands.client import CommandError, ControlClient
from tools.local.commands.settle import settle


class Stack(ControlClient):
    """One schedule, whose runs answer what is given, the last one again and again; and a queue."""

    def __init__(self, *results: Any, visible: int = 0, delayed: int = 0, responds: bool = True) -> None:
        self.responds = responds
        self.results = list(results)
        self.ticks = 0
        self.queue = {"read": True, "dead": False, "visible": visible, "in_flight": 0, "delayed": delayed}

    def status(self) -> dict[str, Any]:
        queues = {"webhooks": self.queue} if self.responds else {}
        functions = [{"folder": "cron_rollup", "scheduled": True}]
        return {"engine": {"responds": self.responds}, "functions": functions, "queues": queues}

    def tick(self, job: str, more: dict[str, Any] | None = None) -> Any:
        self.ticks += 1
        return self.results.pop(0) if len(self.results) > 1 else self.results[0]


def test_settle__while_another_run_is_at_it__comes_back_until_its_own_ran() -> None:
    stack = Stack({"skipped": "busy"}, {"skipped": "busy"}, {"counted": 1})
    said: list[str] = []
    settle(stack, 30, said.append)
    assert stack.ticks == 3
    assert said == ["waiting for cron_rollup: busy", "cron_rollup ran", "settled"]


def test_settle__dispatcher_that_sends_messages__is_fired_again_until_it_sends_none() -> None:
    stack = Stack({"sent": 9}, {"sent": 1}, {"sent": 0})
    settle(stack, 30, lambda _line: None)
    assert stack.ticks == 3


def test_settle__dispatcher_that_never_comes_to_an_end__is_an_error() -> None:
    with pytest.raises(CommandError, match="cron_rollup still sends"):
        settle(Stack({"sent": 1}), 0.4, lambda _line: None)


def test_settle__while_another_run_never_ends__says_so() -> None:
    with pytest.raises(CommandError, match="cron_rollup was skipped: busy"):
        settle(Stack({"skipped": "busy"}), 0.4, lambda _line: None)


def test_settle__while_a_message_can_be_taken__waits() -> None:
    with pytest.raises(CommandError, match="webhooks: 1 visible"):
        settle(Stack(None, visible=1), 0.4, lambda _line: None)


def test_settle__while_the_engine_is_silent__waits() -> None:
    with pytest.raises(CommandError, match="the AWS engine, which does not respond"):
        settle(Stack(None, responds=False), 0.4, lambda _line: None)


def test_settle__while_a_message_waits_for_a_later_attempt__does_not_wait() -> None:
    settle(Stack(None, delayed=1), 0.4, lambda _line: None)


def test_settle__of_a_job_that_says_nothing__is_settled() -> None:
    settle(Stack(None), 30, lambda _line: None)
