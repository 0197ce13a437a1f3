"""The frequentist engine: one look, Holm across treatments, Fieller's lift; CUPED beside it where it was counted."""

from collections.abc import Mapping, Sequence

from abtest.domain.stats.comparisons import Comparison, compare_mean_pairs, compare_rate_pairs
from abtest.domain.stats.cuped import CovariateSums, Cuped, cuped
from abtest.services.results.compared import AdjustedComparison, Compared
from abtest.services.results.comparing import Reading


def compare(readings: Sequence[Reading]) -> list[Compared | None]:
    """Each pair of each reading of one goal, corrected together."""
    question = readings[0].question
    alpha, correction = question.alpha, question.correction
    pairs = [(reading, *pair) for reading in readings for pair in reading.pairs()]
    if readings[0].is_rate:
        rates = [(reading.rate(control), reading.rate(treatment)) for reading, control, treatment in pairs]
        found = compare_rate_pairs(rates, alpha=alpha, correction=correction)
        return [one and _compared(one) for one in found]
    samples = [(reading.sample(control), reading.sample(treatment)) for reading, control, treatment in pairs]
    found = compare_mean_pairs(samples, alpha=alpha, correction=correction)
    adjusted = _adjusted(readings[0]) if len(readings) == 1 else {}
    return [
        one and _compared(one, adjusted.get(treatment.id)) for one, (_, _, treatment) in zip(found, pairs, strict=True)
    ]


def _compared(found: Comparison, adjusted: AdjustedComparison | None = None) -> Compared:
    return Compared(
        difference=found.difference,
        difference_interval=found.difference_interval,
        lift=found.lift,
        lift_interval=found.lift_interval,
        p_value=found.p_value,
        adjusted_p_value=found.adjusted_p_value,
        is_significant=found.is_significant,
        adjusted=adjusted,
    )


def _adjusted(reading: Reading) -> Mapping[str, AdjustedComparison]:
    """By treatment; empty where the measure before exposure was not counted."""
    question, pairs = reading.question, reading.pairs()
    arms = [variation for variation in question.variations if reading.visitors(variation)]
    sums = [_sums(reading, variation.id) for variation in arms]
    told = [one for one in sums if one is not None]
    if not pairs or len(told) < len(sums):
        return {}
    without = cuped(told)
    samples = {arm.id: sample.scaled(1 / reading.unit) for arm, sample in zip(arms, without.samples, strict=True)}
    compared = [pair for pair in pairs if all(arm.id in samples for arm in pair)]
    found = compare_mean_pairs(
        [(samples[control.id], samples[treatment.id]) for control, treatment in compared],
        alpha=question.alpha,
        correction=question.correction,
    )
    return {
        treatment.id: _told(one, without)
        for (_, treatment), one in zip(compared, found, strict=True)
        if one is not None
    }


def _sums(reading: Reading, variation_id: str) -> CovariateSums | None:
    before = reading.tally.covariate(reading.goal.id, variation_id)
    if before is None:
        return None
    count, visitors = reading.tally.goal(reading.goal.id, variation_id), reading.tally.visitors[variation_id]
    return CovariateSums(
        n=visitors, y=count.total, yy=count.squares, x=before.total, xx=before.squares, xy=before.products
    )


def _told(found: Comparison, without: Cuped) -> AdjustedComparison:
    return AdjustedComparison(
        lift=found.lift,
        lift_interval=found.lift_interval,
        difference=found.difference,
        difference_interval=found.difference_interval,
        p_value=found.p_value,
        adjusted_p_value=found.adjusted_p_value,
        is_significant=found.is_significant,
        variance_reduction=without.variance_reduction,
    )
