"""Processes that hang in the middle of their work until they are killed, for tests on an engine of their own."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from tools.local.surroundings import PROJECT


@contextmanager
def hanging(module: str, *arguments: str, first_line: str) -> Iterator[subprocess.Popen[str]]:
    """A process of this module, once it has written the line `first_line`; killed at the end."""
    line = [sys.executable, "-m", module, *arguments]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    with subprocess.Popen(
        line, cwd=PROJECT, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == f"{first_line}\n"
            yield process
        finally:
            process.kill()
