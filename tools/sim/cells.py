"""Everything that is simulated, in the order of the table."""

from __future__ import annotations

from tools.sim import daily_looks, guarding, money, testing
from tools.sim.outcomes import Cell

CELLS: tuple[Cell, ...] = (*testing.CELLS, *daily_looks.CELLS, *money.CELLS, *guarding.CELLS)
