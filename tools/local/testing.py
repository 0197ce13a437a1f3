"""Starts a whole local stack for a test, on free ports, in a folder of the test's own.

@pytest.fixture(scope="session")
def dev(tmp_path_factory):
    with running_stack(tmp_path_factory.mktemp("stack")) as dev:
        yield dev  # content of .local/dev.json: base_url, worker_base_url, store_url, api_key ...

tick(directory, "cron_rollup")  # fires a schedule of the stack that runs there, returns its result
settle(directory)               # drains its queues and brings results up to date
"""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from tools.local.commands.client import ControlClient
from tools.local.commands.settle import settle as settle_with
from tools.local.files import StateDirectory, read_json
from tools.local.surroundings import PORTS, PROJECT, machine_environment

START_SECONDS = 60
STOP_SECONDS = 60
ATTEMPTS = 3


class StackFailedError(Exception):
    """The stack did not start or did not stop as it should; carries its output."""


def free_ports(count: int) -> list[int]:
    """Find ports that nothing listens on now."""
    with ExitStack() as sockets:
        held = [sockets.enter_context(socket.socket()) for _ in range(count)]
        for each in held:
            each.bind(("127.0.0.1", 0))
        return [each.getsockname()[1] for each in held]


def command(directory: Path, options: Sequence[str] = (), **ports: int) -> tuple[list[str], dict[str, str]]:
    """The command line and the environment of a stack in `directory`; ports not given are free ones."""
    free = dict(zip(PORTS, free_ports(len(PORTS)), strict=True)) | ports
    flags = [part for name, number in free.items() for part in (PORTS[name].option, str(number))]
    environment = machine_environment() | {"ABTEST_LOCAL_DIR": str(directory)}
    return [sys.executable, "-m", "tools.local", "run", *flags, *options], environment


@contextmanager
def running_stack(directory: Path, options: Sequence[str] = (), **ports: int) -> Iterator[dict[str, Any]]:
    """Run a stack in `directory`, which keeps its state, and yield its dev.json; then stop it gracefully.

    `options` are those of `python -m tools.local run`; ports are `port`, `edge`, `store` and `aws`.
    StackFailedError with the stack's output when it does not start, or when it stops with an error.
    """
    process = _start(directory, options, ports)
    try:
        yield read_json(StateDirectory(directory).dev)
    finally:
        process.send_signal(signal.SIGTERM)
        try:
            status = process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            status = process.wait()
    if status:
        raise _failure(directory, f"stopped with status {status}")


def _start(directory: Path, options: Sequence[str], ports: dict[str, int]) -> subprocess.Popen[bytes]:
    for attempt in range(ATTEMPTS):
        line, environment = command(directory, options, **ports)
        with (directory / "output.txt").open("wb") as output:
            process = subprocess.Popen(
                line, cwd=PROJECT, env=environment, stdin=subprocess.DEVNULL, stdout=output, stderr=output
            )
        status = _wait(StateDirectory(directory), process)
        if status is None:
            return process
        failure = _failure(directory, f"ended with status {status}")
        # Another process may take a free port before the stack does; nothing else is worth a second try.
        if "in use" not in str(failure) or attempt == ATTEMPTS - 1:
            raise failure
    raise AssertionError("unreachable")


def _wait(state: StateDirectory, process: subprocess.Popen[bytes]) -> int | None:
    """Wait until the stack is ready (None) or has ended (its status)."""
    deadline = time.monotonic() + START_SECONDS
    while read_json(state.running).get("pid") != process.pid:
        if (status := process.poll()) is not None:
            return status
        if time.monotonic() > deadline:
            process.kill()
            process.wait()
            raise _failure(state.path, "did not become ready")
        time.sleep(0.02)
    return None


def _failure(directory: Path, what: str) -> StackFailedError:
    return StackFailedError(f"the stack {what}:\n{(directory / 'output.txt').read_text(errors='replace')}")


def tick(directory: Path, job: str, more: dict[str, Any] | None = None) -> Any:
    """Fire a scheduled function of the stack in `directory` and return its result."""
    return ControlClient(StateDirectory(directory)).tick(job, more)


def settle(directory: Path, timeout: float = 60) -> None:
    """Drain the queues of the stack in `directory` and bring its results up to date."""
    settle_with(ControlClient(StateDirectory(directory)), timeout, lambda _line: None)


def status(directory: Path) -> dict[str, Any]:
    """Return the state of the stack in `directory`, and how many messages its queues hold."""
    return ControlClient(StateDirectory(directory)).status()
