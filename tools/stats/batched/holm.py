"""Holm's correction along the last axis."""

from typing import NamedTuple

import numpy as np

from abtest.domain.stats.arithmetic import FloatArray
from tools.stats.batched.shapes import Flags, Values, quietly
from tools.stats.levels import level


class Holm(NamedTuple):
    """Fields of the scalar `Holm`; nan, false and alpha where the p-value is nan, which is not counted."""

    adjusted: FloatArray
    rejected: Flags
    interval_alphas: FloatArray


@quietly
def holm(p_values: Values, *, alpha: float) -> Holm:
    """Correct families along the last axis. Raises ValueError unless 0 < alpha < 0.5."""
    level(alpha)
    p = np.atleast_1d(np.asarray(p_values, dtype=np.float64))
    order = np.argsort(p, axis=-1, kind="stable")
    evaluable = np.sum(~np.isnan(p), axis=-1, keepdims=True)
    left = np.maximum(evaluable - np.arange(p.shape[-1]), 1)
    steps = np.minimum(1.0, left * np.take_along_axis(p, order, axis=-1))
    adjusted = np.maximum.accumulate(steps, axis=-1)
    passed = adjusted <= alpha
    # The levels are those of the ranks that reject and of the first that does not; after it nothing changes any more.
    is_first_failure = ~passed & (np.cumsum(~passed, axis=-1) == 1)
    levels = np.where(passed | is_first_failure, alpha / left, np.nan)
    stopping = np.nanmin(np.where(is_first_failure, levels, np.inf), axis=-1, keepdims=True)
    levels = np.where(passed, levels, stopping)
    placed = [np.empty_like(p) for _ in range(3)]
    for place, value in zip(placed, (adjusted, passed, levels), strict=True):
        np.put_along_axis(place, order, value, axis=-1)
    is_nan = np.isnan(p)
    return Holm(
        adjusted=np.where(is_nan, np.nan, placed[0]),
        rejected=(placed[1] > 0) & ~is_nan,
        interval_alphas=np.where(is_nan, alpha, placed[2]),
    )
