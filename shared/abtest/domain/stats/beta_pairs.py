"""Two independent beta posteriors: which is larger, by how much on average, and quantiles of their difference.

Each integral runs over the narrower of the two on the scale of log odds, y = ln(p / (1 - p)): the other one is smooth
at its scale. There the density is analytic in a strip around the real line and falls off exponentially. So the
trapezoidal rule converges exponentially in the number of nodes (Trefethen, Weideman, SIAM Review 56 (2014) 385-458).

With many of both outcomes, densities on one lattice of rates are enough, without a single incomplete beta function:
their correlation is the density of the difference on the lattice of differences. It is band-limited up to 1e-14, so its
series of sinc functions is exact, and its integrals are sums over the sine integral (Stenger, Handbook of Sinc
Numerical Methods, 2011, 1.3).
"""

from collections.abc import Callable
from math import pi, sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import betainc, betaincc, betaincinv, expit, ndtri, sici

from abtest.domain.stats.arithmetic import FloatArray
from abtest.domain.stats.quantiles import upper_normal

MOST_NODES = 401
# The part left out on either side is below e^-32 of the whole.
_TAIL = 32.0
# Limits of regula falsi: its steps, and the relative width of the bounds at which it ends.
_STEPS, _PRECISE = 80, 1e-14
# Probability left out below and above the panels of the Gauss-Legendre rule.
_OUTSIDE, _PANELS = 1e-17, 16
# Lattices: conversions and failures of an arm, at least; ratio of spreads, at most; places on either side of zero, at
# most; the least probability and level whose relative precision is kept.
_MANY, _UNLIKE, _LAGS, _LEAST = 50.0, 8.0, 2_000, 1e-5
# Step of a lattice in spreads of the product of both densities; half of its width in spreads, and more for skew.
_STEP, _REACH, _SKEWED = 0.75, 8.0, 11.0
# Last step of Newton's method, in steps of the lattice.
_SETTLED, _TINY = 1e-6, 1e-300
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(20)


class Pair(NamedTuple):
    """P(treatment > control), E[max(control - treatment, 0)] and E[max(treatment - control, 0)]."""

    beat: FloatArray
    loss: FloatArray
    loss_of_control: FloatArray


class _Nodes(NamedTuple):
    """Values p of the narrower posterior, 1 - p, and their weights, along the last axis."""

    p: FloatArray
    rest: FloatArray
    weight: FloatArray


def beat_and_loss(a_c: FloatArray, b_c: FloatArray, a_t: FloatArray, b_t: FloatArray) -> Pair:
    """Compare the posteriors Beta(a_c, b_c) and Beta(a_t, b_t), arrays that broadcast."""
    a_c, b_c, a_t, b_t = np.broadcast_arrays(a_c, b_c, a_t, b_t)
    is_control = 1 / a_c + 1 / b_c < 1 / a_t + 1 / b_t
    nodes = _nodes(np.where(is_control, a_c, a_t), np.where(is_control, b_c, b_t))
    a, b = np.where(is_control, a_t, a_c)[..., None], np.where(is_control, b_t, b_c)[..., None]
    # I(b, a, 1 - p) in place of the complement of I(a, b, p), which takes three times as long.
    below, above = betainc(a, b, nodes.p), betainc(b, a, nodes.rest)
    mean, rest = a / (a + b), b / (a + b)
    # E[max(wide - p, 0)] and E[max(p - wide, 0)], the latter as the former of 1 - wide and 1 - p.
    # Clipped, because a difference of nearly equal terms can be just below zero.
    over = np.maximum(mean * betainc(b, a + 1, nodes.rest) - nodes.p * above, 0)
    under = np.maximum(rest * betainc(a, b + 1, nodes.p) - nodes.rest * below, 0)
    wide_is_larger, wide_over, wide_under = (np.sum(nodes.weight * value, axis=-1) for value in (above, over, under))
    narrow_is_larger = np.sum(nodes.weight * below, axis=-1)
    return Pair(
        beat=np.where(is_control, wide_is_larger, narrow_is_larger),
        loss=np.where(is_control, wide_under, wide_over),
        loss_of_control=np.where(is_control, wide_over, wide_under),
    )


class Compared(NamedTuple):
    """The three of `Pair`, None where they are too small for a lattice, and both ends of the central interval."""

    pair: tuple[float, float, float] | None
    lower: float
    upper: float


def compared_on_lattice(a_c: float, b_c: float, a_t: float, b_t: float, alpha: float) -> Compared | None:
    """Return the comparison, within 1e-9 of the spread, in a hundredth of the time; None outside the limits."""
    few, variances = min(a_c, b_c, a_t, b_t), (beta_variance(a_c, b_c), beta_variance(a_t, b_t))
    if few < _MANY or alpha < _LEAST or max(variances) > _UNLIKE * _UNLIKE * min(variances):
        return None
    m_c, mean, spread = a_c / (a_c + b_c), a_t / (a_t + b_t) - a_c / (a_c + b_c), sqrt(sum(variances))
    step = _STEP * sqrt(variances[0] * variances[1]) / spread
    # In steps from the control's mean. Rates next to 0 and 1, outside of it, have no weight.
    within, reach = (int(-m_c / step) + 1, int((1 - m_c) / step) - 1), (_REACH + _SKEWED / sqrt(few)) / step
    first_c, control = _density(a_c, b_c, 0.0, step, reach * sqrt(variances[0]), within)
    first_t, treatment = _density(a_t, b_t, mean, step, reach * sqrt(variances[1]), within)
    weight: FloatArray = np.correlate(treatment, control, "full").astype(np.float64, copy=False)
    weight /= weight.sum()
    lags = np.arange(len(weight)) + (first_t - first_c - len(control) + 1)
    if max(-lags[0], lags[-1]) > _LAGS:
        return None
    lower, upper = step * _ends(weight, lags, mean / step, spread / step, alpha)
    places = lags + _LAGS
    beat = float(weight @ _ABOVE[places])
    if not _LEAST < beat < 1 - _LEAST:
        return Compared(None, float(lower), float(upper))
    loss, loss_of_control = (step * float(weight @ _BEYOND[at]) for at in (2 * _LAGS - places, places))
    return Compared((beat, loss, loss_of_control), float(lower), float(upper))


def _density(
    a: float, b: float, distance: float, step: float, reach: float, within: tuple[int, int]
) -> tuple[int, FloatArray]:
    """Return the first place and the density up to a factor. `distance`: of its mean from place 0, `reach` in steps."""
    mean, rest = a / (a + b), b / (a + b)
    first, last = max(within[0], int(distance / step - reach)), min(within[1], int(distance / step + reach) + 1)
    moved = np.arange(first, last + 1) * step - distance
    return first, np.exp((a - 1) * np.log1p(moved / mean) + (b - 1) * np.log1p(-moved / rest))


def _ends(weight: FloatArray, lags: NDArray[np.int64], mean: float, spread: float, alpha: float) -> FloatArray:
    """Return both quantiles in steps: Cornish and Fisher's expansion, and Newton's steps from there."""
    quantile, apart = upper_normal(alpha / 2), (lags - mean) / spread
    squares = apart * apart
    third, fourth = float(weight @ (squares * apart)), float(weight @ (squares * squares)) - 3
    ends, levels = [], (alpha / 2, 1 - alpha / 2)
    for z in (-quantile, quantile):
        skew = third * (z * z - 1) / 6 - third * third * z * (2 * z * z - 5) / 36
        ends.append(mean + spread * (z + skew + fourth * z * (z * z - 3) / 24))
    answer, level = np.array(ends), np.array(levels)
    for _ in range(_STEPS):
        # Not zero, where the sine integral's derivative is 1.
        angle = pi * (answer[:, None] - lags) + _TINY
        excess = sici(angle)[0] @ weight / pi + (0.5 - level)
        moved = excess / ((np.sin(angle) / angle) @ weight)
        answer = answer - moved
        # In steps of the lattice; the next error is about the square.
        if abs(moved[0]) < _SETTLED and abs(moved[1]) < _SETTLED:
            break
    return answer


def _above_zero() -> tuple[FloatArray, FloatArray]:
    """Integrals of sinc(x - place) over x > 0, and of x sinc(x - place), for places from -_LAGS to _LAGS."""
    places = np.arange(-_LAGS, _LAGS + 1)
    above = 0.5 + sici(pi * places)[0] / pi
    return above, places * above + np.where(places % 2, -1.0, 1.0) / (pi * pi)


_ABOVE, _BEYOND = _above_zero()


def difference_quantile(a_c: float, b_c: float, a_t: float, b_t: float, level: float) -> float:
    """Return the δ with P(treatment - control <= δ) = level."""
    mean = a_t / (a_t + b_t) - a_c / (a_c + b_c)
    spread = sqrt(beta_variance(a_c, b_c) + beta_variance(a_t, b_t))

    def excess(delta: float) -> float:
        return difference_cdf(a_c, b_c, a_t, b_t, delta) - level

    # The normal approximation gives tight bounds; where it fails, the bounds of the difference itself still hold.
    guess = mean + float(ndtri(level)) * spread
    lower, upper = max(-1.0, guess - spread), min(1.0, guess + spread)
    lower = lower if excess(lower) < 0 else -1.0
    upper = upper if excess(upper) > 0 else 1.0
    return regula_falsi(excess, lower, upper)


def difference_cdf(a_c: float, b_c: float, a_t: float, b_t: float, delta: float) -> float:
    """Return P(treatment - control <= δ).

    Gauss-Legendre in panels over the narrower posterior, between the points where the other one, shifted by δ, ends.
    The integrand has kinks at these points; a rule across them would lose precision to 1e-4.
    """
    # (1 - control) - (1 - treatment) is the same difference, so the narrower posterior can always be the control's.
    if beta_variance(a_t, b_t) < beta_variance(a_c, b_c):
        a_c, b_c, a_t, b_t = b_t, a_t, b_c, a_c
    first = max(-delta, float(betaincinv(a_c, b_c, _OUTSIDE)))
    last = min(1 - delta, 1 - float(betaincinv(b_c, a_c, _OUTSIDE)))
    beyond = float(betaincc(a_c, b_c, min(max(1 - delta, 0.0), 1.0)))
    if first >= last:
        return beyond
    edges = np.linspace(first, last, _PANELS + 1)
    half = (last - first) / _PANELS / 2
    x = (edges[:-1, None] + half * (1 + _NODES)).ravel()
    mean = a_c / (a_c + b_c)
    steep = (a_c - 1) * np.log1p((x - mean) / mean) + (b_c - 1) * np.log1p((mean - x) / (1 - mean))
    # Relative to the largest value: the density itself overflows at many visitors, and only ratios are used.
    weight = np.tile(_WEIGHTS, _PANELS) * np.exp(steep - np.max(steep))
    mass = float(betainc(a_c, b_c, last) - betainc(a_c, b_c, first))
    below = betainc(a_t, b_t, np.clip(x + delta, 0, 1))
    return beyond + mass * float(np.sum(weight * below) / np.sum(weight))


def regula_falsi(excess: Callable[[float], float], lower: float, upper: float) -> float:
    """Return the root between two bounds of different sign, by the Illinois variant of regula falsi."""
    at_lower, at_upper, kept = excess(lower), excess(upper), 0
    middle = lower
    for _ in range(_STEPS):
        if not (at_lower < 0 < at_upper) or upper - lower < _PRECISE * (abs(lower) + abs(upper)):
            break
        middle = (lower * at_upper - upper * at_lower) / (at_upper - at_lower)
        value = excess(middle)
        if abs(value) < _PRECISE:
            break
        # A bound that stays twice in a row gets half its value, so that both bounds move.
        if value < 0:
            lower, at_lower, at_upper = middle, value, at_upper / 2 if kept < 0 else at_upper
        else:
            upper, at_upper, at_lower = middle, value, at_lower / 2 if kept > 0 else at_lower
        kept = -1 if value < 0 else 1
    return middle


def beta_variance(a: float, b: float) -> float:
    """Return the variance of Beta(a, b)."""
    return a / (a + b) * (b / (a + b)) / (a + b + 1)


def _nodes(a: FloatArray, b: FloatArray) -> _Nodes:
    spread = np.sqrt(1 / a + 1 / b)
    left, right = _TAIL / a + sqrt(2 * _TAIL) * spread, _TAIL / b + sqrt(2 * _TAIL) * spread
    # A third of the scale, or of what the strip's width (±π) allows, leaves 1e-12 and less.
    needed = np.max((left + right) / np.minimum(0.33 * spread, 0.3), initial=48.0)
    steps = np.linspace(0, 1, min(MOST_NODES, 1 + int(needed)))
    shift = -left[..., None] + (left + right)[..., None] * steps
    share = (a / (a + b))[..., None]
    # ln(1 - share + share e^shift), without overflow.
    falling = np.log1p(share * np.expm1(np.minimum(shift, 0)))
    rising = shift + np.log1p((1 - share) * np.expm1(-np.maximum(shift, 0)))
    log_mix = np.where(shift <= 0, falling, rising)
    # a u - (a+b) ln(1 + share (e^u - 1)), the log density about its mode in the shift u.
    weight = np.exp(a[..., None] * shift - (a + b)[..., None] * log_mix)
    odds = np.log(a / b)[..., None] + shift
    return _Nodes(expit(odds), expit(-odds), weight / np.sum(weight, axis=-1, keepdims=True))
