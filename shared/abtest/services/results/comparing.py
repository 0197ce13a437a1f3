"""What is asked of a goal's numbers, and the numbers ready for an engine. Nothing is read or compared here."""

from collections.abc import Sequence
from dataclasses import dataclass

from abtest.contract import results as contract
from abtest.domain.autostop.settings import MIN_CONVERSIONS, MIN_VISITORS
from abtest.domain.autostop.shapes import LookState
from abtest.domain.experiments.model import Experiment, Variation
from abtest.domain.goals.model import Goal
from abtest.domain.ledger.cells import GoalCount
from abtest.domain.planning.plan import mixture_scale
from abtest.domain.stats.samples import Conversions, Sample
from abtest.kit.money import exponent
from abtest.services.results.tallies import Tally
from abtest.services.results.winsorizing import Capped, capped

_VALUE_DIGITS = 2
"""Goals that sum values count hundredths."""


@dataclass(frozen=True, slots=True)
class MinimumData:
    """What each arm must have before anything is called significant."""

    visitors: int = MIN_VISITORS
    conversions: int = MIN_CONVERSIONS


ENOUGH = MinimumData()


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What the numbers are read for. `looks`: what auto-stop stored of its looks at the same numbers, if it did."""

    experiment: Experiment
    currency: str
    alpha: float
    correction: contract.Correction
    engine: contract.Engine = "frequentist"
    minimum: MinimumData = ENOUGH
    looks: LookState | None = None

    @property
    def variations(self) -> Sequence[Variation]:
        """Those in use."""
        return [variation for variation in self.experiment.variations if variation.archived_at is None]

    @property
    def control(self) -> Variation | None:
        """What the others are compared with."""
        return next((variation for variation in self.variations if variation.is_control), None)

    def visitors(self, tally: Tally) -> int:
        """Of all variations in use."""
        return sum(tally.visitors.get(variation.id, 0) for variation in self.variations)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """A goal's numbers ready to be compared and shown; `problem` says why there are none."""

    question: Question
    goal: Goal
    tally: Tally
    caps: Capped
    problem: str | None

    @property
    def is_rate(self) -> bool:
        """Revenue is compared as money per visitor, whatever its aggregation says."""
        return is_rate(self.goal)

    @property
    def unit(self) -> int:
        """What a stored total is divided by: minor units of money, hundredths of values."""
        return unit_of(self.goal, self.question.currency)

    @property
    def tau(self) -> float | None:
        """Of the always-valid test, where the frozen plan is for the rate that is compared; else None."""
        plan = self.question.experiment.planned_test
        is_planned = self.is_rate and plan is not None and plan.get("goal_id") == self.goal.id
        return mixture_scale(plan) if is_planned else None

    def visitors(self, variation: Variation) -> int:
        """First exposed to the variation."""
        return self.tally.visitors.get(variation.id, 0)

    def count(self, variation: Variation) -> GoalCount:
        """What they did, uncapped."""
        return self.tally.goal(self.goal.id, variation.id)

    def capped(self, variation: Variation) -> GoalCount:
        """What is compared."""
        return self.caps.counts.get(variation.id, self.count(variation)) if self.caps.applied else self.count(variation)

    def pairs(self) -> Sequence[tuple[Variation, Variation]]:
        """Control and treatment, for each treatment that gets traffic."""
        control = self.question.control
        if control is None or self.problem:
            return ()
        return [(control, other) for other in self.question.variations if other is not control and other.weight > 0]

    def rate(self, variation: Variation) -> Conversions:
        """The arm of a rate."""
        return Conversions(visitors=self.visitors(variation), conversions=self.count(variation).converters)

    def level(self, variation: Variation) -> Conversions | Sample:
        """The arm of what the goal compares."""
        return self.rate(variation) if self.is_rate else self.sample(variation)

    def sample(self, variation: Variation) -> Sample:
        """The arm of a mean, in major units."""
        count = self.capped(variation)
        return Sample.from_sums(self.visitors(variation), count.total, count.squares).scaled(1 / self.unit)


def is_rate(goal: Goal) -> bool:
    """Whether converters per visitor are compared, and not a mean."""
    return goal.type != "revenue" and goal.aggregation == "conversion"


def unit_of(goal: Goal, currency: str) -> int:
    """How many stored units make one of those shown."""
    if goal.type == "revenue":
        return int(10 ** exponent(currency))
    return 10**_VALUE_DIGITS if goal.aggregation in ("sum", "mean") else 1


def reading_of(question: Question, goal: Goal, tally: Tally) -> Reading:
    """The goal's numbers out of a tally."""
    is_counted = tally.counted is None or goal.id in tally.counted
    return Reading(
        question=question,
        goal=goal,
        tally=tally,
        caps=capped(goal, is_rate(goal), tally),
        problem=None if is_counted else "not_counted_yet",
    )
