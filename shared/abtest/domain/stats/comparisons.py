"""Treatments of one goal against their control: tests, correction for several treatments, intervals that agree."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeVar

from scipy.special import ndtri

from abtest.domain.stats.means import MeanTest, welch
from abtest.domain.stats.multiplicity import holm
from abtest.domain.stats.proportions import ProportionTest, two_proportions
from abtest.domain.stats.relative_lift import RelativeLift, fieller
from abtest.domain.stats.samples import Conversions, Interval, Sample

Correction = Literal["none", "holm"]
Arm = TypeVar("Arm", Conversions, Sample)


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """A treatment against its control. `lift` and its interval are relative, `difference` and its own absolute."""

    difference: float
    difference_interval: Interval | None
    lift: float | None
    lift_interval: Interval | None
    p_value: float
    adjusted_p_value: float
    is_significant: bool


Test = Callable[[Arm, Arm, float], Comparison | None]


def compare_rates(
    control: Conversions, treatments: Sequence[Conversions], *, alpha: float, correction: Correction
) -> list[Comparison | None]:
    """One comparison a treatment, None where it cannot be evaluated."""
    return compare_rate_pairs([(control, other) for other in treatments], alpha=alpha, correction=correction)


def compare_means(
    control: Sample, treatments: Sequence[Sample], *, alpha: float, correction: Correction
) -> list[Comparison | None]:
    """One comparison a treatment, None where it cannot be evaluated."""
    return compare_mean_pairs([(control, other) for other in treatments], alpha=alpha, correction=correction)


def compare_rate_pairs(
    pairs: Sequence[tuple[Conversions, Conversions]], *, alpha: float, correction: Correction
) -> list[Comparison | None]:
    """One comparison a pair of control and treatment, all corrected together; None where it cannot be evaluated."""
    return _compare(_rates, pairs, alpha, correction)


def compare_mean_pairs(
    pairs: Sequence[tuple[Sample, Sample]], *, alpha: float, correction: Correction
) -> list[Comparison | None]:
    """One comparison a pair of control and treatment, all corrected together; None where it cannot be evaluated."""
    return _compare(_means, pairs, alpha, correction)


def _compare(
    test: Test[Arm], pairs: Sequence[tuple[Arm, Arm]], alpha: float, correction: Correction
) -> list[Comparison | None]:
    first = [test(control, treatment, alpha) for control, treatment in pairs]
    evaluable = [index for index, comparison in enumerate(first) if comparison is not None]
    if correction == "none" or not evaluable:
        return first
    verdict = holm([found.p_value for found in first if found is not None], alpha=alpha)
    answer: list[Comparison | None] = [None] * len(first)
    for rank, index in enumerate(evaluable):
        # The p-value is the same at every level; only the intervals are drawn anew.
        found = test(*pairs[index], verdict.interval_alphas[rank])
        answer[index] = found and replace(
            found, adjusted_p_value=verdict.adjusted[rank], is_significant=verdict.rejected[rank]
        )
    return answer


def _comparison(found: ProportionTest | MeanTest, lift: RelativeLift | None, alpha: float) -> Comparison:
    """Where the difference has no interval for want of variance, the lift has none either."""
    return Comparison(
        difference=found.difference,
        difference_interval=found.interval,
        lift=lift.lift if lift else None,
        lift_interval=lift.interval if lift and found.interval else None,
        p_value=found.p_value,
        adjusted_p_value=found.p_value,
        is_significant=found.p_value <= alpha,
    )


def _rates(control: Conversions, treatment: Conversions, alpha: float) -> Comparison | None:
    found = two_proportions(control, treatment, alpha=alpha)
    if found is None:
        return None
    lift = fieller(control.as_sample(), treatment.as_sample(), quantile=float(ndtri(1 - alpha / 2)))
    return _comparison(found, lift, alpha)


def _means(control: Sample, treatment: Sample, alpha: float) -> Comparison | None:
    found = welch(control, treatment, alpha=alpha)
    if found is None:
        return None
    lift = None if found.quantile is None else fieller(*found.samples, quantile=found.quantile)
    return _comparison(found, lift, alpha)
