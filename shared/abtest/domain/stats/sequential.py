"""Tests that hold at every look: the mixture sequential probability ratio test of a difference of rates or means."""

from collections.abc import Iterable
from dataclasses import dataclass
from math import exp, sqrt
from typing import Literal, NamedTuple

from abtest.domain.stats.arithmetic import FLOATS, Arithmetic, Real
from abtest.domain.stats.formulas import (
    log_mixture_ratio,
    log_one_sided_ratio,
    mixture_margin,
    pooled_variance,
    pooled_variance_of_means,
    rate_difference,
    unpooled_variance,
    unpooled_variance_of_means,
)
from abtest.domain.stats.mixture_scale import PLANNED_VISITORS, mixture_precision
from abtest.domain.stats.samples import Conversions, Interval, Sample

VarianceRule = Literal["max", "unpooled", "pooled"]
Direction = Literal["increase", "decrease"]


def variance_by(rule: VarianceRule, m: Arithmetic[Real], unpooled: Real, pooled: Real) -> Real:
    """Return the variance that the rule names: "max" takes the larger one."""
    if rule == "max":
        return m.greater(unpooled, pooled)
    return unpooled if rule == "unpooled" else pooled


@dataclass(frozen=True, slots=True, kw_only=True)
class Mixture:
    """Expected size of effects: `tau` in the unit of the difference, or else the `planned_visitors`.

    With a plan tau = |mde| x baseline, frozen when the measurement epoch starts. Without one the ratio τ²/V grows with
    the visitors of the pair, N / planned_visitors, so that no unit is needed.
    """

    tau: float | None = None
    planned_visitors: float = PLANNED_VISITORS

    def tau_squared(self, variance: float, visitors: float, alpha: float) -> float:
        """Return τ² in the unit of the variance, for so many visitors of both arms.

        Raises ValueError for tau or planned visitors that are not positive.
        """
        if self.planned_visitors <= 0 or (self.tau is not None and not self.tau > 0):
            raise ValueError("tau and planned_visitors must be positive")
        if self.tau is not None:
            return self.tau * self.tau
        return variance * visitors * mixture_precision(alpha, self.planned_visitors)


NO_PLAN = Mixture()


class MixtureTest(NamedTuple):
    """One look. `always_valid_p` is this look's; results and decisions use its running minimum over looks.

    `log_p` is its natural logarithm, which also exists where the p-value is too small for a float.
    """

    difference: float
    variance: float
    tau_squared: float
    log_lambda: float
    always_valid_p: float
    log_p: float
    interval: Interval | None

    def interval_at(self, alpha: float) -> Interval | None:
        """Return the always-valid interval at another level and the same mixture, for Holm's correction.

        Raises ValueError unless 0 < alpha < 0.5.
        """
        if not 0 < alpha < 0.5:
            raise ValueError("alpha must be between 0 and 0.5")
        if self.interval is None:
            return None
        margin = mixture_margin(FLOATS, self.variance, self.tau_squared, alpha)
        return Interval(self.difference - margin, self.difference + margin)


class OneSidedMixtureTest(NamedTuple):
    """One look in one direction; `difference` and `z` are positive where the treatment went there."""

    difference: float
    variance: float
    tau_squared: float
    z: float
    log_e: float
    always_valid_p: float
    log_p: float


def mixture_test(
    control: Conversions | Sample,
    treatment: Conversions | Sample,
    *,
    alpha: float,
    mixture: Mixture = NO_PLAN,
    variance: VarianceRule = "max",
) -> MixtureTest | None:
    """Test for a difference in either direction, valid at every look.

    Rates (both `Conversions`) and means (both `Sample`) take the larger of the pooled and the unpooled variance by
    default: at skewed splits the unpooled one alone errs up to 90.7 % of the time on few conversions, and 23 % on
    skewed money. None: an arm without visitors (means: with fewer than two), or values that do not vary and yet differ.
    Where no value varies and the arms are equal: log Λ = 0, p = 1, no interval. Raises ValueError for tau or planned
    visitors that are not positive, TypeError for a rate with a mean.
    Source: Johari, Koomen, Pekelis, Walsh: Operations Research 70 (2022) 1806-1821.
    """
    observed = _difference(control, treatment, variance)
    if observed is None:
        return None
    difference, spread, visitors = observed
    tau_squared = mixture.tau_squared(spread, visitors, alpha)
    # τ² / V would divide by zero below.
    if spread == 0:
        return MixtureTest(0.0, 0.0, tau_squared, log_lambda=0.0, always_valid_p=1.0, log_p=0.0, interval=None)
    log_lambda = log_mixture_ratio(FLOATS, difference, spread, tau_squared)
    margin = mixture_margin(FLOATS, spread, tau_squared, alpha)
    log_p = min(0.0, -log_lambda)
    return MixtureTest(
        difference=difference,
        variance=spread,
        tau_squared=tau_squared,
        log_lambda=log_lambda,
        always_valid_p=exp(log_p),
        log_p=log_p,
        interval=Interval(difference - margin, difference + margin),
    )


def one_sided_mixture_test(
    control: Conversions | Sample,
    treatment: Conversions | Sample,
    *,
    direction: Direction,
    alpha: float,
    mixture: Mixture = NO_PLAN,
    variance: VarianceRule = "max",
) -> OneSidedMixtureTest | None:
    """Test whether the treatment moved the rate or mean in one direction: `mixture_test` with half the mixture.

    Harm is `direction="decrease"`. alpha matters only for a mixture without tau. Raises as `mixture_test`.
    """
    observed = _difference(control, treatment, variance)
    if observed is None:
        return None
    difference, spread, visitors = observed
    towards = difference if direction == "increase" else -difference
    tau_squared = mixture.tau_squared(spread, visitors, alpha)
    log_e = log_one_sided_ratio(FLOATS, towards, spread, tau_squared) if spread else 0.0
    log_p = min(0.0, -float(log_e))
    return OneSidedMixtureTest(
        difference=towards,
        variance=spread,
        tau_squared=tau_squared,
        z=towards / sqrt(spread) if spread else 0.0,
        log_e=float(log_e),
        always_valid_p=exp(log_p),
        log_p=log_p,
    )


def running_minimum(p_values: Iterable[float | None]) -> list[float]:
    """Return the always-valid p after each look, 1 before any; a look without a p (None) changes nothing."""
    lowest, answer = 1.0, []
    for p in p_values:
        lowest = lowest if p is None or p > lowest else p
        answer.append(lowest)
    return answer


def _difference(
    control: Conversions | Sample, treatment: Conversions | Sample, rule: VarianceRule
) -> tuple[float, float, int] | None:
    """Return the difference, its variance and the visitors of both arms; None where no test is possible."""
    if isinstance(control, Conversions) and isinstance(treatment, Conversions):
        return _of_rates(control, treatment, rule)
    if isinstance(control, Sample) and isinstance(treatment, Sample):
        return _of_means(control, treatment, rule)
    raise TypeError("both arms must be Conversions, or both Sample")


def _of_rates(control: Conversions, treatment: Conversions, rule: VarianceRule) -> tuple[float, float, int] | None:
    n_c, n_t = control.visitors, treatment.visitors
    if n_c <= 0 or n_t <= 0:
        return None
    counts = (control.conversions, n_c, treatment.conversions, n_t)
    difference = rate_difference(*counts)
    variance = variance_by(rule, FLOATS, unpooled_variance(*counts), pooled_variance(*counts))
    return None if variance == 0 and difference else (difference, variance, n_c + n_t)


def _of_means(control: Sample, treatment: Sample, rule: VarianceRule) -> tuple[float, float, int] | None:
    if control.n < 2 or treatment.n < 2:
        return None
    spreads = (control.variance, control.n, treatment.variance, treatment.n)
    variance = variance_by(rule, FLOATS, unpooled_variance_of_means(*spreads), pooled_variance_of_means(*spreads))
    if variance <= 0 and (control.mean or treatment.mean):
        return None
    return treatment.mean - control.mean, max(variance, 0.0), control.n + treatment.n
