"""Levels of tests that callers give."""

from typing import Any, TypeVar

import numpy as np

LARGEST = 0.5
"""From this level on a one-sided bound is the estimate itself, or on its wrong side."""

Level = TypeVar("Level", bound=Any)


def level(alpha: Level) -> Level:
    """Return alpha, a number or an array. Raises ValueError unless 0 < alpha < 0.5 throughout."""
    values = np.asarray(alpha)
    if values.dtype.kind not in "iuf" or not np.all((values > 0) & (values < LARGEST)):
        raise ValueError("alpha must be between 0 and 0.5")
    return alpha
