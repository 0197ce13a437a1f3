"""CUPED of many experiments at once, from moments. The scalar form takes sums, which are exact integers."""

from typing import NamedTuple

import numpy as np

from abtest.domain.stats.arithmetic import FloatArray
from abtest.domain.stats.formulas import cuped_variance
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
