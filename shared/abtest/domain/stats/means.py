"""Two means compared once: Welch's test, guarded by Student's where the arms are of unequal size."""

from math import sqrt
from typing import NamedTuple

from abtest.domain.stats.formulas import satterthwaite, shared_variance
from abtest.domain.stats.quantiles import two_sided_t, upper_t
from abtest.domain.stats.samples import Interval, Sample

# From this ratio of sizes on Welch alone errs too often on skewed money (6.5 to 13 % at 90/10).
UNEQUAL_SIZES = 1.5


class MeanTest(NamedTuple):
    """A t test of a difference of means.

    `t`, `se` and `degrees_of_freedom` are Welch's. `p_value`, `interval` and `quantile` are those of the test that
    governs; `samples` are the arms with the variances it used, so that the relative lift can agree with the verdict.
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
    own = _own(control, treatment)
    return own and _guarded(control, treatment, own)


def welch(control: Sample, treatment: Sample, *, alpha: float) -> MeanTest | None:
    """Welch's test; None when an arm has fewer than two visitors, or the values do not vary but differ.

    Where every value is zero in both arms: t = 0, p = 1 and no interval. Where one arm is more than 1.5 times the
    other, p is the larger of Welch's and Student's pooled one.
    Source: Welch, Biometrika 34 (1947) 28-35; Satterthwaite, Biometrics Bulletin 2 (1946) 110-114.
    """
    own = _own(control, treatment)
    return own and _test(control, treatment, alpha, own, _guarded(control, treatment, own))


def welch_alone(control: Sample, treatment: Sample, *, alpha: float) -> MeanTest | None:
    """Return Welch's test without Student's guard, for arms of any size; None as `welch`."""
    own = _own(control, treatment)
    return own and _test(control, treatment, alpha, own, own)


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


def _guarded(control: Sample, treatment: Sample, own: Ruling) -> Ruling:
    """Return Student's result where arms are of unequal size and its p-value is larger."""
    n_c, n_t = control.n, treatment.n
    if own[2] is None or (n_c <= UNEQUAL_SIZES * n_t and n_t <= UNEQUAL_SIZES * n_c):
        return own
    shared, freedom = shared_variance(control.variance, n_c, treatment.variance, n_t), n_c + n_t - 2
    p_value = two_sided_t((treatment.mean - control.mean) / sqrt(shared / n_c + shared / n_t), freedom)
    return (shared, shared, freedom, p_value) if p_value > own[3] else own


def _test(control: Sample, treatment: Sample, alpha: float, own: Ruling, ruling: Ruling) -> MeanTest:
    difference, freedom = treatment.mean - control.mean, ruling[2]
    se, governing_se = (
        sqrt(variance_c / control.n + variance_t / treatment.n) for variance_c, variance_t, *_ in (own, ruling)
    )
    quantile = None if freedom is None else upper_t(alpha / 2, freedom)
    margin = None if quantile is None else quantile * governing_se
    return MeanTest(
        difference=difference,
        se=se,
        t=difference / se if se else 0.0,
        degrees_of_freedom=own[2],
        p_value=ruling[3],
        interval=None if margin is None else Interval(difference - margin, difference + margin),
        quantile=quantile,
        samples=(
            Sample(n=control.n, mean=control.mean, variance=ruling[0]),
            Sample(n=treatment.n, mean=treatment.mean, variance=ruling[1]),
        ),
    )
