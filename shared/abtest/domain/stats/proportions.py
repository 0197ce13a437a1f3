"""Two proportions compared once."""

from math import sqrt
from typing import NamedTuple

from scipy.special import log_ndtr

from abtest.domain.stats.arithmetic import FLOATS
from abtest.domain.stats.formulas import LOG_2, pooled_variance, rate_difference, two_sided, unpooled_variance
from abtest.domain.stats.quantiles import upper_normal
from abtest.domain.stats.samples import Conversions, Interval
from abtest.domain.stats.score_intervals import score_intervals


class ProportionTest(NamedTuple):
    """The z test of a difference of rates, and the score interval, which excludes zero exactly when p <= alpha."""

    difference: float
    se_pooled: float
    se_unpooled: float
    z: float
    p_value: float
    p_greater: float
    interval: Interval | None

    @property
    def log_p(self) -> float:
        """Natural logarithm of the p-value, also where the p-value is too small for a float."""
        return min(0.0, LOG_2 + float(log_ndtr(-abs(self.z))))


def two_proportions(control: Conversions, treatment: Conversions, *, alpha: float) -> ProportionTest | None:
    """Test at the pooled variance, with the interval that inverts this test; None when an arm has no visitors.

    Where no visitor or every visitor converted there is no variance: p = 1 and no interval. Survival functions
    are taken of the far tail directly, so that tiny p-values keep their digits.
    Source: Fleiss, Levin, Paik: Statistical Methods for Rates and Proportions, 3rd ed., 3.1 and 3.2; of the
    interval: `score_intervals`.
    """
    n_c, n_t = control.visitors, treatment.visitors
    if n_c <= 0 or n_t <= 0:
        return None
    counts = (control.conversions, n_c, treatment.conversions, n_t)
    difference, pooled = rate_difference(*counts), pooled_variance(*counts)
    if pooled == 0:
        return ProportionTest(
            difference=difference, se_pooled=0.0, se_unpooled=0.0, z=0.0, p_value=1.0, p_greater=0.5, interval=None
        )
    se_pooled, se_unpooled = sqrt(pooled), sqrt(unpooled_variance(*counts))
    z = difference / se_pooled
    p_value = two_sided(FLOATS, z)
    interval, _ = score_intervals(*counts, difference, upper_normal(alpha / 2), p_value <= alpha)
    return ProportionTest(
        difference=difference,
        se_pooled=se_pooled,
        se_unpooled=se_unpooled,
        z=z,
        p_value=p_value,
        p_greater=p_value / 2 if z >= 0 else 1 - p_value / 2,
        interval=interval,
    )
