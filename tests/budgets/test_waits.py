"""Deadlines of each function, as they are in the clients that it makes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from abtest.ports.waits import EDGE, WAITS, CallerKind
from tests.support.template import TEMPLATE, Stack, function_handlers

CALLERS = {"edge": CallerKind.SHOPPER, "api": CallerKind.API, "worker": CallerKind.WORKER, "cron": CallerKind.SCHEDULE}
"""By the beginning of a function's name."""

WITHOUT_SERVICES = {"console_shell"}
"""Functions that read their own files only."""

READ_EACH = """
import importlib, json, os, sys
from abtest.adapters import aws
from abtest.adapters.dynamo.connection import connection
for module, variables in json.load(sys.stdin):
    os.environ.update(variables)
    importlib.import_module(module)
    clients = {name: aws._client(name) for name in aws.waits().services if name != "dynamodb"}
    clients["dynamodb"] = connection().client
    configs = {name: client.meta.config for name, client in clients.items()}
    print(json.dumps([module.partition(".")[0], {
        name: [config.retries["total_max_attempts"], config.connect_timeout, config.read_timeout]
        for name, config in configs.items()
    }]))
    for name in variables:
        del os.environ[name]
    sys.modules["abtest.wiring.settings"].settings.cache_clear()
    aws.reset()
    aws.serve("nobody")
"""


@pytest.fixture(scope="module")
def clients() -> dict[str, dict[str, list[float]]]:
    """By function and service: attempts, seconds to connect, seconds to read, of the client that the function makes."""
    handlers = [(handler.rpartition(".")[0], variables) for _, handler, variables in function_handlers()]
    modules = [each for each in handlers if each[0].partition(".")[0] not in WITHOUT_SERVICES]
    environment = {
        **os.environ,
        "PYTHONPATH": "shared:functions",
        "AWS_DEFAULT_REGION": "us-east-1",
        "AWS_ACCESS_KEY_ID": "none",
        "AWS_SECRET_ACCESS_KEY": "none",
    }
    done = subprocess.run(
        [sys.executable, "-c", READ_EACH],
        input=json.dumps(modules),
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return dict(json.loads(line) for line in done.stdout.splitlines())


def test_clients__of_each_function__have_the_limits_of_its_caller(
    clients: dict[str, dict[str, list[float]]],
) -> None:
    assert set(clients) == {path.parent.name for path in Path("functions").glob("*/app.py")} - WITHOUT_SERVICES
    for function, made in clients.items():
        waits = WAITS[CALLERS[function.partition("_")[0]]]
        expected = {name: [wait.attempts, wait.connect, wait.read] for name, wait in waits.services.items()}
        assert (function, made) == (function, expected)


def test_limits__of_shoppers__are_one_attempt_within_the_promised_seconds() -> None:
    shopper = WAITS[CallerKind.SHOPPER]
    assert {wait.attempts for wait in shopper.services.values()} == {1}
    assert shopper.limiter is not None
    assert shopper.limiter + EDGE.copy <= 0.3 + 1e-9, "warm"
    assert shopper.limiter + EDGE.publication < 1.5, "cold"
    assert EDGE.publication + 2 * EDGE.variant < 1.5, "cold page with variants"
    assert shopper.limiter + EDGE.handover <= 0.3 + 1e-9, "handover, for which the SDK waits 300 ms"
    assert shopper.limiter + EDGE.preview + EDGE.publication < 3, "preview link"
    assert EDGE.probes < 1.5, "health"
    totals = {name: wait.total or 60 for name, wait in shopper.services.items()}
    # A key or a secret, the limit, the queue, the spill.
    key = max(totals["dynamodb"], totals["secretsmanager"])
    assert key + shopper.limiter + totals["sqs"] + totals["s3"] < 3, "events"
    assert shopper.limiter + EDGE.analytics_store < 3, "events without a queue"


def test_limits__of_other_callers__let_calls_fail_within_the_function_s_time() -> None:
    stack = Stack.planned(endpoint="http://127.0.0.1:1", path=TEMPLATE.resolve())
    for function in stack.functions():
        if function.folder in WITHOUT_SERVICES:
            continue
        caller = CALLERS[function.folder.partition("_")[0]]
        longest = max(wait.longest for name, wait in WAITS[caller].services.items() if name != "athena")
        calls = {CallerKind.API: 3, CallerKind.WORKER: 1}.get(caller, 2)
        assert calls * longest < function.timeout, (function.folder, longest, function.timeout)
