"""Answers to DynamoDB's callers that the engine did not give: refusals, and losses of what it did."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from botocore.awsrequest import AWSPreparedRequest, AWSResponse
from botocore.httpsession import URLLib3Session

from abtest.adapters.dynamo.connection import connection
from abtest.kit import canonical_json

CONFLICT = {
    "__type": "com.amazonaws.dynamodb.v20120810#TransactionCanceledException",
    "Message": "Transaction cancelled",
    "CancellationReasons": [{"Code": "TransactionConflict"}, {"Code": "None"}],
}
THROTTLED = {"__type": "com.amazonaws.dynamodb.v20120810#ThrottlingException", "message": "slow down"}
Answer = Callable[[AWSPreparedRequest], AWSResponse | None]


class _Raw:
    """The bytes of an answer, as urllib3 hands them over."""

    def __init__(self, content: bytes) -> None:
        self._content = content

    def stream(self, **_: Any) -> list[bytes]:
        return [self._content]


def _answer(request: AWSPreparedRequest, status: int, body: dict[str, Any]) -> AWSResponse:
    return AWSResponse(request.url, status, {}, _Raw(canonical_json.encode(body)))  # type: ignore[arg-type]


def instead(operation: str, answer: Answer) -> None:
    """Answer the operation from here; None lets the request go to the engine."""
    events: Any = connection().client.meta.events
    events.register(f"before-send.dynamodb.{operation}", lambda request, **_: answer(request))


def times(count: int, body: dict[str, Any]) -> Answer:
    """Refuse so many requests."""
    left = iter(range(count))
    return lambda request: None if next(left, None) is None else _answer(request, 400, body)


def lose_first_answer() -> Answer:
    """Let the engine carry the first request out, and lose what it says."""
    first = iter([True])

    def lose(request: AWSPreparedRequest) -> AWSResponse | None:
        if next(first, False):
            URLLib3Session().send(request)
            return _answer(request, 500, {"__type": "InternalServerError"})
        return None

    return lose


over_http = pytest.mark.parametrize("engine", ["ministack"], indirect=True, scope="session")
"""For tests that answer in the engine's place: moto would carry out what it then does not answer."""
