"""The Bayesian engine: posteriors from weak priors, which are stated in `domain.stats.bayes`. Nothing is corrected."""

from collections.abc import Sequence
from functools import lru_cache

from abtest.domain.experiments.model import Variation
from abtest.domain.stats.bayes import WEAK, BayesianComparison, bayesian_means, bayesian_rates
from abtest.domain.stats.formulas import unit_information
from abtest.domain.stats.quantiles import upper_normal
from abtest.domain.stats.relative_lift import fieller_interval
from abtest.domain.stats.samples import Conversions, Interval, Sample
from abtest.services.results.compared import Compared
from abtest.services.results.comparing import Reading


@lru_cache(maxsize=4096)
def _rates(control: Conversions, treatment: Conversions, alpha: float) -> BayesianComparison | None:
    """Some milliseconds of integrals, the same for every reading of a generation."""
    return bayesian_rates(control, treatment, alpha=alpha)


def compare(readings: Sequence[Reading]) -> list[Compared | None]:
    """Each pair of each reading of one goal, each for itself."""
    return [_compared(reading, *pair) for reading in readings for pair in reading.pairs()]


def _compared(reading: Reading, control: Variation, treatment: Variation) -> Compared | None:
    alpha = reading.question.alpha
    if reading.is_rate:
        rates = reading.rate(control), reading.rate(treatment)
        found, arms = _rates(*rates, alpha), (_posterior(rates[0]), _posterior(rates[1]))
    else:
        means = reading.sample(control), reading.sample(treatment)
        found, arms = bayesian_means(*means, alpha=alpha), means
    if found is None:
        return None
    falls = reading.goal.direction == "decrease"
    lift, interval = _lift(reading, found, *arms, alpha)
    return Compared(
        difference=found.difference,
        difference_interval=found.interval,
        lift=lift,
        lift_interval=interval,
        probability=1 - found.probability_to_beat_control if falls else found.probability_to_beat_control,
        expected_loss=found.expected_loss_of_control if falls else found.expected_loss,
    )


def _posterior(rate: Conversions) -> Sample:
    """Of one visitor, so that its variance divided by n is the posterior's of the rate."""
    a, b = WEAK.a + rate.conversions, WEAK.b + (rate.visitors - rate.conversions)
    mean = a / (a + b)
    return Sample(n=rate.visitors, mean=mean, variance=rate.visitors * mean * (1 - mean) / (a + b + 1))


def _lift(
    reading: Reading, found: BayesianComparison, control: Sample, treatment: Sample, alpha: float
) -> tuple[float | None, Interval | None]:
    """Where the posterior, normal for this, puts treatment / control - 1: Fieller's interval at the normal quantile."""
    if control.mean == 0:
        return None, None
    lift = found.difference / control.mean
    noise_control, noise_treatment = control.variance / control.n, treatment.variance / treatment.n
    trust = (
        1.0
        if reading.is_rate
        else unit_information(noise_control + noise_treatment, control.variance + treatment.variance)
    )
    noises = trust * noise_control, trust * noise_treatment
    return lift, fieller_interval(lift, control.mean, *noises, upper_normal(alpha / 2))
