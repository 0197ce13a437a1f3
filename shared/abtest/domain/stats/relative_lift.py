"""The relative lift of a treatment and its interval."""

from typing import NamedTuple

from abtest.domain.stats.arithmetic import FLOATS
from abtest.domain.stats.formulas import fieller_ends, fieller_g
from abtest.domain.stats.samples import Interval, Sample, made


class RelativeLift(NamedTuple):
    """`lift` = treatment / control - 1; from g >= 1 on the control's mean may be zero. Rates have no g."""

    lift: float
    g: float | None
    interval: Interval | None


def fieller(control: Sample, treatment: Sample, *, quantile: float) -> RelativeLift | None:
    """Fieller's interval of the lift at the quantile of the test; None when the control's mean is zero.

    The quantile is the test's own, so that interval and verdict agree. g >= 1: the interval has no finite ends.
    Source: Fieller, J. R. Stat. Soc. B 16 (1954) 175-185.
    """
    if control.mean == 0 or control.n == 0 or treatment.n == 0:
        return None
    lift = (treatment.mean - control.mean) / control.mean
    noise_control, noise_treatment = control.variance / control.n, treatment.variance / treatment.n
    return RelativeLift(
        lift=lift,
        g=fieller_g(noise_control, control.mean, quantile),
        interval=fieller_interval(lift, control.mean, noise_control, noise_treatment, quantile),
    )


def fieller_interval(
    lift: float, mean: float, noise_control: float, noise_treatment: float, quantile: float
) -> Interval | None:
    """Interval of a lift that is already computed; `mean` is the control's, noise = s²/n. None where g >= 1."""
    g = fieller_g(noise_control, mean, quantile)
    if g >= 1:
        return None
    return made(Interval, fieller_ends(FLOATS, lift, g, noise_control, mean, noise_treatment, quantile))
