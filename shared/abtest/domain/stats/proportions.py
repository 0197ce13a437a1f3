"""Two proportions compared once."""

from dataclasses import dataclass
from math import sqrt

from scipy.special import ndtr, ndtri

from abtest.domain.stats.samples import Conversions, Interval


@dataclass(frozen=True, slots=True, kw_only=True)
class ProportionTest:
    """The z test of a difference of rates and its Wald interval."""

    difference: float
    se_pooled: float
    se_unpooled: float
    z: float
    p_value: float
    p_greater: float
    interval: Interval | None


def two_proportions(control: Conversions, treatment: Conversions, *, alpha: float) -> ProportionTest | None:
    """Test at the pooled variance, interval at the unpooled one; None when an arm has no visitors.

    Where nobody or everybody converted there is no variance: p = 1 and no interval. Survival functions are taken of
    the far tail directly, so that tiny p-values keep their digits.
    Source: Fleiss, Levin, Paik: Statistical Methods for Rates and Proportions, 3rd ed., 3.1 and 3.2.
    """
    if control.rate is None or treatment.rate is None:
        return None
    difference = treatment.rate - control.rate
    pooled = (control.conversions + treatment.conversions) / (control.visitors + treatment.visitors)
    se_pooled = sqrt(pooled * (1 - pooled) * (1 / control.visitors + 1 / treatment.visitors))
    se_unpooled = sqrt(_variance(control) + _variance(treatment))
    if se_pooled == 0:
        return ProportionTest(
            difference=difference, se_pooled=0.0, se_unpooled=0.0, z=0.0, p_value=1.0, p_greater=0.5, interval=None
        )
    z = difference / se_pooled
    margin = float(ndtri(1 - alpha / 2)) * se_unpooled
    return ProportionTest(
        difference=difference,
        se_pooled=se_pooled,
        se_unpooled=se_unpooled,
        z=z,
        p_value=min(1.0, 2 * float(ndtr(-abs(z)))),
        p_greater=float(ndtr(-z)),
        interval=Interval(difference - margin, difference + margin),
    )


def _variance(arm: Conversions) -> float:
    rate = arm.rate or 0.0
    return rate * (1 - rate) / arm.visitors
