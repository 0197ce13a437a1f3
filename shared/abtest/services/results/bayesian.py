"""The Bayesian engine: posteriors from the weak priors of `domain.stats.bayes`. Nothing is corrected."""

from collections.abc import Sequence
from functools import lru_cache

from abtest.domain.experiments.model import Variation
from abtest.domain.stats.bayes import WEAK, BayesianComparison, bayesian_means, bayesian_rates
from abtest.domain.stats.formulas import unit_information
from abtest.domain.stats.quantiles import upper_normal
from abtest.domain.stats.relative_lift import fieller_interval
from abtest.domain.stats.samples import Conversions, Interval, Sample
from abtest.services.results.comparison import TreatmentComparison
from abtest.services.results.question import Reading


@lru_cache(maxsize=4096)
def _rates(control: Conversions, treatment: Conversions, alpha: float) -> BayesianComparison | None:
    """Compare rates. The integrals take milliseconds and are the same for every reading of a generation."""
    return bayesian_rates(control, treatment, alpha=alpha)


def forget() -> None:
    """Clear the cache of comparisons, as a new process has it."""
    _rates.cache_clear()


def compare(readings: Sequence[Reading]) -> list[TreatmentComparison | None]:
    """Compare each pair of each reading on its own."""
    return [compare_pair(reading, *pair) for reading in readings for pair in reading.pairs()]


def compare_pair(reading: Reading, control: Variation, treatment: Variation) -> TreatmentComparison | None:
    """Compare a treatment with the control; None where there is too little data for a posterior."""
    alpha = reading.question.alpha
    if reading.is_rate:
        rates = reading.rate(control), reading.rate(treatment)
        posterior, arms = _rates(*rates, alpha), (posterior_sample(rates[0]), posterior_sample(rates[1]))
    else:
        means = reading.sample(control), reading.sample(treatment)
        posterior, arms = bayesian_means(*means, alpha=alpha), means
    if posterior is None:
        return None
    chance, falls = posterior.probability_to_beat_control, reading.goal.direction == "decrease"
    lift, interval = lift_of(posterior, *arms, alpha, is_rate=reading.is_rate)
    return TreatmentComparison(
        difference=posterior.difference,
        difference_interval=posterior.interval,
        lift=lift,
        lift_interval=interval,
        probability=1 - chance if falls else chance,
        expected_loss=posterior.expected_loss_of_control if falls else posterior.expected_loss,
    )


def posterior_sample(rate: Conversions) -> Sample:
    """Return the sample whose variance divided by n is the variance of the rate's posterior."""
    a, b = WEAK.a + rate.conversions, WEAK.b + (rate.visitors - rate.conversions)
    mean = a / (a + b)
    return Sample(n=rate.visitors, mean=mean, variance=rate.visitors * mean * (1 - mean) / (a + b + 1))


def lift_of(
    posterior: BayesianComparison, control: Sample, treatment: Sample, alpha: float, *, is_rate: bool
) -> tuple[float | None, Interval | None]:
    """Return treatment / control - 1 with Fieller's interval at the normal quantile; None for a control of zero.

    The posterior is taken as normal.
    """
    if control.mean == 0:
        return None, None
    lift = posterior.difference / control.mean
    noise_control, noise_treatment = control.variance / control.n, treatment.variance / treatment.n
    trust = 1.0
    # The posterior of rates includes its prior; the prior of means is worth one visitor an arm.
    if not is_rate:
        trust = unit_information(noise_control + noise_treatment, control.variance + treatment.variance)
    noises = trust * noise_control, trust * noise_treatment
    return lift, fieller_interval(lift, control.mean, *noises, upper_normal(alpha / 2))
