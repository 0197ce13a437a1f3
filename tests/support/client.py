"""A client of a Lambda handler: requests become API Gateway events, and every answer is held against the OpenAPI."""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from tests.support.openapi import Contract, contract

Handler = Callable[[dict[str, Any], Any], dict[str, Any]]
BASE = "/api/v1"


MAX_RESPONSE_BYTES = 6 * 1024 * 1024
"""Limit of Lambda for a response, in which texts are escaped."""


@dataclass(frozen=True)
class Answer:
    """A status, headers by lower-case name, and the body as bytes."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    def json(self) -> Any:
        """The body, which is JSON."""
        return json.loads(self.body)

    @property
    def code(self) -> str:
        """The error code of an error answer."""
        return str(self.json()["error"]["code"])

    @property
    def paths(self) -> list[str]:
        """The paths of the fields that an error names."""
        return [field["path"] for field in self.json()["error"].get("fields", [])]


class Client:
    """Calls a handler as API Gateway does. Paths are relative to /api/v1, or to a base that the document lacks."""

    def __init__(
        self,
        handler: Handler,
        *,
        key: str | None = None,
        headers: Mapping[str, str] | None = None,
        address: str = "203.0.113.7",
        against: Contract | None = None,
        base: str = BASE,
    ) -> None:
        self._handler = handler
        self._key = key
        self._headers = dict(headers or {})
        self._address = address
        self._contract = against or contract()
        self._base = base

    def request(
        self,
        method: str,
        path: str,
        json_body: Any = None,
        *,
        raw: bytes | str | None = None,
        query: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
        checked: bool = True,
    ) -> Answer:
        """One request; `raw` is sent as it is, `json_body` as JSON. The answer must be one that the contract knows."""
        content = raw if raw is not None else None if json_body is None else json.dumps(json_body)
        sent = {"host": "api.test"}
        if self._key is not None:
            sent["authorization"] = f"Bearer {self._key}"
        if content is not None:
            sent["content-type"] = "application/json"
        sent |= {name.lower(): value for name, value in {**self._headers, **(headers or {})}.items()}
        sent = {name: value for name, value in sent.items() if value}
        answer = _answer(self._handler(self._event(method, path, content, query, sent), None))
        if checked and self._base == BASE:
            self._contract.check(method, path, answer.status, answer.headers, answer.body)
        return answer

    def get(self, path: str, **options: Any) -> Answer:
        return self.request("GET", path, **options)

    def post(self, path: str, json_body: Any = None, **options: Any) -> Answer:
        return self.request("POST", path, json_body, **options)

    def patch(self, path: str, json_body: Any = None, **options: Any) -> Answer:
        return self.request("PATCH", path, json_body, **options)

    def put(self, path: str, json_body: Any = None, **options: Any) -> Answer:
        return self.request("PUT", path, json_body, **options)

    def delete(self, path: str, **options: Any) -> Answer:
        return self.request("DELETE", path, **options)

    def _event(
        self,
        method: str,
        path: str,
        content: bytes | str | None,
        query: Mapping[str, Any] | None,
        headers: Mapping[str, str],
    ) -> dict[str, Any]:
        whole = self._base + path
        event: dict[str, Any] = {
            "version": "2.0",
            "routeKey": "$default",
            "rawPath": whole,
            "rawQueryString": urlencode(query or {}, doseq=True),
            "headers": {name: value for name, value in headers.items() if name != "cookie"},
            "requestContext": {
                "http": {"method": method, "path": whole, "sourceIp": self._address, "protocol": "HTTP/1.1"},
                "requestId": "gateway-request",
                "stage": "$default",
            },
            "isBase64Encoded": False,
        }
        if "cookie" in headers:
            event["cookies"] = headers["cookie"].split("; ")
        if isinstance(content, bytes):
            event |= {"body": b64encode(content).decode(), "isBase64Encoded": True}
        elif content is not None:
            event["body"] = content
        return event


def _answer(result: Mapping[str, Any]) -> Answer:
    body = result.get("body") or ""
    assert len(json.dumps(result)) <= MAX_RESPONSE_BYTES, (
        "Lambda refuses larger responses, and the caller gets a bare 500"
    )
    content = b64decode(body) if result.get("isBase64Encoded") else body.encode()
    headers = {name.lower(): value for name, value in result["headers"].items()}
    if cookies := result.get("cookies"):
        headers["set-cookie"] = ", ".join(cookies)
    return Answer(result["statusCode"], headers, content)
