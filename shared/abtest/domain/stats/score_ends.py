"""Ends of the score intervals of two rates, where arms have more than a dozen conversions and failures.

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

Both polynomials have two small roots, one on either side of zero, and large ones, which are split off.
`score_search` has the ends where this does not hold.
"""

from typing import Any

from abtest.domain.stats.arithmetic import Arithmetic, Real

# Last steps after which the factors are right to 1e-12: of Newton's method, which squares errors, and of one in which g
# follows e.
_SQUARED, _FOLLOWED = 1e-6, 1e-9
_ROUNDS = 8


def quick_ends(
    m: Arithmetic[Real], x_c: Real, n_c: Real, x_t: Real, n_t: Real, d: Real, w: Real
) -> tuple[Real, Real, Real, Real, Any]:
    """Return both ends of the difference and both of the lift, and whether they hold; else they are to be searched.

    In the coefficients all that cancels is cancelled: the quartic is Heron's product over 16.
    """
    f_c, f_t = n_c - x_c, n_t - x_t
    q_c, q_t, total, dd = f_c / n_c, f_t / n_t, n_c + n_t, d * d
    more, shift, k = total + w, (f_t - x_t) - (f_c - x_c), (n_c + w) * (n_t + w) * (total + w)
    pull = d * shift
    middle, square, is_close = _quadratic_in_quartic(
        m,
        dd - dd * dd,
        d * (pull - (more + w) * (1 - 2 * dd)),
        total * (n_t * x_c / n_c * q_c + n_c * x_t / n_t * q_t) + w * (more * (1 - 6 * dd) - 2 * pull),
        w * (2 * d * (total * total + n_c * n_t + w * (3 * total + 2 * w)) + more * shift),
        -w * k,
    )
    # From here in w / λ, the distance of an end from the difference.
    half = 0.5 / k
    shift, root = half * middle, half * m.sqrt(abs(middle * middle + 4 * k * w * square))
    lower, upper, least = d - shift - root, d - shift + root, root - abs(shift)
    # Where λ is at most half of the smaller arm, no other root of the quartic is.
    holds: Any = is_close & (square > 0) & (least * n_c >= 2 * w) & (least * n_t >= 2 * w)

    start = -w * x_c * x_t
    middle, square, is_close = _quadratic_in_cubic(m, -d, q_c * x_t + q_t * x_c + w, w * (x_c - x_t), start)
    half = 0.5 / square
    shift, root = half * middle, half * m.sqrt(abs(middle * middle - 4 * square * start))
    above, below, cross, failures = root - shift, -root - shift, d * (n_c * n_t), f_c + f_t
    # Well inside of the limits, where both parts of a quotient may vanish.
    holds = holds & is_close & (square > 0) & (above > 0) & (above <= 0.9 * x_t) & (below >= -0.9 * x_c)
    return (
        lower,
        upper,
        (cross - above * failures) / ((n_t - above) * (x_c + above)),
        (cross - below * failures) / ((n_t - below) * (x_c + below)),
        holds,
    )


def _quadratic_in_quartic(
    m: Arithmetic[Real], c_4: Real, c_3: Real, c_2: Real, c_1: Real, c_0: Real
) -> tuple[Real, Real, Any]:
    """Return b and a of (c_0 + b y + a y²)(1 + e y + g y²), the polynomial, for the small e and g; and if they hold.

    A round of Bairstow's fixed point, and Newton's steps in e.
    """
    e, g, rounds = c_3 / c_2, c_4 / c_2, _ROUNDS
    b = c_1 - e * c_0
    a = c_2 - e * b - g * c_0
    g = c_4 / a
    e = (c_3 - g * b) / a
    while True:
        b = c_1 - e * c_0
        a = c_2 - e * b - g * c_0
        g = c_4 / a
        step = (c_3 - e * a - g * b) / (a + e * (e * c_0 - b) - g * c_0)
        e, rounds = e + step, rounds - 1
        is_far: Any = abs(step) > _FOLLOWED * abs(e)
        if not rounds or not m.some(is_far):
            b = c_1 - e * c_0
            return b, c_2 - e * b - g * c_0, is_far ^ True


def _quadratic_in_cubic(m: Arithmetic[Real], c_3: Real, c_2: Real, c_1: Real, c_0: Real) -> tuple[Real, Real, Any]:
    """Return b and a of (c_0 + b y + a y²)(1 + e y), the polynomial, for the small e; and whether they hold."""
    e, rounds = c_3 * c_2 / (c_2 * c_2 - c_1 * c_3), _ROUNDS
    while True:
        step = (c_3 - e * (c_2 - e * (c_1 - e * c_0))) / (c_2 - e * (2 * c_1 - 3 * e * c_0))
        e, rounds = e + step, rounds - 1
        is_far: Any = abs(step) > _SQUARED * abs(e)
        if not rounds or not m.some(is_far):
            b = c_1 - e * c_0
            return b, c_2 - e * b, is_far ^ True
