"""Quantiles and tails of the normal and of Student's t distribution, from the tail so that tiny ones keep their digits.

Tests of visitors have many degrees of freedom; there Student's quantiles are an expansion of the normal ones.
"""

from functools import lru_cache
from math import log1p

import numpy as np
from scipy.special import ndtri, stdtr, stdtrit

from abtest.domain.stats.arithmetic import ARRAYS, FLOATS, FloatArray, Real
from abtest.domain.stats.formulas import two_sided_of_large

# Degrees of freedom, per (1 + z²), from which the expansion is exact to 1e-15.
_LARGE = 400.0

# Limit of growth + 9 / freedom for `two_sided_of_large` to be exact to 1e-13.
_NEAR, _NEAR_AT_NOTHING = 0.02, 9.0

# A dictionary answers in half the time of a cache of calls.
_SQUARES: dict[float, float] = {}
_LEVELS = 1024

_Coefficients = tuple[Real, Real, Real, Real]


@lru_cache(maxsize=_LEVELS)
def upper_normal(tail: float) -> float:
    """z with sf(z) = tail, 0 < tail < 1."""
    return -float(ndtri(tail))


def squared_normal(alpha: float) -> float:
    """z² of the two-sided level alpha."""
    try:
        return _SQUARES[alpha]
    except KeyError:
        z = upper_normal(alpha / 2)
        if len(_SQUARES) >= _LEVELS:
            _SQUARES.clear()
        return _SQUARES.setdefault(alpha, z * z)


def upper_normal_batched(tail: FloatArray) -> FloatArray:
    """Return `upper_normal` of an array."""
    answer: FloatArray = -ndtri(tail)
    return answer


def upper_t(tail: float, freedom: float) -> float:
    """t with sf(t) = tail."""
    z, large, coefficients = _known(tail)
    return _expanded(z, coefficients, freedom) if freedom >= large else -float(stdtrit(freedom, tail))


def upper_t_batched(tail: FloatArray, freedom: FloatArray) -> FloatArray:
    """Return `upper_t` of arrays that broadcast."""
    tail, freedom = np.broadcast_arrays(tail, freedom)
    z = upper_normal_batched(tail)
    answer: FloatArray = np.asarray(_expanded(z, _coefficients(z), freedom))
    small = np.less(freedom, _LARGE * (1 + z * z))
    if small.any():
        answer[small] = -stdtrit(freedom[small], tail[small])
    return answer


def two_sided_t(t: float, freedom: float) -> float:
    """2 sf(|t|)."""
    growth = log1p(t * t / freedom)
    if growth + _NEAR_AT_NOTHING / freedom <= _NEAR:
        return two_sided_of_large(FLOATS, growth, freedom)
    return 2 * float(stdtr(freedom, -abs(t)))


def two_sided_t_batched(t: FloatArray, freedom: FloatArray) -> FloatArray:
    """Return `two_sided_t` of arrays that broadcast."""
    t, freedom = np.broadcast_arrays(t, freedom)
    growth = np.log1p(t * t / freedom)
    answer: FloatArray = np.asarray(two_sided_of_large(ARRAYS, growth, freedom))
    far = ~(growth + _NEAR_AT_NOTHING / freedom <= _NEAR)
    if far.any():
        answer[far] = 2 * stdtr(freedom[far], -abs(t[far]))
    return answer


@lru_cache(maxsize=_LEVELS)
def _known(tail: float) -> tuple[float, float, _Coefficients[float]]:
    """Values of one tail: z, the degrees of freedom from which the expansion holds, and its coefficients."""
    z = upper_normal(tail)
    return z, _LARGE * (1 + z * z), _coefficients(z)


def _coefficients(z: Real) -> _Coefficients[Real]:
    """Coefficients of Cornish and Fisher's expansion in 1 / freedom, to the fifth order; the first one is z itself.

    Source: Abramowitz, Stegun: Handbook of Mathematical Functions, 26.7.5.
    """
    s = z * z
    first = (s + 1) / 4
    second = ((5 * s + 16) * s + 3) / 96
    third = (((3 * s + 19) * s + 17) * s - 15) / 384
    fourth = ((((79 * s + 776) * s + 1482) * s - 1920) * s - 945) / 92160
    return first, second, third, fourth


def _expanded(z: Real, coefficients: _Coefficients[Real], freedom: Real) -> Real:
    first, second, third, fourth = coefficients
    u = 1 / freedom
    return z * (1 + u * (first + u * (second + u * (third + u * fourth))))
