"""Health of the edge."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import pytest

from abtest.edge.ingest_health import Health
from abtest.kit.clock import ManualClock
from tests.support.handlers import fresh_handler
from tests.support.memory import MemoryQueue, MemorySessions
from tests.support.moto_stack import AwsStack


def request(path: str = "/health", method: str = "GET") -> dict[str, Any]:
    http = {"method": method, "path": path, "sourceIp": "203.0.113.7"}
    return {"rawPath": path, "headers": {}, "requestContext": {"http": http}}


class SilentSessions(MemorySessions):
    """A store that fails."""

    def get(self, session_id: str, *, now: datetime) -> Any:
        raise TimeoutError


def health(**parts: Any) -> Health:
    fields: dict[str, Any] = {
        "environment": "test",
        "release": "",
        "queue_name": "events",
        "queue": MemoryQueue(),
        "dead_letters": MemoryQueue(),
        "limits_store": MemorySessions(),
        "clock": ManualClock(datetime(2026, 3, 2, tzinfo=UTC)),
    }
    return Health(**(fields | parts))


def queue(*, holds: int = 0, available: bool = True) -> MemoryQueue:
    made = MemoryQueue()
    for _ in range(holds):
        made.send("letter")
    made.available = available
    return made


def test_health__with_everything_well__is_200_with_the_contracts_fields() -> None:
    answer = health().answer(request())
    assert (answer["statusCode"], answer["headers"]["Cache-Control"]) == (200, "no-store")
    assert json.loads(answer["body"]) == {
        "ok": True,
        "service": "abtest-edge",
        "environment": "test",
        "release": None,
        "queue_enabled": True,
        "queue_name": "events",
        "distributed_rate_limits": {"events_per_shop": True, "snippet_per_ip": True},
        "dead_letter_queue": {"ok": True},
        "checked_at": "2026-03-02T00:00:00.000Z",
    }


@pytest.mark.parametrize(
    "parts",
    [
        {"queue": queue(available=False)},
        {"dead_letters": queue(available=False)},
        {"dead_letters": queue(holds=1)},
        {"limits_store": SilentSessions()},
    ],
    ids=["queue silent", "dead letters silent", "dead letters wait", "limits silent"],
)
def test_health__with_a_part_that_is_not__is_503_and_says_so(parts: dict[str, Any]) -> None:
    answer = health(**parts).answer(request())
    assert (answer["statusCode"], json.loads(answer["body"])["ok"]) == (503, False)


def test_health__without_a_queue__is_well_and_says_that_there_is_none() -> None:
    report = health(queue=None, queue_name="").report()
    assert (report["ok"], report["queue_enabled"]) == (True, False)


def test_method__other_than_get__is_405() -> None:
    answer = health().answer(request(method="POST"))
    assert (answer["statusCode"], answer["headers"]["Allow"]) == (405, "GET, HEAD")


def test_function__under_the_templates_environment__tells_of_a_dead_letter(aws_stack: AwsStack) -> None:
    handler = fresh_handler(aws_stack, "EdgeHealth", "edge_health")
    assert handler(request(), None)["statusCode"] == 200
    aws_stack.clients.sqs.send_message(QueueUrl=aws_stack.name("EventQueueDeadLetters"), MessageBody="lost")
    answer = handler(request(), None)
    assert (answer["statusCode"], json.loads(answer["body"])["dead_letter_queue"]) == (503, {"ok": False})
