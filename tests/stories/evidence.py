"""The tests behind decisions, written down once more from their formulas; none of the product's code."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from math import erfc, exp, fsum, inf, lgamma, log, sqrt

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


def log_ratios_of_fewer(
    control: Sequence[int], treatment: Sequence[int], *, share: float, odds: Mapping[float, float]
) -> Sequence[float]:
    """How much likelier what came from each hour on is if the treatment has lost a part of its counts.

    Counts are by hour. `odds`: what may be left of its odds, with prior weights. In logarithms, by the first hour.
    """
    chances = {share * left / (1 - share + share * left): weight for left, weight in odds.items()}
    rates = [(weight, log(chance / share), log((1 - chance) / (1 - share))) for chance, weight in chances.items()]
    return [
        log_of_sum((weight, t * gained + c * lost) for weight, gained, lost in rates)
        for c, t in zip(_from_each_on(control), _from_each_on(treatment), strict=True)
    ]


Values = Sequence[tuple[int, int, float]]
"""The hour, the class, and the value in it."""


def log_ratios_of_less(
    control: Values, treatment: Values, *, hours: int, falls: Mapping[float, float], degrees: int
) -> Sequence[float] | None:
    """How much likelier the values from each hour on are if the treatment's have fallen; None without a comparison.

    Normal, of one spread in each class, that of all hours, where it has so many `degrees` of freedom. `falls`: by how
    much the values may be lower, with prior weights. In logarithms, by the first hour.
    """
    logs = {fall: [0.0] * hours for fall in falls}
    is_compared = False
    for each in {place for _, place, _ in control} & {place for _, place, _ in treatment}:
        arms = [[(hour, value) for hour, place, value in arm if place == each] for arm in (control, treatment)]
        free = sum(len(arm) - 1 for arm in arms)
        spread = sum(_deviations([value for _, value in arm]) for arm in arms) / max(free, 1)
        if free < degrees or spread <= 0:
            continue
        for start in range(hours):
            c, t = ([value for hour, value in arm if hour >= start] for arm in arms)
            if not c or not t:
                break
            is_compared = True
            lost, variance = sum(c) / len(c) - sum(t) / len(t), spread * (1 / len(c) + 1 / len(t))
            for fall, ratios in logs.items():
                ratios[start] += (lost**2 - (lost - fall) ** 2) / (2 * variance)
    if not is_compared:
        return None
    return [log_of_sum((weight, logs[fall][start]) for fall, weight in falls.items()) for start in range(hours)]


def _from_each_on(hourly: Sequence[int]) -> Sequence[int]:
    return list(accumulate(reversed(hourly)))[::-1]


def log_of_sum(parts: Iterable[tuple[float, float]]) -> float:
    """The logarithm of a weighted sum of what is given in logarithms, as (weight, logarithm)."""
    known = list(parts)
    greatest = max(each for _, each in known)
    return greatest + log(fsum(weight * exp(each - greatest) for weight, each in known))


def _deviations(values: Sequence[float]) -> float:
    mean = sum(values) / len(values)
    return sum((value - mean) ** 2 for value in values)
