"""Serves ministack with snapshots; runs inside ministack's own virtual environment, never in ours.

Ministack writes its state only when it stops gracefully. This launcher adds what a developer's machine
needs besides: while requests change something, a forked child writes a whole generation of state every
few seconds, so that a SIGKILL loses seconds and not the day. The child is a copy-on-write image taken
between two requests, hence consistent across services, and the parent never waits for it.

    generations/000007/   a complete set of *.json, never written again
    current               one line naming the newest complete generation, replaced atomically
"""

from __future__ import annotations

import asyncio
import contextlib
import copy
import ctypes
import fcntl
import gc
import json
import os
import runpy
import shutil
import signal
import sys
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

STATE, PORT, PARENT, INTERVAL = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), float(sys.argv[4])
# A snapshot that takes long is taken less often: at most this share of one core goes into saving.
MOST_OF_TIME_SAVING = 0.25
Message = dict[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]

READING = ("Get", "List", "Describe", "Query", "Scan", "BatchGet", "TransactGet", "Head")
SNAPSHOT_PATH = "/_local/snapshot"


def die_with_parent() -> None:
    """Ask Linux for SIGTERM when the stack dies: its last state is then saved, and no orphan stays."""
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(1, signal.SIGTERM)
    if os.getppid() != PARENT:
        sys.exit("the stack of this engine is gone")


def hold_lock() -> object:
    """Wait until the engine before this one has saved and gone; two must never write one state.

    A snapshot's child inherits the lock, so that a successor also waits for the save of a killed engine.
    """
    STATE.mkdir(parents=True, exist_ok=True)
    handle = (STATE / "lock").open("w")
    fcntl.flock(handle, fcntl.LOCK_EX)
    return handle


class Generations:
    """The numbered sets of state on disk."""

    def __init__(self, root: Path) -> None:
        self.root = root / "generations"
        self.root.mkdir(parents=True, exist_ok=True)
        self.pointer = root / "current"

    def newest(self) -> Path | None:
        if not self.pointer.exists():
            return None
        return self.root / self.pointer.read_text().strip()

    def begin(self) -> Path:
        """Make the next, still unnamed generation, holding the files of the newest one."""
        newest = self.newest()
        directory = self.root / f"{int(newest.name) + 1 if newest else 1:06d}"
        shutil.rmtree(directory, ignore_errors=True)
        directory.mkdir()
        # A service that fails to report keeps its last state; os.replace never writes through a link.
        for file in newest.glob("*.json") if newest else ():
            os.link(file, directory / file.name)
        return directory

    def promote(self, directory: Path) -> None:
        temporary = self.pointer.with_suffix(".new")
        temporary.write_text(directory.name)
        temporary.replace(self.pointer)
        for old in self.root.iterdir():
            if old != directory:
                shutil.rmtree(old, ignore_errors=True)


def changes(scope: Message) -> bool:
    """Say whether a request may change state, erring towards yes."""
    headers = dict(scope["headers"])
    action = headers.get(b"x-amz-target", b"").decode("latin-1").rpartition(".")[2]
    if action:
        return not action.startswith(READING)
    return scope["method"] not in {"GET", "HEAD", "OPTIONS"}


class Snapshots:
    """Decides when to save and forks the child that does it."""

    def __init__(self, generations: Generations) -> None:
        self.generations = generations
        self.dirty = False
        self.lock = asyncio.Lock()

    async def take(self) -> bool:
        """Save everything as it is now; returns whether the save succeeded."""
        async with self.lock:
            self.dirty = False
            directory = self.generations.begin()
            child = os.fork()
            if child == 0:
                self._save_and_exit(directory)
            saved = await self._wait(child)
            if saved:
                self.generations.promote(directory)
            else:
                self.dirty = True
            return saved

    @staticmethod
    def _save_and_exit(directory: Path) -> None:
        status = 1
        try:
            gc.disable()  # a collection would copy every page of the image
            os.nice(5)
            save_into(directory)
            status = 0
        finally:
            os._exit(status)

    @staticmethod
    async def _wait(child: int) -> bool:
        while True:
            done, status = os.waitpid(child, os.WNOHANG)
            if done:
                return status == 0
            await asyncio.sleep(0.02)

    async def run(self) -> None:
        pause = INTERVAL
        while True:
            await asyncio.sleep(pause)
            if self.dirty:
                started = time.monotonic()
                await self.take()
                pause = max(INTERVAL, (time.monotonic() - started) / MOST_OF_TIME_SAVING)


def save_into(directory: Path) -> None:
    """Save all services; only for a forked child, which changes two library functions that it shares."""
    from ministack import app
    from ministack.core import persistence

    # Nothing changes any more in this image of the process, so there is no need to copy before saving.
    copy.deepcopy = lambda value, _memo=None: value  # type: ignore[assignment, misc]
    # dump() encodes in Python, dumps() in C: several times faster.
    json.dump = lambda value, file, **options: file.write(json.dumps(value, **options))
    persistence.STATE_DIR = str(directory)
    persistence.save_all(app._build_persistence_save_dict())


class Engine:
    """Ministack's application with a snapshot route, and generations in place of its one state folder."""

    def __init__(self, generations: Generations) -> None:
        self.generations = generations
        self.snapshots = Snapshots(generations)
        self.task: asyncio.Task[None] | None = None

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        from ministack.app import app

        if scope["type"] == "lifespan":
            await app(scope, self._lifespan(receive), self._announce(send))
        elif scope["type"] == "http" and scope["path"] == SNAPSHOT_PATH:
            await self._answer(send, await self.snapshots.take())
        else:
            await app(scope, receive, send)
            if scope["type"] == "http" and changes(scope):
                self.snapshots.dirty = True

    def _lifespan(self, receive: Receive) -> Receive:
        async def receiving() -> Message:
            message = await receive()
            if message["type"] == "lifespan.shutdown" and self.task:
                await self._save_at_the_end(self.task)
            return message

        return receiving

    async def _save_at_the_end(self, periodic: asyncio.Task[None]) -> None:
        async with self.snapshots.lock:
            periodic.cancel()
        if self.snapshots.dirty:
            await self.snapshots.take()

    def _announce(self, send: Send) -> Send:
        async def sending(message: Message) -> None:
            if message["type"] == "lifespan.startup.complete":
                self.task = asyncio.create_task(self.snapshots.run())
            await send(message)

        return sending

    @staticmethod
    async def _answer(send: Send, saved: bool) -> None:
        await send({"type": "http.response.start", "status": 200 if saved else 500, "headers": []})
        await send({"type": "http.response.body", "body": b"saved" if saved else b"not saved"})


def configure(newest: Path | None) -> None:
    """Point ministack at the newest generation and take over its final save."""
    from ministack import app
    from ministack.core import persistence

    persistence.STATE_DIR = str(newest or STATE / "none")
    app.save_all = lambda _services: None


def main() -> None:
    die_with_parent()
    lock = hold_lock()
    from hypercorn.asyncio import serve  # type: ignore[import-not-found]  # lives in ministack's environment
    from hypercorn.config import Config  # type: ignore[import-not-found]

    # Nothing of ours is on the path here: the file next to this one is run by its place.
    runpy.run_path(str(Path(__file__).with_name("athena_tables.py")))["install"]()
    generations = Generations(STATE)
    configure(generations.newest())
    config = Config()
    config.bind = [f"127.0.0.1:{PORT}"]
    config.keep_alive_timeout = 75
    config.graceful_timeout = 2
    config.loglevel = "WARNING"
    asyncio.run(serve(Engine(generations), config))
    del lock


main()
