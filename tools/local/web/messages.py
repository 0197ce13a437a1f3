"""Requests and responses as values, and the errors that end a request early."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from http import HTTPStatus


@dataclass(frozen=True)
class Request:
    """One request as it came: names in lower case, nothing decoded."""

    method: str
    path: str
    query: str
    headers: list[tuple[str, str]]
    body: bytes
    peer: str
    port: int
    protocol: str

    def header(self, name: str) -> str:
        """The values of one header joined by commas, or the empty string."""
        return ",".join(value for key, value in self.headers if key == name)


@dataclass(frozen=True)
class Response:
    """One response; the server adds date, length and connection."""

    status: int
    headers: list[tuple[str, str]] = field(default_factory=list)
    body: bytes = b""


class RefusedError(Exception):
    """A request that is answered by the server itself, after which the connection closes."""

    def __init__(self, status: HTTPStatus) -> None:
        super().__init__(status.phrase)
        self.response = message(status)


class BodyTooLargeError(Exception):
    """A request over the gateway's limit, without its body: the rest of the connection is not read."""

    def __init__(self, request: Request) -> None:
        super().__init__(f"{request.method} {request.path}")
        self.request = request


def message(status: HTTPStatus, text: str | None = None) -> Response:
    """API Gateway's own answers: a JSON object with one message."""
    return as_json(status, {"message": text or status.phrase})


def as_json(status: int, value: object) -> Response:
    """A JSON response."""
    return Response(status, [("content-type", "application/json")], json.dumps(value).encode())
