"""Pytest plugin: outcomes, seconds per folder and the speed of the machine, written as JSON for `tools.gate`.

Load it with `-p tools.gate.tally --lane NAME --tally FILE`; it works with and without pytest-xdist.
"""

from __future__ import annotations

import json
import os
import time
from collections import Counter
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest

from tools.gate.lanes import LANES, lane_of

OUTCOMES = ("passed", "failed", "error", "skipped", "xfailed", "xpassed")
LOOPS = 100_000
REFERENCE_SECONDS = 0.0135
"""What `calibration_loop` takes on an idle core of the machine that the budgets were measured on."""
SECONDS_BETWEEN_LOOPS = 4.0
PROPERTY = "calibration"


def calibration_loop() -> float:
    """Seconds that a fixed computation takes now."""
    began = time.perf_counter()
    total = 0
    for number in range(LOOPS):
        total += number * number % 7
    return time.perf_counter() - began


def slowdown(loops: list[float], loads: list[float]) -> float:
    """How many times slower than an idle machine this one ran, on average; at least 1.

    The loop alone finds too little: a process that has just waited gets the processor at once. So a load of more than
    two processes per core counts as well.
    """
    if not loops:
        return 1.0
    cores = os.cpu_count() or 1
    return max(1.0, fmean(loops) / REFERENCE_SECONDS) * max(1.0, fmean(loads) / (2 * cores))


class Calibration:
    """Times the loop every few seconds in each worker and attaches the result to the next test's report."""

    def __init__(self) -> None:
        self._next = 0.0

    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        if time.monotonic() >= self._next:
            item.user_properties.append((PROPERTY, [calibration_loop(), os.getloadavg()[0]]))
            self._next = time.monotonic() + SECONDS_BETWEEN_LOOPS


class Tally:
    """Adds up the reports of all workers in the process that controls them."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._began = time.monotonic()
        self._seconds: Counter[str] = Counter()
        self._loops: list[float] = []
        self._loads: list[float] = []

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self._seconds[folder_of(report.nodeid)] += report.duration  # type: ignore[assignment]  # Counter of float
        if report.when == "teardown":
            for name, value in report.user_properties:
                if name == PROPERTY and isinstance(value, list):
                    self._loops.append(value[0])
                    self._loads.append(value[1])

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        outcomes = {name: len(terminalreporter.stats.get(name, ())) for name in OUTCOMES}
        tally = {
            "outcomes": outcomes,
            "seconds": time.monotonic() - self._began,
            "folders": dict(self._seconds),
            "slowdown": slowdown(self._loops, self._loads),
        }
        self._path.parent.mkdir(parents=True, exist_ok=True)
        self._path.write_text(json.dumps(tally))


def folder_of(nodeid: str) -> str:
    """The folder of `tests/` that a test belongs to."""
    return nodeid.removeprefix("tests/").split("/", 1)[0]


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add `--lane` and `--tally`."""
    parser.addoption("--lane", choices=list(LANES), help="run the tests of this lane only")
    parser.addoption("--tally", type=Path, help="JSON file for outcomes and seconds per folder")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Keep the tests of the lane."""
    if lane := config.getoption("lane"):
        items[:] = [item for item in items if lane == lane_of(folder_of(item.nodeid), marks_of(item))]


def marks_of(item: pytest.Item) -> frozenset[str]:
    """The names of a test's marks."""
    return frozenset(mark.name for mark in item.iter_markers())


def pytest_configure(config: pytest.Config) -> None:
    """Calibrate where tests run; add up where reports arrive."""
    is_worker = hasattr(config, "workerinput")
    if is_worker or not config.getoption("numprocesses", None):
        config.pluginmanager.register(Calibration())
    if not is_worker and (path := config.getoption("tally")):
        config.pluginmanager.register(Tally(path))
