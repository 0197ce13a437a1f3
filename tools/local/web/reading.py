"""Reads one request from a stream, refusing whatever two readers could understand differently."""

from __future__ import annotations

import asyncio
import re
from dataclasses import replace
from http import HTTPStatus
from urllib.parse import urlsplit

from tools.local.web.messages import BodyTooLargeError, RefusedError, Request

MOST_HEAD_BYTES = 65_536
MOST_BODY_BYTES = 10 * 1024 * 1024  # API Gateway's limit for an HTTP API
_TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_TARGET = re.compile(r"[!-~]+")
_FORBIDDEN = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]")
_CHUNK_SIZE = re.compile(rb"([0-9A-Fa-f]{1,8})[ \t]*(?:;[^\r\n]*)?\r\n")


def _bad() -> RefusedError:
    return RefusedError(HTTPStatus.BAD_REQUEST)


async def read_request(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, peer: str, port: int
) -> Request | None:
    """Read the next request; None when the client has closed. Raises RefusedError and BodyTooLargeError."""
    try:
        head = await reader.readuntil(b"\r\n\r\n")
    except asyncio.IncompleteReadError:
        return None
    except asyncio.LimitOverrunError:
        raise RefusedError(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE) from None
    lines = head[:-4].decode("latin-1").lstrip("\r\n").split("\r\n")
    method, path, query, protocol = _request_line(lines[0])
    headers = [_header(line) for line in lines[1:]]
    if protocol == "HTTP/1.1" and sum(name == "host" for name, _ in headers) != 1:
        raise _bad()
    request = Request(method, path, query, headers, b"", peer, port, protocol)
    return replace(request, body=await _body(reader, writer, request))


def _request_line(line: str) -> tuple[str, str, str, str]:
    parts = line.split(" ")
    if len(parts) != 3 or not _TOKEN.fullmatch(parts[0]) or not _TARGET.fullmatch(parts[1]):
        raise _bad()
    method, target, protocol = parts
    if protocol not in {"HTTP/1.1", "HTTP/1.0"}:
        raise RefusedError(HTTPStatus.HTTP_VERSION_NOT_SUPPORTED) if protocol.startswith("HTTP/") else _bad()
    if target.startswith(("http://", "https://")):
        try:
            whole = urlsplit(target)
        except ValueError:
            raise _bad() from None
        target = (whole.path or "/") + (f"?{whole.query}" if whole.query else "")
    if not target.startswith("/"):
        raise _bad()
    path, _, query = target.partition("#")[0].partition("?")
    return method, path, query, protocol


def _header(line: str) -> tuple[str, str]:
    name, colon, value = line.partition(":")
    if not colon or not _TOKEN.fullmatch(name) or _FORBIDDEN.search(value):
        raise _bad()
    return name.lower(), value.strip(" \t")


async def _body(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, request: Request) -> bytes:
    headers = request.headers
    lengths = {value for name, value in headers if name == "content-length"}
    encodings = [value.lower() for name, value in headers if name == "transfer-encoding"]
    if encodings and (lengths or encodings != ["chunked"]):
        raise _bad()
    if len(lengths) > 1 or not all(value.isascii() and value.isdigit() for value in lengths):
        raise _bad()
    length = int(lengths.pop()[:12]) if lengths else 0
    if length > MOST_BODY_BYTES:
        raise BodyTooLargeError(request)
    if (length or encodings) and ("expect", "100-continue") in {(name, value.lower()) for name, value in headers}:
        writer.write(b"HTTP/1.1 100 Continue\r\n\r\n")
    if encodings:
        return await _chunks(reader, request)
    return await reader.readexactly(length) if length else b""


async def _chunks(reader: asyncio.StreamReader, request: Request) -> bytes:
    body = bytearray()
    while True:
        size = _CHUNK_SIZE.fullmatch(await reader.readuntil(b"\r\n"))
        if not size:
            raise _bad()
        length = int(size[1], 16)
        if len(body) + length > MOST_BODY_BYTES:
            raise BodyTooLargeError(request)
        if not length:
            break
        body += await reader.readexactly(length)
        if await reader.readexactly(2) != b"\r\n":
            raise _bad()
    while await reader.readuntil(b"\r\n") != b"\r\n":  # trailers are read and dropped
        pass
    return bytes(body)
