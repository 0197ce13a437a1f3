"""The same work for every engine: arms of one comparison, and of 1,000 experiments x 2 treatments x 5 goals."""

import json
import resource
import sys
import time
from collections.abc import Callable
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


def tell(one: Callable[[], float], everything: Callable[[], list[float]]) -> None:
    """Print seconds of the processor for one (median of batches) and for all, peak memory, and the lifts found."""
    one()
    batches = []
    for _ in range(7):
        started = time.process_time()
        for _ in range(CALLS // 7):
            one()
        batches.append((time.process_time() - started) / (CALLS // 7))
    started = time.process_time()
    lifts = everything()
    told: dict[str, Any] = {
        "one": sorted(batches)[3],
        "many": time.process_time() - started,
        "megabytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        "lifts": [one(), *lifts],
    }
    sys.stdout.write(json.dumps(told) + "\n")
