"""The receivers of docs/webhooks.md, as they stand there: taken out, run, and asked over HTTP."""

from __future__ import annotations

import os
import re
import selectors
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection
from pathlib import Path

PAGE = Path(__file__).parents[3] / "docs" / "webhooks.md"
MARK = "<!-- executed by tests/integration/webhook_receivers: {} -->\n```{}\n(.*?)```"
STARTS_WITHIN, SAYS_WITHIN = 30.0, 10.0


def code(name: str) -> str:
    """The block of that name; names begin with the block's language."""
    (found,) = re.findall(MARK.format(name, name.partition(" ")[0]), PAGE.read_text(), re.DOTALL)
    return str(found)


def names() -> set[str]:
    """What the page says is executed."""
    return set(re.findall("<!-- executed by tests/integration/webhook_receivers: (.*) -->", PAGE.read_text()))


@dataclass(frozen=True)
class Receiver:
    """A receiver that runs: what it answers, and what it did."""

    port: int
    process: subprocess.Popen[bytes]

    def post(self, body: bytes, headers: Mapping[str, str]) -> int:
        """The status that it answers."""
        connection = HTTPConnection("127.0.0.1", self.port, timeout=SAYS_WITHIN)
        try:
            connection.request("POST", "/hooks", body, dict(headers))
            return connection.getresponse().status
        finally:
            connection.close()

    def handled(self) -> str | None:
        """The next event that it did its work for; None when it did nothing more."""
        assert self.process.stdout is not None
        with selectors.DefaultSelector() as selector:
            selector.register(self.process.stdout, selectors.EVENT_READ)
            # It writes before it answers, so what is not there by now never comes.
            return self.process.stdout.readline().decode().strip() if selector.select(timeout=0) else None


@contextmanager
def running(command: list[str], secret: str) -> Iterator[Receiver]:
    """A receiver in a process of its own, given its port."""
    port = _free_port()
    process = subprocess.Popen(
        [*command, str(port)],
        env={**os.environ, "WEBHOOK_SECRET": secret},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        bufsize=0,
    )
    try:
        _wait_for(port, process)
        yield Receiver(port, process)
    finally:
        process.kill()
        process.wait()
        assert process.stdout is not None
        process.stdout.close()


def command_for(language: str, folder: Path) -> list[str]:
    """How the page's receiver in that language is started."""
    program, ending = {"python": (sys.executable, "py"), "javascript": ("node", "mjs")}[language]
    file = folder / f"receiver.{ending}"
    file.write_text(code(f"{language} receiver"))
    return [program, str(file)]


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return int(server.getsockname()[1])


def _wait_for(port: int, process: subprocess.Popen[bytes]) -> None:
    until = time.monotonic() + STARTS_WITHIN
    while process.poll() is None and time.monotonic() < until:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except OSError:
            time.sleep(0.02)
        else:
            return
    raise AssertionError("the receiver does not listen")
