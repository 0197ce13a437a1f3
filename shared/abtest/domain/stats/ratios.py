"""Ratios of two sums, such as revenue per order, as samples: one linearised value for each visitor who has any.

R = Σy / Σx over visitors. Visitors are randomised, orders are not, so a visitor's orders belong together: the variance
is that of the visitors' residuals y - R x (delta method). In the unit of R, a visitor's linearised value is
R + (y - R x) / x̄, whose mean is R.

Visitors without a hit have y = x = 0 and the residual 0 for every R. They would only hide how few visitors determine
the ratio, so sample size and degrees of freedom are those of visitors with a hit.
Source: Cochran, Sampling Techniques, 3rd ed. (1977), 2.11 and 6.4; Deng, Knoblich, Lu: KDD 2018, 233-242.
"""

from math import sqrt
from typing import NamedTuple

from abtest.domain.stats.samples import Sample


class RatioSums(NamedTuple):
    """Exact sums over the visitors of an arm who have a hit: y of the numerator, x of the denominator."""

    converters: int
    y: int
    yy: int
    x: int
    xx: int
    xy: int

    @classmethod
    def from_squares(cls, converters: int, y: int, yy: int, x: int, xx: int, both: int) -> "RatioSums":
        """Make sums from those of squares alone; `both` = Σ(x + y)², so that 2 Σxy = both - Σx² - Σy²."""
        return cls(converters, y, yy, x, xx, (both - xx - yy) // 2)


def deviation_per_visitor(sample: Sample, visitors: int) -> float | None:
    """Return the standard deviation of a linearised value per visitor, those without a hit included.

    It is what sizes of tests of means need: Var(R) = sd² / visitors. None where no hit or only one visitor's was
    counted.
    """
    return sqrt(sample.variance / sample.n * visitors) if sample.n > 1 else None


def ratio_sample(sums: RatioSums) -> Sample:
    """Return the linearised values of an arm, in units of y by units of x; an empty sample where Σx is zero.

    `n` is the number of visitors with a hit. With one of them the variance is unknown and 0, as of any sample; tests of
    means take two.
    """
    m, y, yy, x, xx, xy = sums
    if x == 0:
        return Sample(n=0, mean=0.0, variance=0.0)
    # x² Σ(y - R x)², in integers: of nearly constant ratios all digits of floats would cancel.
    residuals = x * x * yy - 2 * x * y * xy + y * y * xx
    variance = residuals * m * m / (x**4 * (m - 1)) if m > 1 else 0.0
    return Sample(n=m, mean=y / x, variance=variance)
