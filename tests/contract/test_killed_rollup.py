"""A roll-up that is killed while it holds the lease: another process takes over within a minute, and counts all."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta

import pytest

from abtest.adapters.warehouse.incremental_counter import IncrementalCounter
from abtest.kit.clock import ManualClock, SystemClock
from abtest.kit.ids import SystemRandomness
from abtest.ports.catalog import Commit, Put
from abtest.services.context import World
from abtest.services.experiments.records import EXPERIMENTS
from abtest.services.rollups import RollupRun
from abtest.services.shop_records import puts_of
from tests.contract.conftest import Engine, Ports
from tests.integration.cron_rollup.test_function import EXPERIMENT, exposures, put_object, running
from tests.support.memory.metrics import MemoryMetrics
from tests.support.storefronts import shop, variation
from tools.local.surroundings import PROJECT

on_ministack = pytest.mark.parametrize("engine", ["ministack"], indirect=True, scope="session")
"""The only engine that another process can reach."""


@contextmanager
def hanging_rollup(ports: Ports) -> Iterator[subprocess.Popen[str]]:
    """A process that holds the lease and is in the middle of a shop."""
    line = [sys.executable, "-m", "tests.contract.hanging_rollup", *ports.names]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    with subprocess.Popen(
        line, cwd=PROJECT, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "counting\n"
            yield process
        finally:
            process.kill()


@on_ministack
def test_roll_up__killed_with_the_lease__is_taken_over_within_a_minute(engine: Engine) -> None:
    with engine() as ports:
        clock = ManualClock(SystemClock().now())
        ports.catalog.commit(Commit(puts=puts_of(shop())))
        ports.catalog.commit(Commit(puts=[Put(record=EXPERIMENTS.record(running()), expected_version=0)]))
        put_object(ports.blobs, "one", exposures(4))
        metrics = MemoryMetrics()
        run = RollupRun(
            world=World(catalog=ports.catalog, clock=clock, random=SystemRandomness()),
            counter=IncrementalCounter(ports.blobs, clock),
            store=ports.rollup_store,
            leases=ports.leases,
            metrics=metrics,
        )
        with hanging_rollup(ports) as process:
            assert run.run() is None, "another run holds the lease"
            process.send_signal(signal.SIGKILL)
            process.wait(30)
        killed_at = SystemClock().now()
        assert ports.rollup_store.progress().is_running
        clock.advance(seconds=(killed_at - clock.now()).total_seconds() + timedelta(minutes=1).total_seconds())
        summary = run.run()
        assert summary is not None
        assert (summary.counted, summary.left) == (1, 0)
        totals = ports.rollup_store.totals(EXPERIMENT, 1)
        assert totals is not None
        assert totals["variations"] == {variation(0).id: {"visitors": 2}, variation(1).id: {"visitors": 2}}
        assert metrics.sums["RollupUnfinished"] == 1, "the death is reported"
