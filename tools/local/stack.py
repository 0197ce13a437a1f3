"""One running stack: starts its parts in order, prints their addresses, and stops them in reverse."""

from __future__ import annotations

import asyncio
import importlib
import importlib.util
import os
import signal
import sys
import time
from collections.abc import Coroutine, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack
from typing import Any

from tools.local.blueprint import API_PORTS, Blueprint, sources
from tools.local.context import StackContext
from tools.local.control import Control, queue_depths
from tools.local.engine.process import Engine, wait_for_predecessor
from tools.local.files import StateDirectory, read_json, write_json
from tools.local.gateway.api import Api
from tools.local.gateway.too_large import too_large
from tools.local.landing import HINT, demo_page
from tools.local.options import Options, check_ports
from tools.local.provision.clients import Clients
from tools.local.runtime.environment import operator_environment
from tools.local.runtime.pool import Pool
from tools.local.runtime.process import InvocationError
from tools.local.store.server import Store
from tools.local.surroundings import machine_environment
from tools.local.triggers.queues import QueuePoller
from tools.local.triggers.schedules import Schedules, jobs_of
from tools.local.web.server import Server

SEED = "tools.local.seed"
CONSOLE = "tools.local.console"
SHRINK_SECONDS = 30.0
BUSY_SECONDS = 10.0


class Stack:
    """Everything that one `run` starts."""

    def __init__(self, options: Options, state: StateDirectory) -> None:
        self.options = options
        self.state = state
        self.engine = Engine(state.engine, options.ports["aws"], state.log("engine"), machine_environment())
        self.blueprint = Blueprint.read(options, self.engine.endpoint)
        self.addresses: dict[str, str] = {}
        self.pools: list[Pool] = []
        self._parts = AsyncExitStack()
        self._tasks: list[asyncio.Task[None]] = []
        self._stopping = asyncio.Event()
        self._failure: BaseException | None = None

    async def run(self) -> None:
        """Run until SIGINT, SIGTERM or SIGHUP, then stop everything gracefully."""
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            asyncio.get_running_loop().add_signal_handler(number, self._stop)
        started = time.monotonic()
        async with self._parts:
            starting = asyncio.create_task(self._start())
            waiting = asyncio.create_task(self._stopping.wait())
            await asyncio.wait({starting, waiting}, return_when=asyncio.FIRST_COMPLETED)
            if starting.done():
                dev = starting.result()
                self._announce(dev, time.monotonic() - started)
                await waiting
            starting.cancel()
            await asyncio.wait({starting})
            print("stopping ...", flush=True)
        if self._failure:
            raise self._failure
        print("stopped; the next start finds this state again", flush=True)

    def _stop(self) -> None:
        """Stop at the first signal; at a second one leave at once, upon which the engine saves on its own."""
        if self._stopping.is_set():
            os._exit(130)
        self._stopping.set()

    async def _start(self) -> dict[str, Any]:
        self.engine.launch()
        self._parts.push_async_callback(self.engine.stop)
        clients = await asyncio.to_thread(Clients, self.engine.endpoint)
        await self.engine.ready()
        await asyncio.to_thread(self.blueprint.create, clients)
        self.pools = self.blueprint.pools(self.engine.endpoint, self.state)
        self._parts.push_async_callback(self._close_pools)
        self.schedules = Schedules(jobs_of(self.pools))
        await self._serve_apis()
        dev = await self._prepare_store_and_seed()
        self._trigger(clients)
        if self.options.demo_page:
            await self._publish_page(dev)
        await self._serve_control(clients)
        return dev

    async def _serve_apis(self) -> None:
        for api, router in self.blueprint.routers(self.pools).items():
            server = await self._serve(Api(router).handle, self.options.ports.get(API_PORTS.get(api, ""), 0))
            self.addresses[api] = f"http://127.0.0.1:{server.port}"

    async def _serve(self, handler: Any, port: int) -> Server:
        server = Server(handler, too_large)
        await server.start(port)
        self._parts.push_async_callback(server.stop)
        return server

    async def _prepare_store_and_seed(self) -> dict[str, Any]:
        dev: dict[str, Any] = {
            "base_url": self.options.base_url,
            "worker_base_url": self.options.worker_base_url,
            "store_url": self.options.store_url,
        }
        store = Store(self.options.worker_base_url)
        await self._serve(store.handle, self.options.ports["store"])
        if self.options.seed and importlib.util.find_spec(SEED):
            dev |= await asyncio.to_thread(self._seed)
            dev |= await asyncio.to_thread(self._enter, dev)
        await self.engine.snapshot()
        store.shop_id = str(dev.get("shop_id", ""))
        write_json(self.state.dev, dev)
        return dev

    async def _publish_page(self, dev: dict[str, Any]) -> None:
        """Publish the demo shop's page, with the queues running: a worker checks it before."""
        try:
            dev["page_url"] = await asyncio.to_thread(demo_page, dev)
        except OSError as problem:  # the stack is as useful without
            print(f"no landing page was published: {problem}", flush=True)
        write_json(self.state.dev, dev)

    def _seed(self) -> dict[str, Any]:
        # A seed may import what the functions import, from where they find it.
        paths = {path: None for pool in self.pools for path in pool.environment["PYTHONPATH"].split(":")}
        sys.path += [path for path in paths if path not in sys.path]
        seeded: dict[str, Any] = importlib.import_module(SEED).seed(self._context())
        return seeded

    def _enter(self, dev: Mapping[str, Any]) -> dict[str, str]:
        """Address that signs in to the console once; none for a template without sign-in."""
        identity = next((pool for pool in self.pools if pool.function.folder == "api_identity"), None)
        if identity is None or "user_id" not in dev:
            return {}
        # By name, as the seed: it imports what the functions import.
        url: str = importlib.import_module(CONSOLE).console_url(identity.environment, dev["user_id"])
        return {"console_url": url}

    def _context(self) -> StackContext:
        return StackContext(
            base_url=self.options.base_url,
            worker_base_url=self.options.worker_base_url,
            store_url=self.options.store_url,
            endpoint_url=self.engine.endpoint,
            environments={pool.function.logical_id: pool.environment for pool in self.pools},
            folders={pool.function.folder: pool.function.logical_id for pool in self.pools},
            state_directory=self.state.path,
            previous=read_json(self.state.dev),
        )

    def _trigger(self, clients: Clients) -> None:
        pairs = sources(self.pools)
        threads = ThreadPoolExecutor(max_workers=4 * len(pairs) + 1, thread_name_prefix="queues")
        self._parts.callback(threads.shutdown, wait=False, cancel_futures=True)
        self._parts.push_async_callback(self._end_tasks)
        self._pollers = [QueuePoller(clients.sqs, source, pool, threads) for source, pool in pairs]
        self._polling = [asyncio.create_task(poller.run()) for poller in self._pollers]
        if self.options.schedules:
            self._spawn(self.schedules.run())
        if self.options.warm:
            self._spawn(self._warm())
        self._spawn(self._shrink())
        self._spawn(self.engine.watch())

    def _spawn(self, job: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(job)
        task.add_done_callback(self._ended)
        self._tasks.append(task)

    def _ended(self, task: asyncio.Task[None]) -> None:
        """A part that fails takes the stack with it: half a stack fails in confusing ways."""
        if not task.cancelled() and (problem := task.exception()):
            self._failure = problem
            self._stopping.set()

    async def _warm(self) -> None:
        """Start functions that answer people, one after the other, while the first requests are served."""
        for pool in self.pools:
            if pool.function.routes:
                try:
                    await pool.warm()
                except InvocationError as problem:
                    print(f"{pool.function.logical_id} does not start: {problem}", flush=True)

    async def _shrink(self) -> None:
        while True:
            await asyncio.sleep(SHRINK_SECONDS)
            for pool in self.pools:
                await pool.shrink()

    async def _serve_control(self, clients: Clients) -> None:
        names, dead = self.blueprint.queues()
        read = {source.queue for source, _ in sources(self.pools)}

        async def status() -> dict[str, Any]:
            # Looked at first: each call to a silent engine would take a minute, and a thread.
            responds = await self.engine.responds()
            depths = await asyncio.to_thread(queue_depths, clients.sqs, names) if responds else {}
            queues = {name: {**depths[name], "dead": name in dead, "read": name in read} for name in depths}
            return self._status(responds) | {"queues": queues}

        control = Control(self.schedules, status)
        server = await self._serve(control.handle, 0)
        write_json(self.state.running, {"pid": os.getpid(), "port": server.port, "token": control.token})

    def _status(self, responds: bool) -> dict[str, Any]:
        functions = [
            {
                "name": pool.function.logical_id,
                "folder": pool.function.folder,
                "workers": pool.size,
                "invocations": pool.invocations,
                "errors": pool.errors,
                "scheduled": [schedule.expression for schedule in pool.function.schedules],
            }
            for pool in self.pools
        ]
        engine = {
            "address": self.engine.endpoint,
            "pid": self.engine.pid,
            "restarts": self.engine.restarts,
            "responds": responds,
        }
        return {
            "addresses": self.addresses | {"Store": self.options.store_url},
            "engine": engine,
            "functions": functions,
            "environment": operator_environment((pool.function for pool in self.pools), self.engine.endpoint),
        }

    def _announce(self, dev: dict[str, Any], seconds: float) -> None:
        for resource in self.blueprint.ignored() if self.options.verbose else ():
            print(f"not run here: {resource.logical_id} ({resource.type})")
        for name, value in dev.items():
            print(f"{name:18} {value}")
        if "page_url" in dev:
            print(HINT.format(port=self.options.ports["edge"]))
        print(f"running after {seconds:.1f} s; logs in {self.state.path / 'logs'}, mails in {self.state.path / 'mail'}")
        if "console_url" in dev:
            print(f"to begin, open {dev['console_url']} (it signs in once)")
        print("Ctrl-C stops", flush=True)

    async def _end_tasks(self) -> None:
        for task in self._tasks:
            task.cancel()
        for poller in self._pollers:
            poller.stopping = True
        await asyncio.gather(*self._tasks, *self._polling, return_exceptions=True)

    async def _close_pools(self) -> None:
        """Let invocations in progress finish for a while, then end the workers."""
        deadline = time.monotonic() + BUSY_SECONDS
        while any(pool.busy for pool in self.pools) and time.monotonic() < deadline:
            await asyncio.sleep(0.02)
        await asyncio.gather(*(pool.close() for pool in self.pools))


def run(options: Options, state: StateDirectory) -> None:
    """Run a stack in this folder until it is stopped."""
    with state.owned():
        if options.fresh:
            wait_for_predecessor(state.engine)
            state.empty()
        wait_for_predecessor(state.engine)
        check_ports(options.ports)
        asyncio.run(Stack(options, state).run())
