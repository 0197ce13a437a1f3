"""Numerical integration over the looks of a test: the paths that have not been stopped, from one look to the next.

The score z·√fraction of a test without an effect is a Brownian motion in the fraction. Its sub-density after each look
is integrated against the normal density of the next step, by Gauss and Legendre's rule on panels. Scores are in that
unit here, not z. A drift is handled by the callers: they subtract drift·fraction from all bounds.
Sources: Armitage, McPherson, Rowe: Journal of the Royal Statistical Society A 132 (1969) 235-244; Jennison, Turnbull:
Group Sequential Methods with Applications to Clinical Trials (2000), chapter 19.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from math import ceil, inf, log, pi, sqrt
from typing import NamedTuple

import numpy as np
from scipy.special import ndtr, ndtri

from abtest.domain.stats.arithmetic import FloatArray

SMALLEST = 6.2e-16
"""Error too small to be spent at a look: sf(8). A look with less has no bound, and leaves it to later looks."""

_ROOTS, _WEIGHTS = np.polynomial.legendre.leggauss(20)
_PANEL = 8.0
"""Widest panel, in standard deviations of the narrowest factor of the integrand. With 20 nodes: bounds to 1e-13."""

_REACH = 10.0
"""Standard deviations of a score after which it is taken as impossible: sf(10) is 8e-24."""

_ALL = 1 - 1e-12
"""Part of the paths that is taken as all: rounding hides the rest."""

_WINDOW = 12.0
_DENSE = 1_000_000
"""Products in one matrix; with more, nodes further than the window from a target are left out."""

_ROOT_STEPS = 100


class Look(NamedTuple):
    """Scores between `lower` and `upper` go on; infinite where nothing stops."""

    fraction: float
    lower: float
    upper: float


@dataclass(frozen=True, slots=True)
class Step:
    """The way from one look to the next, for the paths that went on: their scores `nodes` with their probabilities."""

    looks: tuple[Look, ...]
    nodes: FloatArray
    masses: FloatArray
    fraction: float

    @property
    def deviation(self) -> float:
        """Standard deviation of the step."""
        return sqrt(self.fraction - self.looks[-1].fraction)

    def above(self, score: float) -> float:
        """Return the probability to go on up to this step and then have a score above."""
        return float(self.masses @ ndtr((self.nodes - score) / self.deviation))

    def below(self, score: float) -> float:
        """Return the probability to go on up to this step and then have a score below."""
        return float(self.masses @ ndtr((score - self.nodes) / self.deviation))

    def lower_bound(self, probability: float) -> float:
        """Return the score with `below(score) == probability`; infinite for less than `SMALLEST`."""
        looks = tuple(Look(look.fraction, -look.upper, -look.lower) for look in self.looks)
        return -Step(looks, -self.nodes[::-1], self.masses[::-1], self.fraction).upper_bound(probability)

    def upper_bound(self, probability: float) -> float:
        """Return the score with `above(score) == probability`; infinite for less than `SMALLEST`.

        For all that went on, or more, it is a score that all of it is above.
        The density is log-concave, so Newton's method on the logarithm comes down to the root from any score above it.
        """
        if probability < SMALLEST:
            return inf
        deviation = self.deviation
        # There is no root: Newton's method would run away from it.
        if probability >= float(self.masses.sum()) * _ALL:
            return float(self.nodes[0]) - _REACH * deviation
        quantile = -float(ndtri(probability))
        # Above the root: without earlier looks, and from the highest score that went on, more paths would be above.
        highest = self.looks[-1].upper + deviation * quantile
        score = min(quantile * sqrt(self.fraction), highest)
        for _ in range(_ROOT_STEPS):
            distances = (self.nodes - score) / deviation
            tail = float(self.masses @ ndtr(distances))
            density = float(self.masses @ np.exp(-0.5 * distances * distances)) / (deviation * sqrt(2 * pi))
            if tail <= 0 or density <= 0:
                score -= deviation
                continue
            change = tail / density * log(tail / probability)
            score += change
            if abs(change) <= 1e-12 * sqrt(self.fraction):
                return score
        return inf

    def stopped(self, lower: float, upper: float, until: float) -> "Step":
        """Return the step from here to the fraction `until`, for paths whose score is between the bounds here."""
        reach = _REACH * sqrt(self.fraction)
        low, high = max(lower, -reach), min(upper, reach)
        looks = (*self.looks, Look(self.fraction, lower, upper))
        if low >= high:
            return Step(looks, np.zeros(1), np.zeros(1), until)
        deviation = sqrt(until - self.fraction)
        edges = _edges(low, high, _PANEL * deviation, self._features(deviation))
        half = np.diff(edges)[:, None] / 2
        nodes = ((edges[:-1] + edges[1:])[:, None] / 2 + half * _ROOTS).ravel()
        return Step(looks, nodes, (half * _WEIGHTS).ravel() * self._density(nodes), until)

    def _features(self, deviation: float) -> Iterator[tuple[float, float]]:
        """Yield places and scales of bends in the density that are sharper than the deviation of the next step.

        They are the bounds of earlier looks, blurred since then.
        """
        for look in reversed(self.looks):
            scale = sqrt(self.fraction - look.fraction)
            if scale >= deviation:
                return
            yield look.lower, scale
            yield look.upper, scale

    def _density(self, scores: FloatArray) -> FloatArray:
        if len(scores) * len(self.nodes) <= _DENSE:
            nodes, masses = self.nodes, self.masses
        else:
            nodes, masses = self._nearby(scores)
        distances = (scores[:, None] - nodes) / self.deviation
        kernel = np.exp(-0.5 * distances * distances)
        sums: FloatArray = kernel @ masses if masses.ndim == 1 else np.einsum("ij,ij->i", kernel, masses)
        return sums / (self.deviation * sqrt(2 * pi))

    def _nearby(self, scores: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return nodes and masses around each score as rows of equal length, filled up with masses of zero."""
        reach = _WINDOW * self.deviation
        first = np.searchsorted(self.nodes, scores - reach)
        length = int((np.searchsorted(self.nodes, scores + reach) - first).max())
        rows = first[:, None] + np.arange(length)
        nodes = np.concatenate([self.nodes, np.full(length, self.nodes[-1])])
        masses = np.concatenate([self.masses, np.zeros(length)])
        return nodes[rows], masses[rows]


def first_step(fraction: float) -> Step:
    """Return the step from the start of a test to its first look."""
    return Step((Look(0.0, 0.0, 0.0),), np.zeros(1), np.ones(1), fraction)


def _edges(low: float, high: float, widest: float, features: Iterator[tuple[float, float]]) -> FloatArray:
    """Return edges of panels, none wider than `widest`, and narrower around features with a smaller scale."""
    edges = np.linspace(low, high, ceil((high - low) / widest) + 1, dtype=np.float64)
    for place, scale in features:
        limit = _PANEL * scale
        while True:
            left, right = edges[:-1], edges[1:]
            is_wide = (right - left > limit) & (left < place + limit) & (right > place - limit)
            if not is_wide.any():
                break
            edges = np.sort(np.concatenate([edges, (left[is_wide] + right[is_wide]) / 2]))
    return edges
