"""How arrays come in: counts exact while they can be, everything broadcast, warnings of what is masked anyway off."""

from collections.abc import Callable
from typing import Any, ParamSpec, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from abtest.domain.stats.arithmetic import FloatArray

Flags = NDArray[np.bool_]
Values: TypeAlias = Any
"""A number, a sequence of them or an array: whatever numpy makes an array of."""

P = ParamSpec("P")
R = TypeVar("R")

_EXACT = 3_000_000_000
"""Products of two such counts are below 2^63."""


def counts(*values: Values) -> list[Any]:
    """Integers as int64 where no product of two of them overflows, else floats; broadcast."""
    arrays = np.broadcast_arrays(*values)
    is_exact = all(array.dtype.kind in "iub" and (not array.size or array.max() < _EXACT) for array in arrays)
    return [array.astype(np.int64 if is_exact else np.float64) for array in arrays]


def numbers(*values: Values) -> list[FloatArray]:
    """Floats, broadcast."""
    return [array.astype(np.float64) for array in np.broadcast_arrays(*values)]


def unless(condition: Any, value: Values) -> FloatArray:
    """nan where the condition holds."""
    answer: FloatArray = np.where(condition, np.nan, value)
    return answer


def quietly(function: Callable[P, R]) -> Callable[P, R]:
    """Divisions by nothing are masked afterwards."""

    def quiet(*arguments: P.args, **named: P.kwargs) -> R:
        with np.errstate(all="ignore"):
            return function(*arguments, **named)

    quiet.__doc__, quiet.__name__ = function.__doc__, function.__name__
    return quiet
