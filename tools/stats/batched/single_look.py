"""Tests of one look."""

from typing import NamedTuple

import numpy as np

from abtest.domain.stats.arithmetic import ARRAYS, FloatArray
from abtest.domain.stats.formulas import (
    pooled_variance,
    rate_difference,
    rate_variance,
    satterthwaite,
    shared_variance,
    two_sided,
)
from abtest.domain.stats.means import UNEQUAL_SIZES
from abtest.domain.stats.quantiles import two_sided_t_batched, upper_normal_batched, upper_t_batched
from tools.stats.batched.shapes import Flags, Values, counts, numbers, quietly, unless
from tools.stats.levels import level


class ProportionTests(NamedTuple):
    """Fields of `ProportionTest`, and the noise p(1-p)/n of each arm for intervals and lifts."""

    difference: FloatArray
    z: FloatArray
    p_value: FloatArray
    control_rate: FloatArray
    noise_control: FloatArray
    noise_treatment: FloatArray
    varies: Flags

    def margin(self, alpha: Values) -> FloatArray:
        """Return half the width of the interval; nan where no value varies."""
        noise = np.sqrt(self.noise_control + self.noise_treatment)
        return unless(~self.varies, upper_normal_batched(np.asarray(level(alpha)) / 2) * noise)


class MeanTests(NamedTuple):
    """Fields of `MeanTest`: t and degrees of freedom by Welch, p and noises by the test that decides."""

    difference: FloatArray
    t: FloatArray
    degrees_of_freedom: FloatArray
    p_value: FloatArray
    governing_freedom: FloatArray
    noise_control: FloatArray
    noise_treatment: FloatArray

    def quantile(self, alpha: Values) -> FloatArray:
        """Return the quantile of the test that decides; nan where no value varies."""
        return upper_t_batched(np.asarray(level(alpha)) / 2, self.governing_freedom)

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
    z = np.where(varies, rate_difference(x_c, n_c, x_t, n_t) / np.sqrt(pooled), 0)
    return ProportionTests(
        difference=unless(is_empty, rate_difference(x_c, n_c, x_t, n_t)),
        z=unless(is_empty, z),
        p_value=unless(is_empty, two_sided(ARRAYS, z)),
        control_rate=unless(is_empty, x_c / n_c),
        noise_control=unless(is_empty, rate_variance(x_c, n_c) / n_c),
        noise_treatment=unless(is_empty, rate_variance(x_t, n_t) / n_t),
        varies=varies & ~is_empty,
    )


@quietly
def welch(
    n_c: Values, mean_c: Values, variance_c: Values, n_t: Values, mean_t: Values, variance_t: Values
) -> MeanTests:
    """Compare means by Welch's and Student's tests; nan where the scalar form has None, p = 1 if all values are 0."""
    n_c, mean_c, variance_c, n_t, mean_t, variance_t = numbers(n_c, mean_c, variance_c, n_t, mean_t, variance_t)
    noise_c, noise_t = variance_c / n_c, variance_t / n_t
    varies, is_zero = noise_c + noise_t > 0, (mean_c == 0) & (mean_t == 0)
    is_empty = (n_c < 2) | (n_t < 2) | ~(varies | is_zero)
    difference, freedom = mean_t - mean_c, satterthwaite(noise_c, n_c, noise_t, n_t)
    t = np.where(varies, difference / np.sqrt(noise_c + noise_t), 0)
    own = np.where(varies, two_sided_t_batched(t, freedom), 1)
    shared = shared_variance(variance_c, n_c, variance_t, n_t)
    pooled = two_sided_t_batched(difference / np.sqrt(shared / n_c + shared / n_t), n_c + n_t - 2)
    is_unequal = np.maximum(n_c, n_t) / np.minimum(n_c, n_t) > UNEQUAL_SIZES
    is_guarded = varies & is_unequal & (pooled > own)
    return MeanTests(
        difference=unless(is_empty, difference),
        t=unless(is_empty, t),
        degrees_of_freedom=unless(is_empty | ~varies, freedom),
        p_value=unless(is_empty, np.where(is_guarded, pooled, own)),
        governing_freedom=unless(is_empty | ~varies, np.where(is_guarded, n_c + n_t - 2, freedom)),
        noise_control=unless(is_empty, np.where(is_guarded, shared, variance_c) / n_c),
        noise_treatment=unless(is_empty, np.where(is_guarded, shared, variance_t) / n_t),
    )
