"""The stack's own small API for its commands, on a loopback port that stack.json names, with a token."""

from __future__ import annotations

import json
import secrets
from collections.abc import Awaitable, Callable
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from tools.local.runtime.process import InvocationError
from tools.local.triggers.schedules import Schedules, UnknownJobError
from tools.local.web.messages import Request, Response, as_json, message

if TYPE_CHECKING:
    from mypy_boto3_sqs.client import SQSClient
    from mypy_boto3_sqs.literals import QueueAttributeNameType

DEPTHS: dict[str, QueueAttributeNameType] = {
    "visible": "ApproximateNumberOfMessages",
    "in_flight": "ApproximateNumberOfMessagesNotVisible",
    "delayed": "ApproximateNumberOfMessagesDelayed",
}


def queue_depths(client: SQSClient, names: list[str]) -> dict[str, dict[str, int]]:
    """How many messages each queue holds, by state."""
    depths = {}
    for name in names:
        url = client.get_queue_url(QueueName=name)["QueueUrl"]
        attributes = client.get_queue_attributes(QueueUrl=url, AttributeNames=["All"])["Attributes"]
        depths[name] = {ours: int(attributes.get(theirs, "0")) for ours, theirs in DEPTHS.items()}
    return depths


class Control:
    """Routes of the control API."""

    def __init__(self, schedules: Schedules, status: Callable[[], Awaitable[Any]]) -> None:
        self.token = secrets.token_urlsafe(24)
        self._schedules = schedules
        self._status = status

    async def handle(self, request: Request) -> Response:
        # The token keeps web pages, which can also reach loopback, from driving the stack.
        if not secrets.compare_digest(request.header("x-token").encode(), self.token.encode()):
            return message(HTTPStatus.FORBIDDEN)
        if (request.method, request.path) == ("GET", "/status"):
            return as_json(HTTPStatus.OK, await self._status())
        if request.method == "POST" and request.path.startswith("/tick/"):
            return await self._tick(request.path.removeprefix("/tick/"), json.loads(request.body or b"{}"))
        return message(HTTPStatus.NOT_FOUND)

    async def _tick(self, job: str, more: dict[str, Any]) -> Response:
        try:
            return as_json(HTTPStatus.OK, {"result": await self._schedules.tick(job, more)})
        except UnknownJobError as problem:
            return message(HTTPStatus.NOT_FOUND, str(problem))
        except InvocationError as problem:
            return message(HTTPStatus.BAD_GATEWAY, str(problem))
