"""Score intervals of two rates: of their difference and of their lift, in agreement with the verdict of the test.

An end is a value of the difference, or of the ratio less one (the lift), at which the score test is just significant:
z is formed with the rates that are most likely under that value. At a difference of 0, and at a ratio of 1, these are
the pooled rate, and this is the pooled z test: there is no factor N / (N - 1) (Miettinen, Nurminen), which would make
it another. So an interval excludes zero exactly when that test is significant.
Sources: Mee, Biometrics 40 (1984) 1175-1176; Miettinen, Nurminen, Statistics in Medicine 4 (1985) 213-226 (both for the
difference); Koopman, Biometrics 40 (1984) 513-517 (for the ratio). The equations in the multipliers are our own.

Below, w = z² at the level, d = p̂_t - p̂_c, f = n - x; p̂ is an observed rate, p the most likely one under δ or φ.

Difference δ. With the multiplier λ of the condition p_t - p_c = δ, n_c (p_c - p̂_c) = λ p_c (1 - p_c) and
n_t (p̂_t - p_t) = λ p_t (1 - p_t). The score equation is λ (d - δ) = w; with the roots of both quadratics it becomes

    A + B = L,  A² = λ² - 2 (f_c - x_c) λ + n_c²,  B² = λ² + 2 (f_t - x_t) λ + n_t²,  L = n_c + n_t + 2w - 2dλ.

A + B - L is convex in λ and negative at 0: the root above 0 is the lower end d - w / λ, the one below 0 the upper.
By Heron's formula (A+B+L)(A+B-L)(A-B+L)(B-A+L) is a quartic in λ. Up to half of the smaller arm it has no other root.

Ratio φ. With the multiplier μ of p_t = φ p_c, p_c = (x_c + μ) / (n_c + μ) and p_t = (x_t - μ) / (n_t - μ). The score
equation is μ² [f_c / (n_c (x_c + μ)) + f_t / (n_t (x_t - μ))] = w, a cubic in μ with one root in (0, x_t), which is the
lower end, and one in (-x_c, 0), the upper. (Nam, Biometrics 51 (1995) 282-293, has a closed form by a cubic, too.)

Quick: where arms have more than a dozen conversions and failures, both polynomials have two small roots, one on either
side of zero, and large ones, which are split off.

Searched, for any counts: each end is the root of a convex function, approached from where one arm alone is as unlikely
as the level allows. That is beyond the root, so every step of Newton's leads towards it and none past it: no bracket is
needed. A step back can only be rounding, and is none. `up` is the arm whose rate is taken to be higher than observed,
`down` the other: control and treatment at the lower end, and the reverse at the upper.
"""

from math import inf
from typing import Any

from abtest.domain.stats.arithmetic import FLOATS, Arithmetic, Real
from abtest.domain.stats.samples import Interval, made

LEAST = 2.2250738585072014e-308
"""The end next to zero of an interval that excludes zero by less than rounding leaves of it: the least normal float."""

# Quick. With r the most that the terms e b and e² c_0 are of a, one round leaves 2 r² √r of the width, and two 2 r³ √r:
# here less than 2e-10 and 1e-10. Last steps after which the factors are right to 1e-12: of Newton's method, which
# squares errors, and of one that is followed.
NEAR, _NEAR_TWICE = 1e-4, 1e-3
_SQUARED, _FOLLOWED = 1e-6, 1e-9
_ROUNDS = 8

# Searched.
_CLOSE, _STEPS = 1e-10, 100
# Least divisor, where the quotient is not used if the number is zero; its square is not zero yet.
_LEAST = 1e-100


def score_intervals(
    x_c: float, n_c: float, x_t: float, n_t: float, difference: float, quantile: float, is_significant: bool
) -> tuple[Interval, Interval | None]:
    """Return the interval of the difference, and that of the lift: None for a control without conversions.

    Of n > 0 visitors x converted, not 0 and not all of both arms; `difference` is p_t - p_c, `quantile` the normal one
    of the level, `is_significant` the verdict there. The lift of such a control has no upper end; others are finite.
    `comparisons` has the quick ends once more, for single comparisons of many conversions.
    """
    w = quantile * quantile
    # Floats from the start: arithmetic of whole numbers with floats takes twice as long.
    x_c, n_c, x_t, n_t = 1.0 * x_c, 1.0 * n_c, 1.0 * x_t, 1.0 * n_t
    try:
        lower, upper, lift_lower, lift_upper, holds = quick_ends(FLOATS, x_c, n_c, x_t, n_t, difference, w)
    except ZeroDivisionError:
        holds = False
    if not holds:
        lower, upper, lift_lower, lift_upper = _searched(x_c, n_c, x_t, n_t, difference, w)
    if (lower > 0 or upper < 0) is not is_significant:
        lower, upper = agreeing(lower, upper, difference, is_significant)
    interval = made(Interval, (lower, upper))
    if not x_c:
        return interval, None
    if (lift_lower > 0 or lift_upper < 0) is not is_significant:
        lift_lower, lift_upper = agreeing(lift_lower, lift_upper, difference, is_significant)
    return interval, made(Interval, (lift_lower, lift_upper))


def _searched(
    x_c: float, n_c: float, x_t: float, n_t: float, difference: float, w: float
) -> tuple[float, float, float, float]:
    """Return the ends of the difference and of the lift; the latter are infinite for x_c = 0."""
    lower = max(-1.0, difference - searched_distance(FLOATS, x_c, n_c, x_t, n_t, w))
    upper = min(1.0, difference + searched_distance(FLOATS, x_t, n_t, x_c, n_c, w))
    if not x_c:
        return lower, upper, inf, inf
    lift_lower, _ = searched_quotients(FLOATS, x_c, n_c, x_t, n_t, w)
    _, fall = searched_quotients(FLOATS, x_t, n_t, x_c, n_c, w)
    return lower, upper, lift_lower, -fall


def agreeing(lower: float, upper: float, difference: float, is_significant: bool) -> tuple[float, float]:
    """Return the ends, moved next to zero where rounding alone has one on the side that the verdict excludes."""
    if not is_significant:
        return min(lower, 0.0), max(upper, 0.0)
    return (max(lower, LEAST), upper) if difference > 0 else (lower, min(upper, -LEAST))


def quick_ends(
    m: Arithmetic[Real], x_c: Real, n_c: Real, x_t: Real, n_t: Real, d: Real, w: Real
) -> tuple[Real, Real, Real, Real, Real]:
    """Return both ends of the difference and both of the lift, and whether they hold; else they are to be searched."""
    q_c, q_t = (n_c - x_c) / n_c, (n_t - x_t) / n_t
    lower, upper, one = _ends_of_difference(m, x_c, n_c, x_t, n_t, q_c, q_t, d, w)
    lift_lower, lift_upper, other = _ends_of_lift(m, x_c, n_c, x_t, n_t, q_c, q_t, d, w)
    flag: Any = one
    return lower, upper, lift_lower, lift_upper, flag & other


def _ends_of_difference(
    m: Arithmetic[Real], x_c: Real, n_c: Real, x_t: Real, n_t: Real, q_c: Real, q_t: Real, d: Real, w: Real
) -> tuple[Real, Real, Real]:
    """Return both ends, and whether they hold."""
    whole, c_4, c_3, c_2, c_1 = _quartic(x_c, n_c, x_t, n_t, q_c, q_t, d, w)
    b, a, holds = _quadratic_in_quartic(m, c_4, c_3, c_2, c_1, -w * whole)
    # From here in w / λ, the distance of an end from the difference.
    half = 0.5 / whole
    shift, root = half * b, half * m.sqrt(abs(b * b + 4 * w * whole * a))
    # Where λ is at most half of the smaller arm, no other root of the quartic is.
    flag: Any = holds
    flag = flag & (a > 0) & ((root - abs(shift)) * m.lesser(n_c, n_t) >= 2 * w)
    middle = d - shift
    return middle - root, middle + root, flag


def _quartic(
    x_c: Real, n_c: Real, x_t: Real, n_t: Real, q_c: Real, q_t: Real, d: Real, w: Real
) -> tuple[Real, Real, Real, Real, Real]:
    """Return -c_0 / w and c_4 to c_1. All that cancels is cancelled: the quartic is Heron's product over 16."""
    total, dd, ratio = n_c + n_t, d * d, n_t / n_c
    more, shift, k = total + w, (n_t - n_c) - 2 * (x_t - x_c), (n_c + w) * (n_t + w)
    pull = d * shift
    return (
        k * more,
        dd - dd * dd,
        d * (pull - (more + w) * (1 - 2 * dd)),
        total * (ratio * x_c * q_c + x_t * q_t / ratio) + w * (more * (1 - 6 * dd) - 2 * pull),
        w * (2 * d * (more * more + k) + more * shift),
    )


def _ends_of_lift(
    m: Arithmetic[Real], x_c: Real, n_c: Real, x_t: Real, n_t: Real, q_c: Real, q_t: Real, d: Real, w: Real
) -> tuple[Real, Real, Real]:
    """Return both ends, and whether they hold."""
    start = w * x_c * x_t
    b, a, holds = _quadratic_in_cubic(m, -d, q_c * x_t + q_t * x_c + w, w * (x_c - x_t), -start)
    half = 0.5 / a
    shift = half * b
    root = m.sqrt(shift * shift + abs(2 * half * start))
    above, below = root - shift, -root - shift
    # Well inside of the limits, where both parts of a quotient may vanish.
    flag: Any = holds
    flag = flag & (a > 0) & (above > 0) & (above <= 0.9 * x_t) & (below >= -0.9 * x_c)
    cross, failures = d * (n_c * n_t), (n_c - x_c) + (n_t - x_t)
    lower = (cross - above * failures) / ((n_t - above) * (x_c + above))
    return lower, (cross - below * failures) / ((n_t - below) * (x_c + below)), flag


def _quadratic_in_quartic(
    m: Arithmetic[Real], c_4: Real, c_3: Real, c_2: Real, c_1: Real, c_0: Real
) -> tuple[Real, Real, Real]:
    """Return b and a of (c_0 + b y + a y²)(1 + e y + g y²), the polynomial, for the small e and g; and if they hold.

    Two rounds of Bairstow's fixed point; where e is not small enough for them, Newton's steps.
    """
    e = c_3 / c_2
    b = c_1 - e * c_0
    a = c_2 - e * b - c_4 / c_2 * c_0
    g = c_4 / a
    e = (c_3 - g * b) / a
    b = c_1 - e * c_0
    a = c_2 - e * b - g * c_0
    g = c_4 / a
    e = (c_3 - g * b) / a
    small = e * c_0
    b = c_1 - small
    holds: Any = abs(e * b) - e * small <= _NEAR_TWICE * a
    if m.some(holds ^ True):
        return settled_quartic(m, c_4, c_3, c_2, c_1, c_0, e, g)
    return b, c_2 - e * b - g * c_0, holds


def settled_quartic(
    m: Arithmetic[Real], c_4: Real, c_3: Real, c_2: Real, c_1: Real, c_0: Real, e: Real, g: Real
) -> tuple[Real, Real, Real]:
    """Return b and a from the nearest e and g so far, by Newton's steps in e, which g follows; and if they hold."""
    rounds = _ROUNDS
    while True:
        b = c_1 - e * c_0
        a = c_2 - e * b - g * c_0
        before, g = g, c_4 / a
        step = (c_3 - e * a - g * b) / (a + e * (e * c_0 - b) - g * c_0)
        e, rounds = e + step, rounds - 1
        is_far: Any = abs(step) > _FOLLOWED * abs(e)
        is_far = is_far | (abs(g - before) > _FOLLOWED * abs(g))
        if not rounds or not m.some(is_far):
            b = c_1 - e * c_0
            return b, c_2 - e * b - g * c_0, is_far ^ True


def _quadratic_in_cubic(m: Arithmetic[Real], c_3: Real, c_2: Real, c_1: Real, c_0: Real) -> tuple[Real, Real, Real]:
    """Return b and a of (c_0 + b y + a y²)(1 + e y), the polynomial, for the small e; and whether they hold."""
    e = c_3 / c_2
    e = c_3 / (c_2 - e * (c_1 - e * c_0))
    small = e * c_0
    b = c_1 - small
    a = c_2 - e * b
    holds: Any = abs(e * b) - e * small <= NEAR * a
    if m.some(holds ^ True):
        return settled_cubic(m, c_3, c_2, c_1, c_0, e)
    return b, a, holds


def settled_cubic(m: Arithmetic[Real], c_3: Real, c_2: Real, c_1: Real, c_0: Real, e: Real) -> tuple[Real, Real, Real]:
    """Return b and a from the nearest e so far, by Newton's steps; and whether they hold."""
    rounds = _ROUNDS
    while True:
        step = (c_3 - e * (c_2 - e * (c_1 - e * c_0))) / (c_2 - e * (2 * c_1 - 3 * e * c_0))
        e, rounds = e + step, rounds - 1
        is_far: Any = abs(step) > _SQUARED * abs(e)
        if not rounds or not m.some(is_far):
            b = c_1 - e * c_0
            return b, c_2 - e * b, is_far ^ True


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
