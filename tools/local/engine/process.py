"""Starts, watches and stops the engine's process."""

from __future__ import annotations

import asyncio
import fcntl
import os
import signal
import subprocess
import time
import urllib.request
from collections.abc import Mapping
from pathlib import Path

from tools.local.provision.clients import CREDENTIALS
from tools.local.surroundings import ENGINE_PYTHON, UsageError

LAUNCHER = Path(__file__).with_name("launcher.py")
READY_SECONDS = 30.0
SAVING_SECONDS = 60.0
SNAPSHOT_SECONDS = 2.0
RESPONSE_SECONDS = 1.5
"""Time in which an engine that runs responds, also on a busy machine; one that was stopped never does."""


class EngineError(Exception):
    """The engine did not start, or keeps dying."""


def wait_for_predecessor(state: Path) -> None:
    """Wait until an engine that outlived its stack has saved and gone: it holds port and state until then."""
    state.mkdir(parents=True, exist_ok=True)
    deadline = time.monotonic() + SAVING_SECONDS
    with (state / "lock").open("w") as lock:
        while time.monotonic() < deadline:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                time.sleep(0.05)
            else:
                return
    raise EngineError(f"another engine still uses {state}")


class Engine:
    """One engine process on one port; restarted when it dies on its own."""

    def __init__(
        self,
        state: Path,
        port: int,
        log: Path,
        machine: Mapping[str, str],
        *,
        snapshot_seconds: float = SNAPSHOT_SECONDS,
    ) -> None:
        if not ENGINE_PYTHON.exists():
            raise UsageError("the AWS engine is not installed: run `make setup`")
        self.endpoint = f"http://127.0.0.1:{port}"
        self.restarts = 0
        self._state = state
        self._port = port
        self._log = log
        self._snapshot_seconds = snapshot_seconds
        self._environment = {
            **machine,
            **CREDENTIALS,  # it knows one pair, and looks at it for addresses that are signed, such as those of exports
            "BIND_HOST": "127.0.0.1",
            # Saved queue addresses contain this port; answers carry the port that the caller used.
            "GATEWAY_PORT": "4566",
            "PERSIST_STATE": "1",
            "S3_PERSIST": "1",
            "S3_DATA_DIR": str(state / "s3"),
            "SFTP_ENABLED": "0",
            "IOT_MTLS_ENABLED": "0",
            "DOCKER_HOST": f"unix://{state}/no-docker.sock",  # it would look for containers to remove
            "LOG_LEVEL": "WARNING",
        }

    @property
    def pid(self) -> int:
        return self._process.pid

    def launch(self) -> None:
        """Start the process; it is of use once `ready` returns."""
        arguments = (self._state, self._port, os.getpid(), self._snapshot_seconds)
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(
                [ENGINE_PYTHON, "-P", LAUNCHER, *map(str, arguments)],
                env=self._environment,
                cwd=self._state,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    async def ready(self) -> None:
        """Wait until the engine answers; EngineError with the end of its log when it does not."""
        deadline = time.monotonic() + READY_SECONDS
        while time.monotonic() < deadline and self._process.poll() is None:
            try:
                await asyncio.to_thread(self._get, "/_ministack/health")
            except OSError:
                await asyncio.sleep(0.05)
            else:
                return
        last = self._log.read_text(errors="replace").splitlines()[-5:]
        raise EngineError("the AWS engine did not start:\n  " + "\n  ".join(last))

    async def responds(self) -> bool:
        """Return whether the engine responds; one that was stopped by a signal takes connections and is silent."""
        try:
            await asyncio.to_thread(self._get, "/_ministack/health", RESPONSE_SECONDS)
        except OSError:
            return False
        return True

    def _get(self, path: str, timeout: float = 60) -> None:
        with urllib.request.urlopen(self.endpoint + path, timeout=timeout) as answer:  # noqa: S310 - our own loopback
            answer.read()

    async def snapshot(self) -> None:
        """Have the engine save everything now; returns when it is on disk."""
        await asyncio.to_thread(self._get, "/_local/snapshot")

    async def watch(self) -> None:
        """Restart the engine, from its last snapshot, whenever it dies; runs until cancelled."""
        while True:
            await asyncio.sleep(0.25)
            if self._process.poll() is not None:
                self.restarts += 1
                print(
                    f"the AWS engine died ({self._process.returncode}); restarting it from its last snapshot",
                    flush=True,
                )
                self.launch()
                await self.ready()

    async def stop(self) -> None:
        """Stop gracefully, which saves; SIGKILL only for an engine that hangs."""
        if self._process.poll() is None:
            self._process.send_signal(signal.SIGTERM)
        try:
            await asyncio.to_thread(self._process.wait, SAVING_SECONDS)
        except subprocess.TimeoutExpired:
            print("the AWS engine does not stop; killing it", flush=True)
            self._process.kill()
            self._process.wait()
