"""Everything that is simulated, in the order of the table."""

from __future__ import annotations

from tools.sim import (
    adjusted,
    covariates,
    daily_looks,
    early_stops,
    guarding,
    guardrails,
    money,
    planned_sizes,
    ratios,
    single_look,
    testing,
    unequal,
)
from tools.sim.outcomes import Cell

CELLS: tuple[Cell, ...] = (
    *testing.CELLS,
    *daily_looks.CELLS,
    *adjusted.CELLS,
    *planned_sizes.CELLS,
    *covariates.CELLS,
    *early_stops.CELLS,
    *single_look.CELLS,
    *money.CELLS,
    *unequal.CELLS,
    *ratios.CELLS,
    *guardrails.CELLS,
    *guarding.CELLS,
)
