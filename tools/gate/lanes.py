"""Lanes of the gate and the budget of each folder of tests."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

TESTS = Path(__file__).parents[2] / "tests"


@dataclass(frozen=True, slots=True, kw_only=True)
class Lane:
    """One pytest run: folders of `tests/` with their budgets, and the number of worker processes."""

    workers: int
    budgets: Mapping[str, int]
    """Worker seconds per folder, on an idle machine with two cores. See `tools.gate.budgets`."""

    @property
    def paths(self) -> list[str]:
        """The folders as arguments of pytest."""
        return [f"tests/{folder}" for folder in self.budgets]


# Tests that compute have a worker per core; tests that wait for a browser or a stack share a core.
LANES: Mapping[str, Lane] = {
    "check": Lane(
        workers=2,
        budgets={
            "unit": 200,
            "contract": 60,
            "integration": 300,
            "property": 150,
            "golden": 20,
            "oracle": 40,
            "budgets": 20,
        },
    ),
    "long": Lane(workers=2, budgets={"stories": 150, "faults": 200}),
    "waiting": Lane(workers=4, budgets={"browser": 600, "e2e": 400}),
}


def folders_with_tests() -> set[str]:
    """Every folder of `tests/` that holds a test."""
    return {path.relative_to(TESTS).parts[0] for path in TESTS.rglob("test_*.py")}
