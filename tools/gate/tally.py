"""Pytest plugin: outcomes, seconds per folder and the load of the machine, written as JSON for `tools.gate`.

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
SECONDS_BETWEEN_SAMPLES = 4.0
PROPERTY = "load"
DEAREST = 12
"""Files of each lane whose seconds are written down."""


def slowdown(loads: list[float], own_load: float) -> float:
    """How many times slower than an idle machine this one ran, on average; at least 1.

    `loads` are load averages during the run, `own_load` is what the lane causes by itself.
    """
    return max(1.0, fmean(loads) / own_load) if loads else 1.0


class LoadSampler:
    """Attaches the load average to the report of a test every few seconds, in each worker."""

    def __init__(self) -> None:
        self._next = 0.0

    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        if time.monotonic() >= self._next:
            item.user_properties.append((PROPERTY, os.getloadavg()[0]))
            self._next = time.monotonic() + SECONDS_BETWEEN_SAMPLES


class Tally:
    """Adds up the reports of all workers in the process that controls them."""

    def __init__(self, path: Path, own_load: float) -> None:
        self._path = path
        self._own_load = own_load
        self._began = time.monotonic()
        self._seconds: Counter[str] = Counter()
        self._files: Counter[str] = Counter()
        self._loads: list[float] = []

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self._seconds[folder_of(report.nodeid)] += report.duration  # type: ignore[assignment]  # Counter of float
        self._files[file_of(report.nodeid)] += report.duration  # type: ignore[assignment]
        if report.when == "teardown":
            for name, value in report.user_properties:
                if name == PROPERTY and isinstance(value, float):
                    self._loads.append(value)

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        outcomes = {name: len(terminalreporter.stats.get(name, ())) for name in OUTCOMES}
        tally = {
            "outcomes": outcomes,
            "seconds": time.monotonic() - self._began,
            "folders": dict(self._seconds),
            "files": dict(self._files.most_common(DEAREST)),
            "load": fmean(self._loads) if self._loads else 0.0,
            "slowdown": slowdown(self._loads, self._own_load),
        }
        self._path.parent.mkdir(parents=True, exist_ok=True)
        self._path.write_text(json.dumps(tally))


def folder_of(nodeid: str) -> str:
    """The folder of `tests/` that a test belongs to."""
    return nodeid.removeprefix("tests/").split("/", 1)[0]


def file_of(nodeid: str) -> str:
    """The file of a test, without `tests/`."""
    return nodeid.partition("::")[0].removeprefix("tests/")


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
    """Sample the load where tests run; add up where reports arrive."""
    is_worker = hasattr(config, "workerinput")
    if is_worker or not config.getoption("numprocesses", None):
        config.pluginmanager.register(LoadSampler())
    if not is_worker and (path := config.getoption("tally")):
        lane = config.getoption("lane")
        config.pluginmanager.register(Tally(path, LANES[lane].load if lane else float("inf")))
