"""CUPED of many experiments at once, from moments. The scalar form takes sums, which are exact integers."""

from typing import NamedTuple

import numpy as np

from abtest.domain.stats.arithmetic import ARRAYS, FloatArray
from abtest.domain.stats.formulas import adjustment_factor, cuped_variance, total_variance_of_rates
from tools.stats.batched.sequential import Differences, differences_of_means
from tools.stats.batched.shapes import Values, numbers, quietly, unless


class Adjusted(NamedTuple):
    """Adjusted means and variances of the arms, and θ of each family."""

    theta: FloatArray
    mean: FloatArray
    variance: FloatArray


@quietly
def cuped(
    n: Values, mean: Values, variance: Values, x_mean: Values, x_variance: Values, covariance: Values
) -> Adjusted:
    """Adjust arms along the last axis; variances and covariance divide by n - 1. nan for fewer than two visitors."""
    n, mean, variance, x_mean, x_variance, covariance = numbers(n, mean, variance, x_mean, x_variance, covariance)
    within = np.where(n > 1, n - 1, 0)
    xx, xy = ((within * value).sum(axis=-1, keepdims=True) for value in (x_variance, covariance))
    theta = np.where(xx > 0, xy / xx, 0)
    centre = (n * x_mean).sum(axis=-1, keepdims=True) / n.sum(axis=-1, keepdims=True)
    return Adjusted(
        theta=theta[..., 0],
        mean=unless(n < 2, mean - theta * (x_mean - centre)),
        variance=unless(n < 2, np.maximum(0, cuped_variance(variance, x_variance, covariance, theta))),
    )


@quietly
def adjusted_differences(
    n: Values, y: Values, yy: Values, x: Values, xx: Values, xy: Values, *, is_rate: bool = False
) -> Differences:
    """Return the adjusted differences from the first arm, for the mixture tests; arms along the last axis, by sums.

    `is_rate`: y is 0 or 1. nan as in `differences_of_means`.
    """
    n, y, yy, x, xx, xy = numbers(n, y, yy, x, xx, xy)
    within = np.where(n > 0, xx - x * x / n, 0).sum(axis=-1, keepdims=True)
    moments = (yy - y * y / n) / (n - 1), (xx - x * x / n) / (n - 1), (xy - x * y / n) / (n - 1)
    adjusted = cuped(n, y / n, moments[0], x / n, moments[1], moments[2])
    pair = [values for arm in (slice(0, 1), slice(1, None)) for values in _arm(n, adjusted, arm)]
    differences = differences_of_means(*pair)
    freedom = np.where(n > 0, n - 1, 0).sum(axis=-1, keepdims=True)
    shift, sizes = (x / n)[..., 1:] - (x / n)[..., :1], (n[..., :1], n[..., 1:])
    variance = differences.variance
    if is_rate:
        total = total_variance_of_rates(ARRAYS, differences.difference, (pair[2], pair[0], pair[5], pair[3]))
        variance = np.where(variance > 0, total, variance)
    factor = np.where((within > 0) & (freedom > 1), adjustment_factor(shift, within, freedom, *sizes), 1)
    return differences._replace(variance=variance * factor)


def _arm(n: FloatArray, adjusted: Adjusted, arm: slice) -> tuple[FloatArray, FloatArray, FloatArray]:
    return n[..., arm], adjusted.mean[..., arm], adjusted.variance[..., arm]
