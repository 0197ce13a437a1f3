"""Score intervals of two rates: of their difference and of their lift, in agreement with the verdict of the test.

Formulas and sources: `score_ends`. Only rounding could part an interval from its verdict, where p and the level differ
in their last digits; there an end is moved across zero.
"""

from math import inf

from abtest.domain.stats.arithmetic import FLOATS
from abtest.domain.stats.samples import Interval, made
from abtest.domain.stats.score_ends import quick_ends
from abtest.domain.stats.score_search import searched_distance, searched_quotients

LEAST = 2.2250738585072014e-308
"""The end next to zero of an interval that excludes zero by less than rounding leaves of it: the least normal float."""


def score_intervals(
    x_c: float, n_c: float, x_t: float, n_t: float, difference: float, quantile: float, is_significant: bool
) -> tuple[Interval, Interval | None]:
    """Return the interval of the difference, and that of the lift: None for a control without conversions.

    Of n > 0 visitors x converted, not 0 and not all of both arms; `difference` is p_t - p_c, `quantile` the normal one
    of the level, `is_significant` the verdict there. The lift of such a control has no upper end; others are finite.
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
        lower, upper = _agreeing(lower, upper, difference, is_significant)
    interval = made(Interval, (lower, upper))
    if not x_c:
        return interval, None
    if (lift_lower > 0 or lift_upper < 0) is not is_significant:
        lift_lower, lift_upper = _agreeing(lift_lower, lift_upper, difference, is_significant)
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


def _agreeing(lower: float, upper: float, difference: float, is_significant: bool) -> tuple[float, float]:
    if not is_significant:
        return min(lower, 0.0), max(upper, 0.0)
    return (max(lower, LEAST), upper) if difference > 0 else (lower, min(upper, -LEAST))
