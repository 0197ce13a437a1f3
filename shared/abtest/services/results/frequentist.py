"""The frequentist engine: one look, Holm across treatments, intervals that agree, CUPED where it was counted."""

from collections.abc import Mapping, Sequence

from abtest.domain.stats.comparisons import compare_mean_pairs, compare_rate_pairs
from abtest.domain.stats.cuped import CovariateSums, cuped
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
    question, pairs = reading.question, reading.pairs()
    arms = [variation for variation in question.variations if reading.visitors(variation)]
    sums = [each for arm in arms if (each := covariate_sums(reading, arm.id)) is not None]
    # One theta is estimated from all arms, so an arm without its covariate leaves none adjusted.
    if not pairs or len(sums) < len(arms):
        return {}
    adjustment = cuped(sums)
    samples = {arm.id: sample.scaled(1 / reading.unit) for arm, sample in zip(arms, adjustment.samples, strict=True)}
    compared = [pair for pair in pairs if all(arm.id in samples for arm in pair)]
    comparisons = compare_mean_pairs(
        [(samples[control.id], samples[treatment.id]) for control, treatment in compared],
        alpha=question.alpha,
        correction=question.correction,
    )
    return {
        treatment.id: AdjustedComparison(
            lift=comparison.lift,
            lift_interval=comparison.lift_interval,
            difference=comparison.difference,
            difference_interval=comparison.difference_interval,
            p_value=comparison.p_value,
            adjusted_p_value=comparison.adjusted_p_value,
            is_significant=comparison.is_significant,
            variance_reduction=adjustment.variance_reduction,
        )
        for (_, treatment), comparison in zip(compared, comparisons, strict=True)
        if comparison is not None
    }


def covariate_sums(reading: Reading, variation_id: str) -> CovariateSums | None:
    """Return the sums of a variation's goal and covariate in stored units; None where the covariate was not counted."""
    before = reading.counts.covariate(reading.goal.id, variation_id)
    if before is None:
        return None
    count, visitors = reading.counts.goal(reading.goal.id, variation_id), reading.counts.visitors[variation_id]
    return CovariateSums(
        n=visitors, y=count.total, yy=count.squares, x=before.total, xx=before.squares, xy=before.products
    )
