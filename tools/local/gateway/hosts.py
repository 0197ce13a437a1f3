"""Published hosts on this machine: browsers resolve every name below `.localhost` themselves."""

from __future__ import annotations

import re
from dataclasses import replace

from tools.local.web.messages import Request, Response

SUFFIX = ".localhost"
_LOCAL = re.compile(r"([^:]+\.[^:]+)\.localhost(:\d+)?", re.IGNORECASE)


def published_host(request: Request) -> str | None:
    """Return the host of a request to `<host>.localhost`; None for any other request."""
    matched = _LOCAL.fullmatch(request.header("host"))
    return matched[1] if matched else None


def at_host(request: Request, host: str) -> Request:
    """Return the request as it reaches the gateway in the cloud, where DNS leads to it."""
    port = request.header("host").lower().rpartition(SUFFIX)[2]
    headers = [(name, f"{host}{port}" if name == "host" else value) for name, value in request.headers]
    return replace(request, headers=headers)


def for_browser(response: Response) -> Response:
    """Return the response with cookies for the name that the browser has requested."""
    headers = [
        (name, re.sub(r"(?i)(; domain=[^;]+)", rf"\1{SUFFIX}", value) if name == "set-cookie" else value)
        for name, value in response.headers
    ]
    return replace(response, headers=headers)
