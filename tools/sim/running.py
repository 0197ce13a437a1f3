"""All cells in batches over processes; what comes out hangs on the seed alone, not on who computed what when."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from math import ceil
from typing import NamedTuple
from zlib import crc32

import numpy as np

from tools.sim.outcomes import Cell, Outcomes

SEED = 20_260


class Batch(NamedTuple):
    """A part of a cell's paths."""

    cell: Cell
    number: int
    paths: int

    def run(self) -> Outcomes:
        """By random numbers of its own."""
        kind = f"{type(self.cell).__name__} {self.cell.name}"
        return self.cell.run(np.random.default_rng([SEED, crc32(kind.encode()), self.number]), self.paths)


def batches(cell: Cell, scale: float) -> Iterator[Batch]:
    """`scale` 1 is the full size."""
    left, number = ceil(cell.paths * scale), 0
    while left > 0:
        yield Batch(cell, number, min(left, cell.batch))
        left, number = left - cell.batch, number + 1


def simulated(
    cells: Sequence[Cell], *, scale: float, workers: int, planned: Callable[[int], None], done: Callable[[], None]
) -> Mapping[str, Outcomes]:
    """Outcomes by the name of the cell. `planned` hears how many batches there are, `done` of each that is over."""
    work = [batch for cell in cells for batch in batches(cell, scale)]
    planned(len(work))
    by_cell: defaultdict[str, list[Outcomes]] = defaultdict(list)
    for batch, outcomes in zip(work, _run(work, workers), strict=True):
        by_cell[batch.cell.name].append(outcomes)
        done()
    return {name: _joined(parts) for name, parts in by_cell.items()}


def _run(work: Sequence[Batch], workers: int) -> Iterator[Outcomes]:
    if workers == 1:
        yield from map(Batch.run, work)
        return
    with ProcessPoolExecutor(workers) as pool:
        yield from pool.map(Batch.run, work)


def _joined(parts: Sequence[Outcomes]) -> Outcomes:
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
