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
    is_nan = np.isnan(p)
    evaluable = p.shape[-1] - np.count_nonzero(is_nan, axis=-1, keepdims=True)
    order = np.argsort(p, axis=-1, kind="stable")
    places = np.arange(p.shape[-1])
    ranks = np.empty_like(order)
    np.put_along_axis(ranks, order, np.broadcast_to(places, p.shape), axis=-1)
    steps = np.minimum(1.0, np.maximum(evaluable - places, 1) * np.take_along_axis(p, order, axis=-1))
    adjusted = np.take_along_axis(np.maximum.accumulate(steps, axis=-1), ranks, axis=-1)
    rejected = adjusted <= alpha
    # The levels are those of the ranks that reject and of the first that does not; after it nothing changes any more.
    stopping = np.count_nonzero(rejected, axis=-1, keepdims=True)
    levels = alpha / np.maximum(evaluable - np.minimum(ranks, stopping), 1)
    if is_nan.any():
        levels = np.where(is_nan, alpha, levels)
    return Holm(adjusted=adjusted, rejected=rejected, interval_alphas=levels)
