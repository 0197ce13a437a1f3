"""Processes of a browser, found by an argument of its command line, and ended with everything that they started."""

import os
import signal
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

_PROC = Path("/proc")
_SESSION_FIELD = 3
"""Place of the session in /proc/<pid>/stat, counted from the state that follows the name in parentheses (proc(5))."""


def sessions_of(argument: str) -> frozenset[int]:
    """Return the sessions of processes with this argument, without our own. Playwright starts a session a browser."""
    own = os.getsid(0)
    encoded = argument.encode()
    sessions = {session for pid, session in _processes() if session != own and encoded in _arguments(pid)}
    return frozenset(sessions)


def members_of(sessions: frozenset[int]) -> frozenset[int]:
    """Return the processes of these sessions."""
    return frozenset(pid for pid, session in _processes() if session in sessions)


def end(sessions: frozenset[int], seconds: float = 5.0) -> bool:
    """Kill all processes of the sessions, also those that they start meanwhile. Return whether none is left."""
    until = time.monotonic() + seconds
    while members := members_of(sessions):
        for pid in members:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        if time.monotonic() > until:
            return False
        time.sleep(0.01)
    return True


def _processes() -> Iterator[tuple[int, int]]:
    """Yield each process that has not ended yet, with its session."""
    for entry in _PROC.iterdir():
        if entry.name.isdecimal():
            with suppress(OSError, IndexError, ValueError):
                # The name of a program may hold spaces and parentheses, so fields are counted from the last one.
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
                # A zombie has ended; it waits for its parent, which may be the first process of a container.
                if fields[0] not in "ZX":
                    yield int(entry.name), int(fields[_SESSION_FIELD])


def _arguments(pid: int) -> list[bytes]:
    with suppress(OSError):
        return (_PROC / str(pid) / "cmdline").read_bytes().split(b"\0")
    return []
