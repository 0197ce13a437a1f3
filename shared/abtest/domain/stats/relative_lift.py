"""The relative lift of a treatment and its interval."""

from dataclasses import dataclass
from math import sqrt

from abtest.domain.stats.samples import Interval, Sample


@dataclass(frozen=True, slots=True, kw_only=True)
class RelativeLift:
    """`lift` = treatment / control - 1; `g` tells how sure the control's mean is to differ from zero (g >= 1: not)."""

    lift: float
    g: float
    interval: Interval | None


def fieller(control: Sample, treatment: Sample, *, quantile: float) -> RelativeLift | None:
    """Fieller's interval of the lift at the quantile of the test; None when the control's mean is zero.

    The quantile is the test's own, so that interval and verdict agree. g >= 1: the interval has no finite ends.
    Source: Fieller, J. R. Stat. Soc. B 16 (1954) 175-185.
    """
    if control.mean == 0 or control.n == 0 or treatment.n == 0:
        return None
    ratio = treatment.mean / control.mean
    noise_control, noise_treatment = control.variance / control.n, treatment.variance / treatment.n
    g = quantile**2 * noise_control / control.mean**2
    if g >= 1:
        return RelativeLift(lift=ratio - 1, g=g, interval=None)
    spread = quantile / abs(control.mean) * sqrt(noise_treatment * (1 - g) + noise_control * ratio**2)
    lower, upper = ((ratio - spread) / (1 - g) - 1, (ratio + spread) / (1 - g) - 1)
    return RelativeLift(lift=ratio - 1, g=g, interval=Interval(lower, upper))
