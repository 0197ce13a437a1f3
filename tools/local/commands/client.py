"""The way from a command to the stack that runs in the same state directory."""

from __future__ import annotations

import http.client
import json
from typing import Any

from tools.local.files import StateDirectory, read_json

LONGEST_JOB_SECONDS = 920


class CommandError(Exception):
    """The command failed; shown as one line, exit status 1."""


class ControlClient:
    """Client of the running stack; CommandError if none runs or it refuses."""

    def __init__(self, state: StateDirectory) -> None:
        running = read_json(state.running)
        if not running:
            raise CommandError(f"no stack runs in {state.path}: start one with `make run`")
        self._port: int = running["port"]
        self._token: str = running["token"]

    def status(self) -> dict[str, Any]:
        """Everything that runs, and the depth of every queue; no queues while the engine does not respond."""
        return self._ask("GET", "/status")

    def tick(self, job: str, more: dict[str, Any] | None = None) -> Any:
        """Fire a scheduled function now, its event with `more` in it, and return its result."""
        return self._ask("POST", f"/tick/{job}", more)["result"]

    def _ask(self, method: str, path: str, body: dict[str, Any] | None = None) -> dict[str, Any]:
        connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=LONGEST_JOB_SECONDS)
        try:
            connection.request(method, path, body=json.dumps(body or {}), headers={"x-token": self._token})
            answer = connection.getresponse()
            content: dict[str, Any] = json.loads(answer.read())
        except (OSError, http.client.HTTPException):
            raise CommandError("the stack does not answer: it has stopped or was killed") from None
        finally:
            connection.close()
        if answer.status != 200:
            raise CommandError(content["message"])
        return content
