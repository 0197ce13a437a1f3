"""Sequential tests of many looks, pairs or simulated paths at once."""

from typing import NamedTuple

import numpy as np

from abtest.domain.stats.arithmetic import ARRAYS, FloatArray
from abtest.domain.stats.formulas import (
    log_mixture_ratio,
    log_one_sided_ratio,
    mixture_margin,
    mixture_precision,
    pooled_variance,
    pooled_variance_of_means,
    rate_difference,
    unpooled_variance,
    unpooled_variance_of_means,
)
from abtest.domain.stats.sequential import PLANNED_VISITORS, Direction, VarianceRule, variance_by
from tools.stats.batched.shapes import Values, counts, numbers, quietly, unless


class MixtureTests(NamedTuple):
    """As `MixtureTest`; the interval as its two ends, nan where nothing varies."""

    difference: FloatArray
    variance: FloatArray
    tau_squared: FloatArray
    log_lambda: FloatArray
    always_valid_p: FloatArray
    log_p: FloatArray
    lower: FloatArray
    upper: FloatArray


class OneSidedMixtureTests(NamedTuple):
    """As `OneSidedMixtureTest`."""

    difference: FloatArray
    variance: FloatArray
    tau_squared: FloatArray
    z: FloatArray
    log_e: FloatArray
    always_valid_p: FloatArray
    log_p: FloatArray


class _Differences(NamedTuple):
    """nan where there is nothing to test; `visitors` of both arms."""

    difference: FloatArray
    variance: FloatArray
    visitors: FloatArray


def mixture_of_rates(
    x_c: Values,
    n_c: Values,
    x_t: Values,
    n_t: Values,
    *,
    alpha: float,
    tau: Values | None = None,
    planned_visitors: float = PLANNED_VISITORS,
    variance: VarianceRule = "max",
) -> MixtureTests:
    """`mixture_test` of rates; `tau` broadcasts, too."""
    return _tested(_of_rates(x_c, n_c, x_t, n_t, variance), alpha, tau, planned_visitors)


def mixture_of_means(
    n_c: Values,
    mean_c: Values,
    variance_c: Values,
    n_t: Values,
    mean_t: Values,
    variance_t: Values,
    *,
    alpha: float,
    tau: Values | None = None,
    planned_visitors: float = PLANNED_VISITORS,
    variance: VarianceRule = "max",
) -> MixtureTests:
    """`mixture_test` of means."""
    return _tested(_of_means(n_c, mean_c, variance_c, n_t, mean_t, variance_t, variance), alpha, tau, planned_visitors)


def one_sided_mixture_of_rates(
    x_c: Values,
    n_c: Values,
    x_t: Values,
    n_t: Values,
    *,
    direction: Direction,
    alpha: float,
    tau: Values | None = None,
    planned_visitors: float = PLANNED_VISITORS,
    variance: VarianceRule = "max",
) -> OneSidedMixtureTests:
    """`one_sided_mixture_test` of rates."""
    return _one_sided(_of_rates(x_c, n_c, x_t, n_t, variance), direction, alpha, tau, planned_visitors)


def one_sided_mixture_of_means(
    n_c: Values,
    mean_c: Values,
    variance_c: Values,
    n_t: Values,
    mean_t: Values,
    variance_t: Values,
    *,
    direction: Direction,
    alpha: float,
    tau: Values | None = None,
    planned_visitors: float = PLANNED_VISITORS,
    variance: VarianceRule = "max",
) -> OneSidedMixtureTests:
    """`one_sided_mixture_test` of means."""
    found = _of_means(n_c, mean_c, variance_c, n_t, mean_t, variance_t, variance)
    return _one_sided(found, direction, alpha, tau, planned_visitors)


def running_minimum(p_values: Values, *, axis: int = -1) -> FloatArray:
    """Over looks along the axis: nan changes nothing, before any it is 1."""
    p = np.asarray(p_values, dtype=np.float64)
    answer: FloatArray = np.minimum.accumulate(np.where(np.isnan(p), 1.0, np.minimum(p, 1.0)), axis=axis)
    return answer


@quietly
def _tested(found: _Differences, alpha: float, tau: Values | None, planned_visitors: float) -> MixtureTests:
    difference, variance, _ = found
    tau_squared = _tau_squared(found, alpha, tau, planned_visitors)
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
def _one_sided(
    found: _Differences, direction: Direction, alpha: float, tau: Values | None, planned_visitors: float
) -> OneSidedMixtureTests:
    towards = found.difference if direction == "increase" else -found.difference
    tau_squared = _tau_squared(found, alpha, tau, planned_visitors)
    varies = ~(found.variance == 0)
    log_e = np.where(varies, log_one_sided_ratio(ARRAYS, towards, found.variance, tau_squared), 0)
    log_p = np.minimum(0, -log_e)
    return OneSidedMixtureTests(
        difference=towards,
        variance=found.variance,
        tau_squared=tau_squared,
        z=np.where(varies, towards / np.sqrt(found.variance), 0),
        log_e=log_e,
        always_valid_p=np.exp(log_p),
        log_p=log_p,
    )


def _tau_squared(found: _Differences, alpha: float, tau: Values | None, planned_visitors: float) -> FloatArray:
    if not planned_visitors > 0 or (tau is not None and not np.all(np.asarray(tau) > 0)):
        raise ValueError("tau and planned_visitors must be positive")
    if tau is None:
        return found.variance * found.visitors * mixture_precision(alpha, planned_visitors)
    fixed = np.asarray(tau, dtype=np.float64)
    return np.broadcast_to(fixed * fixed, np.broadcast_shapes(fixed.shape, found.variance.shape))


@quietly
def _of_rates(x_c: Values, n_c: Values, x_t: Values, n_t: Values, rule: VarianceRule) -> _Differences:
    x_c, n_c, x_t, n_t = counts(x_c, n_c, x_t, n_t)
    unpooled, pooled = unpooled_variance(x_c, n_c, x_t, n_t), pooled_variance(x_c, n_c, x_t, n_t)
    difference, variance = rate_difference(x_c, n_c, x_t, n_t), variance_by(rule, ARRAYS, unpooled, pooled)
    is_empty = (n_c <= 0) | (n_t <= 0) | ((variance == 0) & (difference != 0))
    return _Differences(unless(is_empty, difference), unless(is_empty, variance), n_c + n_t)


@quietly
def _of_means(
    n_c: Values,
    mean_c: Values,
    variance_c: Values,
    n_t: Values,
    mean_t: Values,
    variance_t: Values,
    rule: VarianceRule,
) -> _Differences:
    n_c, mean_c, variance_c, n_t, mean_t, variance_t = numbers(n_c, mean_c, variance_c, n_t, mean_t, variance_t)
    spreads = (variance_c, n_c, variance_t, n_t)
    unpooled, pooled = unpooled_variance_of_means(*spreads), pooled_variance_of_means(*spreads)
    variance = np.maximum(variance_by(rule, ARRAYS, unpooled, pooled), 0)
    is_empty = (n_c < 2) | (n_t < 2) | ((variance == 0) & ((mean_c != 0) | (mean_t != 0)))
    return _Differences(unless(is_empty, mean_t - mean_c), unless(is_empty, variance), n_c + n_t)
