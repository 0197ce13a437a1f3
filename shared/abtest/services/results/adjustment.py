"""Arms of a goal adjusted for the time before exposures (CUPED), and whether the adjusted estimate decides.

The plan chooses it. The first look of a measurement freezes it for each goal, because a test that changes its estimator
after looks would not be valid at all of them together.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from abtest.domain.autostop.looks import kept
from abtest.domain.autostop.planned_looks import are_adjusted
from abtest.domain.goals.definition import definition_digest
from abtest.domain.stats.cuped import CovariateSums, cuped
from abtest.domain.stats.samples import Sample
from abtest.services.results.question import Reading
from abtest.services.results.stored_looks import begun_looks

AdjustmentStatus = Literal["decides", "missing", "not_counted", "not_from_the_first_look", "other_engine", "restricted"]

MESSAGES: Mapping[AdjustmentStatus, str] = {
    "decides": "The plan adjusts for the time before: significance, state and message of the rows are those of the "
    "adjusted figures in `cuped`.",
    "missing": "The adjusted figures decide, and the time before exposures is not counted in this roll-up: nothing is "
    "called significant until the next count.",
    "not_counted": "The plan adjusts for the time before, but it is not counted for this goal, so the plain figures "
    "decide. It is counted for money, for sums and averages, for goals that count every hit and compare their number, "
    "and for goals that count a visitor once; and only in a measurement that began with a launch or a restart.",
    "not_from_the_first_look": "The plan adjusts for the time before, but it was not counted at the first look. A "
    "measurement keeps its estimate, so the plain figures decide.",
    "other_engine": "The plan adjusts decisions at any look and at planned looks; the plain figures decide in this "
    "engine.",
    "restricted": "The plan adjusts for the time before, which is not counted for a part of the visitors or for chosen "
    "weekdays: the plain figures decide here.",
}

DECIDES_AT_LOOKS = (
    "The plan adjusts for the time before: differences, lifts, intervals and p-values are those of planned looks at "
    "adjusted rates. Visitors, conversions and rates of the rows are plain."
)
"""Message of `decides` where the figures are of planned looks."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AdjustedArms:
    """Control and treatment by the treatment's id, in displayed units. `variance_reduction` is 0 to 1."""

    pairs: Mapping[str, tuple[Sample, Sample]]
    variance_reduction: float


def adjusted_arms(reading: Reading, *, is_read_once: bool = False) -> AdjustedArms | None:
    """Return the adjusted arms of each treatment with visitors; None where the time before was not counted.

    `is_read_once`: the arms as a test of one look takes them, else those of `Cuped.pair`.
    """
    arms = [variation for variation in reading.question.variations if reading.visitors(variation)]
    sums = [each for arm in arms if (each := covariate_sums(reading, arm.id)) is not None]
    # Before the first visitor, the counts show by their zeros that the time before is counted.
    known = [reading.counts.covariate(reading.goal.id, arm.id) is not None for arm in reading.question.variations]
    # One theta is estimated from all arms, so an arm without its covariate leaves none adjusted.
    if reading.problem or not any(known) or len(sums) < len(arms):
        return None
    places, adjustment = {arm.id: place for place, arm in enumerate(arms)}, cuped(sums)
    samples = adjustment.samples

    def pair(control: int, treatment: int) -> tuple[Sample, Sample]:
        if is_read_once:
            return samples[control], samples[treatment]
        return adjustment.pair(control, treatment, is_rate=reading.is_rate)

    pairs = {
        treatment.id: pair(places[control.id], places[treatment.id])
        for control, treatment in reading.pairs()
        if {control.id, treatment.id} <= places.keys()
    }
    return AdjustedArms(
        pairs={
            arm: (control.scaled(1 / reading.unit), other.scaled(1 / reading.unit))
            for arm, (control, other) in pairs.items()
        },
        variance_reduction=adjustment.variance_reduction,
    )


def covariate_sums(reading: Reading, variation_id: str) -> CovariateSums | None:
    """Return the sums of a variation's goal, capped like the main figure, and of its covariate; in stored units.

    None where the covariate was not counted.
    """
    before, caps = reading.counts.covariate(reading.goal.id, variation_id), reading.caps
    count, visitors = reading.counts.goal(reading.goal.id, variation_id), reading.counts.visitors[variation_id]
    # The sums of a rate are of visitors; those of hits, counted before an edit of the goal, are not.
    if before is None or (reading.is_rate and count.total != count.converters):
        return None
    products = before.products
    if caps.applied:
        if caps.excess is None:
            return None
        count, products = caps.counts.get(variation_id, count), products - caps.excess.get(variation_id, 0)
    return CovariateSums(n=visitors, y=count.total, yy=count.squares, x=before.total, xx=before.squares, xy=products)


def is_adjustment_chosen(reading: Reading) -> bool:
    """Return whether the frozen plan adjusts decisions for the time before."""
    return reading.question.experiment.planned_adjustment == "cuped"


def adjustment_decides(reading: Reading) -> bool:
    """Return whether the adjusted estimate decides at every look: as the first look froze it, else as it would now."""
    question, goal = reading.question, reading.goal
    source = definition_digest(goal, question.currency, question.experiment.results_weekdays)
    before = kept(question.looks, goal.id, source)
    if before is not None:
        return "adjusted" in before
    return is_adjustment_chosen(reading) and adjusted_arms(reading) is not None


def adjustment_status(reading: Reading) -> AdjustmentStatus | None:
    """Return what the plan's adjustment does in these figures; None without one."""
    if reading.problem or not is_adjustment_chosen(reading):
        return None
    engine = reading.engine
    if engine not in ("sequential", "group_sequential"):
        return "other_engine"
    if engine == "group_sequential":
        return _status_at_looks(reading)
    if adjustment_decides(reading):
        return "decides" if adjusted_arms(reading) else "missing"
    # Without steps of totals, the counts are of a part of the visitors.
    if reading.counts.spread is None:
        return "restricted"
    return "not_from_the_first_look" if adjusted_arms(reading) else "not_counted"


def adjustment_message(reading: Reading, status: AdjustmentStatus) -> str:
    """Return a status of these figures in words."""
    is_at_looks = status == "decides" and reading.engine == "group_sequential"
    return DECIDES_AT_LOOKS if is_at_looks else MESSAGES[status]


def _status_at_looks(reading: Reading) -> AdjustmentStatus:
    # Figures are those of the stored looks, so it does not matter to them whether this roll-up has the time before.
    looks, is_counted = begun_looks(reading.question), adjusted_arms(reading) is not None
    if are_adjusted(looks) if looks is not None else is_counted:
        return "decides"
    return "not_from_the_first_look" if is_counted else "not_counted"
