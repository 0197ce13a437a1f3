"""Lookups of names: side by side, never waiting for one that hangs, and each answered with its own."""

from __future__ import annotations

import os
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import pytest

from abtest.adapters.outbound_http.deadline import Deadline
from abtest.adapters.outbound_http.names import MAX_IDLE_RESOLVERS, look_up
from abtest.ports.http_sender import HttpUnreachableError


def _echoes(host: str, _port: int) -> Sequence[str]:
    if host.startswith("unknown"):
        raise OSError(host)
    return [host]


def _asked(host: str) -> str:
    try:
        return look_up(_echoes, host, 443, Deadline(10))[0]
    except HttpUnreachableError as error:
        return str(error)


def test_look_up__many_at_once__each_gets_its_own_answer() -> None:
    hosts = [f"unknown{number}" if number % 3 == 0 else f"host{number}" for number in range(600)]
    with ThreadPoolExecutor(32) as pool:
        answers = list(pool.map(_asked, hosts))
    assert all(host in answer for host, answer in zip(hosts, answers, strict=True))
    assert sum("does not resolve" in answer for answer in answers) == 200


def test_look_up__others_that_hang__are_not_waited_for() -> None:
    gate = threading.Event()

    def hangs(host: str, _port: int) -> Sequence[str]:
        gate.wait()
        return [host]

    try:
        for number in range(MAX_IDLE_RESOLVERS + 4):
            with pytest.raises(HttpUnreachableError) as failed:
                look_up(hangs, f"slow{number}", 443, Deadline(0.02))
            assert failed.value.failure == "timeout"
        assert _asked("quick") == "quick"
    finally:
        gate.set()
    assert [_asked(f"later{number}") for number in range(40)] == [f"later{number}" for number in range(40)]


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_look_up__in_a_forked_process__asks_by_threads_of_its_own() -> None:
    assert _asked("before") == "before"
    child = os.fork()
    if child == 0:
        os._exit(0 if _asked("after") == "after" else 1)
    assert os.waitpid(child, 0)[1] == 0
