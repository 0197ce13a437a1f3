"""Edge routes while their stores hang, or take 400 ms a call: what shoppers get, and how long they wait."""

from __future__ import annotations

import gzip
import json
import logging
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from time import monotonic, sleep, time
from typing import Any

import pytest
import requests

from abtest.domain.credentials.api_keys import SECRET_LENGTH, compose
from tests.support.memory import MemoryBlobs
from tests.support.routes import HOST, PATH, flip
from tests.support.slow_engine import Line, edge_behind_line
from tools.local.provision.clients import Clients
from tools.local.testing import settle, status

_log = logging.getLogger(__name__)
BUSY = 2
"""Factor for the limits: the gate runs four stacks and browsers on two cores. `report` prints what was measured."""

pytestmark = pytest.mark.stack

UNKNOWN = "0192e4a0-ffff-7000-8000-{:012x}"
"""Shops that no process has a copy of."""

REQUESTS = 120


class Edge:
    """The edge API of a shop, and how long each answer took."""

    def __init__(self, dev: dict[str, Any], address: str) -> None:
        self.dev = dev
        self.address = address
        self.seconds: list[float] = []
        self._session = requests.Session()
        self._session.trust_env = False

    def get(self, path: str, **request: Any) -> requests.Response:
        return self.call("GET", path, **request)

    def call(self, method: str, path: str, **request: Any) -> requests.Response:
        begun = monotonic()
        answer = self._session.request(method, self.address + path, timeout=30, **request)
        self.seconds.append(monotonic() - begun)
        return answer

    def config(self, shop_id: str | None = None, encoding: str = "gzip") -> requests.Response:
        parameters = {"shopId": shop_id or self.dev["shop_id"]}
        return self.get("/api/exp", params=parameters, headers={"Accept-Encoding": encoding})

    def snippet(self, shop_id: str | None = None) -> requests.Response:
        return self.get(f"/s/{shop_id or self.dev['shop_id']}.js")

    def page(self, path: str = PATH) -> requests.Response:
        return self.get(path, headers={"Host": HOST})

    def assign(self, key: str = "") -> requests.Response:
        bearer = {"Authorization": f"Bearer {key or self.dev['tracking_key']}"}
        return self.get("/assign", params={"user_id": "visitor"}, headers=bearer)

    def send(self, event_id: str) -> requests.Response:
        event = {"type": "pageview", "shopId": self.dev["shop_id"], "visitorId": "v", "sessionId": "s", "data": {}}
        event |= {"ts": int(time() * 1000), "eventId": event_id}
        signed = {"_shopId": self.dev["shop_id"], "_signature": self.dev["ingest_signature"]}
        return self.call("POST", "/events", json={"events": [event], **signed})

    def warm(self) -> None:
        """Have a copy of everything in each function's process, which found its stores well."""
        for _ in range(100):
            answers = [self.config(), self.snippet(), self.page(), self.assign(), self.send("warm")]
            answers.append(self.config(UNKNOWN.format(0)))
            if [answer.status_code for answer in answers] == [200, 200, 200, 200, 202, 404]:
                break
            sleep(0.2)
        else:
            raise AssertionError([answer.text[:200] for answer in answers])

    def slowest(self) -> float:
        """The longest of the answers since the last such question."""
        longest = max(self.seconds)
        self.seconds.clear()
        return longest


@pytest.fixture(scope="module")
def stack(quiet_stack: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """A stack whose engine these tests stop, and let go on."""
    engine = status(quiet_stack["directory"])["engine"]
    publish_page(engine["address"])
    try:
        yield {**quiet_stack, "engine": engine}
    finally:
        os.kill(engine["pid"], signal.SIGCONT)


def publish_page(engine: str) -> None:
    """Put a page into the delivery bucket, as a publish leaves it."""
    published, s3 = MemoryBlobs(), Clients(engine).s3
    flip(published)
    (bucket,) = (each["Name"] for each in s3.list_buckets()["Buckets"] if "delivery" in each["Name"])
    for key, stored in published.objects.items():
        s3.put_object(Bucket=bucket, Key=key, Body=stored.blob.content)


@pytest.fixture
def edge(stack: dict[str, Any]) -> Edge:
    """The stack's edge, warm."""
    made = Edge(stack, stack["worker_base_url"])
    made.warm()
    made.seconds.clear()
    return made


@contextmanager
def stopped(stack: dict[str, Any]) -> Iterator[None]:
    """The engine takes connections and requests, and answers nothing."""
    os.kill(stack["engine"]["pid"], signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(stack["engine"]["pid"], signal.SIGCONT)


def p99(seconds: list[float]) -> float:
    return sorted(seconds)[int(len(seconds) * 0.99)]


def report(what: str, seconds: list[float]) -> None:
    """Log the figures of docs/benchmarks.md; `-o log_cli=true -o log_cli_level=INFO` shows them."""
    p50, longest = sorted(seconds)[len(seconds) // 2], max(seconds)
    _log.info(
        "%s: %s requests, p50 %.0f ms, p99 %.0f ms, longest %.0f ms",
        *(what, len(seconds), p50 * 1000, p99(seconds) * 1000, longest * 1000),
    )


def test_warm__engine_stopped__serves_the_copy_with_p99_below_a_second(edge: Edge, stack: dict[str, Any]) -> None:
    routes: dict[str, Callable[[Edge], requests.Response]] = {
        "config": Edge.config,
        "snippet": Edge.snippet,
        "page": Edge.page,
        "assign": Edge.assign,
    }
    before = {name: ask(edge).content for name, ask in routes.items()}

    def states_of(name: str) -> set[str | None]:
        asking, states = Edge(stack, edge.address), set()
        for _ in range(REQUESTS):
            answer = routes[name](asking)
            assert (answer.status_code, answer.content) == (200, before[name]), answer.text[:200]
            states.add(answer.headers.get("X-Service-Config-Cache"))
            sleep(0.02)  # so that pointers expire, and pauses of breakers end, in between
        report(f"warm {name}, engine stopped", asking.seconds)
        assert p99(asking.seconds) < 1 * BUSY
        return states

    # A function each: none waits for another.
    with stopped(stack), ThreadPoolExecutor(len(routes)) as threads:
        states = dict(zip(routes, threads.map(states_of, routes), strict=True))
    assert "stale" in states["config"]


def test_cold__engine_stopped__is_503_within_a_second_and_a_half(edge: Edge, stack: dict[str, Any]) -> None:
    with stopped(stack):
        config, snippet = edge.config(UNKNOWN.format(1)), edge.snippet(UNKNOWN.format(1))
        chunk = edge.get(f"/s/{UNKNOWN.format(1)}/{'0' * 64}.css")
        second, page = edge.config(UNKNOWN.format(2)), edge.page("/never")
    report("cold, engine stopped", edge.seconds)
    answers = [config, snippet, chunk, second, page]
    assert {answer.status_code for answer in answers} == {503}
    assert all(int(answer.headers["Retry-After"]) >= 1 for answer in answers)
    assert config.json()["error"] == "service_unavailable"
    assert snippet.text.startswith("// service_unavailable: ")
    assert snippet.headers["Content-Type"].startswith("application/javascript")
    assert chunk.text.startswith("/* service_unavailable: ")
    assert edge.slowest() < 1.5 * BUSY


def test_assign__engine_stopped_and_key_unknown__is_503_within_a_second_and_a_half(
    edge: Edge, stack: dict[str, Any]
) -> None:
    unknown = compose("tracking_source", "0123456789ab", "0" * SECRET_LENGTH)
    with stopped(stack):
        answer = edge.assign(unknown)
    report("assign with an unknown key, engine stopped", edge.seconds)
    assert (answer.status_code, answer.json()["error"]) == (503, "database_busy")
    assert answer.headers["Retry-After"]
    assert edge.slowest() < 1.5 * BUSY


def answers_again(edge: Edge) -> None:
    """Wait for the engine, which an earlier test had stopped, and for a process that starts while others are busy."""
    until = monotonic() + 20
    while (status_code := edge.get("/health").status_code) != 200 and monotonic() < until:
        sleep(0.2)
    assert status_code == 200


def test_health__engine_stopped__is_503_within_a_second_and_a_half(edge: Edge, stack: dict[str, Any]) -> None:
    answers_again(edge)
    edge.seconds.clear()  # the first request starts a process, which is not what is measured
    with stopped(stack):
        answers = [edge.get("/health") for _ in range(3)]
    report("health, engine stopped", edge.seconds)
    assert [(answer.status_code, answer.json()["ok"]) for answer in answers] == [(503, False)] * 3
    assert edge.slowest() < 1.5 * BUSY


def test_events__engine_stopped__are_refused_within_three_seconds_and_accepted_ones_are_stored(
    edge: Edge, stack: dict[str, Any]
) -> None:
    accepted = [f"before-{number}" for number in range(20)]
    assert {edge.send(name).status_code for name in accepted} == {202}
    edge.seconds.clear()
    with stopped(stack):
        for number in range(5):
            answer = edge.send(f"during-{number}")
            assert (answer.status_code, answer.json()["error"]) == (503, "service_unavailable")
            assert int(answer.headers["Retry-After"]) >= 1
    report("events, engine stopped", edge.seconds)
    assert edge.slowest() < 3 * BUSY
    edge.warm()
    assert edge.send("after").status_code == 202
    settle(stack["directory"])
    assert {*accepted, "after"} <= stored_ids(stack)


@dataclass(slots=True)
class Silence:
    """The answer of management while the engine was silent, and what `status` printed before and meanwhile."""

    management: Edge
    answer: requests.Response
    running: str
    silent: str
    status_seconds: float


@pytest.fixture(scope="module")
def silence(stack: dict[str, Any]) -> Silence:
    """Call management, which takes seconds to give up, and look at the status meanwhile."""

    def shown() -> str:
        environment = {**os.environ, "ABTEST_LOCAL_DIR": str(stack["directory"])}
        command = [sys.executable, "-m", "tools.local", "status"]
        return subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout

    made = Edge(stack, stack["base_url"])
    key = {"Authorization": f"Bearer {stack['api_key']}"}
    assert made.get("/experiments", headers=key).status_code == 200
    made.seconds.clear()
    running = shown()
    with stopped(stack), ThreadPoolExecutor(1) as threads:
        answer = threads.submit(made.get, "/experiments", headers=key)
        begun = monotonic()
        silent = shown()
        seconds = monotonic() - begun
        return Silence(made, answer.result(), running, silent, seconds)


def test_management__engine_stopped__is_503_before_the_gateway_gives_up(silence: Silence) -> None:
    report("management, engine stopped", silence.management.seconds)
    assert (silence.answer.status_code, silence.answer.json()["error"]["code"]) == (503, "database_busy")
    assert silence.answer.headers["Retry-After"]
    assert silence.management.slowest() < 29


def test_status__engine_stopped__names_its_pid_within_two_seconds(silence: Silence, stack: dict[str, Any]) -> None:
    pid, running = f"(pid {stack['engine']['pid']}", silence.running
    assert (pid in running, "in flight" in running, "does not respond" in running) == (True, True, False)
    report("status, engine stopped", [silence.status_seconds])
    assert f"The AWS engine {pid}) does not respond, so the queues are unknown." in silence.silent
    assert silence.status_seconds < 2 * BUSY


def stored_ids(stack: dict[str, Any]) -> set[str]:
    """Ids of all events in the ledger, however they are packed."""
    s3 = Clients(stack["engine"]["address"]).s3
    bucket = next(each["Name"] for each in s3.list_buckets()["Buckets"] if "ledger" in each["Name"].lower())
    ids: set[str] = set()
    for entry in s3.list_objects_v2(Bucket=bucket, Prefix="raw/").get("Contents", []):
        lines = gzip.decompress(s3.get_object(Bucket=bucket, Key=entry["Key"])["Body"].read()).splitlines()
        ids |= {json.loads(line)["event_id"] for line in lines}
    return ids


@pytest.fixture(scope="module")
def line(stack: dict[str, Any]) -> Iterator[tuple[str, Line]]:
    """The same shop behind functions whose engine is slow or hangs for one service."""
    port = int(stack["worker_base_url"].rpartition(":")[2])
    with edge_behind_line(stack["directory"] / "line", stack["engine"]["address"], port) as made:
        yield made


@pytest.fixture
def slow_edge(stack: dict[str, Any], line: tuple[str, Line]) -> Iterator[tuple[Edge, Line]]:
    """An edge with its line, warm."""
    made = Edge(stack, line[0])
    made.warm()
    made.seconds.clear()
    yield made, line[1]
    line[1].delay, line[1].hangs = 0, None


def test_engine_with_400_ms_a_call__warm_and_cold__is_within_the_limits(slow_edge: tuple[Edge, Line]) -> None:
    edge, line = slow_edge
    line.delay = 0.4
    for ask in (edge.config, edge.snippet, edge.assign):
        assert {ask().status_code for _ in range(40)} == {200}
        sleep(0.3)
    report("warm, 400 ms a call", edge.seconds)
    assert p99(edge.seconds) < 1 * BUSY
    edge.seconds.clear()
    # Each encoding has a copy of its own, which takes two calls, and one shop is unknown, which takes one.
    for encoding in ("identity", "br"):
        assert edge.config(encoding=encoding).status_code in (200, 503)
    assert edge.config(UNKNOWN.format(3)).status_code in (404, 503)
    report("cold, 400 ms a call", edge.seconds)
    assert edge.slowest() < 1.5 * BUSY
    # Reads that ended late have left their copies.
    assert {edge.config(encoding=encoding).status_code for encoding in ("identity", "br")} == {200}
    edge.seconds.clear()
    assert {edge.send(f"slow-{number}").status_code for number in range(3)} == {202}
    report("events, 400 ms a call", edge.seconds)
    assert edge.slowest() < 3 * BUSY


def test_publication__engine_with_400_ms_a_call__reaches_a_process_with_a_copy(
    slow_edge: tuple[Edge, Line], stack: dict[str, Any]
) -> None:
    edge, line = slow_edge
    line.delay = 0.4
    before = edge.config().headers["ETag"]
    flag = {"key": "slow", "name": "Slow", "on_value": {"columns": 4}, "activate": True}
    created = requests.post(
        f"{stack['base_url']}/flags",
        json=flag,
        headers={"Authorization": f"Bearer {stack['api_key']}"},
        timeout=30,
    )
    assert created.status_code == 201, created.text
    begun = monotonic()
    while edge.config().headers["ETag"] == before:
        assert monotonic() - begun < 20
        sleep(0.1)
    assert p99(edge.seconds) < 1 * BUSY


def test_events__queue_hangs__are_spilled_within_three_seconds(
    slow_edge: tuple[Edge, Line], stack: dict[str, Any]
) -> None:
    edge, line = slow_edge
    line.hangs = b"AmazonSQS"
    assert {edge.send(f"spilled-{number}").status_code for number in range(5)} == {202}
    report("events, queue hangs", edge.seconds)
    assert edge.slowest() < 3 * BUSY
    settle(stack["directory"])
    assert {f"spilled-{number}" for number in range(5)} <= stored_ids(stack)
