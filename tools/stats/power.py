"""Power of a plan: the probability that a number of visitors is enough to detect the planned change."""

import math

from abtest.domain.planning.normal import cumulative
from abtest.domain.planning.sample_size import Demand, expected_rate


def power_for_rate(baseline_rate: float, demand: Demand, visitors_per_variation: float) -> float:
    """Return the probability (0..1) that one comparison detects the demand's `mde`. Its `power` is ignored.

    Inverse of `sample_size.size_for_rate`, without the chance to be significant in the wrong direction. Raises
    CannotBePlannedError for impossible rates.
    """
    other = expected_rate(baseline_rate, demand.mde)
    pooled = (baseline_rate + other) / 2
    shift = math.sqrt(max(visitors_per_variation, 0.0)) * abs(baseline_rate * demand.mde)
    spread = math.sqrt(baseline_rate * (1 - baseline_rate) + other * (1 - other))
    return cumulative((shift - demand.critical_z * math.sqrt(2 * pooled * (1 - pooled))) / spread)


def power_for_mean(mean: float, standard_deviation: float, demand: Demand, visitors_per_variation: float) -> float:
    """Return the probability for a mean per visitor: inverse of `sample_size.size_for_mean`. Both must be positive."""
    shift = math.sqrt(max(visitors_per_variation, 0.0) / 2) * abs(demand.mde) * mean / standard_deviation
    return cumulative(shift - demand.critical_z)
