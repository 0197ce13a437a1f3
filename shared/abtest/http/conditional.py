"""Row versions over HTTP: ETag, If-None-Match, If-Match."""

import re
from contextvars import ContextVar
from typing import Annotated

from fastapi import Header
from starlette.requests import Request
from starlette.responses import Response

NEVER = -1
"""An expected version that no row has: what an If-Match that we never issued asks for."""

_TAG = re.compile(r'(?:W/)?"([^"]*)"')
answered_version: ContextVar[int | None] = ContextVar("answered_version", default=None)
"""The row version of what a route returned, until its headers are written."""


def finish(request: Request, response: Response) -> Response:
    """Add the ETag of what was answered; a GET whose If-None-Match names it becomes 304."""
    version = answered_version.get()
    if version is not None and response.status_code < 300:
        response.headers["ETag"] = f'W/"{version}"'
    tag, sent = response.headers.get("ETag"), request.headers.get("if-none-match")
    if request.method == "GET" and tag and sent and matches(sent, tag):
        return Response(status_code=304, headers={"ETag": tag})
    return response


def matches(if_none_match: str, tag: str) -> bool:
    """Whether a conditional header names the tag, compared weakly, or is `*`."""
    return if_none_match.strip() == "*" or _opaque(tag)[0] in _opaque(if_none_match)


async def expected_version(
    if_match: Annotated[
        str | None,
        Header(
            alias="If-Match",
            description='ETag of the version that you read, for example `W/"3"`; 412 when the row moved on.',
        ),
    ] = None,
) -> int | None:
    """The row version that If-Match demands; None without the header or with `*`, NEVER for a tag that is not ours."""
    if if_match is None or if_match.strip() == "*":
        return None
    tags = _opaque(if_match)
    if len(tags) == 1 and tags[0].isascii() and tags[0].isdigit() and len(tags[0]) < 16:
        return int(tags[0])
    return NEVER


def _opaque(header: str) -> list[str]:
    return _TAG.findall(header)
