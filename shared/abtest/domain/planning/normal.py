"""Standard normal distribution, as far as planning needs it."""

import math
from statistics import NormalDist

_INVERSE = NormalDist().inv_cdf


def upper_quantile(tail_area: float) -> float:
    """Return the z that a standard normal value exceeds with this probability, 0 < tail_area < 1."""
    # By symmetry: 1 - tail_area would lose the digits of a small area.
    return -_INVERSE(tail_area)


def cumulative(z: float) -> float:
    """Return the probability that a standard normal value is at most z."""
    # erfc keeps small tails precise, where 1 + erf would cancel.
    return 0.5 * math.erfc(-z / math.sqrt(2))
