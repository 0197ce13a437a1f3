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

LOG_LARGEST = math.log(sys.float_info.max)


@dataclass(frozen=True, slots=True)
class Arithmetic(Generic[Real]):
    """Operations on one kind of number.

    `choose(condition, yes, no)` gets both values already computed, so neither may fail. `some` returns whether a
    condition holds anywhere.
    """

    sqrt: Callable[[Real], Real]
    exp: Callable[[Real], Real]
    log: Callable[[Real], Real]
    log1p: Callable[[Real], Real]
    erfc: Callable[[Real], Real]
    greater: Callable[[Any, Any], Real]
    lesser: Callable[[Any, Any], Real]
    choose: Callable[[Any, Any, Any], Real]
    some: Callable[[Any], Any]


FLOATS: Arithmetic[float] = Arithmetic(
    sqrt=math.sqrt,
    exp=math.exp,
    log=math.log,
    log1p=math.log1p,
    # Zero where scipy's is: a subnormal p-value would otherwise tie for arrays and differ for floats.
    erfc=lambda x: math.erfc(x) if x * x <= LOG_LARGEST else 0.0,
    greater=lambda one, other: one if one > other else other,
    lesser=lambda one, other: one if one < other else other,
    choose=lambda condition, yes, no: yes if condition else no,
    some=bool,
)
ARRAYS: Arithmetic[FloatArray] = Arithmetic(
    sqrt=np.sqrt,
    exp=np.exp,
    log=np.log,
    log1p=np.log1p,
    erfc=erfc,
    greater=np.maximum,
    lesser=np.minimum,
    choose=np.where,
    some=np.any,
)
