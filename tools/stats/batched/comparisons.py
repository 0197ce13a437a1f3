"""Comparisons of treatments with controls, corrected along the last axis, with intervals that agree."""

from typing import NamedTuple

import numpy as np

from abtest.domain.planning.sample_size import Correction
from abtest.domain.stats.arithmetic import FloatArray
from tools.stats.batched.holm import Holm, holm
from tools.stats.batched.lifts import fieller
from tools.stats.batched.shapes import Flags, Values, quietly, unless
from tools.stats.batched.single_look import MeanTests, two_proportions, welch
from tools.stats.levels import level


class Comparisons(NamedTuple):
    """Fields of `Comparison`, with the two ends of each interval."""

    difference: FloatArray
    lower: FloatArray
    upper: FloatArray
    lift: FloatArray
    lift_lower: FloatArray
    lift_upper: FloatArray
    p_value: FloatArray
    adjusted_p_value: FloatArray
    is_significant: Flags


@quietly
def compare_rates(
    x_c: Values, n_c: Values, x_t: Values, n_t: Values, *, alpha: float, correction: Correction
) -> Comparisons:
    """Compare rates. A control without an axis of treatments needs one of length 1. Raises ValueError as `holm`."""
    tests = two_proportions(x_c, n_c, x_t, n_t)
    verdict = _corrected(tests.p_value, alpha, correction)
    ends = tests.intervals(verdict.interval_alphas, verdict.rejected)
    return Comparisons(
        difference=tests.difference,
        lower=ends.lower,
        upper=ends.upper,
        lift=unless(tests.control_rate == 0, tests.difference / tests.control_rate),
        lift_lower=ends.lift_lower,
        lift_upper=ends.lift_upper,
        p_value=tests.p_value,
        adjusted_p_value=verdict.adjusted,
        is_significant=verdict.rejected,
    )


@quietly
def compare_means(
    n_c: Values,
    mean_c: Values,
    variance_c: Values,
    n_t: Values,
    mean_t: Values,
    variance_t: Values,
    *,
    alpha: float,
    correction: Correction,
) -> Comparisons:
    """Compare means. A control without an axis of treatments needs one of length 1. Raises ValueError as `holm`."""
    tests = welch(n_c, mean_c, variance_c, n_t, mean_t, variance_t)
    verdict = _corrected(tests.p_value, alpha, correction)
    quantile = tests.quantile(verdict.interval_alphas)
    margin = quantile * np.sqrt(tests.noise_control + tests.noise_treatment)
    return _compared(tests, np.asarray(mean_c, dtype=np.float64), quantile, margin, verdict)


def _corrected(p_values: FloatArray, alpha: float, correction: Correction) -> Holm:
    if correction == "holm":
        return holm(p_values, alpha=alpha)
    return Holm(p_values, p_values <= level(alpha), np.full_like(p_values, alpha))


def _compared(
    tests: MeanTests, mean: FloatArray, quantile: FloatArray, margin: FloatArray, verdict: Holm
) -> Comparisons:
    lift = fieller(tests.difference, mean, tests.noise_control, tests.noise_treatment, quantile=quantile)
    return Comparisons(
        difference=tests.difference,
        lower=tests.difference - margin,
        upper=tests.difference + margin,
        lift=lift.lift,
        lift_lower=lift.lower,
        lift_upper=lift.upper,
        p_value=tests.p_value,
        adjusted_p_value=verdict.adjusted,
        is_significant=verdict.rejected,
    )
