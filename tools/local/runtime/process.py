"""The parent's side of one worker process: start it, call it, end it."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import socket
import struct
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tools.local.template.functions import Function

PROGRAM = Path(__file__).with_name("worker.py")
LENGTH = struct.Struct(">I")


class InvocationError(Exception):
    """An invocation that has no result, in Lambda's own words."""

    def __init__(self, kind: str, message: str, trace: list[str] | None = None) -> None:
        super().__init__(f"{kind}: {message}")
        self.kind = kind
        self.message = message
        self.trace = trace or []


@dataclass(eq=False)
class Worker:
    """A started process, ready for its next call."""

    process: subprocess.Popen[bytes]
    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    idle_since: float = 0.0

    @classmethod
    async def start(cls, function: Function, environment: dict[str, str], log: Path) -> Worker:
        """Start a process and wait until it has imported the handler; InvocationError when it could not."""
        ours, theirs = socket.socketpair()
        with theirs:
            process = subprocess.Popen(
                [sys.executable, "-P", PROGRAM, str(theirs.fileno()), str(os.getpid()), log, function.handler],
                env=environment,
                cwd=function.code,
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                # A session of its own: Ctrl-C in the terminal reaches the stack only, which ends things in order.
                start_new_session=True,
            )
        reader, writer = await asyncio.open_connection(sock=ours)
        worker = cls(process, reader, writer)
        try:
            await worker._reply()
        except BaseException:
            worker.kill()
            raise
        return worker

    @property
    def alive(self) -> bool:
        return self.process.poll() is None and not self.reader.at_eof()

    async def call(self, invocation: dict[str, Any], event: bytes) -> Any:
        """Invoke the handler and return its result; InvocationError for an exception or a death."""
        head = json.dumps(invocation).encode()
        try:
            self.writer.write(LENGTH.pack(len(head)) + head + LENGTH.pack(len(event)) + event)
            await self.writer.drain()
        except ConnectionError:
            raise self._exit_error() from None
        return (await self._reply())["result"]

    async def _reply(self) -> dict[str, Any]:
        try:
            (length,) = LENGTH.unpack(await self.reader.readexactly(LENGTH.size))
            message: dict[str, Any] = json.loads(await self.reader.readexactly(length))
        except (asyncio.IncompleteReadError, ConnectionError):
            raise self._exit_error() from None
        if error := message.get("error"):
            raise InvocationError(error["errorType"], error["errorMessage"], error["stackTrace"])
        return message

    def _exit_error(self) -> InvocationError:
        try:
            self.process.wait(0.05)  # the channel is closed, so the process is about to leave its exit code
        except subprocess.TimeoutExpired:
            self.kill()
        code = self.process.returncode
        how = signal.Signals(-code).name if code < 0 else f"exit status {code}"
        return InvocationError("Runtime.ExitError", f"Runtime exited with error: {how}")

    def kill(self) -> None:
        """End the process now; harmless when it has ended."""
        self.writer.close()
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()

    async def stop(self) -> None:
        """End an idle process by closing its channel."""
        self.writer.close()
        for _ in range(100):
            if self.process.poll() is not None:
                return
            await asyncio.sleep(0.01)
        self.kill()
