"""Exact one-sided evidence from counts alone, for safety: valid for any counts, however few, and at any cadence."""

from math import exp
from typing import NamedTuple

from abtest.domain.stats.arithmetic import FLOATS
from abtest.domain.stats.formulas import log_count_ratio


class CountEvidence(NamedTuple):
    """log E (natural) against an innocent treatment; always_valid_p = min(1, 1/E), log_p its logarithm."""

    log_e: float
    always_valid_p: float
    log_p: float


def harm_evidence(
    control_count: int, treatment_count: int, *, share: float, a: float = 1.0, b: float = 1.0
) -> CountEvidence:
    """Test whether the treatment has fewer counts (conversions) than its share of the visitors predicts.

    `share` is the treatment's part of the pair's traffic, 0 < share < 1. Each count falls to the treatment with
    probability `share` if nothing is wrong; the alternative is a Beta(a, b) of that probability, cut off above `share`.
    Raises ValueError for negative counts and for shares, a or b outside their range.
    Source: mixture martingales, Ville 1939; Robbins, Annals of Mathematical Statistics 41 (1970) 1397-1409.
    """
    if min(control_count, treatment_count) < 0 or not (0 < share < 1 and a > 0 and b > 0):
        raise ValueError("counts must not be negative, share must be between 0 and 1, a and b must be positive")
    log_e = float(log_count_ratio(FLOATS, float(control_count), float(treatment_count), share, float(a), float(b)))
    # E below 1 would give a p-value above 1.
    log_p = min(0.0, -log_e)
    return CountEvidence(log_e=log_e, always_valid_p=exp(log_p), log_p=log_p)


def excess_evidence(
    control_count: int, treatment_count: int, *, share: float, a: float = 1.0, b: float = 1.0
) -> CountEvidence:
    """Test whether the treatment has more counts (sessions with errors) than its share predicts.

    The mirror image of `harm_evidence`: `share` and Beta(a, b) are still the treatment's, and the part of the
    distribution below `share` is cut off.
    """
    return harm_evidence(treatment_count, control_count, share=1 - share, a=b, b=a)
