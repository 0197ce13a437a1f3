"""The same work for every engine: arms of one comparison, and of 1,000 experiments x 2 treatments x 5 goals."""

import json
import resource
import sys
import time
from collections.abc import Callable
from itertools import chain
from typing import Any

ONE = ((10_000, 500), (10_000, 570))
"""Visitors and conversions of control and treatment."""
CALLS = 2000

Pair = tuple[tuple[int, int], tuple[int, int]]


def many(experiments: int = 1000, treatments: int = 2, goals: int = 5) -> list[Pair]:
    """Pairs of arms; every number follows from its place."""
    return [
        (
            (20_000 + 7 * experiment, 400 * (goal + 1) + experiment % 90),
            (20_000 + 5 * experiment, 400 * (goal + 1) + (experiment * (treatment + 3)) % 120),
        )
        for experiment in range(experiments)
        for goal in range(goals)
        for treatment in range(treatments)
    ]


def arms_of(pairs: list[Pair]) -> tuple[Any, Any, Any, Any]:
    """x_c, n_c, x_t, n_t as numpy arrays, treatments along the last axis; for ours only."""
    import numpy as np

    every = chain.from_iterable(chain.from_iterable(pairs))
    # Experiment and goal, treatment, arm, (visitors, conversions).
    numbers = np.fromiter(every, np.int64, 4 * len(pairs)).reshape(-1, 2, 2, 2)
    return numbers[:, :, 0, 1], numbers[:, :, 0, 0], numbers[:, :, 1, 1], numbers[:, :, 1, 0]


def tell(one: Callable[[], float], everything: Callable[[], list[float]]) -> None:
    """Print seconds of the processor for one (median of batches) and for all, peak memory, and the lifts found."""
    one()
    batches = []
    for _ in range(7):
        started = time.process_time()
        for _ in range(CALLS // 7):
            one()
        batches.append((time.process_time() - started) / (CALLS // 7))
    seconds: list[float] = []
    # The least of up to 15: the first one also asks the system for memory. Slow engines are measured once.
    while not seconds or (len(seconds) < 15 and sum(seconds) < 1):
        started = time.process_time()
        lifts = everything()
        seconds.append(time.process_time() - started)
    numbers: dict[str, Any] = {
        "one": sorted(batches)[3],
        "many": min(seconds),
        "megabytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        "lifts": [one(), *lifts],
    }
    sys.stdout.write(json.dumps(numbers) + "\n")
