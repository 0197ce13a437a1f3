"""Estimates drawn towards zero: of lifts that are too good to be true, and of tests that stopped at a look."""

from dataclasses import dataclass
from math import erfc, sqrt

from abtest.domain.stats.samples import Conversions, Sample

PRIOR_DEVIATION = 0.05
"""Standard deviation of true lifts before a test: two of three are between -5 % and +5 %, 19 of 20 within 10 %.

Wider than what is published of shops, because effects have heavy tails: in 85 public tests the average was under 4 %,
and that of significant ones, which exaggerate, under 7 % (Georgiev, "Analysis of 115 A/B tests", analytics-toolkit.com
2018); Azevedo, Deng, Montiel Olea, Rao and Weyl, Journal of Political Economy 128 (2020), measure the tails.
"""

SURPRISE = 0.01
"""Chance, under the prior, of so large an observed lift; below it the measurement is doubted first (Twyman's law)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plausibility:
    """An observed lift next to the prior. `surprise`: the chance of one at least as far from zero.

    `expected` is the mean of the true lift given prior and data, and `deviation` its standard deviation.
    """

    lift: float
    surprise: float
    expected: float
    deviation: float

    @property
    def is_implausible(self) -> bool:
        """True if the lift is too good, or too bad, to be true."""
        return self.surprise < SURPRISE


def weight(prior: float, variance: float) -> float:
    """Return the part of an estimate that stays, 0 to 1: prior variance over prior variance plus its own."""
    return prior / (prior + variance) if prior > 0 else 0.0


def plausibility(control: Conversions | Sample, treatment: Conversions | Sample) -> Plausibility | None:
    """Return an observed lift next to the normal prior N(0, 0.05²); None without a lift, or where nothing varies.

    The variance of the lift is that of a ratio (delta method): (s_t²/n_t + (1 + lift)² s_c²/n_c) / mean_c².
    """
    arms = [arm.as_sample() if isinstance(arm, Conversions) else arm for arm in (control, treatment)]
    before, after = arms
    if min(before.n, after.n) < 1 or before.mean <= 0:
        return None
    lift = after.mean / before.mean - 1
    noise = after.variance / after.n + (1 + lift) ** 2 * before.variance / before.n
    variance = noise / before.mean**2
    if variance <= 0:
        return None
    prior = PRIOR_DEVIATION**2
    kept = weight(prior, variance)
    return Plausibility(
        lift=lift,
        surprise=erfc(abs(lift) / sqrt(2 * (prior + variance))),
        expected=kept * lift,
        deviation=sqrt(kept * variance),
    )


def kept_at_a_look(variance: float, *, tau: float | None, control_mean: float) -> float:
    """Return the part of a difference that is expected to be true where a test stops at a look, 0 to 1.

    `variance` is that of the difference. The mean of the posterior under N(0, tau²), the effects that the test was
    planned for: tau² / (tau² + V). A posterior does not depend on the rule by which a test stopped, so the estimate has
    no bias over effects of that spread. Without a plan (`tau` None) the mixture is far wider than effects are, and
    corrects next to nothing; then the prior of lifts is taken, tau = 0.05 times the control's mean.
    """
    spread = PRIOR_DEVIATION * abs(control_mean) if tau is None else tau
    return weight(spread**2, variance) if variance > 0 else 1.0
