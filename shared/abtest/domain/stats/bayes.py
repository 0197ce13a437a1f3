"""The Bayesian engine: the probability that a treatment beats its control, and the expected loss of choosing it.

Priors are weak and fixed. Rates: Beta(1, 1) for each arm, worth two visitors. Means: the difference is
N(0, s_c² + s_t²), worth one visitor an arm (Kass, Wasserman, JASA 90 (1995) 928-934). No look is corrected for: these
are statements about the posterior, not error rates.
"""

from dataclasses import dataclass
from math import sqrt

import numpy as np
from scipy.special import ndtr

from abtest.domain.stats.arithmetic import FLOATS
from abtest.domain.stats.beta_pairs import beat_and_loss, compared_on_lattice, difference_quantile
from abtest.domain.stats.formulas import normal_loss, unit_information
from abtest.domain.stats.quantiles import upper_normal
from abtest.domain.stats.samples import Conversions, Interval, Sample


@dataclass(frozen=True, slots=True, kw_only=True)
class BetaPrior:
    """Prior of one arm's rate: as if a conversions among a + b visitors had been seen before."""

    a: float = 1.0
    b: float = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class BayesianComparison:
    """Posterior of treatment - control: its mean and central interval, absolute.

    `probability_to_beat_control` = P(treatment > control). `expected_loss` = E[max(control - treatment, 0)], the
    loss per visitor over the posterior by choosing the treatment; `expected_loss_of_control` is that of the control.
    """

    difference: float
    interval: Interval
    probability_to_beat_control: float
    expected_loss: float
    expected_loss_of_control: float


WEAK = BetaPrior()


def bayesian_rates(
    control: Conversions, treatment: Conversions, *, alpha: float, prior: BetaPrior = WEAK
) -> BayesianComparison | None:
    """Compare two rates under the Beta-Binomial model; None when an arm has no visitors.

    The interval has probability 1 - alpha. With many of both outcomes, all is computed on a lattice of rates. Otherwise
    integrals over the narrower posterior use the trapezoidal rule in log odds, which converges exponentially, to 1e-9
    and better. Raises ValueError for a prior that is not positive.
    """
    if control.visitors <= 0 or treatment.visitors <= 0:
        return None
    if not (prior.a > 0 and prior.b > 0):
        raise ValueError("the prior must be positive")
    a_c, b_c = prior.a + control.conversions, prior.b + (control.visitors - control.conversions)
    a_t, b_t = prior.a + treatment.conversions, prior.b + (treatment.visitors - treatment.conversions)
    posteriors = (float(a_c), float(b_c), float(a_t), float(b_t))
    on_lattice = compared_on_lattice(*posteriors, alpha)
    if on_lattice is None:
        interval = Interval(*(difference_quantile(*posteriors, level) for level in (alpha / 2, 1 - alpha / 2)))
    else:
        interval = Interval(on_lattice.lower, on_lattice.upper)
    if on_lattice is None or on_lattice.pair is None:
        pair = beat_and_loss(*(np.array([value]) for value in posteriors))
        beat, loss, loss_of_control = (float(value[0]) for value in pair)
    else:
        beat, loss, loss_of_control = on_lattice.pair
    return BayesianComparison(
        difference=a_t / (a_t + b_t) - a_c / (a_c + b_c),
        interval=interval,
        probability_to_beat_control=beat,
        expected_loss=loss,
        expected_loss_of_control=loss_of_control,
    )


def bayesian_means(control: Sample, treatment: Sample, *, alpha: float) -> BayesianComparison | None:
    """Compare two means under the normal model; the interval has probability 1 - alpha.

    None when an arm has fewer than two visitors or no value varies.
    """
    if control.n < 2 or treatment.n < 2:
        return None
    noise = control.variance / control.n + treatment.variance / treatment.n
    if noise <= 0:
        return None
    trust = unit_information(noise, control.variance + treatment.variance)
    mean, sd = trust * (treatment.mean - control.mean), sqrt(trust * noise)
    margin = upper_normal(alpha / 2) * sd
    return BayesianComparison(
        difference=mean,
        interval=Interval(mean - margin, mean + margin),
        probability_to_beat_control=float(ndtr(mean / sd)),
        expected_loss=float(normal_loss(FLOATS, mean, sd)),
        expected_loss_of_control=float(normal_loss(FLOATS, -mean, sd)),
    )
