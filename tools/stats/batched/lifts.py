"""Relative lifts."""

from typing import NamedTuple

from abtest.domain.stats.arithmetic import ARRAYS, FloatArray
from abtest.domain.stats.formulas import fieller_ends, fieller_g
from tools.stats.batched.shapes import Values, numbers, quietly, unless


class Lifts(NamedTuple):
    """Fields of `RelativeLift`; ends are nan where g >= 1."""

    lift: FloatArray
    g: FloatArray
    lower: FloatArray
    upper: FloatArray


@quietly
def fieller(difference: Values, mean_c: Values, noise_c: Values, noise_t: Values, *, quantile: Values) -> Lifts:
    """Return the lift of a difference of means; noise = s²/n. nan where the control's mean is zero."""
    difference, mean, noise_c, noise_t, quantile = numbers(difference, mean_c, noise_c, noise_t, quantile)
    lift, g = difference / mean, fieller_g(noise_c, mean, quantile)
    lower, upper = fieller_ends(ARRAYS, lift, g, noise_c, mean, noise_t, quantile)
    is_endless = ~(g < 1) | (mean == 0)
    return Lifts(unless(mean == 0, lift), unless(mean == 0, g), unless(is_endless, lower), unless(is_endless, upper))
