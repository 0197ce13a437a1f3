"""Outcomes of simulated paths and their summary: a share or a median, its Monte Carlo error, its aim."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import inf, sqrt
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

Outcomes = Mapping[str, NDArray[np.float64]]
"""By name one number a path: 0 or 1 of what may happen, hours of what takes time (infinite: it did not happen)."""

Measure = Literal["share", "median"]
_TWO_SIDED_95 = 1.96


class Cell(Protocol):
    """One setting that is simulated; it can be sent to another process."""

    @property
    def name(self) -> str:
        """Different from all others; its random numbers hang on it."""
        ...

    @property
    def paths(self) -> int:
        """Replications of the full size."""
        ...

    @property
    def batch(self) -> int:
        """Replications that one process makes at once."""
        ...

    def run(self, rng: np.random.Generator, paths: int) -> Outcomes:
        """Simulate so many."""
        ...

    def rows(self, outcomes: Outcomes) -> list[Row]:
        """Value that was reached."""
        ...


@dataclass(frozen=True, slots=True)
class Aim:
    """Required value: `at_least` or at most `limit`."""

    limit: float
    at_least: bool = False

    def is_met(self, value: float) -> bool:
        """Return whether the value, as simulated, is good enough."""
        return value >= self.limit if self.at_least else value <= self.limit


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One line of the table. `error` is half of a 95 % interval of the simulation itself; `beside` is for comparison.

    Without an aim it is for comparison only.
    """

    group: str
    what: str
    aim: Aim | None
    reached: float
    error: float
    measure: Measure = "share"
    beside: str = ""

    @property
    def passes(self) -> bool:
        """Return whether the aim is met."""
        return self.aim is None or self.aim.is_met(self.reached)


def ever(flags: NDArray[np.bool_]) -> NDArray[np.float64]:
    """1 on each path (axis 0) on which it was so at any look, of any treatment."""
    answer: NDArray[np.float64] = np.asarray(flags.any(axis=tuple(range(1, flags.ndim))), dtype=np.float64)
    return answer


def share(values: NDArray[np.float64]) -> tuple[float, float]:
    """Part of the paths, and its Monte Carlo error; of none of n the error is that of the rule of three."""
    n, part = len(values), float(np.mean(values))
    return part, _TWO_SIDED_95 * sqrt(part * (1 - part) / n) if 0 < part < 1 else 3 / n


def median(values: NDArray[np.float64]) -> tuple[float, float]:
    """Median of the paths, and half the distance of the order statistics that enclose it in 95 %."""
    ordered = np.sort(values)
    n, spread = len(ordered), _TWO_SIDED_95 * sqrt(len(ordered)) / 2
    low, high = ordered[max(0, int(n / 2 - spread))], ordered[min(n - 1, int(n / 2 + spread))]
    return float(np.quantile(ordered, 0.5, method="higher")), float(high - low) / 2 if high < inf else inf
