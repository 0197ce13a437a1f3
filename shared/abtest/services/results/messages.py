"""State of a treatment in words: too little data, better, worse, or no decision yet."""

from collections.abc import Mapping
from dataclasses import dataclass

from abtest.contract.results import RowState
from abtest.domain.experiments.model import Variation
from abtest.services.results.comparison import TreatmentComparison
from abtest.services.results.group_sequential import no_look_message
from abtest.services.results.question import Reading

ADJUSTED = "adjusted for what visitors did in the 14 days before"
VERDICTS: frozenset[RowState] = frozenset({"undecided", "better", "worse", "contradictory", "no_variance"})


@dataclass(frozen=True, slots=True)
class StateMessage:
    """State of a row, and its message."""

    state: RowState
    message: str

    @property
    def is_verdict(self) -> bool:
        """True if there is enough data for a yes or a no."""
        return self.state in VERDICTS


def state_message(reading: Reading, variation: Variation, comparison: TreatmentComparison | None) -> StateMessage:
    """Return the state of one variation, and the sentence for it."""
    control = reading.question.control
    if variation is control:
        return StateMessage("baseline", "what the others are compared with")
    if reading.problem:
        return StateMessage("not_counted_yet", "the goal is newer than the last count; its numbers come with the next")
    if control is None:
        return StateMessage("no_control", "no variation in use is the control, so nothing can be compared")
    if variation.weight <= 0:
        return StateMessage("no_traffic", f"{variation.name} gets no traffic, so it is not compared")
    return missing_data(reading, control, variation) or _comparison_message(reading, control, variation, comparison)


def missing_data(reading: Reading, control: Variation, treatment: Variation) -> StateMessage | None:
    """Return which of the two arms has too little data, such as `12 of 25 in Variant B`; None when both have enough."""
    minimum, arms = reading.question.minimum, (control, treatment)
    visitors = {arm.name: reading.visitors(arm) for arm in arms}
    converted = {arm.name: reading.count(arm).converters for arm in arms}

    def empty(numbers: Mapping[str, int]) -> str:
        return " or ".join(name for name, number in numbers.items() if not number)

    def short(numbers: Mapping[str, int], needed: int) -> str:
        return ", ".join(f"{number:,} of {needed:,} in {name}" for name, number in numbers.items() if number < needed)

    if not all(visitors.values()):
        return StateMessage("no_visitors", f"no visitor has seen {empty(visitors)} yet")
    if min(visitors.values()) < minimum.visitors:
        return StateMessage("too_few_visitors", f"too few visitors yet: {short(visitors, minimum.visitors)}")
    if reading.goal.is_ratio and (zero := [arm.name for arm in arms if not reading.ratio_sums(arm).x]):
        counted = "items" if reading.goal.denominator == "items" else "events"
        message = f"the denominator is zero in {' and '.join(zero)}: no {counted} were counted, so there is no ratio"
        return StateMessage("zero_denominator", message)
    if not all(converted.values()):
        return StateMessage("no_conversions", f"no visitor has converted yet in {empty(converted)}")
    if min(converted.values()) < minimum.conversions:
        return StateMessage("too_few_conversions", f"too few conversions yet: {short(converted, minimum.conversions)}")
    return None


def _comparison_message(
    reading: Reading, control: Variation, treatment: Variation, comparison: TreatmentComparison | None
) -> StateMessage:
    if comparison is None and reading.engine == "group_sequential":
        return StateMessage("no_look", no_look_message(reading, treatment.id))
    if comparison is None or (comparison.difference_interval is None and comparison.difference == 0):
        return StateMessage("no_variance", f"every visitor of {control.name} and {treatment.name} did the same")
    if comparison.is_contradicted:
        return StateMessage(
            "contradictory",
            "an earlier look was sure of a difference in the other direction: find out what changed meanwhile",
        )
    if comparison.probability is not None:
        chance = probability_text(comparison.probability)
        return StateMessage("estimated", f"better than {control.name} with a probability of {chance}")
    adjusted = comparison.adjusted if comparison.adjusted and comparison.adjusted.decides else None
    note = f", {ADJUSTED}" if adjusted or comparison.is_adjusted else ""
    if not comparison.is_significant:
        return StateMessage("undecided", f"{comparison.note}{note}")
    deciding = adjusted or comparison
    is_better = (deciding.difference > 0) != (reading.goal.direction == "decrease")
    message = f"significantly {'better' if is_better else 'worse'}"
    if deciding.lift is not None:
        within = deciding.lift_interval
        ends = f", between {within.lower:+.1%} and {within.upper:+.1%}" if within else ""
        message += f": {deciding.lift:+.1%}{ends}"
    message += note
    return StateMessage("better" if is_better else "worse", message)


def probability_text(probability: float) -> str:
    """Return a probability in percent. Values that round to 0 or 100 become `less than` or `more than`."""
    if probability > 0.999:
        return "more than 99.9%"
    return "less than 0.1%" if probability < 0.001 else f"{probability:.1%}"
