"""A stack of tiny functions, started once, and a way to talk HTTP to it."""

import http.client
import json
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from tools.local.testing import running_stack

TEMPLATE = Path(__file__).with_name("stack") / "template.yaml"
Headers = Mapping[str, str] | None
QUIET = ["--template", str(TEMPLATE), "--no-seed", "--no-warm", "--no-schedules"]


@dataclass
class Answer:
    """One HTTP answer."""

    status: int
    headers: http.client.HTTPMessage
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


def send(base: str, method: str, path: str, body: Any = None, headers: Headers = None, **extra: Any) -> Answer:
    """Send one request on a connection of its own."""
    with closing(http.client.HTTPConnection(urlsplit(base).netloc, timeout=40)) as connection:
        connection.request(method, path, body=body, headers=headers or {}, **extra)
        answer = connection.getresponse()
        return Answer(answer.status, answer.headers, answer.read())


@dataclass
class Running:
    """The stack of the tests: its folder, its dev.json, and calls to its two APIs."""

    directory: Path
    dev: dict[str, Any]

    def api(self, method: str, path: str, body: Any = None, headers: Headers = None, **extra: Any) -> Answer:
        return send(self.dev["base_url"], method, path, body, headers, **extra)

    def edge(self, method: str, path: str, body: Any = None, headers: Headers = None) -> Answer:
        return send(self.dev["worker_base_url"], method, path, body, headers)

    def act(self, action: str, body: Any = None) -> Answer:
        return self.api("POST", f"/act/{action}", body)

    def log(self, function: str) -> str:
        return (self.directory / "logs" / f"{function}.log").read_text()


@pytest.fixture(scope="session")
def options() -> list[str]:
    """Options for a stack of the test template."""
    return QUIET


@pytest.fixture(scope="session")
def stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """One running stack for all tests that do not stop it."""
    directory = tmp_path_factory.mktemp("stack")
    with running_stack(directory, QUIET) as dev:
        yield Running(directory, dev)


@pytest.fixture(scope="session")
def start() -> Callable[..., Running]:
    """A view of a stack that a test started itself."""
    return Running


def wait_until(holds: Callable[[], object], seconds: float = 20) -> None:
    """Poll until something holds."""
    deadline = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.02)


@pytest.fixture(scope="session")
def eventually() -> Callable[..., None]:
    """Bounded polling."""
    return wait_until
