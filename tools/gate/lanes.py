"""Lanes of the gate and the budget of each folder of tests."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

TESTS = Path(__file__).parents[2] / "tests"
WAITING_FOLDERS = frozenset({"browser", "e2e"})
WAITING_MARKS = frozenset({"browser", "stack"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Lane:
    """One pytest run: folders of `tests/` with their budgets, and the number of worker processes.

    A budget is in worker seconds on an idle machine with two cores. See `tools.gate.budgets`. `load` is the load
    average that the lane causes by itself on such a machine; a higher one is the work of others.
    """

    workers: int
    load: float
    budgets: Mapping[str, int]
    distribution: str = "loadfile"


# Tests that compute have a worker per core. Tests that wait for a browser or a stack share a core: with marks of their
# own (tests/conftest.py), files that need the running stack are kept on three of the workers, a stack each.
LANES: Mapping[str, Lane] = {
    "check": Lane(
        workers=2,
        load=4,
        budgets={
            "unit": 480,
            "integration": 500,
            "golden": 40,
            "oracle": 50,
        },
    ),
    "long": Lane(
        workers=2,
        load=4,
        budgets={"stories": 150, "faults": 250, "contract": 210, "property": 90, "budgets": 70},
    ),
    "waiting": Lane(
        workers=4,
        load=12,
        budgets={"browser": 1000, "e2e": 2000, "integration": 160, "property": 45},
        distribution="loadgroup",
    ),
}


def lane_of(folder: str, marks: frozenset[str]) -> str:
    """The lane of a test by its folder and its pytest marks."""
    if folder in WAITING_FOLDERS or (marks & WAITING_MARKS and folder in LANES["waiting"].budgets):
        return "waiting"
    return "long" if folder in LANES["long"].budgets else "check"


def paths(lane: str) -> list[str]:
    """Arguments of pytest for a lane: its folders, and of folders shared with another lane the files with a mark."""
    if lane != "waiting":
        return [f"tests/{folder}" for folder in LANES[lane].budgets]
    marked = [path for path in sorted(TESTS.rglob("test_*.py")) if _is_marked(path)]
    elsewhere = [path for path in marked if path.relative_to(TESTS).parts[0] not in WAITING_FOLDERS]
    return [f"tests/{folder}" for folder in sorted(WAITING_FOLDERS)] + [
        path.relative_to(TESTS.parent).as_posix() for path in elsewhere
    ]


def _is_marked(path: Path) -> bool:
    return any(f"pytest.mark.{mark}" in path.read_text(encoding="utf-8") for mark in WAITING_MARKS)


def folders_with_tests() -> set[str]:
    """Every folder of `tests/` that holds a test."""
    return {path.relative_to(TESTS).parts[0] for path in TESTS.rglob("test_*.py")}
