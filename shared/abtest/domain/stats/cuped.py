"""CUPED: the part of a measure that was there before the experiment is taken off, so that less noise remains."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

from abtest.domain.stats.formulas import cuped_variance
from abtest.domain.stats.samples import Sample


@dataclass(frozen=True, slots=True, kw_only=True)
class CovariateSums:
    """One arm: y is the measure, x the same measure of the same visitor before exposure. Exact integers."""

    n: int
    y: int
    yy: int
    x: int
    xx: int
    xy: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Cuped:
    """`samples` are the arms with adjusted means and variances, in the order given, ready for any test of means.

    `theta` is what is taken off per unit of x. `variance_reduction` is the squared correlation within arms: 0.3 means
    that as many visitors tell what 1/0.7 as many would without.
    """

    theta: float
    samples: tuple[Sample, ...]
    variance_reduction: float


@dataclass(frozen=True, slots=True)
class _Moments:
    """Sums of squares and products about the arm's means, from exact integers."""

    xx: float
    xy: float
    yy: float


def cuped(arms: Sequence[CovariateSums]) -> Cuped:
    """Adjust arms by y - θ(x - mean of x over all arms), θ pooled within arms.

    θ = Σ S_xy / Σ S_xx over the arms; 0 where x does not vary. The mean of all arms together stays as it was.
    Source: Deng, Xu, Kohavi, Walker: WSDM 2013, 123-132.
    """
    moments = [_moments(arm) for arm in arms]
    xx, xy, yy = (sum(getattr(one, name) for one in moments) for name in ("xx", "xy", "yy"))
    theta = xy / xx if xx > 0 else 0.0
    visitors, total = sum(arm.n for arm in arms), sum(arm.x for arm in arms)
    centre = total / visitors if visitors else 0.0
    samples = tuple(_adjusted(arm, one, theta, centre) for arm, one in zip(arms, moments, strict=True))
    correlation = xy / sqrt(xx) / sqrt(yy) if xx > 0 and yy > 0 else 0.0
    return Cuped(theta=theta, samples=samples, variance_reduction=min(1.0, correlation * correlation))


def _moments(arm: CovariateSums) -> _Moments:
    if arm.n == 0:
        return _Moments(0.0, 0.0, 0.0)
    return _Moments(
        xx=(arm.n * arm.xx - arm.x * arm.x) / arm.n,
        xy=(arm.n * arm.xy - arm.x * arm.y) / arm.n,
        yy=(arm.n * arm.yy - arm.y * arm.y) / arm.n,
    )


def _adjusted(arm: CovariateSums, found: _Moments, theta: float, centre: float) -> Sample:
    if arm.n == 0:
        return Sample(n=0, mean=0.0, variance=0.0)
    mean = arm.y / arm.n - theta * (arm.x / arm.n - centre)
    squares = max(0.0, cuped_variance(found.yy, found.xx, found.xy, theta))
    return Sample(n=arm.n, mean=mean, variance=squares / (arm.n - 1) if arm.n > 1 else 0.0)
