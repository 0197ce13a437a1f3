"""Ends of the score intervals of two rates for any counts, by Newton's method; notation and sources: `score_ends`.

Each end is the root of a convex function, approached from where one arm alone is as unlikely as the level allows. That
is beyond the root, so every step leads towards it and none past it: no bracket is needed. A step back can only be
rounding, and is none. At the lower end `up`, whose rate is taken to be higher than observed, is the control, and `down`
the treatment; at the upper end the reverse.
"""

from typing import Any

from abtest.domain.stats.arithmetic import Arithmetic, Real

_CLOSE = 1e-10
_STEPS = 100
# Least divisor, where the quotient is not used if the number is zero; its square is not zero yet.
_LEAST = 1e-100


def searched_distance(m: Arithmetic[Real], x_up: Real, n_up: Real, x_down: Real, n_down: Real, w: Real) -> Real:
    """Return |d - δ| = w / λ of the end at which one rate is higher than observed, and the other lower."""
    # A rate falls as the rate of failures rises.
    first, second = (x_up, n_up), (n_down - x_down, n_down)
    is_extreme: Any = (x_up == n_up) & (x_down == 0)
    value = m.lesser(_alone(m, *first, w), _alone(m, *second, w))
    for _ in range(_STEPS):
        (one, one_slope), (other, other_slope) = _risen(m, *first, value), _risen(m, *second, value)
        step = m.greater(one + other - w, 0 * w) / m.greater(one_slope + other_slope, _LEAST)
        value = value - step
        if not m.some((step > _CLOSE * value) & (is_extreme ^ True)):
            break
    return m.choose(is_extreme, 0 * w, w / value)


def _alone(m: Arithmetic[Real], x: Real, n: Real, w: Real) -> Real:
    """λ at which this arm alone uses up w: there p is Wilson's upper bound, and λ = w / (p - p̂)."""
    r, v = (n - 2 * x) / n, 4 * (x / n) * ((n - x) / n)
    s = m.sqrt(w * w + w * n * v)
    few = 2 * (n + w) * w / m.greater(w * r + s, _LEAST)
    return m.choose(r < 0, 2 * (s - w * r) / m.greater(v, _LEAST), few)


def _risen(m: Arithmetic[Real], x: Real, n: Real, value: Real) -> tuple[Real, Real]:
    """λ (p - p̂) of an arm whose rate is taken to be higher, and its slope in λ > 0."""
    r, v = (n - 2 * x) / n, 4 * (x / n) * ((n - x) / n)
    base = (n - value) + 2 * value * x / n
    a = m.greater(m.sqrt(base * base + value * value * v), _LEAST)
    # a - base, without the cancellation.
    twice = m.choose(base > 0, value * value * v / (a + abs(base)), a - base)
    return 0.5 * twice, 0.5 * (value * v + r * twice) / a


def searched_quotients(
    m: Arithmetic[Real], x_up: Real, n_up: Real, x_down: Real, n_down: Real, w: Real
) -> tuple[Real, Real]:
    """Return p_down / p_up - 1 and 1 - p_up / p_down at the end where these rates are furthest apart.

    x_up + x_down > 0; the second has no meaning for x_down = 0. Where all of `down` converted, its most likely rate
    stays 1 up to μ = n_down; from there on μ stays, and the rate falls.
    """
    a, b = (n_up - x_up) / n_up, (n_down - x_down) / n_down
    value = m.lesser(
        2 * x_down / (1 + m.sqrt(1 + 4 * b * x_down / w)),
        (w + m.sqrt(w * w + 4 * a * w * x_up)) / m.greater(2 * a, _LEAST),
    )
    for _ in range(_STEPS):
        above, below = m.greater(x_up + value, _LEAST), m.greater(x_down - value, _LEAST)
        excess = m.greater(value * value * (a / above + b / below) - w, 0 * w)
        slope = value * (a * (above + x_up) / (above * above) + b * (below + x_down) / (below * below))
        step = excess / m.greater(slope, _LEAST)
        value = value - step
        if not m.some(step > _CLOSE * value):
            break
    failures, some = (n_up - x_up) + (n_down - x_down), x_up + value
    over = w / n_down - n_down * a / m.greater(some, _LEAST)
    is_full: Any = x_down == n_down
    has_fallen: Any = is_full & (value >= n_down)
    apart = (x_down * n_up - x_up * n_down) - value * failures
    apart = m.choose(is_full, failures - m.choose(has_fallen, some * over, 0 * w), apart)
    to_up = m.choose(is_full, m.choose(has_fallen, some * (1 + over), some), (n_down - value) * some)
    to_down = m.choose(is_full, n_up + value, (x_down - value) * (n_up + value))
    return apart / m.greater(to_up, _LEAST), apart / m.greater(to_down, _LEAST)
