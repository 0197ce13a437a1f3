"""The power of a plan: how likely a change of the planned size is found with so many visitors."""

import math

from abtest.domain.planning.normal import cumulative
from abtest.domain.planning.sample_size import Demand, expected_rate


def power_for_rate(baseline_rate: float, demand: Demand, visitors_per_variation: float) -> float:
    """The probability (0..1) that one comparison finds the demand's `mde`; its `power` is not looked at.

    Inverse of `sample_size.size_for_rate`; the chance to be significant in the wrong direction is not counted. Raises
    CannotBePlannedError for impossible rates.
    """
    other = expected_rate(baseline_rate, demand.mde)
    pooled = (baseline_rate + other) / 2
    shift = math.sqrt(max(visitors_per_variation, 0.0)) * abs(baseline_rate * demand.mde)
    spread = math.sqrt(baseline_rate * (1 - baseline_rate) + other * (1 - other))
    return cumulative((shift - demand.critical_z * math.sqrt(2 * pooled * (1 - pooled))) / spread)


def power_for_mean(mean: float, standard_deviation: float, demand: Demand, visitors_per_variation: float) -> float:
    """The same for a mean per visitor: inverse of `sample_size.size_for_mean`, mean and deviation above zero."""
    shift = math.sqrt(max(visitors_per_variation, 0.0) / 2) * abs(demand.mde) * mean / standard_deviation
    return cumulative(shift - demand.critical_z)
