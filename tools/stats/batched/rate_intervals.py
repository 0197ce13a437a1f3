"""Score intervals of rates."""

from typing import Any, NamedTuple

import numpy as np

from abtest.domain.stats.arithmetic import ARRAYS, FloatArray
from abtest.domain.stats.score_intervals import LEAST, quick_ends, searched_distance, searched_quotients
from tools.stats.batched.shapes import Flags, Values, numbers, quietly, unless


class RateIntervals(NamedTuple):
    """Ends of the difference and of the lift, nan where the scalar form has no interval."""

    lower: FloatArray
    upper: FloatArray
    lift_lower: FloatArray
    lift_upper: FloatArray


@quietly
def score_intervals(
    x_c: Values, n_c: Values, x_t: Values, n_t: Values, *, difference: Values, quantile: Values, is_significant: Values
) -> RateIntervals:
    """Return the intervals that agree with the verdicts; nan where an arm is empty or no value varies."""
    x_c, n_c, x_t, n_t, difference, quantile = numbers(x_c, n_c, x_t, n_t, difference, quantile)
    verdict = np.broadcast_to(is_significant, x_c.shape)
    varies = (n_c > 0) & (n_t > 0) & (x_c + x_t > 0) & (x_c + x_t < n_c + n_t)
    w = quantile * quantile
    *ends, holds = quick_ends(ARRAYS, x_c, n_c, x_t, n_t, difference, w)
    rest = varies & ~np.asarray(holds, dtype=np.bool_)
    if rest.any():
        searched = _searched(*(each[rest] for each in (x_c, n_c, x_t, n_t, difference, w)))
        for end, value in zip(ends, searched, strict=True):
            end[rest] = value
    lower, upper, lift_lower, lift_upper = ends
    of_difference = _agreeing(lower, upper, difference, verdict)
    of_lift = _agreeing(lift_lower, lift_upper, difference, verdict)
    has_lift = varies & (x_c > 0)
    return RateIntervals(*(unless(~varies, end) for end in of_difference), *(unless(~has_lift, end) for end in of_lift))


def _searched(
    x_c: FloatArray, n_c: FloatArray, x_t: FloatArray, n_t: FloatArray, difference: FloatArray, w: FloatArray
) -> tuple[FloatArray, ...]:
    down, up = (x_c, n_c, x_t, n_t, w), (x_t, n_t, x_c, n_c, w)
    return (
        np.maximum(difference - searched_distance(ARRAYS, *down), -1),
        np.minimum(difference + searched_distance(ARRAYS, *up), 1),
        searched_quotients(ARRAYS, *down)[0],
        -searched_quotients(ARRAYS, *up)[1],
    )


def _agreeing(lower: FloatArray, upper: FloatArray, difference: FloatArray, verdict: Flags) -> tuple[Any, Any]:
    """Move ends across zero where rounding alone has them on the wrong side of it."""
    if not np.any((lower * upper > 0) ^ verdict):
        return lower, upper
    least, most = np.where(difference > 0, LEAST, -np.inf), np.where(difference < 0, -LEAST, np.inf)
    return (
        np.where(verdict, np.maximum(lower, least), np.minimum(lower, 0)),
        np.where(verdict, np.minimum(upper, most), np.maximum(upper, 0)),
    )
