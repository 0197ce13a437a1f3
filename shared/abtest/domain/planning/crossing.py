"""Chances of a test to cross its boundaries at one of many looks, by numerical integration in plain Python.

Functions that freeze plans load neither numpy nor scipy. `domain.stats.group_sequential.recursion` integrates the same
to 1e-13; here chances are exact to about 1e-6, which is far below one visitor in a thousand.

Scores are z·√fraction, a Brownian motion in the fraction of the final information. Paths are followed without an
effect; under a drift each has its density times exp(drift·score - drift²·fraction/2), so that one pass serves all
drifts. Source: Jennison, Turnbull: Group Sequential Methods with Applications to Clinical Trials (2000), chapter 19.
"""

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, erfc, exp, inf, log, pi, sqrt

from abtest.domain.planning.normal import upper_quantile

SMALLEST = 6.2e-16
"""Error too small to be spent at a look: such a look has no boundary."""

_ROOTS = (-0.9602898564975363, -0.7966664774136267, -0.525532409916329, -0.1834346424956498)
_WEIGHTS = (0.1012285362903763, 0.2223810344533745, 0.3137066458778873, 0.362683783378362)
_PANEL_NODES = tuple(
    zip((*_ROOTS, *(-root for root in reversed(_ROOTS))), (*_WEIGHTS, *reversed(_WEIGHTS)), strict=True)
)
"""Gauss and Legendre's rule of eight nodes on -1..1."""

_PANEL = 5.0
"""Widest panel, in standard deviations of the narrower of both steps around it."""

_REACH, _WINDOW = 8.0, 8.0
_ROOT_STEPS = 60


@dataclass(frozen=True, slots=True)
class Stage:
    """The way from the look at fraction `start` to the next: scores that went on, with their probabilities.

    `nodes` are increasing, `deviation` is that of the step.
    """

    start: float
    deviation: float
    nodes: Sequence[float]
    masses: Sequence[float]

    def above(self, score: float, drift: float = 0.0) -> float:
        """Return the chance to go on up to this step and then to be above the score, with an expected z of `drift`."""
        scale = -1 / (self.deviation * sqrt(2))
        shift = drift * self.deviation * self.deviation - score
        if drift == 0:
            pairs = zip(self.nodes, self.masses, strict=True)
            return 0.5 * sum(mass * erfc((node + shift) * scale) for node, mass in pairs)
        constant = -drift * drift * self.start / 2
        return 0.5 * sum(
            mass * exp(drift * node + constant) * erfc((node + shift) * scale)
            for node, mass in zip(self.nodes, self.masses, strict=True)
        )

    def bound(self, probability: float) -> float:
        """Return the score with `above(score) == probability`; infinite for less than `SMALLEST`, -infinite for all.

        The density is log-concave, so Newton's method on the logarithm comes down to the root from any score above it.
        """
        if probability < SMALLEST:
            return inf
        if probability >= sum(self.masses):
            return -inf
        score = upper_quantile(probability) * sqrt(self.start + self.deviation * self.deviation)
        for _ in range(_ROOT_STEPS):
            tail, density = self.above(score), self._density(score, inf)
            if tail <= 0 or density <= 0:
                score -= self.deviation
                continue
            change = tail / density * log(tail / probability)
            score += change
            if abs(change) <= 1e-9 * self.deviation:
                break
        return score

    def below(self, probability: float) -> float:
        """Return the score with so much probability below it; -infinite for less than `SMALLEST`, infinite for all."""
        return -Stage(self.start, self.deviation, [-node for node in reversed(self.nodes)], self.masses[::-1]).bound(
            probability
        )

    def after(self, low: float, high: float, until: float) -> "Stage":
        """Return the stage from the look that ends this one to the fraction `until`, for scores between the bounds.

        Where a bound is infinite, scores without an effect are too unlikely to matter beyond some point.
        """
        fraction = self.start + self.deviation * self.deviation
        reach = _REACH * sqrt(fraction)
        low, high = -reach if low == -inf else low, reach if high == inf else high
        deviation = sqrt(until - fraction)
        if low >= high:
            return Stage(fraction, deviation, (), ())
        nodes, weights = _quadrature(low, high, _PANEL * min(deviation, self.deviation))
        # Two-sided tests without an effect are symmetric: one half is enough.
        first = len(nodes) // 2 if low == -high else 0
        masses = [weight * self._density(node) for node, weight in zip(nodes[first:], weights[first:], strict=True)]
        return Stage(fraction, deviation, nodes, masses[::-1] + masses if first else masses)

    def _density(self, score: float, window: float = _WINDOW) -> float:
        """Return the density of paths that go on, at a score at the end of the step.

        Nodes that are further away than `window` deviations are left out.
        """
        nodes, reach = self.nodes, window * self.deviation
        near = slice(bisect_left(nodes, score - reach), bisect_left(nodes, score + reach))
        factor, total = -0.5 / (self.deviation * self.deviation), 0.0
        for node, mass in zip(nodes[near], self.masses[near], strict=True):
            distance = score - node
            total += mass * exp(distance * distance * factor)
        return total / (self.deviation * sqrt(2 * pi))


def first_stage(fraction: float) -> Stage:
    """Return the stage from the start of a test to its first look."""
    return Stage(0.0, sqrt(fraction), (0.0,), (1.0,))


def _quadrature(low: float, high: float, widest: float) -> tuple[list[float], list[float]]:
    """Return an even number of nodes and their weights, on panels of equal width."""
    panels = ceil((high - low) / widest)
    half = (high - low) / panels / 2
    middles = [low + (2 * panel + 1) * half for panel in range(panels)]
    nodes = [middle + half * root for middle in middles for root, _ in _PANEL_NODES]
    return nodes, [half * weight for _, weight in _PANEL_NODES] * panels
