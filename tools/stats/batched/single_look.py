"""Tests of one look."""

from typing import NamedTuple

import numpy as np

from abtest.domain.stats.arithmetic import ARRAYS, FloatArray
from abtest.domain.stats.formulas import (
    drawn_together,
    pooled_variance,
    rate_difference,
    satterthwaite,
    two_sided,
)
from abtest.domain.stats.means import UNEQUAL_SIZES
from abtest.domain.stats.quantiles import two_sided_t_batched, upper_normal_batched, upper_t_batched
from tools.stats.batched.rate_intervals import RateIntervals, score_intervals
from tools.stats.batched.shapes import Flags, Values, counts, numbers, quietly, unless
from tools.stats.levels import level


class ProportionTests(NamedTuple):
    """Fields of `ProportionTest`, with the counts for intervals and lifts."""

    difference: FloatArray
    z: FloatArray
    p_value: FloatArray
    control_rate: FloatArray
    arms: tuple[Values, Values, Values, Values]

    def intervals(self, alpha: Values, is_significant: Flags) -> RateIntervals:
        """Return the intervals at a level that agree with the verdicts; nan where no value varies."""
        return score_intervals(
            *self.arms,
            difference=self.difference,
            quantile=upper_normal_batched(np.asarray(level(alpha)) / 2),
            is_significant=is_significant,
        )


class MeanTests(NamedTuple):
    """Fields of `MeanTest`, and the noise of each arm, its variance by its size, for intervals and lifts."""

    difference: FloatArray
    t: FloatArray
    degrees_of_freedom: FloatArray
    p_value: FloatArray
    noise_control: FloatArray
    noise_treatment: FloatArray

    def quantile(self, alpha: Values) -> FloatArray:
        """Return the quantile of the test; nan where no value varies."""
        return upper_t_batched(np.asarray(level(alpha)) / 2, self.degrees_of_freedom)

    def margin(self, alpha: Values) -> FloatArray:
        """Return half the width of the interval."""
        margin: FloatArray = self.quantile(alpha) * np.sqrt(self.noise_control + self.noise_treatment)
        return margin


@quietly
def two_proportions(x_c: Values, n_c: Values, x_t: Values, n_t: Values) -> ProportionTests:
    """Compare x_c of n_c visitors with x_t of n_t; nan where an arm is empty, p = 1 where no value varies."""
    x_c, n_c, x_t, n_t = counts(x_c, n_c, x_t, n_t)
    is_empty = (n_c <= 0) | (n_t <= 0)
    pooled = pooled_variance(x_c, n_c, x_t, n_t)
    varies = pooled > 0
    difference = rate_difference(x_c, n_c, x_t, n_t)
    z = np.where(varies, difference / np.sqrt(pooled), 0)
    return ProportionTests(
        difference=unless(is_empty, difference),
        z=unless(is_empty, z),
        p_value=unless(is_empty, two_sided(ARRAYS, z)),
        control_rate=unless(is_empty, x_c / n_c),
        arms=(x_c, n_c, x_t, n_t),
    )


@quietly
def welch(
    n_c: Values, mean_c: Values, variance_c: Values, n_t: Values, mean_t: Values, variance_t: Values
) -> MeanTests:
    """Compare means as the scalar form does; nan where it has None, p = 1 if all values are 0."""
    n_c, mean_c, variance_c, n_t, mean_t, variance_t = numbers(n_c, mean_c, variance_c, n_t, mean_t, variance_t)
    noise_c, noise_t = variance_c / n_c, variance_t / n_t
    varies, is_zero = noise_c + noise_t > 0, (mean_c == 0) & (mean_t == 0)
    is_empty = (n_c < 2) | (n_t < 2) | ~(varies | is_zero)
    is_unequal = (n_c > UNEQUAL_SIZES * n_t) | (n_t > UNEQUAL_SIZES * n_c)
    drawn = drawn_together(n_c, mean_c, variance_c, n_t, mean_t, variance_t)
    own = variance_c, variance_t, satterthwaite(noise_c, n_c, noise_t, n_t)
    variance_c, variance_t, freedom = (np.where(is_unequal, one, other) for one, other in zip(drawn, own, strict=True))
    noise_c, noise_t, difference = variance_c / n_c, variance_t / n_t, mean_t - mean_c
    t = np.where(varies, difference / np.sqrt(noise_c + noise_t), 0)
    return MeanTests(
        difference=unless(is_empty, difference),
        t=unless(is_empty, t),
        degrees_of_freedom=unless(is_empty | ~varies, freedom),
        p_value=unless(is_empty, np.where(varies, two_sided_t_batched(t, freedom), 1)),
        noise_control=unless(is_empty, noise_c),
        noise_treatment=unless(is_empty, noise_t),
    )
