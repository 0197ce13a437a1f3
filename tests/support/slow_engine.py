"""An edge API whose engine is behind a line that a test makes slow, or lets hang for single services."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.parse import urlsplit

from tools.local.blueprint import Blueprint
from tools.local.files import StateDirectory
from tools.local.gateway.api import Api
from tools.local.options import Options
from tools.local.provision.clients import Clients
from tools.local.surroundings import PROJECT
from tools.local.web.server import HOST, Server


class Line:
    """A TCP proxy. `delay`: seconds before each response; `hangs`: requests that contain this get no response."""

    def __init__(self, endpoint: str) -> None:
        address = urlsplit(endpoint)
        self._engine = address.hostname, address.port
        self.delay = 0.0
        self.hangs: bytes | None = None
        self.endpoint = ""
        self._connections: set[asyncio.Task[None]] = set()

    async def start(self) -> None:
        """Listen on a free port."""
        self._server = await asyncio.start_server(self._connected, HOST, 0)
        self.endpoint = f"http://{HOST}:{self._server.sockets[0].getsockname()[1]}"

    async def stop(self) -> None:
        """Close the port and every connection."""
        self._server.close()
        for task in self._connections:
            task.cancel()
        await asyncio.gather(*self._connections, return_exceptions=True)

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._connections.add(task)
        upstream, engine = await asyncio.open_connection(*self._engine)
        is_new = asyncio.Event()
        # Cancelled by `stop`; the server's own callback would report that as an error.
        with suppress(OSError, asyncio.CancelledError):
            await asyncio.gather(self._requests(reader, engine, is_new), self._responses(upstream, writer, is_new))
        for each in (engine, writer):
            each.close()
            with suppress(OSError):
                await each.wait_closed()

    async def _requests(
        self, reader: asyncio.StreamReader, engine: asyncio.StreamWriter, is_new: asyncio.Event
    ) -> None:
        while part := await reader.read(65536):
            if self.hangs and self.hangs in part:
                await asyncio.Event().wait()
            is_new.set()
            engine.write(part)
            await engine.drain()
        engine.close()

    async def _responses(
        self, upstream: asyncio.StreamReader, writer: asyncio.StreamWriter, is_new: asyncio.Event
    ) -> None:
        while part := await upstream.read(65536):
            # Once per response, however many parts it has.
            if is_new.is_set():
                is_new.clear()
                await asyncio.sleep(self.delay)
            writer.write(part)
            await writer.drain()
        writer.close()


@contextmanager
def edge_behind_line(directory: Path, endpoint: str, edge_port: int) -> Iterator[tuple[str, Line]]:
    """Serve the edge API of a running stack again, with functions of its own. Yields its address, and their line."""
    with asyncio.Runner() as runner, ThreadPoolExecutor(1) as thread:
        line, stop = Line(endpoint), asyncio.Event()
        address: Future[str] = Future()
        serving = thread.submit(runner.run, _serve(directory, line, endpoint, edge_port, address, stop))
        try:
            yield address.result(60), line
        finally:
            runner.get_loop().call_soon_threadsafe(stop.set)
            serving.result(60)


async def _serve(
    directory: Path, line: Line, endpoint: str, edge_port: int, address: Future[str], stop: asyncio.Event
) -> None:
    await line.start()
    blueprint = Blueprint.read(_options(edge_port), endpoint)
    blueprint.create(Clients(endpoint))
    pools = blueprint.pools(line.endpoint, StateDirectory(directory))
    server = Server(Api(blueprint.routers(pools)["EdgeApi"]).handle)
    await server.start(0)
    address.set_result(f"http://{HOST}:{server.port}")
    await stop.wait()
    await server.stop()
    await asyncio.gather(*(pool.close() for pool in pools))
    await line.stop()


def _options(edge_port: int) -> Options:
    """The options by which the stack runs, as far as the edge's functions depend on them."""
    return Options(
        template=PROJECT / "template.yaml",
        ports={"port": 1, "edge": edge_port, "store": 2, "assets": 3},
        parameters={},
        fresh=False,
        strict_egress=False,
        schedules=False,
        warm=False,
        seed=False,
        demo_page=False,
        verbose=False,
    )
