"""The one place of the stack that reads the environment: ports, folders and what worker processes inherit."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]
ENGINE_PYTHON = PROJECT / ".local" / "venvs" / "ministack" / "bin" / "python"


class UsageError(Exception):
    """Something the person at the keyboard can put right; shown as one line, exit status 2."""


@dataclass(frozen=True)
class Port:
    """One port of the stack: what wants it and how to move it."""

    option: str
    variable: str
    default: int
    wanted_by: str


PORTS = {
    "port": Port("--port", "ABTEST_PORT", 8400, "the management API"),
    "edge": Port("--edge-port", "ABTEST_EDGE_PORT", 8401, "the edge API"),
    "store": Port("--store-port", "ABTEST_STORE_PORT", 8402, "the demo store"),
    "assets": Port("--assets-port", "ABTEST_ASSETS_PORT", 8404, "the files of shops"),
    "aws": Port("--aws-port", "ABTEST_AWS_PORT", 8403, "the AWS engine"),
}


def default_port(name: str) -> int:
    """The port from the environment, or the usual one."""
    port = PORTS[name]
    text = os.environ.get(port.variable, str(port.default))
    if not text.isdecimal() or not 0 < int(text) < 65536:
        raise UsageError(f"{port.variable} is {text!r}, which is no port number")
    return int(text)


def state_directory() -> Path:
    """Where this stack keeps everything: .local of the project, or ABTEST_LOCAL_DIR."""
    return Path(os.environ.get("ABTEST_LOCAL_DIR") or PROJECT / ".local").resolve()


def machine_environment() -> dict[str, str]:
    """Return the variables of this machine that every process needs; functions get no others of the shell."""
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "TMPDIR") if name in os.environ}
    return {**kept, "LANG": "C.UTF-8", "TZ": ":UTC"}
