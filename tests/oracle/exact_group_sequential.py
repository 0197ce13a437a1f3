"""Group-sequential tests once more in mpmath: composite Gauss-Legendre integration at 25 digits, of z, not of scores.

Nothing is shared with the package: the sub-density is of z, panels are equal and many, and spending functions are
written from their papers.
"""

from collections.abc import Sequence
from functools import cache
from typing import Any, NamedTuple

from mpmath import erfc, erfinv, exp, log, mp, mpf, pi, sqrt, workdps

DIGITS = 25
_POINTS = 10
_PER_STEP = 2
_IMPOSSIBLE = 11
"""Standard deviations of a step."""


def normal_cdf(z: Any) -> Any:
    return erfc(-z / sqrt(mpf(2))) / 2


def normal_quantile(p: Any) -> Any:
    return sqrt(mpf(2)) * erfinv(2 * p - 1)


def spent(family: str, gamma: float | None, fraction: float, error: float) -> Any:
    """One-sided error spent at a fraction up to 1."""
    with workdps(DIGITS):
        t, a = mpf(min(fraction, 1)), mpf(error)
        if family == "obrien_fleming":
            return 2 - 2 * normal_cdf(normal_quantile(1 - a / 2) / sqrt(t))
        if family == "pocock":
            return a * log(1 + (exp(1) - 1) * t)
        g = mpf(gamma or 0)
        return a * t if g == 0 else a * (1 - exp(-g * t)) / (1 - exp(-g))


class Chances(NamedTuple):
    """Chances at one look, and not before: at or below the lower z, at or above the upper one, and next to that.

    `nearer` and `further` are at or above `upper` less and plus the margin, if there is one.
    """

    below: Any
    above: Any
    nearer: Any
    further: Any


def crossing(
    fractions: Sequence[float],
    lowers: Sequence[float],
    uppers: Sequence[float],
    *,
    drift: float = 0.0,
    margin: float = 0.0,
) -> list[Chances]:
    """Return the chances at each look. `drift` is the expected z at fraction 1; bounds must be finite."""
    with workdps(DIGITS):
        chances: list[Chances] = []
        # A path starts at z = 0 and fraction 0, with all its mass.
        nodes, before = [(mpf(0), mpf(1))], mpf(0)
        for number, (fraction, lower, upper) in enumerate(zip(fractions, lowers, uppers, strict=True)):
            t, low, high = mpf(fraction), mpf(lower), mpf(upper)
            chances.append(_chances(nodes, before, t, low, high, drift, mpf(margin)))
            if number + 1 < len(fractions):
                width = sqrt(min(fractions[number + 1] - t, t - before) / t)
                rule = _rule(low, high, width)
                nodes, before = [(z, w * _density(nodes, before, t, z, drift)) for z, w in rule], t
        return chances


def _chances(nodes: Any, before: Any, t: Any, low: Any, high: Any, drift: float, margin: Any) -> Chances:
    step, root = sqrt(t - before), sqrt(before)
    sums = [mpf(0)] * 4
    for z, mass in nodes:
        mean = z * root + drift * (t - before)
        sums[0] += mass * normal_cdf((low * sqrt(t) - mean) / step)
        for place, bound in enumerate((high, high - margin, high + margin) if margin else (high,), start=1):
            sums[place] += mass * normal_cdf((mean - bound * sqrt(t)) / step)
    return Chances(*sums)


def _density(nodes: Any, before: Any, t: Any, z: Any, drift: float) -> Any:
    step = sqrt(t - before)
    score, root = (z * sqrt(t) - drift * (t - before)) / step, sqrt(before) / step
    total = mpf(0)
    for u, mass in nodes:
        distance = score - u * root
        if abs(distance) < _IMPOSSIBLE:
            total += mass * exp(-distance * distance / 2)
    return total * sqrt(t) / (step * sqrt(2 * pi))


def _rule(low: Any, high: Any, width: Any) -> list[tuple[Any, Any]]:
    panels = max(2, int(_PER_STEP * (high - low) / width / 4) + 1)
    half = (high - low) / panels / 2
    return [(low + (2 * panel + 1) * half + half * x, half * w) for panel in range(panels) for x, w in _legendre()]


@cache
def _legendre() -> list[tuple[Any, Any]]:
    """Nodes and weights by Newton's method on Legendre's recurrence."""
    rule = []
    for k in range(1, _POINTS + 1):
        x = mp.cos(pi * (mpf(k) - mpf("0.25")) / (_POINTS + mpf("0.5")))
        for _ in range(8):
            p, before = x, mpf(1)
            for n in range(2, _POINTS + 1):
                p, before = ((2 * n - 1) * x * p - (n - 1) * before) / n, p
            slope = _POINTS * (x * p - before) / (x * x - 1)
            x -= p / slope
        rule.append((x, 2 / ((1 - x * x) * slope * slope)))
    return rule
