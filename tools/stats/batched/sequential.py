"""Sequential tests of many looks, pairs or simulated paths at once."""

from typing import NamedTuple

import numpy as np

from abtest.domain.stats.arithmetic import ARRAYS, FloatArray
from abtest.domain.stats.formulas import (
    log_mixture_ratio,
    log_one_sided_ratio,
    mixture_margin,
    pooled_variance,
    pooled_variance_of_means,
    rate_difference,
    unpooled_variance,
    unpooled_variance_of_means,
)
from abtest.domain.stats.mixture_scale import PLANNED_VISITORS, mixture_precision
from abtest.domain.stats.sequential import Direction, VarianceRule, variance_by
from tools.stats.batched.shapes import Values, counts, numbers, quietly, unless
from tools.stats.levels import level


class MixtureTests(NamedTuple):
    """Fields of `MixtureTest`, with the two ends of the interval, nan where no value varies."""

    difference: FloatArray
    variance: FloatArray
    tau_squared: FloatArray
    log_lambda: FloatArray
    always_valid_p: FloatArray
    log_p: FloatArray
    lower: FloatArray
    upper: FloatArray


class OneSidedMixtureTests(NamedTuple):
    """Fields of `OneSidedMixtureTest`."""

    difference: FloatArray
    variance: FloatArray
    tau_squared: FloatArray
    z: FloatArray
    log_e: FloatArray
    always_valid_p: FloatArray
    log_p: FloatArray


class Differences(NamedTuple):
    """Difference of the arms, its variance, and the visitors of both; nan where no test is possible."""

    difference: FloatArray
    variance: FloatArray
    visitors: FloatArray


@quietly
def differences_of_rates(
    x_c: Values, n_c: Values, x_t: Values, n_t: Values, *, variance: VarianceRule = "max"
) -> Differences:
    """Return the differences of rates, for the mixture tests."""
    x_c, n_c, x_t, n_t = counts(x_c, n_c, x_t, n_t)
    difference = rate_difference(x_c, n_c, x_t, n_t)
    unpooled, pooled = unpooled_variance(x_c, n_c, x_t, n_t), pooled_variance(x_c, n_c, x_t, n_t)
    chosen = variance_by(variance, ARRAYS, unpooled, pooled)
    is_empty = (n_c <= 0) | (n_t <= 0) | ((chosen == 0) & (difference != 0))
    return Differences(unless(is_empty, difference), unless(is_empty, chosen), n_c + n_t)


@quietly
def differences_of_means(
    n_c: Values,
    mean_c: Values,
    variance_c: Values,
    n_t: Values,
    mean_t: Values,
    variance_t: Values,
    *,
    variance: VarianceRule = "max",
) -> Differences:
    """Return the differences of means, for the mixture tests."""
    n_c, mean_c, variance_c, n_t, mean_t, variance_t = numbers(n_c, mean_c, variance_c, n_t, mean_t, variance_t)
    spreads = (variance_c, n_c, variance_t, n_t)
    unpooled, pooled = unpooled_variance_of_means(*spreads), pooled_variance_of_means(*spreads)
    chosen = np.maximum(variance_by(variance, ARRAYS, unpooled, pooled), 0)
    is_empty = (n_c < 2) | (n_t < 2) | ((chosen == 0) & ((mean_c != 0) | (mean_t != 0)))
    return Differences(unless(is_empty, mean_t - mean_c), unless(is_empty, chosen), n_c + n_t)


def running_minimum(p_values: Values, *, axis: int = -1) -> FloatArray:
    """Return the always-valid p after each look along the axis: 1 before any, unchanged by nan."""
    p = np.asarray(p_values, dtype=np.float64)
    answer: FloatArray = np.minimum.accumulate(np.where(np.isnan(p), 1.0, np.minimum(p, 1.0)), axis=axis)
    return answer


@quietly
def mixture_test(differences: Differences, *, alpha: float, tau: Values | None = None) -> MixtureTests:
    """Return the scalar test's values for each difference; `tau` broadcasts, too.

    Raises ValueError for a tau that is not positive, and unless 0 < alpha < 0.5.
    """
    level(alpha)
    difference, variance, _ = differences
    tau_squared = _tau_squared(differences, alpha, tau)
    varies = ~(variance == 0)
    log_lambda = np.where(varies, log_mixture_ratio(ARRAYS, difference, variance, tau_squared), 0)
    margin = unless(~varies, mixture_margin(ARRAYS, variance, tau_squared, np.asarray(alpha)))
    log_p = np.minimum(0, -log_lambda)
    return MixtureTests(
        difference=difference,
        variance=variance,
        tau_squared=tau_squared,
        log_lambda=log_lambda,
        always_valid_p=np.exp(log_p),
        log_p=log_p,
        lower=difference - margin,
        upper=difference + margin,
    )


@quietly
def one_sided_mixture_test(
    differences: Differences, *, direction: Direction, alpha: float, tau: Values | None = None
) -> OneSidedMixtureTests:
    """Return the scalar test's values in one direction. Raises ValueError as `mixture_test`."""
    level(alpha)
    difference, variance, _ = differences
    towards = difference if direction == "increase" else -difference
    tau_squared = _tau_squared(differences, alpha, tau)
    varies = ~(variance == 0)
    log_e = np.where(varies, log_one_sided_ratio(ARRAYS, towards, variance, tau_squared), 0)
    log_p = np.minimum(0, -log_e)
    return OneSidedMixtureTests(
        difference=towards,
        variance=variance,
        tau_squared=tau_squared,
        z=np.where(varies, towards / np.sqrt(variance), 0),
        log_e=log_e,
        always_valid_p=np.exp(log_p),
        log_p=log_p,
    )


def _tau_squared(differences: Differences, alpha: float, tau: Values | None) -> FloatArray:
    _, variance, visitors = differences
    if tau is None:
        return variance * visitors * mixture_precision(alpha, PLANNED_VISITORS)
    fixed = np.asarray(tau, dtype=np.float64)
    if not np.all(fixed > 0):
        raise ValueError("tau must be positive")
    return np.broadcast_to(fixed * fixed, np.broadcast_shapes(fixed.shape, variance.shape))
