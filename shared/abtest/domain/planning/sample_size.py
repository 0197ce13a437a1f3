"""Sample sizes: visitors for a test of rates with equal and unequal weights, or of money, with Holm's first step.

Formulas: the two-sample test of proportions with pooled variance under equality (Fleiss, Levin and Paik 2003, chapter
4; R's `power.prop.test`), and its normal analogue for means. `mde` is relative to the control: the treatment's
expected rate is `baseline_rate * (1 + mde)`; a negative one plans for a fall.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from abtest.domain.planning.normal import upper_quantile

Tail = Literal["two-sided", "one-sided"]
Correction = Literal["none", "holm"]

MAX_VISITORS = 10**12
"""More visitors than any shop has; a larger plan is a mistake, and JSON keeps whole numbers exact to 2^53 only."""


class CannotBePlannedError(ValueError):
    """These numbers allow no sample size; `field` names the cause, the message the reason."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(message)
        self.field = field
        self.message = message


@dataclass(frozen=True, slots=True, kw_only=True)
class Demand:
    """Effect that the test must be able to detect, and its error rates.

    `alpha` is the error of the whole family of `treatments` comparisons, `power` the chance to detect a change of size
    `mde` (relative) in any one of them.
    """

    mde: float
    alpha: float = 0.05
    power: float = 0.8
    tail: Tail = "two-sided"
    treatments: int = 1
    correction_method: Correction = "holm"

    @property
    def comparison_alpha(self) -> float:
        """Return the level of one comparison: under Holm that of the first step, alpha / treatments."""
        return self.alpha / self.treatments if self.correction_method == "holm" else self.alpha

    @property
    def critical_z(self) -> float:
        """Return the number of standard errors that is significant in one comparison."""
        return upper_quantile(self.comparison_alpha / (2 if self.tail == "two-sided" else 1))

    @property
    def power_z(self) -> float:
        """Return the standard errors that the change must have in addition to be detected with `power`."""
        return upper_quantile(1 - self.power)


@dataclass(frozen=True, slots=True, kw_only=True)
class SampleSize:
    """Visitors needed in the smallest variation and in all together; `exact` is the number before it is rounded up.

    `exact` is of each variation where weights are equal, of all variations where they are not.
    """

    exact: float
    required_sample_per_variant: int
    required_total_visitors: int


def size_for_rate(baseline_rate: float, demand: Demand) -> SampleSize:
    """Return the visitors for a rate in equal variations. Raises CannotBePlannedError for impossible rates."""
    other = expected_rate(baseline_rate, demand.mde)
    pooled = (baseline_rate + other) / 2
    spread = demand.critical_z * math.sqrt(2 * variance_of_rate(pooled)) + demand.power_z * math.sqrt(
        variance_of_rate(baseline_rate) + variance_of_rate(other)
    )
    return equal_size(_squared(spread / (baseline_rate * demand.mde)), demand)


def size_for_mean(mean: float, standard_deviation: float, demand: Demand) -> SampleSize:
    """Return the visitors for a mean per visitor (money, zeros included) in variations of equal weight.

    `standard_deviation` is that of single visitors, in the unit of `mean`. Raises CannotBePlannedError.
    """
    if not (math.isfinite(mean) and mean > 0):
        raise CannotBePlannedError("mean", "must be above zero: the change to detect is a part of it")
    if not (math.isfinite(standard_deviation) and standard_deviation > 0):
        raise CannotBePlannedError("sd", "must be above zero: without variance nothing is left to chance")
    _check_mde(demand.mde)
    coefficient = standard_deviation / mean / demand.mde
    return equal_size(2 * _squared((demand.critical_z + demand.power_z) * coefficient), demand)


def size_for_rate_by_weights(
    baseline_rate: float, demand: Demand, *, control: float, treatments: Sequence[float]
) -> SampleSize:
    """Return the visitors for a rate where shares of the traffic differ; the comparison that needs most decides.

    Shares are above zero and sum to 1; there are `demand.treatments` of treatments. Raises CannotBePlannedError.
    """
    other = expected_rate(baseline_rate, demand.mde)
    exact = max(_total_for_pair(baseline_rate, other, demand, control, share) for share in treatments)
    return unequal_size(exact, min(control, *treatments))


def expected_rate(baseline_rate: float, mde: float) -> float:
    """Return the treatment's rate that the test must detect. Raises CannotBePlannedError for impossible rates."""
    if not 0 < baseline_rate < 1:
        raise CannotBePlannedError("baseline_rate", "must be between 0 and 1")
    _check_mde(mde)
    rate = baseline_rate * (1 + mde)
    if not 0 < rate < 1:
        raise CannotBePlannedError(
            "mde", f"takes the rate from {baseline_rate:.6g} to {rate:.6g}, which is not between 0 and 1"
        )
    # Below the precision of floats the change vanishes, and the sizes would divide by zero.
    if rate == baseline_rate or baseline_rate * mde == 0:
        raise CannotBePlannedError("mde", "is too small a part of such a rate to be detected")
    return rate


def _total_for_pair(baseline_rate: float, other: float, demand: Demand, control: float, share: float) -> float:
    pooled = (control * baseline_rate + share * other) / (control + share)
    spread = demand.critical_z * math.sqrt(
        variance_of_rate(pooled) * (1 / control + 1 / share)
    ) + demand.power_z * math.sqrt(variance_of_rate(baseline_rate) / control + variance_of_rate(other) / share)
    return _squared(spread / (baseline_rate * demand.mde))


def equal_size(exact: float, demand: Demand) -> SampleSize:
    """Return the size of variations of equal weight, by the exact number of visitors of each.

    Raises CannotBePlannedError for more than `MAX_VISITORS`.
    """
    each = _whole(exact)
    return SampleSize(
        exact=exact,
        required_sample_per_variant=each,
        required_total_visitors=(demand.treatments + 1) * each,
    )


def unequal_size(exact: float, smallest: float) -> SampleSize:
    """Return the size by the exact number of all visitors, where the smallest variation has this share of them.

    Raises CannotBePlannedError for more than `MAX_VISITORS`.
    """
    return SampleSize(
        exact=exact,
        required_sample_per_variant=_whole(exact * smallest),
        required_total_visitors=_whole(exact),
    )


def _check_mde(mde: float) -> None:
    if not math.isfinite(mde) or mde == 0:
        raise CannotBePlannedError("mde", "must be a change")


def variance_of_rate(rate: float) -> float:
    """Return the variance of a single visitor."""
    return rate * (1 - rate)


def _squared(ratio: float) -> float:
    # A product overflows to infinity, which _whole refuses; a power would raise OverflowError.
    return ratio * ratio


def _whole(exact: float) -> int:
    # In this form NaN is refused too.
    if not exact <= MAX_VISITORS:
        raise CannotBePlannedError("mde", f"takes more than {MAX_VISITORS:,} visitors: plan for a larger change")
    return max(1, math.ceil(exact))
