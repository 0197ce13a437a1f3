"""The stack's own files: dev.json for people and tests, stack.json for the commands, the lock, the logs."""

from __future__ import annotations

import fcntl
import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tools.local.surroundings import UsageError

MOST_LOG_BYTES = 20 * 1024 * 1024


@dataclass(frozen=True)
class StateDirectory:
    """One folder that holds everything one stack keeps."""

    path: Path

    @property
    def engine(self) -> Path:
        return self.path / "engine"

    @property
    def dev(self) -> Path:
        return self.path / "dev.json"

    @property
    def running(self) -> Path:
        return self.path / "stack.json"

    def log(self, name: str) -> Path:
        """The log file of a function or of the engine; a large one of the last run is set aside."""
        path = self.path / "logs" / f"{name}.log"
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.exists() and path.stat().st_size > MOST_LOG_BYTES:
            path.replace(path.with_suffix(".log.1"))
        path.touch()
        return path

    @contextmanager
    def owned(self) -> Iterator[None]:
        """Hold the folder for one running stack; UsageError when another has it."""
        self.path.mkdir(parents=True, exist_ok=True)
        with (self.path / "stack.lock").open("w") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise UsageError(f"a stack already runs in {self.path}") from None
            try:
                yield
            finally:
                self.running.unlink(missing_ok=True)

    def empty(self) -> None:
        """Forget all state; installed environments stay."""
        for path in (self.engine, self.path / "logs"):
            shutil.rmtree(path, ignore_errors=True)
        self.dev.unlink(missing_ok=True)


def read_json(path: Path) -> dict[str, Any]:
    """Read a JSON object, {} when there is none."""
    try:
        content: dict[str, Any] = json.loads(path.read_text())
    except (FileNotFoundError, json.JSONDecodeError):
        return {}
    return content


def write_json(path: Path, content: dict[str, Any]) -> None:
    """Replace a file as a whole, readable by its owner only: both files hold keys."""
    temporary = path.with_suffix(".new")
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w") as file:
        json.dump(content, file, indent=2)
        file.write("\n")
    temporary.replace(path)
