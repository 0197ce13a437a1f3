"""A small pool of workers for one function: grows with concurrency, replaces what hangs or dies."""

from __future__ import annotations

import asyncio
import json
import secrets
import time
from collections import deque
from pathlib import Path
from typing import Any

from tools.local.runtime.process import InvocationError, Worker
from tools.local.template.functions import Function
from tools.local.template.intrinsics import ACCOUNT, REGION

MOST_WORKERS = 4
KEPT_IDLE_SECONDS = 60.0
INIT_SECONDS = 30.0
MOST_EVENT_BYTES = 6_291_456


class EventTooLargeError(Exception):
    """The event is over Lambda's 6 MB; it was not sent."""


class Pool:
    """Invokes one function; more calls than workers wait for their turn."""

    def __init__(self, function: Function, environment: dict[str, str], log: Path) -> None:
        self.function = function
        self.environment = environment
        self.invocations = 0
        self.errors = 0
        self._log = log
        self._idle: list[Worker] = []
        self._busy: set[Worker] = set()
        self._waiting: deque[asyncio.Future[Worker]] = deque()
        self._starting: asyncio.Task[InvocationError | None] | None = None
        self._closed = False

    @property
    def size(self) -> int:
        """How many workers there are."""
        return len(self._idle) + len(self._busy)

    @property
    def busy(self) -> bool:
        """Return whether an invocation is in progress."""
        return bool(self._busy)

    async def invoke(self, event: Any) -> Any:
        """Run the handler on `event` within the function's timeout; InvocationError when it gives no result."""
        encoded = json.dumps(event, ensure_ascii=False).encode(errors="surrogatepass")
        if len(encoded) > MOST_EVENT_BYTES:
            raise EventTooLargeError
        self.invocations += 1
        try:
            return await self._invoke(encoded)
        except InvocationError:
            self.errors += 1
            raise

    async def _invoke(self, event: bytes) -> Any:
        worker = await self._acquire()
        invocation = self._invocation()
        try:
            async with asyncio.timeout(self.function.timeout):
                return await worker.call(invocation, event)
        except TimeoutError:
            worker.kill()
            message = f"{invocation['id']} Task timed out after {self.function.timeout:.2f} seconds"
            self.note(message)
            raise InvocationError("Sandbox.Timedout", message) from None
        except asyncio.CancelledError:
            worker.kill()
            raise
        finally:
            self._release(worker)

    def _invocation(self) -> dict[str, Any]:
        now = time.time()
        random = secrets.token_hex(16)
        return {
            "id": f"{random[:8]}-{random[8:12]}-4{random[13:16]}-8{random[17:20]}-{random[20:]}",
            "function_name": self.function.name,
            "arn": f"arn:aws:lambda:{REGION}:{ACCOUNT}:function:{self.function.name}",
            "memory": str(self.function.memory),
            "deadline": now + self.function.timeout,
            "trace": f"Root=1-{int(now):08x}-{random[:24]};Parent={random[8:24]};Sampled=0",
        }

    async def _acquire(self) -> Worker:
        while self._idle:
            worker = self._idle.pop()
            if worker.alive:
                self._busy.add(worker)
                return worker
            worker.kill()
        turn: asyncio.Future[Worker] = asyncio.get_running_loop().create_future()
        self._waiting.append(turn)
        self._grow()
        return await turn

    def _release(self, worker: Worker) -> None:
        self._busy.discard(worker)
        if not worker.alive:
            self._grow()
            return
        while self._waiting:
            turn = self._waiting.popleft()
            if not turn.done():
                self._busy.add(worker)
                turn.set_result(worker)
                return
        worker.idle_since = time.monotonic()
        self._idle.append(worker)

    def _grow(self) -> None:
        """Start one more worker if an invocation waits; one at a time, since two cores import no faster at once."""
        if self._waiting and self._starting is None and self.size < MOST_WORKERS and not self._closed:
            self._starting = asyncio.create_task(self._start())

    async def _start(self) -> InvocationError | None:
        failure = None
        try:
            async with asyncio.timeout(INIT_SECONDS):
                worker = await Worker.start(self.function, self.environment, self._log)
        except InvocationError as problem:
            failure = problem
        except (TimeoutError, OSError) as problem:
            failure = InvocationError("Sandbox.InitError", repr(problem))
        else:
            self._release(worker)
        finally:
            self._starting = None
        if failure:
            self._fail_waiting(failure)
        self._grow()
        return failure

    def _fail_waiting(self, error: InvocationError) -> None:
        while self._waiting:
            turn = self._waiting.popleft()
            if not turn.done():
                turn.set_exception(error)

    async def warm(self) -> None:
        """Have one worker ready before the first call wants it; InvocationError when it cannot be started."""
        if self.size or self._starting or self._closed:
            return
        self._starting = asyncio.create_task(self._start())
        if problem := await self._starting:
            raise problem

    async def shrink(self) -> None:
        """Stop workers that a burst has left behind; the last one stays."""
        border = time.monotonic() - KEPT_IDLE_SECONDS
        while len(self._idle) > 1 and self._idle[0].idle_since < border:
            await self._idle.pop(0).stop()

    async def close(self) -> None:
        """Stop every worker; calls in progress are cut off."""
        self._closed = True
        if self._starting:
            self._starting.cancel()
        for worker in self._busy:
            worker.kill()
        await asyncio.gather(*(worker.stop() for worker in self._idle))

    def note(self, message: str) -> None:
        """Write a line of the stack's own into the function's log."""
        with self._log.open("a") as log:
            log.write(f"{message}\n")
