"""Named alternative: intervals of Wald and Fieller, which need two square roots and contradict the test (ADR 55)."""

from math import sqrt

import numpy as np

from abtest.domain.stats.arithmetic import FLOATS
from abtest.domain.stats.comparisons import Comparison
from abtest.domain.stats.formulas import pooled_variance, rate_difference, rate_variance, two_sided
from abtest.domain.stats.quantiles import upper_normal, upper_normal_batched
from abtest.domain.stats.relative_lift import fieller_interval
from abtest.domain.stats.samples import Conversions, Interval, made
from benchmarks.stats.work import ONE, arms_of, many, tell
from tools.stats.batched import fieller, holm, two_proportions

CONTROL, TREATMENT = (Conversions(visitors=n, conversions=x) for n, x in ONE)
ALPHA = 0.05


def compare(control: Conversions, treatment: Conversions) -> Comparison:
    x_c, n_c, x_t, n_t = control.conversions, control.visitors, treatment.conversions, treatment.visitors
    difference, pooled, mean = rate_difference(x_c, n_c, x_t, n_t), pooled_variance(x_c, n_c, x_t, n_t), x_c / n_c
    noise_c, noise_t = rate_variance(x_c, n_c) / n_c, rate_variance(x_t, n_t) / n_t
    p_value, quantile = two_sided(FLOATS, difference / sqrt(pooled)), upper_normal(ALPHA / 2)
    margin, lift = quantile * sqrt(noise_c + noise_t), difference / mean
    interval = made(Interval, (difference - margin, difference + margin))
    lift_interval = fieller_interval(lift, mean, noise_c, noise_t, quantile)
    return made(Comparison, (difference, interval, lift, lift_interval, p_value, p_value, p_value <= ALPHA))


def one() -> float:
    lift = compare(CONTROL, TREATMENT).lift
    assert lift is not None
    return lift


def arrays() -> list[float]:
    x_c, n_c, x_t, n_t = arms = arms_of(PAIRS)
    tests = two_proportions(*arms)
    verdict = holm(tests.p_value, alpha=ALPHA)
    noise_c, noise_t = rate_variance(x_c, n_c) / n_c, rate_variance(x_t, n_t) / n_t
    quantile = upper_normal_batched(verdict.interval_alphas / 2)
    margin = quantile * np.sqrt(noise_c + noise_t)
    lifts = fieller(tests.difference, tests.control_rate, noise_c, noise_t, quantile=quantile)
    ends = tests.difference - margin, tests.difference + margin, lifts.lower, lifts.upper
    assert all(np.isfinite(end).all() for end in ends)
    return lifts.lift.ravel().tolist()


PAIRS = many()
tell(one, arrays)
