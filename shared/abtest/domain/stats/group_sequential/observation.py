"""Observed z and information of one comparison, or the reason why there is none yet."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import sqrt
from typing import Literal, NamedTuple

from abtest.domain.stats.formulas import (
    pooled_variance,
    pooled_variance_of_means,
    rate_difference,
    unpooled_variance,
    unpooled_variance_of_means,
)
from abtest.domain.stats.samples import Conversions, Sample

Missing = Literal["arm_without_visitors", "no_variance"]

MESSAGES: Mapping[Missing, str] = {
    "arm_without_visitors": "a variation has too few visitors for a comparison",
    "no_variance": "no value varies yet, so nothing is known about the difference",
}


class Observation(NamedTuple):
    """Difference, its information 1 / variance, and z = difference·√information."""

    difference: float
    information: float
    z: float


@dataclass(frozen=True, slots=True)
class Unobserved:
    """A comparison without information, and its reason."""

    reason: Missing

    @property
    def message(self) -> str:
        """Reason as a sentence."""
        return MESSAGES[self.reason]


def observe(control: Conversions | Sample, treatment: Conversions | Sample) -> Observation | Unobserved:
    """Return z and information of two rates or two means, by the larger of the pooled and the unpooled variance.

    An arm needs a visitor, for means two. Raises TypeError for a rate with a mean.
    """
    if isinstance(control, Conversions) and isinstance(treatment, Conversions):
        if control.visitors <= 0 or treatment.visitors <= 0:
            return Unobserved("arm_without_visitors")
        counts = (control.conversions, control.visitors, treatment.conversions, treatment.visitors)
        return _observation(rate_difference(*counts), max(unpooled_variance(*counts), pooled_variance(*counts)))
    if isinstance(control, Sample) and isinstance(treatment, Sample):
        if control.n < 2 or treatment.n < 2:
            return Unobserved("arm_without_visitors")
        spreads = (control.variance, control.n, treatment.variance, treatment.n)
        variance = max(unpooled_variance_of_means(*spreads), pooled_variance_of_means(*spreads))
        return _observation(treatment.mean - control.mean, variance)
    raise TypeError("both arms must be Conversions, or both Sample")


def required_information(drift: float, effect: float) -> float:
    """Return the information at which a difference of `effect` has the expected z `drift`.

    With the drift of a `sizes.Size` it is the planned information. Raises ValueError for an effect of zero.
    """
    if effect == 0:
        raise ValueError("effect must not be zero")
    return (drift / effect) ** 2


def _observation(difference: float, variance: float) -> Observation | Unobserved:
    if not variance > 0:
        return Unobserved("no_variance")
    return Observation(difference, 1 / variance, difference / sqrt(variance))
