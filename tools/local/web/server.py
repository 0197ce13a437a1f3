"""Listens on one loopback port, keeps connections alive and answers each request with one handler."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from email.utils import formatdate
from http import HTTPStatus

from tools.local.web.messages import BodyTooLargeError, RefusedError, Request, Response, message
from tools.local.web.reading import MOST_HEAD_BYTES, read_request

HOST = "127.0.0.1"
KEEP_ALIVE_SECONDS = 75
GRACE_SECONDS = 5.0
_UNREAD_LIMIT = 16 * 1024 * 1024

Handler = Callable[[Request], Awaitable[Response]]


class Server:
    """One listening port; `stop` lets answers in progress finish."""

    def __init__(
        self,
        handler: Handler,
        too_large: Callable[[Request], Response] = lambda _: message(HTTPStatus.REQUEST_ENTITY_TOO_LARGE),
    ) -> None:
        self.port = 0
        self._handler = handler
        self._too_large = too_large
        self._connections: dict[asyncio.Task[None], bool] = {}  # connection -> whether it is responding

    async def start(self, port: int) -> None:
        """Listen; OSError when the port is taken, 0 takes any free one."""
        self._server = await asyncio.start_server(self._connected, HOST, port, limit=MOST_HEAD_BYTES, backlog=1024)
        self.port = self._server.sockets[0].getsockname()[1]

    async def stop(self) -> None:
        self._server.close()
        for task, is_responding in list(self._connections.items()):
            if not is_responding:
                task.cancel()
        if self._connections:
            await asyncio.wait(self._connections, timeout=GRACE_SECONDS)
        for task in self._connections:
            task.cancel()
        if self._connections:
            await asyncio.wait(self._connections)

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._connections[task] = False
        # A connection that breaks, times out or is cancelled by `stop` does not affect others.
        try:
            await self._converse(task, reader, writer)
        except (OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError, asyncio.CancelledError):
            pass
        finally:
            del self._connections[task]
            writer.close()

    async def _converse(
        self, task: asyncio.Task[None], reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        peer = writer.get_extra_info("peername")[0]
        keep = True
        while keep and self._server.is_serving():
            try:
                async with asyncio.timeout(KEEP_ALIVE_SECONDS):
                    request = await read_request(reader, writer, peer, self.port)
            except RefusedError as refusal:
                await _refuse(reader, writer, refusal.response)
                return
            except BodyTooLargeError as refusal:
                await _refuse(reader, writer, self._too_large(refusal.request))
                return
            if request is None:
                return
            self._connections[task] = True
            response = await self._answer(request)
            keep = self._server.is_serving() and _keeps_alive(request)
            writer.write(render(response, head_only=request.method == "HEAD", keep=keep))
            await writer.drain()
            self._connections[task] = False

    async def _answer(self, request: Request) -> Response:
        try:
            return await self._handler(request)
        except Exception as problem:
            print(f"error: {request.method} {request.path}: {problem!r}", flush=True)
            return message(HTTPStatus.INTERNAL_SERVER_ERROR, "Internal Server Error")


async def _refuse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, response: Response) -> None:
    writer.write(render(response, head_only=False, keep=False))
    await _drain_unread(reader, writer)


async def _drain_unread(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Read on a little after a refusal, so that the client sees the answer and not a reset."""
    await writer.drain()
    if writer.can_write_eof():
        writer.write_eof()
    unread = 0
    async with asyncio.timeout(2):
        while unread < _UNREAD_LIMIT and (part := await reader.read(MOST_HEAD_BYTES)):
            unread += len(part)


def _keeps_alive(request: Request) -> bool:
    wishes = request.header("connection").lower()
    return "close" not in wishes if request.protocol == "HTTP/1.1" else "keep-alive" in wishes


def render(response: Response, *, head_only: bool, keep: bool) -> bytes:
    """Serialise a response; a body never follows a HEAD, a 204 or a 304."""
    try:
        phrase = HTTPStatus(response.status).phrase
    except ValueError:
        phrase = "Unknown"
    lines = [f"HTTP/1.1 {response.status} {phrase}", *(f"{name}: {value}" for name, value in response.headers)]
    lines.append(f"date: {_date(int(time.time()))}")
    bodiless = response.status in {204, 304}
    if not bodiless:
        lines.append(f"content-length: {len(response.body)}")
    lines.append(f"connection: {'keep-alive' if keep else 'close'}")
    head = ("\r\n".join(lines) + "\r\n\r\n").encode()
    return head if head_only or bodiless else head + response.body


_last_date = (0, "")


def _date(second: int) -> str:
    global _last_date
    if _last_date[0] != second:
        _last_date = (second, formatdate(second, usegmt=True))
    return _last_date[1]
