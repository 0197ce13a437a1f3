"""What may be said of a treatment, in words: that there is too little data, or on which side it is, or neither."""

from dataclasses import dataclass

from abtest.contract.results import RowState
from abtest.domain.experiments.model import Variation
from abtest.services.results.compared import Compared
from abtest.services.results.comparing import Reading

VERDICTS: frozenset[RowState] = frozenset({"undecided", "better", "worse", "contradictory", "no_variance"})


@dataclass(frozen=True, slots=True)
class Saying:
    """A state, and the same in words."""

    state: RowState
    message: str

    @property
    def is_verdict(self) -> bool:
        """Whether there is enough data to say yes or no."""
        return self.state in VERDICTS


def saying(reading: Reading, variation: Variation, found: Compared | None) -> Saying:
    """Of one row."""
    control = reading.question.control
    if variation is control:
        return Saying("baseline", "what the others are compared with")
    if reading.problem:
        return Saying("not_counted_yet", "the goal is newer than the last count; its numbers come with the next")
    if control is None:
        return Saying("no_control", "no variation in use is the control, so nothing can be compared")
    if variation.weight <= 0:
        return Saying("no_traffic", f"{variation.name} gets no traffic, so it is not compared")
    return _too_little(reading, control, variation) or _verdict(reading, control, variation, found)


def _too_little(reading: Reading, control: Variation, treatment: Variation) -> Saying | None:
    minimum, arms = reading.question.minimum, (control, treatment)
    visitors = {arm.name: reading.visitors(arm) for arm in arms}
    converted = {arm.name: reading.count(arm).converters for arm in arms}
    if not all(visitors.values()):
        return Saying("no_visitors", f"nobody has seen {_names(visitors)} yet")
    if min(visitors.values()) < minimum.visitors:
        return Saying("too_few_visitors", f"too few visitors yet: {_short(visitors, minimum.visitors)}")
    if not all(converted.values()):
        return Saying("no_conversions", f"nobody has converted yet in {_names(converted)}")
    if min(converted.values()) < minimum.conversions:
        return Saying("too_few_conversions", f"too few conversions yet: {_short(converted, minimum.conversions)}")
    return None


def _names(numbers: dict[str, int]) -> str:
    return " or ".join(name for name, number in numbers.items() if not number)


def _short(numbers: dict[str, int], needed: int) -> str:
    """`12 of 25 in Variant B`."""
    return ", ".join(f"{number:,} of {needed:,} in {name}" for name, number in numbers.items() if number < needed)


def _verdict(reading: Reading, control: Variation, treatment: Variation, found: Compared | None) -> Saying:
    if found is None or (found.difference_interval is None and found.difference == 0):
        return Saying("no_variance", f"every visitor of {control.name} and {treatment.name} did the same")
    if found.is_contradicted:
        return Saying(
            "contradictory",
            "an earlier look was sure of a difference in the other direction: find out what changed meanwhile",
        )
    if found.probability is not None:
        return Saying("estimated", f"better than {control.name} with a probability of {_percent(found.probability)}")
    if not found.is_significant:
        return Saying("undecided", "no significant difference so far")
    is_better = (found.difference > 0) != (reading.goal.direction == "decrease")
    return Saying("better" if is_better else "worse", _sure("better" if is_better else "worse", found))


def _sure(side: str, found: Compared) -> str:
    if found.lift is None:
        return f"significantly {side}"
    within = found.lift_interval
    ends = f", between {within.lower:+.1%} and {within.upper:+.1%}" if within else ""
    return f"significantly {side}: {found.lift:+.1%}{ends}"


def _percent(share: float) -> str:
    """Never certain: what rounds to 0 or 100 is told as beyond."""
    if share > 0.999:
        return "more than 99.9%"
    return "less than 0.1%" if share < 0.001 else f"{share:.1%}"
