"""Exact counts, sample ratios and bounds of shares."""

from typing import NamedTuple

import numpy as np
from scipy.special import chdtrc

from abtest.domain.stats.arithmetic import ARRAYS, FloatArray
from abtest.domain.stats.formulas import log_count_ratio, log_ratio_term, log_ratio_whole, wilson_ends
from abtest.domain.stats.quantiles import upper_normal
from abtest.domain.stats.sample_ratio import CONCENTRATION
from abtest.domain.stats.wilson import ONE_SIDED
from tools.stats.batched.shapes import Values, numbers, quietly, unless


class CountEvidences(NamedTuple):
    """Fields of `CountEvidence`."""

    log_e: FloatArray
    always_valid_p: FloatArray
    log_p: FloatArray


class SampleRatios(NamedTuple):
    """Fields of `SampleRatio`, for each family."""

    chi_squared: FloatArray
    degrees_of_freedom: FloatArray
    p_value: FloatArray


class SequentialSampleRatios(NamedTuple):
    """Fields of `SequentialSampleRatio`."""

    log_bayes_factor: FloatArray
    p_value: FloatArray
    log_p: FloatArray


class Bounds(NamedTuple):
    """Both ends of an interval."""

    lower: FloatArray
    upper: FloatArray


@quietly
def harm_evidence(
    control_count: Values, treatment_count: Values, *, share: Values, a: Values = 1.0, b: Values = 1.0
) -> CountEvidences:
    """Return evidence of harm; nan for negative counts and for shares, a or b out of range."""
    x_c, x_t, share, a, b = numbers(control_count, treatment_count, share, a, b)
    is_wrong = (np.minimum(x_c, x_t) < 0) | ~((share > 0) & (share < 1) & (a > 0) & (b > 0))
    log_e = unless(is_wrong, log_count_ratio(ARRAYS, x_c, x_t, share, a, b))
    log_p = np.minimum(0, -log_e)
    return CountEvidences(log_e=log_e, always_valid_p=np.exp(log_p), log_p=log_p)


def excess_evidence(
    control_count: Values, treatment_count: Values, *, share: Values, a: Values = 1.0, b: Values = 1.0
) -> CountEvidences:
    """Return evidence of an increase, by exchanging the arms."""
    return harm_evidence(treatment_count, control_count, share=1 - np.asarray(share), a=b, b=a)


@quietly
def sample_ratio(visitors: Values, weights: Values) -> SampleRatios:
    """Test the split of visitors at one look, with arms along the last axis."""
    seen, share = _arms(visitors, weights)
    total = seen.sum(axis=-1, keepdims=True)
    due = total * share
    chi_squared = np.sum(np.where(share > 0, (seen - due) ** 2 / due, 0), axis=-1)
    chi_squared = np.where(_is_stray(seen, share), np.inf, chi_squared)
    freedom = np.sum(share > 0, axis=-1) - 1.0
    is_empty = (total[..., 0] <= 0) | (freedom < 1)
    return SampleRatios(
        chi_squared=unless(is_empty, chi_squared),
        degrees_of_freedom=unless(is_empty, freedom),
        p_value=unless(is_empty, np.where(np.isinf(chi_squared), 0, chdtrc(freedom, chi_squared))),
    )


@quietly
def sequential_sample_ratio(
    visitors: Values, weights: Values, *, concentration: float = CONCENTRATION
) -> SequentialSampleRatios:
    """Test the split of all visitors so far, with arms along the last axis."""
    if not concentration > 0:
        raise ValueError("the concentration must be positive")
    seen, share = _arms(visitors, weights)
    total = seen.sum(axis=-1, keepdims=True)
    terms = np.where(share > 0, log_ratio_term(ARRAYS, seen, share, total, concentration), 0)
    whole = log_ratio_whole(ARRAYS, total, concentration, np.full_like(total, concentration))
    factor = np.where(_is_stray(seen, share), np.inf, np.sum(terms, axis=-1) + whole[..., 0])
    factor = unless((total[..., 0] <= 0) | (np.sum(share > 0, axis=-1) < 2), factor)
    log_p = np.minimum(0, -factor)
    return SequentialSampleRatios(log_bayes_factor=factor, p_value=np.exp(log_p), log_p=log_p)


@quietly
def wilson_bounds(hits: Values, n: Values, *, confidence: float = ONE_SIDED) -> Bounds:
    """Return bounds of shares; nan for n = 0 and for hits below 0 or above n."""
    hits, n = numbers(hits, n)
    lower, upper = wilson_ends(ARRAYS, hits, n, np.asarray(upper_normal(1 - confidence)))
    is_wrong = (n <= 0) | (hits < 0) | (hits > n)
    return Bounds(unless(is_wrong, lower), unless(is_wrong, upper))


def _arms(visitors: Values, weights: Values) -> list[FloatArray]:
    weight = np.asarray(weights, dtype=np.float64)
    return numbers(visitors, weight / weight.sum(axis=-1, keepdims=True))


def _is_stray(seen: FloatArray, share: FloatArray) -> FloatArray:
    """Return whether an arm of weight zero has visitors."""
    answer: FloatArray = np.any((share <= 0) & (seen > 0), axis=-1)
    return answer
