"""Conversion of arguments: broadcast arrays, integer counts where they are exact, and no warnings of masked values."""

from collections.abc import Callable
from functools import wraps
from typing import Any, ParamSpec, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from abtest.domain.stats.arithmetic import FloatArray

Flags = NDArray[np.bool_]
Values: TypeAlias = Any
"""Number, sequence of numbers, or array."""

P = ParamSpec("P")
R = TypeVar("R")

_EXACT = 3_000_000_000
"""Products of two such counts are below 2^63."""


def counts(*values: Values) -> list[Any]:
    """Return broadcast counts, as int64 if no product of two of them overflows, else as floats."""
    arrays = np.broadcast_arrays(*values)
    is_exact = all(array.dtype.kind in "iub" and (not array.size or array.max() < _EXACT) for array in arrays)
    return [array.astype(np.int64 if is_exact else np.float64) for array in arrays]


def numbers(*values: Values) -> list[FloatArray]:
    """Return broadcast floats."""
    return [array.astype(np.float64) for array in np.broadcast_arrays(*values)]


def unless(condition: Any, value: Values) -> FloatArray:
    """Return the value, but nan where the condition holds."""
    # Usually it holds nowhere, and a copy takes longer than a look.
    is_whole = isinstance(value, np.ndarray) and value.dtype == np.float64 and value.shape == np.shape(condition)
    if is_whole and not np.any(condition):
        whole: FloatArray = value
        return whole
    answer: FloatArray = np.where(condition, np.nan, value)
    return answer


def quietly(function: Callable[P, R]) -> Callable[P, R]:
    """Suppress warnings of divisions by zero, whose results the function masks."""

    @wraps(function)
    def quiet(*arguments: P.args, **named: P.kwargs) -> R:
        with np.errstate(all="ignore"):
            return function(*arguments, **named)

    return quiet
