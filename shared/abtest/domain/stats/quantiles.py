"""Quantiles of the normal and of Student's t distribution, from the tail so that tiny levels keep their digits."""

from functools import lru_cache

import numpy as np
from scipy.special import ndtri, stdtrit

from abtest.domain.stats.arithmetic import FloatArray, Real

_LARGE = 400.0
"""Degrees of freedom, per (1 + z²), from which the expansion is exact to 1e-15."""


@lru_cache(maxsize=1024)
def upper_normal(tail: float) -> float:
    """z with sf(z) = tail, 0 < tail < 1."""
    return -float(ndtri(tail))


def upper_normal_batched(tail: FloatArray) -> FloatArray:
    """The same of an array."""
    answer: FloatArray = -ndtri(tail)
    return answer


def upper_t(tail: float, freedom: float) -> float:
    """t with sf(t) = tail."""
    z = upper_normal(tail)
    return _expanded(z, freedom) if freedom >= _LARGE * (1 + z * z) else -float(stdtrit(freedom, tail))


def upper_t_batched(tail: FloatArray, freedom: FloatArray) -> FloatArray:
    """The same of arrays that broadcast."""
    tail, freedom = np.broadcast_arrays(tail, freedom)
    z = upper_normal_batched(tail)
    answer: FloatArray = _expanded(z, freedom)
    small = np.less(freedom, _LARGE * (1 + z * z))
    answer[small] = -stdtrit(freedom[small], tail[small])
    return answer


def _expanded(z: Real, freedom: Real) -> Real:
    """Cornish and Fisher's expansion in 1 / freedom, to the fifth order.

    Source: Abramowitz, Stegun: Handbook of Mathematical Functions, 26.7.5.
    """
    s = z * z
    first = (s + 1) / 4
    second = ((5 * s + 16) * s + 3) / 96
    third = (((3 * s + 19) * s + 17) * s - 15) / 384
    fourth = ((((79 * s + 776) * s + 1482) * s - 1920) * s - 945) / 92160
    u = 1 / freedom
    return z * (1 + u * (first + u * (second + u * (third + u * fourth))))
