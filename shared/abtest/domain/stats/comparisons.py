"""Treatments against their control: tests, correction of a family of comparisons, intervals that agree."""

from collections.abc import Sequence
from math import erfc, sqrt
from typing import NamedTuple

from abtest.domain.stats.arithmetic import FLOATS, LOG_LARGEST
from abtest.domain.stats.formulas import rate_difference
from abtest.domain.stats.means import governing
from abtest.domain.stats.multiplicity import Correction, corrected
from abtest.domain.stats.quantiles import squared_normal, upper_normal, upper_t
from abtest.domain.stats.relative_lift import fieller_interval
from abtest.domain.stats.samples import Conversions, Interval, Sample, made
from abtest.domain.stats.score_intervals import NEAR, agreeing, score_intervals, settled_cubic, settled_quartic

# Conversions and failures, in w (61 at 95 %), from which on both ends are inside of their limits.
_FEW = 16.0


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

Verdict = tuple[float, float, bool]
"""p, the adjusted p, and whether it is significant at the level of its rank."""


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
    evaluable = [(pair, p_value) for pair, p_value in zip(pairs, p_values, strict=True) if p_value is not None]
    verdict = corrected(correction, [p_value for _, p_value in evaluable], alpha=alpha)
    # Level and verdict are those of the rank: only with both do intervals agree to the last digit.
    compared = (
        _compared_at(pair, level, (p_value, adjusted, rejected))
        for (pair, p_value), level, adjusted, rejected in zip(
            evaluable, verdict.interval_alphas, verdict.adjusted, verdict.rejected, strict=True
        )
    )
    return [None if p_value is None else next(compared) for p_value in p_values]


def compare_mean_pairs(
    pairs: Sequence[tuple[Sample, Sample]], *, alpha: float, correction: Correction
) -> list[Comparison | None]:
    """Compare means as `compare_pairs` does."""
    return compare_pairs(pairs, alpha=alpha, correction=correction)


def _compared_at(pair: Pair, alpha: float, verdict: Verdict | None = None) -> Comparison | None:
    """Compare at a level; `verdict` is that of a corrected family."""
    if isinstance(pair[0], Conversions):
        return _rates(*pair, alpha, verdict)
    comparison = _means(*pair, alpha)
    if comparison is None or verdict is None:
        return comparison
    return comparison._replace(adjusted_p_value=verdict[1], is_significant=verdict[2])


def _p_value(pair: Pair, alpha: float) -> float | None:
    """Return the p-value, which is the same at every level; for means with all of their comparison."""
    if isinstance(pair[0], Conversions):
        return _rate_p_value(*pair)
    comparison = _means(*pair, alpha)
    return comparison and comparison.p_value


def _rate_p_value(control: Conversions, treatment: Conversions) -> float | None:
    """Return p of the pooled z test, 1 where nothing varies, None for an arm without visitors.

    z² = d² (n_c + n_t) n_c n_t / (X F) for X conversions and F failures of both arms.
    """
    x_c, n_c, x_t, n_t = control.conversions, control.visitors, treatment.conversions, treatment.visitors
    if n_c <= 0 or n_t <= 0:
        return None
    square, conversions = n_c * n_t, float(x_c) + float(x_t)
    d, failures = (x_t * n_c - x_c * n_t) / square, float(n_c - x_c) + float(n_t - x_t)
    if not conversions or not failures:
        return 1.0
    # In this order, as in `_rates`, so that both round alike.
    half = 0.5 * (float(n_c) + float(n_t)) * square * (d * d) / (conversions * failures)
    return erfc(sqrt(half)) if half <= LOG_LARGEST else 0.0


def _rates(
    control: Conversions, treatment: Conversions, alpha: float, verdict: Verdict | None = None
) -> Comparison | None:
    """Compare by the pooled z test; `verdict` is that at the level `alpha` of a rank.

    Arms with more than 16 w of both outcomes are compared here. These are the formulas of `_rate_p_value` and of
    `quick_ends` once more, written out for floats, since calls, tests of the range and steps that change nothing would
    double the time. One round of Bairstow's fixed point is usually enough.
    """
    x_c: float = control.conversions
    n_c: float = control.visitors
    x_t: float = treatment.conversions
    n_t: float = treatment.visitors
    if n_c <= 0 or n_t <= 0:
        return None
    # Of whole numbers, so that nothing is lost; then floats, as arithmetic of both kinds takes twice as long.
    square = n_c * n_t
    d = (x_t * n_c - x_c * n_t) / square
    x_c, n_c, x_t, n_t, w = float(x_c), float(n_c), float(x_t), float(n_t), squared_normal(alpha)
    f_c, f_t, few = n_c - x_c, n_t - x_t, _FEW * w
    if x_c <= few or x_t <= few or f_c <= few or f_t <= few:
        return _few(control, treatment, alpha, verdict)
    total, gain, dd, failures, q_c, q_t, ratio = n_c + n_t, x_t - x_c, d * d, f_c + f_t, f_c / n_c, f_t / n_t, n_t / n_c
    if verdict is None:
        half = 0.5 * total * square * dd / ((x_c + x_t) * failures)
        p_value = adjusted = erfc(sqrt(half)) if half <= LOG_LARGEST else 0.0
        is_significant = p_value <= alpha
    else:
        p_value, adjusted, is_significant = verdict

    more, shift, k = total + w, n_t - n_c - gain - gain, (n_c + w) * (n_t + w)
    pull, c_4, whole = d * shift, dd - dd * dd, k * more
    c_3 = d * (pull - (more + w) * (1.0 - dd - dd))
    c_2 = total * (ratio * x_c * q_c + x_t * q_t / ratio) + w * (more * (1.0 - 6.0 * dd) - pull - pull)
    c_1, c_0 = w * ((d + d) * (more * more + k) + more * shift), w * whole
    e = c_3 / c_2
    b = c_1 + e * c_0
    a = c_2 - e * b + c_4 / c_2 * c_0
    g = c_4 / a
    e = (c_3 - g * b) / a
    s = e * c_0
    b = c_1 + s
    t = e * b
    a = c_2 - t + g * c_0
    if abs(t) + e * s > NEAR * a:
        b, a, _ = settled_quartic(FLOATS, c_4, c_3, c_2, c_1, -c_0, e, g)
    half = 0.5 / whole
    middle, root = d - half * b, half * sqrt(b * b + 4.0 * c_0 * a)
    lower, upper = middle - root, middle + root

    c_2, c_1, c_0 = q_c * x_t + q_t * x_c + w, w * gain, w * x_c * x_t
    e = d / c_2
    b = c_1 + e * c_0
    e = d / (c_2 - e * b)
    s = e * c_0
    b = c_1 + s
    t = e * b
    a = c_2 - t
    if abs(t) + e * s > NEAR * a:
        b, a, _ = settled_cubic(FLOATS, d, c_2, c_1, -c_0, e)
    half = 0.5 / a
    middle = half * b
    root = sqrt(middle * middle + (half + half) * c_0)
    above, below, cross = middle + root, middle - root, d * square
    lift_lower = (cross - above * failures) / ((n_t - above) * (x_c + above))
    lift_upper = (cross - below * failures) / ((n_t - below) * (x_c + below))
    # Ends on the same side of zero exclude it.
    if (lower * upper > 0.0) is not is_significant:
        lower, upper = agreeing(lower, upper, d, is_significant)
    if (lift_lower * lift_upper > 0.0) is not is_significant:
        lift_lower, lift_upper = agreeing(lift_lower, lift_upper, d, is_significant)
    intervals = made(Interval, (lower, upper)), made(Interval, (lift_lower, lift_upper))
    return made(Comparison, (d, intervals[0], d * n_c / x_c, intervals[1], p_value, adjusted, is_significant))


def _few(control: Conversions, treatment: Conversions, alpha: float, verdict: Verdict | None) -> Comparison | None:
    """Compare any counts."""
    x_c, n_c, x_t, n_t = control.conversions, control.visitors, treatment.conversions, treatment.visitors
    p_value = _rate_p_value(control, treatment)
    if p_value is None:
        return None
    difference = rate_difference(x_c, n_c, x_t, n_t)
    lift = difference / (x_c / n_c) if x_c else None
    if not 0 < x_c + x_t < n_c + n_t:
        return Comparison(difference, None, lift, None, 1.0, 1.0, False)
    p_value, adjusted, is_significant = verdict or (p_value, p_value, p_value <= alpha)
    intervals = score_intervals(x_c, n_c, x_t, n_t, difference, upper_normal(alpha / 2), is_significant)
    return made(Comparison, (difference, intervals[0], lift, intervals[1], p_value, adjusted, is_significant))


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
