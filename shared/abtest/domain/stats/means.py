"""Two means compared once: Welch's test, guarded by Student's where the arms are of unequal size."""

from dataclasses import dataclass
from math import sqrt

from scipy.special import stdtr, stdtrit

from abtest.domain.stats.samples import Interval, Sample

UNEQUAL_SIZES = 1.5
"""From this ratio of sizes on Welch alone errs too often on skewed money (6.5 to 13 % at 90/10)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MeanTest:
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


def welch(control: Sample, treatment: Sample, *, alpha: float) -> MeanTest | None:
    """Welch's test; None when an arm has fewer than two visitors, or the values do not vary but differ.

    Where every value is zero in both arms: t = 0, p = 1 and no interval. Where one arm is more than 1.5 times the
    other, p is the larger of Welch's and Student's pooled one.
    Source: Welch, Biometrika 34 (1947) 28-35; Satterthwaite, Biometrics Bulletin 2 (1946) 110-114.
    """
    if control.n < 2 or treatment.n < 2:
        return None
    difference = treatment.mean - control.mean
    squared = control.variance / control.n + treatment.variance / treatment.n
    if squared <= 0:
        return _without_variance(control, treatment)
    own = _t_test(difference, sqrt(squared), _satterthwaite(control, treatment), alpha, (control, treatment))
    if max(control.n, treatment.n) / min(control.n, treatment.n) <= UNEQUAL_SIZES:
        return own
    pooled = _student(control, treatment, alpha)
    if pooled.p_value <= own.p_value:
        return own
    return MeanTest(
        difference=difference,
        se=own.se,
        t=own.t,
        degrees_of_freedom=own.degrees_of_freedom,
        p_value=pooled.p_value,
        interval=pooled.interval,
        quantile=pooled.quantile,
        samples=pooled.samples,
    )


def _without_variance(control: Sample, treatment: Sample) -> MeanTest | None:
    if control.mean or treatment.mean:
        return None
    return MeanTest(
        difference=0.0,
        se=0.0,
        t=0.0,
        degrees_of_freedom=None,
        p_value=1.0,
        interval=None,
        quantile=None,
        samples=(control, treatment),
    )


def _satterthwaite(control: Sample, treatment: Sample) -> float:
    own, other = control.variance / control.n, treatment.variance / treatment.n
    return (own + other) ** 2 / (own**2 / (control.n - 1) + other**2 / (treatment.n - 1))


def _student(control: Sample, treatment: Sample, alpha: float) -> MeanTest:
    freedom = control.n + treatment.n - 2
    shared = ((control.n - 1) * control.variance + (treatment.n - 1) * treatment.variance) / freedom
    se = sqrt(shared * (1 / control.n + 1 / treatment.n))
    arms = (
        Sample(n=control.n, mean=control.mean, variance=shared),
        Sample(n=treatment.n, mean=treatment.mean, variance=shared),
    )
    return _t_test(treatment.mean - control.mean, se, float(freedom), alpha, arms)


def _t_test(difference: float, se: float, freedom: float, alpha: float, samples: tuple[Sample, Sample]) -> MeanTest:
    quantile = float(stdtrit(freedom, 1 - alpha / 2))
    return MeanTest(
        difference=difference,
        se=se,
        t=difference / se,
        degrees_of_freedom=freedom,
        p_value=min(1.0, 2 * float(stdtr(freedom, -abs(difference / se)))),
        interval=Interval(difference - quantile * se, difference + quantile * se),
        quantile=quantile,
        samples=samples,
    )
