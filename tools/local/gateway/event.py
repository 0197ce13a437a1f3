"""Turns a request into the event of payload format 2.0."""

from __future__ import annotations

import base64
import re
import secrets
import time
from typing import Any
from urllib.parse import unquote, unquote_plus

from tools.local.template.functions import Route
from tools.local.template.intrinsics import ACCOUNT
from tools.local.web.messages import Request

# What reaches the function as text; every other body is base64, as is anything compressed or not UTF-8.
_TEXT = re.compile(r"text/.*|application/(json|javascript|xml|[^;]+\+(json|xml))")


def build_event(request: Request, route: Route, parameters: dict[str, str]) -> dict[str, Any]:
    """Build the event; absent parts are absent keys, as in the cloud."""
    headers, cookies = _headers(request)
    event: dict[str, Any] = {
        "version": "2.0",
        "routeKey": route.key,
        "rawPath": unquote(request.path),
        "rawQueryString": request.query,
        "headers": headers,
        "requestContext": _context(request, route, headers),
        "isBase64Encoded": False,
    }
    if cookies:
        event["cookies"] = cookies
    if request.query:
        event["queryStringParameters"] = _query(request.query)
    if parameters:
        event["pathParameters"] = parameters
    if request.body:
        event["body"], event["isBase64Encoded"] = _body(request.body, headers)
    return event


def _headers(request: Request) -> tuple[dict[str, str], list[str]]:
    headers: dict[str, str] = {}
    cookies: list[str] = []
    for name, value in request.headers:
        if name == "cookie":
            cookies += [cookie.strip() for cookie in value.split(";") if cookie.strip()]
        elif name not in {"connection", "transfer-encoding", "keep-alive", "upgrade", "te", "expect"}:
            headers[name] = f"{headers[name]},{value}" if name in headers else value
    forwarded = headers.get("x-forwarded-for")
    headers["x-forwarded-for"] = f"{forwarded}, {request.peer}" if forwarded else request.peer
    headers["x-forwarded-port"] = str(request.port)
    headers["x-forwarded-proto"] = "http"
    headers.setdefault("x-amzn-trace-id", f"Root=1-{int(time.time()):08x}-{secrets.token_hex(12)}")
    headers.setdefault("content-length", str(len(request.body)))
    return headers, cookies


def _context(request: Request, route: Route, headers: dict[str, str]) -> dict[str, Any]:
    now = time.time()
    domain = headers.get("host", "localhost").rpartition(":")[0] or headers.get("host", "localhost")
    return {
        "accountId": ACCOUNT,
        "apiId": route.api,
        "domainName": domain,
        "domainPrefix": domain.partition(".")[0],
        "http": {
            "method": request.method,
            "path": unquote(request.path),
            "protocol": request.protocol,
            "sourceIp": request.peer,
            "userAgent": headers.get("user-agent", ""),
        },
        "requestId": base64.b64encode(secrets.token_bytes(11)).decode(),
        "routeKey": route.key,
        "stage": "$default",
        "time": time.strftime("%d/%b/%Y:%H:%M:%S +0000", time.gmtime(now)),
        "timeEpoch": int(now * 1000),
    }


def _query(raw: str) -> dict[str, str]:
    parameters: dict[str, str] = {}
    for part in filter(None, raw.split("&")):
        name, _, value = part.partition("=")
        name, value = unquote_plus(name), unquote_plus(value)
        parameters[name] = f"{parameters[name]},{value}" if name in parameters else value
    return parameters


def _body(body: bytes, headers: dict[str, str]) -> tuple[str, bool]:
    type_ = headers.get("content-type", "text/plain").partition(";")[0].strip().lower()
    if _TEXT.fullmatch(type_) and "content-encoding" not in headers:
        try:
            return body.decode(), False
        except UnicodeDecodeError:
            pass
    return base64.b64encode(body).decode(), True
