"""Proxy through which a browser reaches the net: it resolves each name once and checks every address it connects to.

A page cannot get past it: the browser has no resolver of its own and sends all traffic here, see `chromium.FLAGS`.
"""

import asyncio
import re
from collections.abc import Collection
from contextlib import suppress
from dataclasses import dataclass, field
from http import HTTPStatus

from abtest.adapters.outbound_http.deadline import Deadline
from abtest.adapters.outbound_http.names import Resolve, look_up, system_resolve
from abtest.domain.egress.targets import HTTPS_PORT, EgressRules, Target, UrlNotAllowedError
from abtest.ports.http_sender import HttpUnreachableError

MAX_BYTES = 200_000_000
"""Bytes of one job in both directions."""

MAX_CONNECTIONS = 256
"""More than two profiles of Chromium open by themselves: 32 each, and as many for WebSockets."""

MAX_REASONS = 1000
MAX_HEAD_BYTES = 64 * 1024
CONNECT_SECONDS = 10.0
HEAD_SECONDS = 10.0
SILENCE_SECONDS = 35.0
"""Time without a byte after which a connection ends: longer than a page may take."""

_PIECE = 64 * 1024
_PORT = re.compile(r":[0-9]+$")
_HOP_HEADERS = (b"connection:", b"proxy-", b"keep-alive:", b"upgrade:")


class _RefusedError(Exception):
    """Request that is answered by the proxy itself."""

    def __init__(self, status: HTTPStatus, reason: str) -> None:
        super().__init__(reason)
        self.status = status


@dataclass(eq=False)
class EgressProxy:
    """HTTP proxy on a port of this machine. `may_reach` are hosts with ports of this machine that pages may reach.

    `refused` has the reasons of refusals by host and port, for messages to people. Refused requests get no response,
    which a page could take for one of a server; only tunnels, which browsers keep from pages, are answered.
    """

    rules: EgressRules
    may_reach: Collection[str] = ()
    resolve: Resolve = system_resolve
    max_bytes: int = MAX_BYTES
    refused: dict[str, str] = field(default_factory=dict)
    transferred: int = 0
    _server: asyncio.Server | None = None
    _connections: set[asyncio.Task[None]] = field(default_factory=set)

    async def start(self) -> int:
        """Listen on a free port of the loopback interface, and return it."""
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", 0, limit=MAX_HEAD_BYTES)
        port: int = self._server.sockets[0].getsockname()[1]
        return port

    async def stop(self) -> None:
        """Close the port and every connection."""
        if self._server is not None:
            self._server.close()
        for task in list(self._connections):
            task.cancel()
        await asyncio.gather(*self._connections, return_exceptions=True)

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._connections.add(task)
        try:
            await self._serve(reader, writer)
        except (OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError, TimeoutError):
            pass  # either side left, or was too slow
        except asyncio.CancelledError:
            pass  # the job has ended
        finally:
            self._connections.discard(task)
            writer.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        async with asyncio.timeout(HEAD_SECONDS):
            head = await reader.readuntil(b"\r\n\r\n")
        try:
            url, greeting, answer = _read(head)
            remote_reader, remote_writer = await self._connected(url)
        except _RefusedError as error:
            if head.startswith(b"CONNECT "):
                writer.write(_refusal(error))
                await writer.drain()
            return
        remote_writer.write(greeting)
        writer.write(answer)
        try:
            async with asyncio.TaskGroup() as group:
                group.create_task(self._relay(reader, remote_writer))
                group.create_task(self._relay(remote_reader, writer))
        except* (OSError, TimeoutError):
            pass  # both ends are closed below and by the caller
        finally:
            remote_writer.close()

    async def _connected(self, url: str) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        """Connect to a checked address of a URL. Raises _RefusedError."""
        authority = url.partition("://")[2].rstrip("/")
        if not _PORT.search(authority):  # only plain requests come without one
            authority += ":80"
        try:
            if len(self._connections) > MAX_CONNECTIONS:
                raise UrlNotAllowedError("the pages of this job have too many connections")
            if self.transferred >= self.max_bytes:
                raise UrlNotAllowedError("the pages of this job have transferred too much")
            target = self.rules.target(url)
            authority = target.endpoint
            return await self._dialled(target, await self._addresses(target))
        except UrlNotAllowedError as error:
            self._note(authority, f"cannot be requested: {error.message}")
            raise _RefusedError(HTTPStatus.FORBIDDEN, error.message) from error
        except HttpUnreachableError as error:
            self._note(authority, f"does not respond: {error}")
            raise _RefusedError(HTTPStatus.BAD_GATEWAY, str(error)) from error

    def _note(self, authority: str, reason: str) -> None:
        if len(self.refused) < MAX_REASONS:
            self.refused[authority] = reason

    async def _addresses(self, target: Target) -> list[str]:
        """Resolve the host once, and return its addresses, all allowed. Raises UrlNotAllowedError."""
        if target.is_local and target.endpoint not in self.may_reach:
            raise UrlNotAllowedError(f"pages must not reach {target.endpoint}")
        addresses = [target.host]
        if target.is_name:
            deadline = Deadline(CONNECT_SECONDS)
            addresses = list(await asyncio.to_thread(look_up, self.resolve, target.host, target.port, deadline))
        self.rules.refuse(target, addresses)
        return addresses

    async def _dialled(self, target: Target, addresses: list[str]) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        """Connect to the first of these addresses that responds. Raises HttpUnreachableError."""
        for address in addresses:
            with suppress(OSError, TimeoutError):
                async with asyncio.timeout(CONNECT_SECONDS / len(addresses)):
                    return await asyncio.open_connection(address, target.port, limit=MAX_HEAD_BYTES)
        raise HttpUnreachableError(f"no server responds at {target.authority}", "connect")

    async def _relay(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Pass bytes on until their end, and then the end. Raises TimeoutError, ConnectionError."""
        while True:
            async with asyncio.timeout(SILENCE_SECONDS):
                piece = await reader.read(_PIECE)
                if not piece:
                    break
                self.transferred += len(piece)
                if self.transferred > self.max_bytes:
                    raise ConnectionError("the job transferred too much")
                writer.write(piece)
                await writer.drain()
        if writer.can_write_eof():
            writer.write_eof()


def _read(head: bytes) -> tuple[str, bytes, bytes]:
    """Return the URL of a request, the bytes that its server gets first, and those that the browser gets first.

    Raises _RefusedError for anything that is not a request to a proxy.
    """
    line, _, rest = head.partition(b"\r\n")
    try:
        method, address, version = line.decode("ascii").split(" ")
    except ValueError as error:
        raise _RefusedError(HTTPStatus.BAD_REQUEST, "not a request") from error
    if not version.startswith("HTTP/1."):
        raise _RefusedError(HTTPStatus.BAD_REQUEST, "not a request")
    if method == "CONNECT":
        scheme = "https" if address.endswith(f":{HTTPS_PORT}") else "http"
        return f"{scheme}://{address}/", b"", b"HTTP/1.1 200 Connection established\r\n\r\n"
    if not address.startswith("http://"):
        raise _RefusedError(HTTPStatus.BAD_REQUEST, "not a request to a proxy")
    authority, slash, path = address.removeprefix("http://").partition("/")
    fields = [each for each in rest.split(b"\r\n") if each and not each.lower().startswith(_HOP_HEADERS)]
    # The connection ends with its response: a next request may go to another server, and has to be checked.
    lines = [f"{method} {slash or '/'}{path} HTTP/1.1".encode(), *fields, b"Connection: close", b"", b""]
    return f"http://{authority}/", b"\r\n".join(lines), b""


def _refusal(error: _RefusedError) -> bytes:
    body = f"{error}\n".encode()
    head = f"HTTP/1.1 {error.status.value} {error.status.phrase}\r\nContent-Type: text/plain; charset=utf-8\r\n"
    return f"{head}Content-Length: {len(body)}\r\nConnection: close\r\n\r\n".encode() + body
