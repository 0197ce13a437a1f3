"""The score statistics of two rates in mpmath, at the rates most likely under a value: by bisection of the slope.

No cubic, no multiplier: nothing is shared with the closed forms that are tested.
"""

from collections.abc import Callable
from typing import Any

from mpmath import inf, mpf, sqrt

Counts = tuple[int, int, int, int]
HALVINGS = 150


def _likeliest(low: Any, high: Any, slope: Callable[[Any], Any]) -> Any:
    """Return where a concave likelihood is largest, between two limits."""
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if slope(middle) > 0 else (low, middle)
    return (low + high) / 2


def _part(count: int, of: Any) -> Any:
    """count / of, nothing for a count of nothing."""
    if not count:
        return mpf(0)
    return inf if of <= 0 else count / of


def z_of_difference(counts: Counts, delta: Any) -> Any:
    """z of the difference of rates under p_t = p_c + delta."""
    x_c, n_c, x_t, n_t = counts

    def slope(p: Any) -> Any:
        q = p + delta
        return _part(x_c, p) - _part(n_c - x_c, 1 - p) + _part(x_t, q) - _part(n_t - x_t, 1 - q)

    p = _likeliest(max(mpf(0), -delta), min(mpf(1), 1 - delta), slope)
    q = p + delta
    return _standardized(mpf(x_t) / n_t - mpf(x_c) / n_c - delta, p * (1 - p) / n_c + q * (1 - q) / n_t)


def z_of_ratio(counts: Counts, ratio: Any) -> Any:
    """z of p̂_t - ratio p̂_c under p_t = ratio p_c."""
    x_c, n_c, x_t, n_t = counts

    def slope(p: Any) -> Any:
        q = ratio * p
        return _part(x_c + x_t, p) - _part(n_c - x_c, 1 - p) - ratio * _part(n_t - x_t, 1 - q)

    p = _likeliest(mpf(0), min(mpf(1), 1 / ratio), slope)
    q = ratio * p
    variance = q * (1 - q) / n_t + ratio**2 * p * (1 - p) / n_c
    return _standardized(mpf(x_t) / n_t - ratio * mpf(x_c) / n_c, variance)


def _standardized(difference: Any, variance: Any) -> Any:
    return difference / sqrt(variance) if variance > 0 else difference * inf
