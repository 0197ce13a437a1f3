"""The sequential engine with adjusted estimates: next to the plain ones, or deciding where the plan chose them."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from abtest.services.results import sequential
from abtest.services.results.adjustment import AdjustedArms, adjusted_arms, adjustment_decides
from abtest.services.results.comparison import AdjustedComparison, TreatmentComparison
from abtest.services.results.question import Reading

NO_ARMS = AdjustedArms(pairs={}, variance_reduction=0.0)


def compare(readings: Sequence[Reading]) -> list[TreatmentComparison | None]:
    """Compare each pair of each reading, corrected together.

    Main figures are plain. Where the adjusted estimate of a goal decides, the correction is over the estimates that
    decide, and significance is theirs.
    """
    question, counted = readings[0].question, Counter(reading.goal.id for reading in readings)
    # Several readings of one goal are segments, in which the time before exposures is not counted.
    whole = [reading for reading in readings if counted[reading.goal.id] == 1]
    adjusted = {reading.goal.id: arms for reading in whole if (arms := adjusted_arms(reading))}
    deciding = {reading.goal.id for reading in whole if adjustment_decides(reading)}
    pairs = [pair for reading in readings for pair in sequential.pairs_of(reading)]
    plain = verdicts = sequential.compare_pairs(pairs, question)
    if deciding:
        chosen = [
            pair
            for reading in readings
            for pair in sequential.pairs_of(
                reading, adjusted.get(reading.goal.id, NO_ARMS) if reading.goal.id in deciding else None
            )
        ]
        verdicts = sequential.compare_pairs(chosen, question)
    rows, place = [], 0
    for reading in readings:
        goal_id, number = reading.goal.id, len(reading.pairs())
        part = slice(place, place + number)
        place += number
        if goal_id in deciding:
            reduction = adjusted.get(goal_id, NO_ARMS).variance_reduction
            rows += [decided(*each, reduction) for each in zip(plain[part], verdicts[part], strict=True)]
        elif goal_id in adjusted:
            others = sequential.compare_pairs(sequential.pairs_of(reading, adjusted[goal_id]), question)
            reduction = adjusted[goal_id].variance_reduction
            rows += [with_adjusted(*each, reduction) for each in zip(verdicts[part], others, strict=True)]
        else:
            rows += verdicts[part]
    return rows


def decided(
    plain: TreatmentComparison | None, adjusted: TreatmentComparison | None, reduction: float
) -> TreatmentComparison | None:
    """Return the plain figures with the verdict of the adjusted ones; nothing is significant where those lack."""
    if plain is None:
        return None
    if adjusted is None:
        return replace(plain, is_significant=False, is_contradicted=False)
    return replace(
        plain,
        adjusted=shown(adjusted, reduction, decides=True),
        is_significant=adjusted.is_significant,
        is_contradicted=adjusted.is_contradicted,
    )


def with_adjusted(
    plain: TreatmentComparison | None, adjusted: TreatmentComparison | None, reduction: float
) -> TreatmentComparison | None:
    """Return the plain comparison with the adjusted one next to it."""
    if plain is None or adjusted is None:
        return plain
    return replace(plain, adjusted=shown(adjusted, reduction, decides=False))


def shown(adjusted: TreatmentComparison, reduction: float, *, decides: bool) -> AdjustedComparison:
    """Return the figures of an adjusted comparison."""
    return AdjustedComparison(
        lift=adjusted.lift,
        lift_interval=adjusted.lift_interval,
        difference=adjusted.difference,
        difference_interval=adjusted.difference_interval,
        p_value=1.0 if adjusted.p_value is None else adjusted.p_value,
        adjusted_p_value=1.0 if adjusted.adjusted_p_value is None else adjusted.adjusted_p_value,
        always_valid_p=adjusted.always_valid_p,
        is_significant=bool(adjusted.is_significant),
        variance_reduction=reduction,
        decides=decides,
    )
