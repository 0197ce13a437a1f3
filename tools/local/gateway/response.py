"""Turns what a function returned into a response, by the rules of payload format 2.0."""

from __future__ import annotations

import base64
import binascii
import json
import re
from typing import Any

from tools.local.web.messages import Response

_TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
# The gateway speaks for the connection itself; the function's own connection headers are dropped.
_ITS_OWN = {"connection", "content-length", "date", "keep-alive", "transfer-encoding", "upgrade", "server"}


class MalformedResultError(Exception):
    """The function's result is not a response; the gateway answers 500."""


def build_response(result: Any) -> Response:
    """Read a structured result, or infer a 200 with JSON from anything without a statusCode."""
    if not isinstance(result, dict) or "statusCode" not in result:
        text = result if isinstance(result, str) else json.dumps(result)
        return Response(200, [("content-type", "application/json")], text.encode())
    headers = [_header(name, value) for name, value in (result.get("headers") or {}).items()]
    headers = [(name, value) for name, value in headers if name not in _ITS_OWN]
    headers += [_header("set-cookie", cookie) for cookie in result.get("cookies") or []]
    body = _body(result.get("body"), encoded=bool(result.get("isBase64Encoded")))
    if body and not any(name == "content-type" for name, _ in headers):
        headers.append(("content-type", "text/plain;charset=UTF-8"))
    return Response(_status(result["statusCode"]), headers, body)


def _status(value: Any) -> int:
    try:
        status = int(value)
    except (TypeError, ValueError):
        raise MalformedResultError(f"statusCode is {value!r}") from None
    if not 200 <= status <= 599:
        raise MalformedResultError(f"statusCode is {value!r}")
    return status


def _header(name: str, value: Any) -> tuple[str, str]:
    text = str(value).lower() if isinstance(value, bool) else str(value)
    if not _TOKEN.fullmatch(name) or any(character in text for character in "\r\n\0"):
        raise MalformedResultError(f"header {name!r} cannot be sent")
    return name.lower(), text


def _body(body: Any, *, encoded: bool) -> bytes:
    if body is None:
        return b""
    if not isinstance(body, str):
        raise MalformedResultError(f"body is a {type(body).__name__}, not a string")
    if not encoded:
        return body.encode(errors="replace")
    try:
        return base64.b64decode(body, validate=True)
    except binascii.Error:
        raise MalformedResultError("body is not base64") from None
