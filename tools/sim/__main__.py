"""`make sim`: simulates what the statistics promise and prints what was reached; exit status 1 if an aim is missed."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from math import ceil
from pathlib import Path
from time import monotonic

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

sys.path.insert(0, str(Path(__file__).parents[2] / "shared"))

from tools.sim.cells import CELLS
from tools.sim.outcomes import Cell
from tools.sim.running import SEED, simulated
from tools.sim.table import table

WORKERS = 2


def main() -> int:
    """The command line."""
    options = argparse.ArgumentParser(prog="python -m tools.sim", description=__doc__)
    options.add_argument("--scale", type=float, default=1.0, metavar="X", help="replications, 1 is the full size")
    options.add_argument("--workers", type=int, default=WORKERS, metavar="N", help="processes")
    options.add_argument("--only", default="", metavar="WORD", help="cells with this word in their kind or name")
    given = options.parse_args()
    cells = [cell for cell in CELLS if given.only in f"{type(cell).__name__} {cell.name}"]
    if not cells or given.scale <= 0:
        options.error("no cell has that word, or the scale is not positive")
    return report(cells, scale=given.scale, workers=given.workers)


def report(cells: Sequence[Cell], *, scale: float, workers: int) -> int:
    """Simulate and print. The answer is the exit status."""
    console, began = Console(), monotonic()
    columns = TextColumn("simulating"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), TimeRemainingColumn()
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("batches")
        outcomes = simulated(
            cells,
            scale=scale,
            workers=workers,
            planned=lambda total: bar.update(task, total=total),
            done=lambda: bar.advance(task),
        )
    rows = [row for cell in cells for row in cell.rows(outcomes[cell.name])]
    for line in table(rows):
        console.print(line, highlight=False, markup=False, soft_wrap=True)
    missed = [row for row in rows if not row.passes]
    summary = f"{len(missed)} of {sum(row.aim is not None for row in rows)} aims missed"
    console.print(f"{summary}; {monotonic() - began:.0f} s, seed {SEED}", highlight=False)
    console.print(f"Replications: {_sizes(cells, scale)}", highlight=False, soft_wrap=True)
    console.print("How fast a comparison is: make bench-stats", highlight=False)
    return 1 if missed else 0


def _sizes(cells: Sequence[Cell], scale: float) -> str:
    """How many of each kind of cell."""
    sizes = {type(cell).__name__: ceil(cell.paths * scale) for cell in cells}
    return ", ".join(f"{kind} {size:,}" for kind, size in sizes.items())


if __name__ == "__main__":
    sys.exit(main())
