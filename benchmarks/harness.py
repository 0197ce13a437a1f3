"""Measures two callables in turn and prints their ratio: what drifts on a shared machine drifts for both."""

import resource
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass

ROUNDS = 15


@dataclass(frozen=True)
class Comparison:
    """Seconds a call of each side, the median over rounds, and the median of the ratios pair by pair."""

    ours: float
    baseline: float
    ratio: float


def _seconds(call: Callable[[], object], repeat: int, clock: Callable[[], float] = time.perf_counter) -> float:
    started = clock()
    for _ in range(repeat):
        call()
    return (clock() - started) / repeat


def compare(
    ours: Callable[[], object],
    baseline: Callable[[], object],
    *,
    repeat: int = 50,
    clock: Callable[[], float] = time.perf_counter,
) -> Comparison:
    """Time both, A B A B …, after a warm-up of each. `time.process_time` as clock leaves other processes out."""
    _seconds(ours, max(1, repeat // 5))
    _seconds(baseline, max(1, repeat // 5))
    pairs = [(_seconds(ours, repeat, clock), _seconds(baseline, repeat, clock)) for _ in range(ROUNDS)]
    return Comparison(
        ours=statistics.median(a for a, _ in pairs),
        baseline=statistics.median(b for _, b in pairs),
        ratio=statistics.median(a / b for a, b in pairs),
    )


def peak_megabytes() -> float:
    """The most memory this process has held."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def line(claim: str, ours: str, baseline_name: str, baseline: str, ratio: float) -> None:
    """Print one row of a benchmark's table."""
    print(f"  {claim:<34} {ours:>14}   {baseline_name:<38} {baseline:>14}   ratio {ratio:6.2f}")


def milliseconds(seconds: float) -> str:
    """Seconds written as milliseconds."""
    return f"{seconds * 1000:.3f} ms"
