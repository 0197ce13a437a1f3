"""The few functions that formulas need beyond + - * /, for floats (`math`) and for arrays (`numpy`, `scipy`).

A formula is written once and takes one of the two, so that both forms are the same arithmetic. Functions of
`scipy.special` take floats and arrays alike and are called as they are.
"""

import math
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy.special import erfc

FloatArray = NDArray[np.float64]
Real = TypeVar("Real", float, FloatArray)

_LOG_LARGEST = math.log(sys.float_info.max)


@dataclass(frozen=True, slots=True)
class Arithmetic(Generic[Real]):
    """Of one kind of number. `choose(condition, yes, no)` has both computed already, so neither may fail; `some` tells
    whether a condition holds anywhere."""

    sqrt: Callable[[Real], Real]
    exp: Callable[[Real], Real]
    log: Callable[[Real], Real]
    log1p: Callable[[Real], Real]
    erfc: Callable[[Real], Real]
    greater: Callable[[Any, Any], Real]
    lesser: Callable[[Any, Any], Real]
    choose: Callable[[Any, Any, Any], Real]
    some: Callable[[Any], Any]


def _choose(condition: bool, yes: float, no: float) -> float:
    return yes if condition else no


def _greater(one: float, other: float) -> float:
    return one if one > other else other


def _lesser(one: float, other: float) -> float:
    return one if one < other else other


def _erfc(x: float) -> float:
    """Zero where scipy's is: else a p-value that no float holds fully would be a tie for arrays and none for floats."""
    return math.erfc(x) if x * x <= _LOG_LARGEST else 0.0


FLOATS: Arithmetic[float] = Arithmetic(
    math.sqrt, math.exp, math.log, math.log1p, _erfc, _greater, _lesser, _choose, bool
)
ARRAYS: Arithmetic[FloatArray] = Arithmetic(
    np.sqrt, np.exp, np.log, np.log1p, erfc, np.maximum, np.minimum, np.where, np.any
)
