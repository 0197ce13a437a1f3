"""The tests behind decisions, written down once more from their formulas; none of the product's code."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import erfc, exp, inf, lgamma, log, sqrt

from scipy.special import betaln, log_ndtr
from scipy.stats import beta


@dataclass(frozen=True)
class Arm:
    """Visitors of a variation, those who converted, hits, and the sum and the squares of what they are worth."""

    visitors: int = 0
    converters: int = 0
    hits: int = 0
    total: int = 0
    squares: int = 0

    @property
    def rate(self) -> float:
        return self.converters / self.visitors if self.visitors else 0.0

    @property
    def mean(self) -> float:
        return self.total / self.visitors if self.visitors else 0.0

    @property
    def variance(self) -> float:
        return (self.squares - self.total**2 / self.visitors) / (self.visitors - 1)


def naive_z(control: Arm, treatment: Arm) -> float:
    """Two proportions, pooled, one look: what anybody would compute by hand."""
    pooled = (control.converters + treatment.converters) / (control.visitors + treatment.visitors)
    variance = pooled * (1 - pooled) * (1 / control.visitors + 1 / treatment.visitors)
    return (treatment.rate - control.rate) / sqrt(variance) if variance else 0.0


def naive_z_of_means(control: Arm, treatment: Arm) -> float:
    """The same of money per visitor."""
    variance = control.variance / control.visitors + treatment.variance / treatment.visitors
    return (treatment.mean - control.mean) / sqrt(variance)


def two_sided(z: float) -> float:
    """The usual p-value."""
    return erfc(abs(z) / sqrt(2))


def always_valid_p(control: Arm, treatment: Arm, *, tau: float | None, alpha: float) -> float | None:
    """mSPRT at one look, of rates; without a plan's tau it is sharpest at 5,000 visitors. None: nothing to compare."""
    if not control.visitors or not treatment.visitors:
        return None
    pooled = (control.converters + treatment.converters) / (control.visitors + treatment.visitors)
    size = 1 / control.visitors + 1 / treatment.visitors
    unpooled = sum(arm.rate * (1 - arm.rate) / arm.visitors for arm in (control, treatment))
    variance = max(pooled * (1 - pooled) * size, unpooled)
    if variance <= 0:
        return None
    rho_squared = (-2 * log(alpha) + log(1 - 2 * log(alpha))) / 5000
    ratio = (control.visitors + treatment.visitors) * rho_squared if tau is None else tau**2 / variance
    z_squared = (treatment.rate - control.rate) ** 2 / variance
    return min(1.0, exp(0.5 * log(1 + ratio) - z_squared * ratio / (2 * (1 + ratio))))


def log_e_of_fewer(control: int, treatment: int, *, share: float, a: float, b: float) -> float:
    """How surely the treatment has less than its share of the counts: exact, at any number of looks."""
    prior, posterior = beta(a, b), beta(a + treatment, b + control)
    return float(
        betaln(a + treatment, b + control)
        + posterior.logcdf(share)
        - betaln(a, b)
        - prior.logcdf(share)
        - treatment * log(share)
        - control * log(1 - share)
    )


def log_e_of_less_money(control: Arm, treatment: Arm) -> float:
    """One-sided mixture of means, looking for a fifth of the control's."""
    tau, degrees = 0.2 * control.mean, control.visitors + treatment.visitors - 2
    unpooled = control.variance / control.visitors + treatment.variance / treatment.visitors
    spread = sum((arm.visitors - 1) * arm.variance for arm in (control, treatment)) / degrees
    variance = max(unpooled, spread * (1 / control.visitors + 1 / treatment.visitors))
    if variance <= 0:
        return -inf
    ratio, z = tau**2 / variance, (control.mean - treatment.mean) / sqrt(variance)
    within = ratio / (1 + ratio)
    return float(log(2) - 0.5 * log(1 + ratio) + z * z * within / 2 + log_ndtr(z * sqrt(within)))


def harm_p(control: Arm, treatment: Arm, *, alpha: float) -> float:
    """One-sided mixture of means for less money at one look, sharpest at 5,000 visitors; 1 without a test."""
    visitors = control.visitors + treatment.visitors
    if min(control.visitors, treatment.visitors) < 2:
        return 1.0
    unpooled = control.variance / control.visitors + treatment.variance / treatment.visitors
    spread = sum((arm.visitors - 1) * arm.variance for arm in (control, treatment)) / (visitors - 2)
    variance = max(unpooled, spread * (1 / control.visitors + 1 / treatment.visitors))
    if variance <= 0:
        return 1.0
    ratio = visitors * (-2 * log(alpha) + log(1 - 2 * log(alpha))) / 5000
    z, within = (control.mean - treatment.mean) / sqrt(variance), ratio / (1 + ratio)
    log_e = log(2) - 0.5 * log(1 + ratio) + z * z * within / 2 + log_ndtr(z * sqrt(within))
    return min(1.0, float(exp(-log_e)))


def log_bayes_factor_of_split(visitors: Sequence[int], shares: Sequence[float]) -> float:
    """How much likelier another split than the wanted one is."""
    total, mass = sum(visitors), 2500.0
    found = lgamma(mass) - lgamma(mass + total)
    for number, share in zip(visitors, shares, strict=True):
        found += lgamma(mass * share + number) - lgamma(mass * share) - number * log(share)
    return found
