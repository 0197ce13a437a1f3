"""CUPED: adjust a measure by the same measure before exposure, which removes noise the experiment did not cause."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from typing import NamedTuple

from abtest.domain.stats.formulas import cuped_variance
from abtest.domain.stats.samples import Sample


class Moments(NamedTuple):
    """Sums of squares and products about an arm's means."""

    xx: float
    xy: float
    yy: float


@dataclass(frozen=True, slots=True, kw_only=True)
class CovariateSums:
    """Sums of one arm: y is the measure, x the same measure of the same visitor before exposure. Exact integers."""

    n: int
    y: int
    yy: int
    x: int
    xx: int
    xy: int

    def moments(self) -> Moments:
        """Return the sums about the means, subtracted as integers; zeros for an arm without visitors."""
        n = self.n
        if n == 0:
            return Moments(0.0, 0.0, 0.0)
        return Moments(
            xx=(n * self.xx - self.x * self.x) / n,
            xy=(n * self.xy - self.x * self.y) / n,
            yy=(n * self.yy - self.y * self.y) / n,
        )

    def adjusted(self, moments: Moments, theta: float, centre: float) -> Sample:
        """Return the sample of y - θ(x - centre)."""
        if self.n == 0:
            return Sample(n=0, mean=0.0, variance=0.0)
        mean = self.y / self.n - theta * (self.x / self.n - centre)
        # Rounding can leave the sum of squares just below zero.
        squares = max(0.0, cuped_variance(moments.yy, moments.xx, moments.xy, theta))
        return Sample(n=self.n, mean=mean, variance=squares / (self.n - 1) if self.n > 1 else 0.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Cuped:
    """`samples` are the arms with adjusted means and variances, in the order given, ready for any test of means.

    `theta` is subtracted per unit of x. `variance_reduction` is the squared correlation within arms: at 0.3, results
    are as precise as those of 1/0.7 as many visitors without the adjustment.
    """

    theta: float
    samples: tuple[Sample, ...]
    variance_reduction: float


def cuped(arms: Sequence[CovariateSums]) -> Cuped:
    """Adjust arms by y - θ(x - mean of x over all arms), θ pooled within arms.

    θ = Σ S_xy / Σ S_xx over the arms; 0 where x does not vary. The mean of all arms together stays as it was.
    Source: Deng, Xu, Kohavi, Walker: WSDM 2013, 123-132.
    """
    moments = [arm.moments() for arm in arms]
    xx, xy, yy = (sum(getattr(one, name) for one in moments) for name in ("xx", "xy", "yy"))
    theta = xy / xx if xx > 0 else 0.0
    visitors, total = sum(arm.n for arm in arms), sum(arm.x for arm in arms)
    centre = total / visitors if visitors else 0.0
    samples = tuple(arm.adjusted(one, theta, centre) for arm, one in zip(arms, moments, strict=True))
    correlation = xy / sqrt(xx) / sqrt(yy) if xx > 0 and yy > 0 else 0.0
    return Cuped(theta=theta, samples=samples, variance_reduction=min(1.0, correlation * correlation))
