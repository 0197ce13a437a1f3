"""Statistics for notebooks: plain functions over visitors, conversions, means and variances.

`Rate(conversions, visitors)` and `Mean(n, mean, variance)` make arms. Treatments follow their control; where there are
several, results are in their order and corrected by Holm's method. None means that a value cannot be evaluated.
Every `alpha` must be between 0 and 0.5, both excluded; others raise ValueError.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from abtest.domain.planning.sample_size import Correction, Demand, SampleSize, Tail, size_for_mean, size_for_rate
from abtest.domain.stats import comparisons, multiplicity
from abtest.domain.stats import sample_ratio as ratios
from abtest.domain.stats.bayes import BayesianComparison, bayesian_means, bayesian_rates
from abtest.domain.stats.comparisons import Comparison
from abtest.domain.stats.cuped import CovariateSums, Cuped, cuped
from abtest.domain.stats.exact_counts import CountEvidence, harm_evidence
from abtest.domain.stats.means import welch
from abtest.domain.stats.multiplicity import Corrected
from abtest.domain.stats.relative_lift import RelativeLift, fieller
from abtest.domain.stats.sample_ratio import SampleRatio
from abtest.domain.stats.samples import Conversions, Interval, Sample
from abtest.domain.stats.sequential import (
    Direction,
    Mixture,
    MixtureTest,
    OneSidedMixtureTest,
    mixture_test,
    one_sided_mixture_test,
    running_minimum,
)
from tools.stats.levels import level
from tools.stats.power import power_for_rate

__all__ = [
    "BayesianComparison",
    "Comparison",
    "Conversions",
    "Corrected",
    "CountEvidence",
    "CovariateSums",
    "Cuped",
    "Interval",
    "Mean",
    "MixtureTest",
    "MonitoredRatio",
    "Rate",
    "RelativeLift",
    "Sample",
    "SampleRatio",
    "SampleSize",
    "bayes",
    "benjamini_hochberg",
    "compare_means",
    "compare_rates",
    "cuped",
    "harm_of_counts",
    "holm",
    "power_of",
    "relative_lift",
    "sample_ratio",
    "sample_ratio_sequential",
    "sample_size",
    "sample_size_of_means",
    "sequential_harm",
    "sequential_means",
    "sequential_rates",
]


def Rate(conversions: int, visitors: int) -> Conversions:  # noqa: N802 - reads as the arm that it makes
    """Return an arm of a rate. Raises ValueError unless conversions are between 0 and the visitors."""
    if not 0 <= conversions <= visitors:
        raise ValueError("conversions must be between 0 and visitors")
    return Conversions(visitors=visitors, conversions=conversions)


def Mean(n: int, mean: float, variance: float) -> Sample:  # noqa: N802 - reads as the arm that it makes
    """Return an arm of a mean per visitor, with zeros. The variance divides by n - 1. Raises ValueError if negative."""
    if n < 0 or not variance >= 0:
        raise ValueError("n and variance must not be negative")
    return Sample(n=n, mean=mean, variance=variance)


def compare_rates(control: Conversions, *treatments: Conversions, alpha: float = 0.05) -> list[Comparison | None]:
    """Compare rates at one look: pooled z test, the score intervals that invert it, Holm."""
    return comparisons.compare_rates(control, treatments, alpha=level(alpha), correction="holm")


def compare_means(control: Sample, *treatments: Sample, alpha: float = 0.05) -> list[Comparison | None]:
    """Compare means at one look: Welch's test, near Student's for few orders in unequal arms, Fieller, Holm."""
    return comparisons.compare_means(control, treatments, alpha=level(alpha), correction="holm")


def holm(p_values: Sequence[float], *, alpha: float = 0.05) -> Corrected:
    """Correct the p-values of several treatments, in their order."""
    return multiplicity.holm(p_values, alpha=level(alpha))


def benjamini_hochberg(p_values: Sequence[float], *, alpha: float = 0.05) -> Corrected:
    """Correct p-values by Benjamini and Hochberg: the expected share of false ones among the rejected is alpha."""
    return multiplicity.benjamini_hochberg(p_values, alpha=level(alpha))


def sequential_rates(
    control: Conversions, treatment: Conversions, *, alpha: float = 0.05, tau: float | None = None
) -> MixtureTest | None:
    """Compare rates at any number of looks; with a plan, tau = |mde| x baseline.

    Decide by the minimum of `always_valid_p` over the looks. Raises ValueError for a tau that is not positive.
    """
    return mixture_test(control, treatment, alpha=level(alpha), mixture=Mixture(tau=tau))


def sequential_harm(
    control: Conversions | Sample,
    treatment: Conversions | Sample,
    *,
    direction: Direction = "decrease",
    alpha: float = 0.05,
    tau: float | None = None,
) -> OneSidedMixtureTest | None:
    """Test whether the treatment moved a guardrail in the harmful direction, at any number of looks.

    Decide by the minimum of `always_valid_p` over the looks, corrected by `holm` over guardrails times treatments.
    Raises ValueError for a tau that is not positive.
    """
    return one_sided_mixture_test(control, treatment, direction=direction, alpha=level(alpha), mixture=Mixture(tau=tau))


def sequential_means(
    control: Sample, treatment: Sample, *, alpha: float = 0.05, tau: float | None = None
) -> MixtureTest | None:
    """Compare means at any number of looks, with tau in their unit.

    Raises ValueError for a tau that is not positive.
    """
    return mixture_test(control, treatment, alpha=level(alpha), mixture=Mixture(tau=tau))


def sample_ratio(visitors: Sequence[int], weights: Sequence[float]) -> SampleRatio | None:
    """Test once whether visitors are split by the weights."""
    return ratios.sample_ratio(visitors, weights)


@dataclass(frozen=True, slots=True, kw_only=True)
class MonitoredRatio:
    """Always-valid p after each look; the last one is an alarm at 0.01 or less."""

    p_values: tuple[float, ...]

    @property
    def is_mismatch(self) -> bool:
        """Return whether the split differs from the weights by more than chance."""
        return bool(self.p_values) and self.p_values[-1] <= ratios.MONITORING_ALPHA


def sample_ratio_sequential(looks: Sequence[Sequence[int]], weights: Sequence[float]) -> MonitoredRatio:
    """Test at each look whether visitors are split by the weights; a look has all visitors so far."""
    tests = [ratios.sequential_sample_ratio(visitors, weights) for visitors in looks]
    return MonitoredRatio(p_values=tuple(running_minimum(None if look is None else look.p_value for look in tests)))


def harm_of_counts(control_count: int, treatment_count: int, *, share: float = 0.5) -> CountEvidence:
    """Return exact evidence that a treatment with this share of the pair's visitors converts less."""
    return harm_evidence(control_count, treatment_count, share=share)


def sample_size(
    baseline_rate: float,
    mde: float,
    *,
    alpha: float = 0.05,
    power: float = 0.8,
    tail: Tail = "two-sided",
    treatments: int = 1,
    correction: Correction = "holm",
) -> SampleSize:
    """Return the visitors to detect a relative change `mde` of a rate. Raises ValueError for impossible rates."""
    return size_for_rate(baseline_rate, _demand(mde, alpha, power, tail, treatments, correction))


def sample_size_of_means(
    mean: float,
    sd: float,
    mde: float,
    *,
    alpha: float = 0.05,
    power: float = 0.8,
    tail: Tail = "two-sided",
    treatments: int = 1,
    correction: Correction = "holm",
) -> SampleSize:
    """Return the visitors to detect a relative change `mde` of a mean. Raises ValueError for impossible plans."""
    return size_for_mean(mean, sd, _demand(mde, alpha, power, tail, treatments, correction))


def power_of(
    baseline_rate: float,
    mde: float,
    visitors_per_variant: float,
    *,
    alpha: float = 0.05,
    tail: Tail = "two-sided",
    treatments: int = 1,
    correction: Correction = "holm",
) -> float:
    """Return the probability to detect a relative change `mde`. Raises ValueError for impossible rates."""
    return power_for_rate(baseline_rate, _demand(mde, alpha, 0.8, tail, treatments, correction), visitors_per_variant)


def relative_lift(
    control: Conversions | Sample, treatment: Conversions | Sample, *, alpha: float = 0.05
) -> RelativeLift | None:
    """Return treatment / control - 1 with the interval that agrees with the test of one look."""
    if isinstance(control, Conversions) and isinstance(treatment, Conversions):
        comparison = comparisons.compare_rates(control, [treatment], alpha=level(alpha), correction="none")[0]
        if comparison is None or comparison.lift is None:
            return None
        return RelativeLift(lift=comparison.lift, g=None, interval=comparison.lift_interval)
    if isinstance(control, Sample) and isinstance(treatment, Sample):
        test = welch(control, treatment, alpha=level(alpha))
        return None if test is None or test.quantile is None else fieller(*test.samples, quantile=test.quantile)
    raise TypeError("both arms must be rates, or both means")


def bayes(
    control: Conversions | Sample, treatment: Conversions | Sample, *, alpha: float = 0.05
) -> BayesianComparison | None:
    """Return the probability to beat the control and the expected loss, with weak priors and without correction."""
    if isinstance(control, Conversions) and isinstance(treatment, Conversions):
        return bayesian_rates(control, treatment, alpha=level(alpha))
    if isinstance(control, Sample) and isinstance(treatment, Sample):
        return bayesian_means(control, treatment, alpha=level(alpha))
    raise TypeError("both arms must be rates, or both means")


def _demand(mde: float, alpha: float, power: float, tail: Tail, treatments: int, correction: Correction) -> Demand:
    return Demand(
        mde=mde, alpha=level(alpha), power=power, tail=tail, treatments=treatments, correction_method=correction
    )
