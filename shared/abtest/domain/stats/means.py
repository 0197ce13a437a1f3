"""Two means compared once: Welch's test, with variances that know of each other where the arms are of unequal size."""

from math import sqrt
from typing import NamedTuple

from abtest.domain.stats.formulas import drawn_together, satterthwaite
from abtest.domain.stats.quantiles import two_sided_t, upper_t
from abtest.domain.stats.samples import Interval, Sample

# From this ratio of sizes on Welch alone errs too often on skewed money (6.5 to 13 % at 90/10).
UNEQUAL_SIZES = 1.5


class MeanTest(NamedTuple):
    """A t test of a difference of means: p is twice the tail of `t` = difference / `se`.

    `samples` are the arms with the variances that it used, so that the relative lift can agree with the verdict. Where
    no value varies, `degrees_of_freedom`, `interval` and `quantile` are None.
    """

    difference: float
    se: float
    t: float
    degrees_of_freedom: float | None
    p_value: float
    interval: Interval | None
    quantile: float | None
    samples: tuple[Sample, Sample]


Ruling = tuple[float, float, float | None, float]
"""Result of a test: the variances it takes the arms to have, its degrees of freedom (None where no value varies), and
its p-value."""


def governing(control: Sample, treatment: Sample) -> Ruling | None:
    """Return the result of the test that decides, without its interval; None as `welch`."""
    n_c, n_t = control.n, treatment.n
    if n_c <= UNEQUAL_SIZES * n_t and n_t <= UNEQUAL_SIZES * n_c:
        return _own(control, treatment)
    if n_c < 2 or n_t < 2 or control.variance / n_c + treatment.variance / n_t <= 0:
        return _own(control, treatment)
    variance_c, variance_t, freedom = drawn_together(
        n_c, control.mean, control.variance, n_t, treatment.mean, treatment.variance
    )
    t = (treatment.mean - control.mean) / sqrt(variance_c / n_c + variance_t / n_t)
    return variance_c, variance_t, freedom, two_sided_t(t, freedom)


def welch(control: Sample, treatment: Sample, *, alpha: float) -> MeanTest | None:
    """Welch's test; None when an arm has fewer than two visitors, or the values do not vary but differ.

    Where every value is zero in both arms: t = 0, p = 1 and no interval. Where one arm is more than 1.5 times the
    other, each variance is first drawn to the pooled one, the more the fewer orders there are (`own_weight`).
    Source: Welch, Biometrika 34 (1947) 28-35; Satterthwaite, Biometrics Bulletin 2 (1946) 110-114.
    """
    ruling = governing(control, treatment)
    return ruling and _test(control, treatment, alpha, ruling)


def welch_alone(control: Sample, treatment: Sample, *, alpha: float) -> MeanTest | None:
    """Return Welch's test with the arms' own variances, for arms of any size; None as `welch`."""
    own = _own(control, treatment)
    return own and _test(control, treatment, alpha, own)


def _own(control: Sample, treatment: Sample) -> Ruling | None:
    """Welch's own result."""
    n_c, n_t = control.n, treatment.n
    if n_c < 2 or n_t < 2:
        return None
    noise_c, noise_t = control.variance / n_c, treatment.variance / n_t
    if noise_c + noise_t <= 0:
        return None if control.mean or treatment.mean else (0.0, 0.0, None, 1.0)
    freedom = satterthwaite(noise_c, n_c, noise_t, n_t)
    p_value = two_sided_t((treatment.mean - control.mean) / sqrt(noise_c + noise_t), freedom)
    return control.variance, treatment.variance, freedom, p_value


def _test(control: Sample, treatment: Sample, alpha: float, ruling: Ruling) -> MeanTest:
    variance_c, variance_t, freedom, p_value = ruling
    difference = treatment.mean - control.mean
    se = sqrt(variance_c / control.n + variance_t / treatment.n)
    quantile = None if freedom is None else upper_t(alpha / 2, freedom)
    margin = None if quantile is None else quantile * se
    return MeanTest(
        difference=difference,
        se=se,
        t=difference / se if se else 0.0,
        degrees_of_freedom=freedom,
        p_value=p_value,
        interval=None if margin is None else Interval(difference - margin, difference + margin),
        quantile=quantile,
        samples=(
            Sample(n=control.n, mean=control.mean, variance=variance_c),
            Sample(n=treatment.n, mean=treatment.mean, variance=variance_t),
        ),
    )
