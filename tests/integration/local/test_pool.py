"""Pools of workers without a stack around them."""

import asyncio
from collections.abc import Awaitable, Callable
from http import HTTPStatus
from pathlib import Path
from typing import TypeVar

import pytest

from tools.local.gateway.api import Api
from tools.local.gateway.routing import Router
from tools.local.runtime.environment import worker_environment
from tools.local.runtime.pool import MOST_WORKERS, Pool
from tools.local.runtime.process import InvocationError
from tools.local.surroundings import machine_environment
from tools.local.template.functions import Function, Route
from tools.local.web.messages import Request, Response

CODE = """
import os, time

def pid(event, context):
    time.sleep(event)
    return os.getpid()

def slow(event, context):
    time.sleep(0.5)
"""
T = TypeVar("T")
MakePool = Callable[..., Pool]
ROUTE = Route("Api", "GET", "/")
REQUEST = Request("GET", "/", "", [("host", "a")], b"", "127.0.0.1", 1, "HTTP/1.1")


@pytest.fixture
def pool(tmp_path: Path) -> MakePool:
    """Make a pool for one of the handlers above, with the test's own folder as its code."""
    (tmp_path / "naps.py").write_text(CODE)

    def making(handler: str = "naps.pid", timeout: int = 5) -> Pool:
        function = Function("F", "f", handler, tmp_path, (), timeout, 128, {}, (ROUTE,), (), ())
        return Pool(
            function, worker_environment(function, "http://127.0.0.1:9", machine_environment()), tmp_path / "log"
        )

    return making


def run(pool: Pool, work: Callable[[], Awaitable[T]]) -> T:
    async def running() -> T:
        try:
            return await work()
        finally:
            await pool.close()

    return asyncio.run(running())


def test_calls_one_after_the_other__use_one_worker(pool: MakePool) -> None:
    functions = pool()

    async def work() -> set[int]:
        await functions.warm()
        return {await functions.invoke(0) for _ in range(5)}

    assert len(run(functions, work)) == 1


def test_calls_at_once__grow_the_pool_to_its_limit_and_then_wait(pool: MakePool) -> None:
    functions = pool()

    async def work() -> list[int]:
        pids: list[int] = await asyncio.gather(*(functions.invoke(0.2) for _ in range(12)))
        return pids

    pids = run(functions, work)
    assert len(pids) == 12
    assert 1 < len(set(pids)) <= MOST_WORKERS


def test_answer_after_the_gateways_patience__is_503_and_the_function_runs_on(pool: MakePool) -> None:
    functions = pool("naps.slow")
    api = Api(Router([(ROUTE, functions)]), integration_seconds=0.2)

    def busy() -> int:
        return functions.busy

    async def work() -> Response:
        await functions.warm()
        response = await api.handle(REQUEST)
        assert busy()
        while busy():
            await asyncio.sleep(0.02)
        return response

    response = run(functions, work)
    assert (response.status, response.body) == (HTTPStatus.SERVICE_UNAVAILABLE, b'{"message": "Service Unavailable"}')
    assert functions.errors == 0


def test_handler_that_cannot_be_found__fails_each_call_and_the_warming(pool: MakePool) -> None:
    functions = pool("naps.absent")

    async def work() -> None:
        for attempt in (functions.warm(), functions.invoke(0), functions.invoke(0)):
            with pytest.raises(InvocationError, match=r"Runtime\.ImportModuleError"):
                await attempt

    run(functions, work)


def test_closing__ends_a_worker_that_is_busy(pool: MakePool) -> None:
    functions = pool()

    async def work() -> None:
        await functions.warm()
        call = asyncio.create_task(functions.invoke(60))
        while not functions.busy:
            await asyncio.sleep(0.01)
        await functions.close()
        with pytest.raises(InvocationError, match=r"Runtime\.ExitError"):
            await call

    run(functions, work)
