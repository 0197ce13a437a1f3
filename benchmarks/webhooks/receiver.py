"""Receivers in a process of their own, so that what they take is not taken from those who send; bare asyncio, for an
HTTP server with a thread a connection would be what is measured.

`POST /ok` is answered with 204 at once, `POST /hang` after the seconds that were asked for; `GET /arrivals` gives back
the moment (Unix seconds) at which each delivery came to `/ok` first, by its id, and forgets them.
"""

import asyncio
import json
import multiprocessing
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection
from urllib.request import urlopen

_LENGTH = re.compile(rb"(?i)\r\ncontent-length: *(\d+)")
_DELIVERY = re.compile(rb"(?i)\r\nwebhook-id: *([^\r]+)")
_TAKEN = b"HTTP/1.1 204 No Content\r\nContent-Length: 0\r\n\r\n"


class _Talk(asyncio.Protocol):
    """One connection, which stays open for as many requests as come."""

    def __init__(self, arrivals: dict[str, float], hang_seconds: float) -> None:
        self._arrivals = arrivals
        self._hang_seconds = hang_seconds
        self._found = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        self._found += data
        while (end := self._found.find(b"\r\n\r\n")) >= 0:
            head = self._found[:end]
            told = _LENGTH.search(head)
            whole = end + 4 + (int(told[1]) if told else 0)
            if len(self._found) < whole:
                return
            self._found = self._found[whole:]
            self._answer(head)

    def _answer(self, head: bytes) -> None:
        if head.startswith(b"POST /hang"):
            asyncio.get_running_loop().call_later(self._hang_seconds, self._say, _TAKEN)
        elif head.startswith(b"GET /arrivals"):
            body = json.dumps(self._arrivals).encode()
            self._arrivals.clear()
            self._say(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%s" % (len(body), body))
        else:
            if told := _DELIVERY.search(head):
                self._arrivals.setdefault(told[1].decode(), time.time())
            self._say(_TAKEN)

    def _say(self, content: bytes) -> None:
        if not self._transport.is_closing():
            self._transport.write(content)  # type: ignore[attr-defined]


async def _serve(told: Connection, hang_seconds: float) -> None:
    arrivals: dict[str, float] = {}
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: _Talk(arrivals, hang_seconds), "127.0.0.1", 0, backlog=1000)
    told.send(server.sockets[0].getsockname()[1])
    await server.serve_forever()


def _process(told: Connection, hang_seconds: float) -> None:
    asyncio.run(_serve(told, hang_seconds))


@contextmanager
def receiving(hang_seconds: float = 10.5) -> Iterator[str]:
    """The receivers' base URL, by name: senders look it up as they do others."""
    ours, theirs = multiprocessing.Pipe()
    process = multiprocessing.get_context("spawn").Process(target=_process, args=(theirs, hang_seconds), daemon=True)
    process.start()
    try:
        yield f"http://localhost:{ours.recv()}"
    finally:
        process.terminate()
        process.join()


def arrivals(base: str) -> dict[str, float]:
    """What came since the last call."""
    with urlopen(f"{base}/arrivals", timeout=10) as answer:
        found: dict[str, float] = json.loads(answer.read())
    return found
