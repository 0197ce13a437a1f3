"""Planned looks written down once more: boundaries on a grid of scores by the trapezoid rule, and when one is due."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import floor, pi, sqrt
from typing import Any

import numpy as np
from scipy.stats import norm

from tests.stories.evidence import Arm

STEPS = 100
_GRID = 801


@dataclass(frozen=True)
class Seen:
    """One look: share of the planned information, its place in the spending function, z and its boundary."""

    fraction: float
    place: float
    z: float
    boundary: float

    @property
    def margin(self) -> float:
        return abs(self.z) - self.boundary


@dataclass(kw_only=True)
class Looks:
    """Looks at one treatment, two-sided at `alpha` with O'Brien and Fleming's spending, up to `visitors`."""

    visitors: int
    information: float
    alpha: float
    steps: int = STEPS
    seen: list[Seen] = field(default_factory=list)

    def look(self, control: Arm, treatment: Arm) -> None:
        """Take a look, if it is due."""
        arms, latest = (control, treatment), self.seen[-1] if self.seen else None
        if min(arm.visitors for arm in arms) < 100 or min(arm.converters for arm in arms) < 25:
            return
        if latest is not None and latest.place == 1:
            return
        variance = _variance(control, treatment)
        fraction, before = 1 / variance / self.information, latest.fraction if latest else 0.0
        is_last = sum(arm.visitors for arm in arms) >= self.visitors or fraction >= 1
        if not is_last and floor(fraction * self.steps) <= floor(before * self.steps):
            return
        place = 1.0 if is_last else fraction
        fractions = [*(one.fraction for one in self.seen), fraction]
        places = [*(one.place for one in self.seen), place]
        z = (treatment.rate - control.rate) / sqrt(variance)
        self.seen.append(Seen(fraction, place, z, boundary(fractions, places, self.alpha)))

    @property
    def decisive(self) -> Seen | None:
        """The look that is furthest beyond its boundary, if one is."""
        best = max(self.seen, key=lambda one: one.margin, default=None)
        return best if best is not None and best.margin >= 0 else None


def planned_information(plan: Any) -> float:
    """Information of the planned visitors in two equal arms, at the mean of both planned rates."""
    rate = plan["baseline_rate"] * (1 + plan["mde"] / 2)
    return float(plan["required_total_visitors"] / 4 / (rate * (1 - rate)))


def boundary(fractions: Sequence[float], places: Sequence[float], alpha: float) -> float:
    """z of the last of these looks, infinite where nothing may be spent."""
    spent, time, bound = 0.0, 0.0, np.inf
    grid: Any = np.zeros(1)
    density: Any = np.ones(1)
    for fraction, place in zip(fractions, places, strict=True):
        step = sqrt(fraction - time)
        allowed = 2 * norm.sf(norm.isf(alpha / 4) / sqrt(min(place, 1))) - spent
        if allowed >= norm.sf(8):
            low, high = 0.0, 8.0 * sqrt(fraction)
            for _ in range(60):
                bound = (low + high) / 2
                tail = float(norm.sf((bound - grid) / step) @ (density * _weights(grid)))
                low, high = (bound, high) if tail > allowed else (low, bound)
            spent += allowed
        else:
            bound = np.inf
        edge = min(bound, 8.5 * sqrt(fraction))
        nodes = np.linspace(-edge, edge, _GRID)
        distances = (nodes[:, None] - grid) / step
        kernel = np.exp(-distances * distances / 2) / (step * sqrt(2 * pi))
        density = kernel @ (density * _weights(grid))
        grid, time = nodes, fraction
    return float(bound / sqrt(fractions[-1]))


def _weights(grid: Any) -> Any:
    """Weights of the trapezoid rule."""
    if len(grid) == 1:
        return np.ones(1)
    weights = np.full(len(grid), grid[1] - grid[0])
    weights[[0, -1]] /= 2
    return weights


def _variance(control: Arm, treatment: Arm) -> float:
    pooled = (control.converters + treatment.converters) / (control.visitors + treatment.visitors)
    size = 1 / control.visitors + 1 / treatment.visitors
    unpooled = sum(arm.rate * (1 - arm.rate) / arm.visitors for arm in (control, treatment))
    return max(pooled * (1 - pooled) * size, unpooled)
