"""Tests of a difference of two means that were measured next to ours: p-values from the moments of both arms."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from abtest.domain.stats.formulas import (
    pooled_variance_of_means,
    satterthwaite,
    unpooled_variance_of_means,
)
from abtest.domain.stats.quantiles import two_sided_t_batched
from tools.sim.orders import Moments, Numbers
from tools.stats import batched

FIXED_WEIGHT = 0.1
"""Part of the unpooled variance in the mix whose weight does not hang on the data."""


def p_values(control: Moments, treatment: Moments) -> Mapping[str, Numbers]:
    """Return the p-values of ours and of the peers that need no more than sizes, means and variances."""
    difference, unpooled, pooled, welch_freedom, freedom = _basics(control, treatment)
    welch = _p(difference, unpooled, welch_freedom)
    student = _p(difference, pooled, freedom)
    return {
        "ours": batched.welch(*control.arm, *treatment.arm).p_value,
        "Student": student,
        "Welch": welch,
        "larger p of both": np.maximum(welch, student),
    }


def others(control: Moments, treatment: Moments) -> Mapping[str, Numbers]:
    """Return the p-values of all other candidates; some need counts of buyers or third moments."""
    difference, unpooled, pooled, welch_freedom, freedom = _basics(control, treatment)
    t = difference / np.sqrt(unpooled)
    third = (control.n * control.third + treatment.n * treatment.third) / (control.n + treatment.n)
    skew = _skew(control.third, control.n, treatment.third, treatment.n, unpooled)
    pooled_skew = _skew(third, control.n, third, treatment.n, unpooled)
    student, student_skew = difference / np.sqrt(pooled), _skew(third, control.n, third, treatment.n, pooled)
    mixed = FIXED_WEIGHT * unpooled + (1 - FIXED_WEIGHT) * pooled
    return {
        f"mix of {FIXED_WEIGHT:g}": _p(difference, mixed, freedom),
        "variance at a common mean": _p(difference, _constrained(control, treatment), welch_freedom),
        "pooled rate and mean of buyers": _p(difference, _of_buyers(control, treatment), welch_freedom),
        # Johnson, J. Am. Stat. Assoc. 73 (1978) 536-544; Chen, ibid. 90 (1995) 767-772; Hall, J. R. Stat. Soc. B 54
        # (1992) 221-228; for two samples by the skewness of the difference.
        "Johnson": _p(t + skew * (1 + 2 * t * t) / 6, 1.0, welch_freedom),
        "Chen": _p(t + skew * (1 + 2 * t * t) / 6 + skew * skew * (t + 2 * t**3) / 9, 1.0, welch_freedom),
        "Hall": _p(t + skew * (1 + 2 * t * t) / 6 + skew * skew * t**3 / 27, 1.0, welch_freedom),
        "Hall, pooled skewness": _p(
            t + pooled_skew * (1 + 2 * t * t) / 6 + pooled_skew * pooled_skew * t**3 / 27, 1.0, welch_freedom
        ),
        "Student by Edgeworth": _p(student - student_skew * (student * student - 1) / 6, 1.0, freedom),
    }


def _basics(control: Moments, treatment: Moments) -> tuple[Numbers, Numbers, Numbers, Numbers, Numbers]:
    """Difference, both variances of it, and both degrees of freedom."""
    arms = control.variance, np.asarray(control.n), treatment.variance, np.asarray(treatment.n)
    freedom = satterthwaite(arms[0] / arms[1], arms[1], arms[2] / arms[3], arms[3])
    shared = np.asarray(control.n + treatment.n - 2.0)
    difference: Numbers = treatment.mean - control.mean
    return difference, unpooled_variance_of_means(*arms), pooled_variance_of_means(*arms), freedom, shared


def _p(difference: Numbers, variance: Numbers | float, freedom: Numbers) -> Numbers:
    return two_sided_t_batched(difference / np.sqrt(variance), freedom)


def _skew(third_c: Numbers, n_c: int, third_t: Numbers, n_t: int, variance: Numbers) -> Numbers:
    """Skewness of the difference of the means."""
    answer: Numbers = (third_t / n_t**2 - third_c / n_c**2) / variance**1.5
    return answer


def _constrained(control: Moments, treatment: Moments) -> Numbers:
    """Each arm's variance about the mean of all visitors, as a score test has it."""
    mean = (control.n * control.mean + treatment.n * treatment.mean) / (control.n + treatment.n)
    answer: Numbers = sum(
        ((arm.square - 2 * mean * arm.mean + mean * mean) / arm.n for arm in (control, treatment)),
        start=np.zeros_like(mean),
    )
    return answer


def _of_buyers(control: Moments, treatment: Moments) -> Numbers:
    """Rate and mean of buyers are those of both arms together, the variance of buyers is each arm's own."""
    buyers, visitors = control.buyers + treatment.buyers, control.n + treatment.n
    rate, mean = buyers / visitors, (control.n * control.mean + treatment.n * treatment.mean) / buyers
    variance: Numbers = np.zeros_like(mean)
    for arm in (control, treatment):
        own = arm.n * arm.square / arm.buyers - (arm.n * arm.mean / arm.buyers) ** 2
        variance = variance + rate * (own + (1 - rate) * mean * mean) / arm.n
    return variance
