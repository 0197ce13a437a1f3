"""The frequentist engine: one look, Holm across treatments, intervals that agree, CUPED where it was counted."""

from collections.abc import Mapping, Sequence

from abtest.domain.stats.comparisons import compare_mean_pairs, compare_rate_pairs
from abtest.services.results.adjustment import adjusted_arms
from abtest.services.results.comparison import AdjustedComparison, TreatmentComparison
from abtest.services.results.question import Reading


def compare(readings: Sequence[Reading]) -> list[TreatmentComparison | None]:
    """Compare each pair of each reading of one goal, corrected together."""
    question = readings[0].question
    alpha, correction = question.alpha, question.correction
    pairs = [(reading, *pair) for reading in readings for pair in reading.pairs()]
    adjusted: Mapping[str, AdjustedComparison] = {}
    if readings[0].is_rate:
        rates = [(reading.rate(control), reading.rate(treatment)) for reading, control, treatment in pairs]
        comparisons = compare_rate_pairs(rates, alpha=alpha, correction=correction)
    else:
        samples = [(reading.sample(control), reading.sample(treatment)) for reading, control, treatment in pairs]
        comparisons = compare_mean_pairs(samples, alpha=alpha, correction=correction)
        # The covariate is counted for all visitors only; several readings are segments.
        adjusted = compare_adjusted(readings[0]) if len(readings) == 1 else {}
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
            adjusted=adjusted.get(treatment.id),
        )
        for comparison, (_, _, treatment) in zip(comparisons, pairs, strict=True)
    ]


def compare_adjusted(reading: Reading) -> Mapping[str, AdjustedComparison]:
    """Return CUPED comparisons by treatment; empty where the covariate was not counted."""
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
