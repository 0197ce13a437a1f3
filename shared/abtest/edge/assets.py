"""Public files of shops, on an origin of their own: `GET /a/{asset}/{hash}/{file}`."""

import re
from base64 import b64encode
from dataclasses import dataclass
from typing import Any, Literal, cast

from abtest.edge.gateway import NO_STORE, PUBLIC, Answer, GatewayEvent, Headers, Request, json_error
from abtest.edge.guarding import guarded, refuse_other_methods
from abtest.kit.content_coding import MAX_SERVED_BYTES, is_held
from abtest.kit.errors import NotFoundError, ServiceError
from abtest.ports.asset_files import OpenedFile, RangeNotSatisfiableError, StoredFiles

LINK_SECONDS = 300
SHARED: Headers = {
    **PUBLIC,
    "Access-Control-Allow-Origin": "*",
    "Access-Control-Expose-Headers": "Content-Length, Content-Range, ETag",
    "Cross-Origin-Resource-Policy": "cross-origin",
}
"""Fonts are loaded with CORS, and pages that isolate themselves load nothing without a resource policy."""

FOREVER: Headers = {"Cache-Control": "public, max-age=31536000, immutable", "Accept-Ranges": "bytes"}
SANDBOX: Headers = {"Content-Security-Policy": "sandbox; default-src 'none'; style-src 'unsafe-inline'"}
"""For files that could run as a document: no script, no request, no access to this origin."""

_ADDRESS = re.compile(r"/(a/[0-9a-f-]{36}/([0-9a-f]{16})/([A-Za-z0-9_][A-Za-z0-9._-]{0,105}))", re.ASCII)
_RANGE = re.compile(r"bytes=(?:([0-9]{1,15})-([0-9]{1,15})?|-([0-9]{1,15}))", re.ASCII)

Span = tuple[int | None, int | None]
_START: Span = (0, MAX_SERVED_BYTES - 1)


class UnsatisfiableError(ServiceError):
    """Range behind the end of the file."""

    status = 416
    code = "range_not_satisfiable"

    def __init__(self, size: int) -> None:
        super().__init__(f"the file has {size} bytes", headers={"Content-Range": f"bytes */{size}"})


@dataclass(frozen=True, slots=True)
class PublicAssets:
    """Responses from the bucket of assets."""

    files: StoredFiles

    def answer(self, event: GatewayEvent, _context: Any = None) -> Answer:
        """Answer with a file, a part of it, or an error that caches do not store."""
        return guarded(
            lambda: self._answer(Request.of(event), event["rawPath"]), lambda error: json_error(error, SHARED)
        )

    def _answer(self, request: Request, path: str) -> Answer:
        refuse_other_methods(request)
        named = _ADDRESS.fullmatch(path)
        if named is None:
            raise NotFoundError("there is no such file")
        key, tag = named[1], f'"{named[2]}-{named[3]}"'
        span = requested_span(request.headers, tag)
        try:
            file = self.files.open(key, *(span or _START))
        except RangeNotSatisfiableError as error:
            raise UnsatisfiableError(error.size) from error
        if file is None:
            raise NotFoundError("there is no such file")
        headers = headers_of(file, tag)
        if is_held(request.headers.get("if-none-match"), tag):
            file.close()
            return {"statusCode": 304, "headers": headers, "body": ""}
        if span is None and file.size > MAX_SERVED_BYTES:
            file.close()
            return self._elsewhere(key, cast(Literal["GET", "HEAD"], request.method))
        return _body(file, headers, is_part=span is not None)

    def _elsewhere(self, key: str, method: Literal["GET", "HEAD"]) -> Answer:
        address = self.files.sign_read(key, method, seconds=LINK_SECONDS)
        return {"statusCode": 307, "headers": {**SHARED, **NO_STORE, "Location": address}, "body": ""}


def _body(file: OpenedFile, headers: Headers, *, is_part: bool) -> Answer:
    sent = {**headers, "Content-Type": file.content_type}
    if is_part:
        sent["Content-Range"] = f"bytes {file.first}-{file.last}/{file.size}"
    # HEAD gets the body too: the gateway takes Content-Length from it and sends no body.
    body = b64encode(file.read()).decode()
    return {"statusCode": 206 if is_part else 200, "headers": sent, "body": body, "isBase64Encoded": True}


def headers_of(file: OpenedFile, tag: str) -> dict[str, str]:
    """Return the headers of a file. What is an attachment may be a document, which is locked up."""
    headers = {**SHARED, **FOREVER, "ETag": tag}
    if file.disposition:
        headers |= {"Content-Disposition": file.disposition, **SANDBOX}
    return headers


def requested_span(headers: Headers, tag: str) -> Span | None:
    """Return the first and the last byte that a request asks for, as far as one response may have them.

    None for the whole file: without a range, with several, or if the file is not the one that the client has a part of
    (RFC 9110, sections 13.1.5 and 14.2). A shorter part than requested is allowed; players then ask for the next.
    """
    named = _RANGE.fullmatch(headers.get("range", "").strip())
    if named is None or headers.get("if-range", tag) != tag:
        return None
    if named[3] is not None:
        return None, min(int(named[3]), MAX_SERVED_BYTES)
    first = int(named[1])
    last = min(int(named[2] or first + MAX_SERVED_BYTES), first + MAX_SERVED_BYTES - 1)
    return (first, last) if last >= first else None
