"""Changes during a test: counts by the hour of the visitors' first exposure, tested for every moment of a change.

It needs no memory: all of it follows from the counts as they are now, so looks may be missed or repeated, and counts
may be corrected. An earlier look's evidence is not kept, therefore a finding ends when the change is undone.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import ceil, log
from typing import TypedDict

import numpy as np

from abtest.domain.guardian.evidence import Arm, Evidence, Pair, WatchedGoal
from abtest.domain.ledger.cells import QUARTER_MS, GoalCount
from abtest.domain.stats.arithmetic import FloatArray
from abtest.domain.stats.restarting import Factors, Restarting, restarting_counts, restarting_values
from abtest.domain.stats.samples import Conversions, Sample

QUARTERS_AN_HOUR = 4
HOUR_MS = QUARTERS_AN_HOUR * QUARTER_MS

# What is left of the treatment's conversions, with prior weights: nearly none for something broken.
BROKEN_FACTORS: Factors = ((0.05, 0.5), (0.2, 0.5))
HARM_FACTORS: Factors = ((0.1, 0.1), (0.5, 0.8), (0.75, 0.1))
# What is left of an arm's visitors.
SPLIT_FACTORS: Factors = ((0.5, 1 / 3), (0.7, 1 / 3), (0.85, 1 / 3))
# By how much the logarithm of what a buyer spends has fallen: 18, 33 and 55 %.
MONEY_FACTORS: Factors = ((0.2, 0.25), (0.4, 0.5), (0.8, 0.25))

# Up to so many buyers of a quarter of an hour are compared with as many; above it, classes are 25 % wide.
ALONE, WIDTH = 8, 1.25
# The last has 8,000 buyers and more.
CLASSES = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """Evidence of a change, log E, and the moment at which it most probably began, in Unix milliseconds."""

    log_e: float
    since: int

    @property
    def quarter(self) -> int:
        """First quarter of an hour of the changed time."""
        return self.since // QUARTER_MS

    def visitors(self, arm: Arm) -> int:
        """Return the arm's visitors since the change."""
        return arm.arrived(self.quarter)

    def count(self, goal: WatchedGoal, arm: Arm) -> GoalCount:
        """Return the goal's sums of the arm's visitors since the change."""
        recent = goal.recent.get(arm.variation_id, {})
        counts = [count for quarter, count in recent.items() if quarter >= self.quarter]
        return sum_of(counts)

    def rate(self, goal: WatchedGoal, arm: Arm) -> Conversions:
        """Return the arm's visitors since the change, and the converters among them."""
        return Conversions(visitors=self.visitors(arm), conversions=self.count(goal, arm).converters)

    def money(self, goal: WatchedGoal, arm: Arm) -> Sample:
        """Return the money of the arm's visitors since the change, in major units."""
        count = self.count(goal, arm)
        return Sample.from_sums(self.visitors(arm), count.total, count.squares).scaled(1 / goal.unit)


def change_of_conversions(evidence: Evidence, goal: WatchedGoal, pair: Pair, factors: Factors) -> Change | None:
    """Return the evidence that conversions move against the goal's direction; None without recent counts."""
    if goal.direction == "decrease":
        factors = [(1 / factor, weight) for factor, weight in factors]
    control, treatment = (
        _hourly(evidence, {quarter: count.converters for quarter, count in goal.recent.get(arm, {}).items()})
        for arm in (pair.control.variation_id, pair.treatment.variation_id)
    )
    return _change(evidence, restarting_counts(control, treatment, share=pair.share, factors=factors))


def change_of_visitors(evidence: Evidence, arm: Arm) -> Change | None:
    """Return the evidence that an arm has lost visitors to the others; 0 < share < 1."""
    others = _hourly(evidence, *(other.arrivals for other in evidence.arms if other is not arm))
    own = _hourly(evidence, arm.arrivals)
    return _change(evidence, restarting_counts(others, own, share=arm.share, factors=SPLIT_FACTORS))


def change_of_money(evidence: Evidence, goal: WatchedGoal, pair: Pair) -> Change | None:
    """Return the evidence that a buyer spends less (for a goal that is to fall: more); None without buyers.

    Roll-ups have sums of each quarter of an hour, so the value is one of a quarter: the mean of its m buyers and the
    mean of the squares give 2 log mean - 0.5 log mean square, near the mean logarithm, and the logarithm itself where
    m = 1. Its distribution depends on m, therefore quarters are only compared with those of as many buyers.
    """
    control, treatment = (
        _valued(evidence, goal.recent.get(arm, {})) for arm in (pair.control.variation_id, pair.treatment.variation_id)
    )
    if goal.direction == "decrease":
        control, treatment = treatment, control
    return _change(evidence, restarting_values(control, treatment, factors=MONEY_FACTORS))


class Since(TypedDict):
    """Fields of a finding of a change."""

    window: tuple[int, int]
    changed_at: int


def since(change: Change, evidence: Evidence) -> Since:
    """Return the period that the change covers, as fields of its finding."""
    return {"window": (change.since, max(change.since, evidence.through)), "changed_at": change.since}


def class_of(buyers: int) -> int:
    """Return the class of a quarter of an hour with so many buyers, from 1 on."""
    return buyers if buyers <= ALONE else ALONE + ceil(log(buyers / ALONE) / log(WIDTH))


def value_of(count: GoalCount) -> float | None:
    """Return 2 log m1 - 0.5 log m2 of a buyer's money; None where refunds leave nothing."""
    if count.converters <= 0 or count.total <= 0 or count.squares <= 0:
        return None
    return 2 * log(count.total / count.converters) - 0.5 * log(count.squares / count.converters)


def sum_of(counts: Iterable[GoalCount]) -> GoalCount:
    """Return the sum of counts."""
    whole = GoalCount()
    for count in counts:
        whole = whole.plus(count)
    return whole


def _hours(evidence: Evidence) -> tuple[int, int]:
    """Return the first hour since 1970 of the recent counts, and the number of hours up to this look."""
    first = evidence.arrivals_since // QUARTERS_AN_HOUR
    return first, max(0, -(-evidence.now // HOUR_MS) - first)


def _hourly(evidence: Evidence, *series: Mapping[int, int]) -> Sequence[int]:
    first, number = _hours(evidence)
    sums = [0] * number
    for each in series:
        for quarter, count in each.items():
            if 0 <= (hour := quarter // QUARTERS_AN_HOUR - first) < number:
                sums[hour] += count
    return sums


def _valued(evidence: Evidence, recent: Mapping[int, GoalCount]) -> FloatArray:
    """Return number, sum and squares of the values, by class and hour."""
    first, number = _hours(evidence)
    sums = np.zeros((3, CLASSES, number))
    for quarter, count in recent.items():
        value, hour = value_of(count), quarter // QUARTERS_AN_HOUR - first
        if value is not None and 0 <= hour < number:
            sums[:, min(class_of(count.converters), CLASSES) - 1, hour] += (1, value, value * value)
    return sums


def _change(evidence: Evidence, change: Restarting | None) -> Change | None:
    if change is None:
        return None
    return Change(log_e=change.log_e, since=(_hours(evidence)[0] + change.start) * HOUR_MS)
