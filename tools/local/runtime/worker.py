"""Runs one function's handler, one invocation at a time; a program of its own that imports nothing of ours.

    python -P worker.py SOCKET-FD PARENT-PID LOG-FILE HANDLER

Frames are four bytes of length and that many bytes of JSON. The parent sends two a call, the invocation
and its event, and gets one back.
"""

from __future__ import annotations

import contextlib
import ctypes
import importlib
import io
import json
import os
import signal
import socket
import struct
import sys
import time
import traceback
from collections.abc import Callable
from types import TracebackType
from typing import Any

LENGTH = struct.Struct(">I")
MOST_REPLY_BYTES = 6_291_556


class LambdaContext:
    """Context that a handler receives as its second argument."""

    aws_request_id = "init"
    function_version = "$LATEST"
    identity = None
    client_context = None

    def __init__(self, invocation: dict[str, Any]) -> None:
        self.aws_request_id = invocation["id"]
        self.function_name = invocation["function_name"]
        self.invoked_function_arn = invocation["arn"]
        self.memory_limit_in_mb = invocation["memory"]
        self.log_group_name = f"/aws/lambda/{self.function_name}"
        self.log_stream_name = "local"
        self._deadline = invocation["deadline"]

    def get_remaining_time_in_millis(self) -> int:
        """Milliseconds until the stack kills this process."""
        return max(0, int((self._deadline - time.time()) * 1000))


class PrefixedLines(io.TextIOBase):
    """A standard stream that puts time and request id before every line of the function's log."""

    def __init__(self, descriptor: int) -> None:
        self.request = "init"
        self._descriptor = descriptor
        self._rest = ""

    def writable(self) -> bool:
        return True

    def fileno(self) -> int:
        return self._descriptor

    def write(self, text: str) -> int:
        *lines, self._rest = (self._rest + text).split("\n")
        if lines:
            now = time.time()
            stamp = f"{time.strftime('%Y-%m-%dT%H:%M:%S', time.gmtime(now))}.{int(now % 1 * 1000):03d}Z {self.request} "
            # One write of whole lines to a file opened for appending: workers never cut each other's lines.
            os.write(self._descriptor, "".join(f"{stamp}{line}\n" for line in lines).encode(errors="replace"))
        return len(text)

    def finish_line(self) -> None:
        if self._rest:
            self.write("\n")


class Channel:
    """Length-prefixed frames over the socket that the parent handed down."""

    def __init__(self, descriptor: int) -> None:
        self._socket = socket.socket(fileno=descriptor)
        self._reader = self._socket.makefile("rb")

    def receive(self) -> Any:
        head = self._reader.read(LENGTH.size)
        if len(head) < LENGTH.size:
            sys.exit(0)  # the stack closed the channel: this worker is not needed any longer
        return json.loads(self._reader.read(LENGTH.unpack(head)[0]))

    def send(self, message: dict[str, Any]) -> None:
        frame = json.dumps(message, ensure_ascii=False).encode(errors="surrogatepass")
        if len(frame) > MOST_REPLY_BYTES:
            error = _error("Function.ResponseSizeTooLarge", f"Response payload size exceeded: {len(frame)} bytes")
            frame = json.dumps(error).encode()
        self._socket.sendall(LENGTH.pack(len(frame)) + frame)


def _error(kind: str, message: str, trace: TracebackType | None = None) -> dict[str, Any]:
    lines = traceback.format_tb(trace) if trace else []
    return {"error": {"errorType": kind, "errorMessage": message, "stackTrace": lines}}


def _die_with(parent: int) -> None:
    """Have Linux kill this process when the stack dies, even if the handler hangs."""
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)
    if os.getppid() != parent:
        sys.exit("the stack of this worker is gone")


def _load(handler: str) -> Callable[[Any, LambdaContext], Any]:
    module, _, name = handler.rpartition(".")
    loaded: Callable[[Any, LambdaContext], Any] = getattr(importlib.import_module(module.replace("/", ".")), name)
    return loaded


def _invoke(handler: Callable[[Any, LambdaContext], Any], invocation: dict[str, Any], event: Any) -> dict[str, Any]:
    os.environ["_X_AMZN_TRACE_ID"] = invocation["trace"]
    try:
        result = handler(event, LambdaContext(invocation))
    except Exception as problem:
        traceback.print_exc()
        return _error(type(problem).__name__, str(problem), problem.__traceback__)
    try:
        json.dumps(result)
    except (TypeError, ValueError) as problem:
        return _error("Runtime.MarshalError", f"Unable to marshal response: {problem}")
    return {"result": result}


def _serve(channel: Channel, handler: Callable[[Any, LambdaContext], Any], log: PrefixedLines) -> None:
    while True:
        invocation = channel.receive()
        event = channel.receive()
        log.request = invocation["id"]
        started = time.perf_counter()
        reply = _invoke(handler, invocation, event)
        log.finish_line()
        log.write(f"REPORT Duration: {(time.perf_counter() - started) * 1000:.2f} ms\n")
        channel.send(reply)


def main() -> None:
    """Load the handler, say so, and serve until the channel closes."""
    descriptor, parent, log_file, handler_name = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3], sys.argv[4]
    _die_with(parent)
    log_descriptor = os.open(log_file, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
    os.dup2(log_descriptor, 1)
    os.dup2(log_descriptor, 2)
    log = PrefixedLines(log_descriptor)
    sys.stdout = sys.stderr = log
    sys.argv = [""]
    channel = Channel(descriptor)
    try:
        handler = _load(handler_name)
    except Exception as problem:
        traceback.print_exc()
        channel.send(_error("Runtime.ImportModuleError", f"Unable to import {handler_name}: {problem!r}"))
        sys.exit(1)
    channel.send({"ready": True})
    _serve(channel, handler, log)


if __name__ == "__main__":
    main()
