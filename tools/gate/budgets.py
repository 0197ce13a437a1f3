"""Seconds per folder against their budgets.

A budget is what a folder may take on an idle machine. On a busy one the same tests take longer, so the seconds are
divided by a slowdown: the load of the machine by the load that the lane causes alone. A folder fails at twice its
budget; above the budget it is marked in the table.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

TOLERANCE = 2.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """Worker seconds of a folder as measured, the machine's slowdown meanwhile, and the folder's budget."""

    lane: str
    folder: str
    seconds: float
    slowdown: float
    budget: int

    @property
    def adjusted(self) -> float:
        """The seconds that an idle machine would have taken."""
        return self.seconds / self.slowdown

    @property
    def is_broken(self) -> bool:
        """Return whether the folder exceeds its budget by more than noise explains."""
        return self.adjusted > TOLERANCE * self.budget

    def __str__(self) -> str:
        mark = "BUDGET BROKEN" if self.is_broken else "above budget" if self.adjusted > self.budget else ""
        line = f"{self.lane:<9}{self.folder:<14}{self.seconds:>9.0f} s{self.adjusted:>9.0f} s{self.budget:>9} s  {mark}"
        return line.rstrip()


def costs(lane: str, budgets: Mapping[str, int], seconds: Mapping[str, float], slowdown: float) -> list[Cost]:
    """The cost of each folder of a lane."""
    return [
        Cost(lane=lane, folder=folder, seconds=seconds.get(folder, 0.0), slowdown=slowdown, budget=budget)
        for folder, budget in budgets.items()
    ]


def table(rows: list[Cost]) -> Iterator[str]:
    """The printed budget: measured worker seconds, the same at the machine's idle speed, and the budget."""
    yield f"{'lane':<9}{'folder':<14}{'measured':>11}{'adjusted':>11}{'budget':>11}"
    yield from map(str, rows)
    yield from (
        f"tests/{row.folder} takes {row.adjusted:.0f} s of its {row.budget} s: make its tests cheaper, move full sizes "
        "behind --large (docs/testing.md), or raise the budget in tools/gate/lanes.py and say why in the commit"
        for row in rows
        if row.is_broken
    )


def dearest(tallies: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    """The files of each lane that took most worker seconds, as measured: where the gate is made faster first."""
    for lane, measured in tallies.items():
        most = ", ".join(f"{name} {seconds:.0f} s" for name, seconds in measured.get("files", {}).items())
        yield f"dearest files of {lane}: {most or 'not measured'}"
