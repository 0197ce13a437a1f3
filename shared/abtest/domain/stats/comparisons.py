"""Treatments against their control: tests, correction of a family of comparisons, intervals that agree."""

from collections.abc import Sequence
from math import sqrt
from typing import NamedTuple

from abtest.domain.stats.arithmetic import FLOATS
from abtest.domain.stats.formulas import pooled_variance, rate_difference, two_sided
from abtest.domain.stats.means import governing
from abtest.domain.stats.multiplicity import Correction, corrected
from abtest.domain.stats.quantiles import upper_normal, upper_t
from abtest.domain.stats.relative_lift import fieller_interval
from abtest.domain.stats.samples import Conversions, Interval, Sample, made
from abtest.domain.stats.score_intervals import score_intervals


class Comparison(NamedTuple):
    """A treatment against its control. `lift` and its interval are relative, `difference` and its own absolute.

    Rates: either interval excludes zero exactly when `is_significant`. None: nothing varies, or an end is not finite.
    """

    difference: float
    difference_interval: Interval | None
    lift: float | None
    lift_interval: Interval | None
    p_value: float
    adjusted_p_value: float
    is_significant: bool


Pair = tuple[Conversions, Conversions] | tuple[Sample, Sample]
"""Control and treatment: both rates, or both means."""


def compare_rates(
    control: Conversions, treatments: Sequence[Conversions], *, alpha: float, correction: Correction
) -> list[Comparison | None]:
    """One comparison a treatment, None where it cannot be evaluated."""
    # One treatment needs no correction; this is the usual case, and it is called for every goal and segment.
    if len(treatments) == 1:
        return [_rates(control, treatments[0], alpha)]
    return compare_pairs([(control, other) for other in treatments], alpha=alpha, correction=correction)


def compare_means(
    control: Sample, treatments: Sequence[Sample], *, alpha: float, correction: Correction
) -> list[Comparison | None]:
    """One comparison a treatment, None where it cannot be evaluated."""
    if len(treatments) == 1:
        return [_means(control, treatments[0], alpha)]
    return compare_pairs([(control, other) for other in treatments], alpha=alpha, correction=correction)


def compare_pairs(pairs: Sequence[Pair], *, alpha: float, correction: Correction) -> list[Comparison | None]:
    """One comparison a pair of control and treatment, rates and means, all corrected together.

    None where a pair cannot be evaluated; such a pair does not count in the correction.
    """
    if correction == "none" or len(pairs) < 2:
        return [_compared_at(pair, alpha) for pair in pairs]
    p_values = [_p_value(pair, alpha) for pair in pairs]
    evaluable = [index for index, p_value in enumerate(p_values) if p_value is not None]
    verdict = corrected(correction, [p_value for p_value in p_values if p_value is not None], alpha=alpha)
    comparisons: list[Comparison | None] = [None] * len(pairs)
    for rank, index in enumerate(evaluable):
        # Level and verdict are those of the rank: only with both do intervals agree to the last digit.
        comparison = _compared_at(pairs[index], verdict.interval_alphas[rank], verdict.rejected[rank])
        comparisons[index] = comparison and comparison._replace(
            adjusted_p_value=verdict.adjusted[rank], is_significant=verdict.rejected[rank]
        )
    return comparisons


def compare_mean_pairs(
    pairs: Sequence[tuple[Sample, Sample]], *, alpha: float, correction: Correction
) -> list[Comparison | None]:
    """Compare means as `compare_pairs` does."""
    return compare_pairs(pairs, alpha=alpha, correction=correction)


def _compared_at(pair: Pair, alpha: float, rejected: bool | None = None) -> Comparison | None:
    if isinstance(pair[0], Conversions):
        return _rates(*pair, alpha, rejected)
    return _means(*pair, alpha)


def _p_value(pair: Pair, alpha: float) -> float | None:
    """Return the p-value, which is the same at every level; for means with all of their comparison."""
    if isinstance(pair[0], Conversions):
        return _rate_p_value(*pair)
    comparison = _means(*pair, alpha)
    return comparison and comparison.p_value


def _rate_p_value(control: Conversions, treatment: Conversions) -> float | None:
    """Return p of the pooled z test, 1 where nothing varies, None for an arm without visitors."""
    x_c, n_c, x_t, n_t = control.conversions, control.visitors, treatment.conversions, treatment.visitors
    if n_c <= 0 or n_t <= 0:
        return None
    pooled = pooled_variance(x_c, n_c, x_t, n_t)
    return two_sided(FLOATS, rate_difference(x_c, n_c, x_t, n_t) / sqrt(pooled)) if pooled else 1.0


def _rates(
    control: Conversions, treatment: Conversions, alpha: float, rejected: bool | None = None
) -> Comparison | None:
    """Compare by the pooled z test; `rejected` is the verdict where it is not simply p <= alpha."""
    x_c, n_c, x_t, n_t = control.conversions, control.visitors, treatment.conversions, treatment.visitors
    if n_c <= 0 or n_t <= 0:
        return None
    difference, pooled = rate_difference(x_c, n_c, x_t, n_t), pooled_variance(x_c, n_c, x_t, n_t)
    lift = difference / (x_c / n_c) if x_c else None
    if pooled == 0:
        return Comparison(difference, None, lift, None, 1.0, 1.0, False)
    p_value = two_sided(FLOATS, difference / sqrt(pooled))
    is_significant = p_value <= alpha if rejected is None else rejected
    intervals = score_intervals(x_c, n_c, x_t, n_t, difference, upper_normal(alpha / 2), is_significant)
    return made(Comparison, (difference, intervals[0], lift, intervals[1], p_value, p_value, is_significant))


def _means(control: Sample, treatment: Sample, alpha: float) -> Comparison | None:
    """Compare as `welch` and `fieller` do together."""
    ruling = governing(control, treatment)
    if ruling is None:
        return None
    variance_c, variance_t, freedom, p_value = ruling
    if freedom is None:
        return Comparison(0.0, None, None, None, 1.0, 1.0, False)
    noise_c, noise_t = variance_c / control.n, variance_t / treatment.n
    difference, quantile = treatment.mean - control.mean, upper_t(alpha / 2, freedom)
    return _compared(difference, control.mean, noise_c, noise_t, quantile, p_value, alpha)


def _compared(
    difference: float, mean: float, noise_c: float, noise_t: float, quantile: float, p_value: float, alpha: float
) -> Comparison:
    """Return the intervals of a difference and, unless the control's mean is zero, of a lift; noise = s²/n."""
    margin = quantile * sqrt(noise_c + noise_t)
    interval = made(Interval, (difference - margin, difference + margin))
    if not mean:
        return Comparison(difference, interval, None, None, p_value, p_value, p_value <= alpha)
    lift = difference / mean
    lift_interval = fieller_interval(lift, mean, noise_c, noise_t, quantile)
    return made(Comparison, (difference, interval, lift, lift_interval, p_value, p_value, p_value <= alpha))
