"""The frequentist engine: one look, corrected over a family, intervals that agree, CUPED where it was counted."""

from collections import Counter
from collections.abc import Mapping, Sequence

from abtest.domain.experiments.model import Variation
from abtest.domain.stats.comparisons import Pair, compare_mean_pairs, compare_pairs
from abtest.services.results.adjustment import adjusted_arms
from abtest.services.results.comparison import AdjustedComparison, TreatmentComparison
from abtest.services.results.question import Reading


def compare(readings: Sequence[Reading]) -> list[TreatmentComparison | None]:
    """Compare each pair of each reading, corrected together."""
    question = readings[0].question
    pairs = [(reading, *pair) for reading in readings for pair in reading.pairs()]
    arms = [arms_of(*each) for each in pairs]
    comparisons = compare_pairs(arms, alpha=question.alpha, correction=question.correction)
    # The covariate is counted for all visitors only; several readings of a goal are segments.
    counted = Counter(reading.goal.id for reading in readings)
    adjusted = {
        reading.goal.id: compare_adjusted(reading)
        for reading in readings
        if counted[reading.goal.id] == 1 and not reading.is_rate
    }
    return [
        comparison
        and TreatmentComparison(
            difference=comparison.difference,
            difference_interval=comparison.difference_interval,
            lift=comparison.lift,
            lift_interval=comparison.lift_interval,
            p_value=comparison.p_value,
            adjusted_p_value=comparison.adjusted_p_value,
            is_significant=comparison.is_significant,
            adjusted=adjusted.get(reading.goal.id, {}).get(treatment.id),
        )
        for comparison, (reading, _, treatment) in zip(comparisons, pairs, strict=True)
    ]


def arms_of(reading: Reading, control: Variation, treatment: Variation) -> Pair:
    """Return the two arms as the goal compares them: rates or means."""
    if reading.is_rate:
        return reading.rate(control), reading.rate(treatment)
    return reading.sample(control), reading.sample(treatment)


def compare_adjusted(reading: Reading) -> Mapping[str, AdjustedComparison]:
    """Return CUPED comparisons by treatment, corrected over the treatments of the goal.

    Empty where the covariate was not counted.
    """
    question, arms = reading.question, adjusted_arms(reading, is_read_once=True)
    if arms is None or not arms.pairs:
        return {}
    comparisons = compare_mean_pairs(list(arms.pairs.values()), alpha=question.alpha, correction=question.correction)
    return {
        treatment_id: AdjustedComparison(
            lift=comparison.lift,
            lift_interval=comparison.lift_interval,
            difference=comparison.difference,
            difference_interval=comparison.difference_interval,
            p_value=comparison.p_value,
            adjusted_p_value=comparison.adjusted_p_value,
            is_significant=comparison.is_significant,
            variance_reduction=arms.variance_reduction,
        )
        for treatment_id, comparison in zip(arms.pairs, comparisons, strict=True)
        if comparison is not None
    }
