"""Settings of an analysis, and a goal's numbers ready for an engine. Nothing is read or compared here."""

from collections.abc import Sequence
from dataclasses import dataclass

from abtest.contract import results as contract
from abtest.domain.autostop.settings import MIN_CONVERSIONS, MIN_VISITORS
from abtest.domain.autostop.shapes import LookState
from abtest.domain.experiments.model import Experiment, Variation
from abtest.domain.goals.model import Goal
from abtest.domain.ledger.cells import GoalCount
from abtest.domain.ledger.plans import both_of, denominator_of
from abtest.domain.planning.plan import mixture_scale
from abtest.domain.stats.ratios import RatioSums, ratio_sample
from abtest.domain.stats.samples import Conversions, Sample
from abtest.kit.money import exponent
from abtest.services.results.counts import Counts
from abtest.services.results.winsorization import Capped, capped

_VALUE_DIGITS = 2
"""Goals that sum values, and items of ratios, count hundredths."""


@dataclass(frozen=True, slots=True)
class MinimumData:
    """Visitors and conversions that each arm needs before a comparison can be significant."""

    visitors: int = MIN_VISITORS
    conversions: int = MIN_CONVERSIONS


ENOUGH = MinimumData()


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """Experiment, engine and rules of an analysis. `looks`: state of auto-stop's looks at the same numbers, if any.

    `family`: the comparisons that are corrected together.
    """

    experiment: Experiment
    currency: str
    alpha: float
    correction: contract.Correction
    engine: contract.Engine = "frequentist"
    minimum: MinimumData = ENOUGH
    looks: LookState | None = None
    family: contract.CorrectionFamily = "treatments"

    @property
    def variations(self) -> Sequence[Variation]:
        """Variations in use."""
        return [variation for variation in self.experiment.variations if variation.archived_at is None]

    @property
    def control(self) -> Variation | None:
        """Variation that the others are compared with."""
        # A loop, since it is read for every row.
        for variation in self.experiment.variations:
            if variation.is_control and variation.archived_at is None:
                return variation
        return None

    def visitors(self, counts: Counts) -> int:
        """Return the visitors of all variations in use."""
        return sum(counts.visitors.get(variation.id, 0) for variation in self.variations)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """A goal's numbers, ready to be compared and shown; `problem` is the reason why there are none."""

    question: Question
    goal: Goal
    counts: Counts
    caps: Capped
    problem: str | None

    @property
    def is_rate(self) -> bool:
        """True for a goal that is compared as converters per visitor."""
        return is_rate(self.goal)

    @property
    def engine(self) -> contract.Engine:
        """Engine of the goal's figures: `sequential` where the planned looks are not of this goal's rate."""
        engine = self.question.engine
        if engine != "group_sequential":
            return engine
        planned = (self.question.experiment.planned_test or {}).get("goal_id")
        return "group_sequential" if self.is_rate and self.goal.id == planned else "sequential"

    @property
    def unit(self) -> int:
        """Divisor of stored totals: minor units of money, hundredths of values and items."""
        return unit_of(self.goal, self.question.currency)

    @property
    def tau(self) -> float | None:
        """Mixture scale of the always-valid test; None unless the frozen plan is for the rate that is compared."""
        # A scale that depends on the data would void the guarantee at every look, so only a frozen plan sets it.
        plan = self.question.experiment.planned_test
        is_planned = self.is_rate and plan is not None and plan.get("goal_id") == self.goal.id
        return mixture_scale(plan) if is_planned else None

    def visitors(self, variation: Variation) -> int:
        """Return how many visitors were first exposed to the variation."""
        return self.counts.visitors.get(variation.id, 0)

    def count(self, variation: Variation) -> GoalCount:
        """Return the goal's sums in the variation, uncapped."""
        return self.counts.goal(self.goal.id, variation.id)

    def capped(self, variation: Variation) -> GoalCount:
        """Return the sums that are compared: capped where the goal has a cap that applies."""
        return self.caps.counts.get(variation.id, self.count(variation)) if self.caps.applied else self.count(variation)

    def pairs(self) -> Sequence[tuple[Variation, Variation]]:
        """Return control and treatment, for each treatment that gets traffic."""
        control = self.question.control
        if control is None or self.problem:
            return ()
        return [(control, other) for other in self.question.variations if other is not control and other.weight > 0]

    def rate(self, variation: Variation) -> Conversions:
        """Return the arm of a rate."""
        return Conversions(visitors=self.visitors(variation), conversions=self.count(variation).converters)

    def level(self, variation: Variation) -> Conversions | Sample:
        """Return the arm as the goal compares it: a rate or a mean."""
        return self.rate(variation) if self.is_rate else self.sample(variation)

    def sample(self, variation: Variation) -> Sample:
        """Return the arm of a mean or a ratio, in major units."""
        if self.goal.is_ratio:
            return ratio_sample(self.ratio_sums(variation)).scaled(denominator_unit_of(self.goal) / self.unit)
        count = self.capped(variation)
        return Sample.from_sums(self.visitors(variation), count.total, count.squares).scaled(1 / self.unit)

    def ratio_sums(self, variation: Variation) -> RatioSums:
        """Return a ratio's sums in stored units."""
        return ratio_sums(self.goal, variation, self.counts)


def ratio_sums(goal: Goal, variation: Variation, counts: Counts) -> RatioSums:
    """Return the sums of a ratio's numerator and denominator over a variation's visitors, in stored units."""
    y, x, both = (counts.goal(part, variation.id) for part in (goal.id, denominator_of(goal.id), both_of(goal.id)))
    return RatioSums.from_squares(y.converters, y.total, y.squares, x.total, x.squares, both.squares)


def ratio_of(sums: RatioSums, goal: Goal, currency: str) -> float | None:
    """Return numerator by denominator, money in major units; None where the denominator is zero."""
    return sums.y / sums.x * denominator_unit_of(goal) / unit_of(goal, currency) if sums.x else None


def metric_of(goal: Goal) -> contract.Metric:
    """Return the quantity that is compared."""
    return "ratio" if goal.is_ratio else "rate" if is_rate(goal) else "mean"


def is_rate(goal: Goal) -> bool:
    """Return whether converters per visitor are compared. Revenue is a mean or a ratio, whatever its aggregation."""
    return goal.type != "revenue" and goal.aggregation == "conversion"


def unit_of(goal: Goal, currency: str) -> int:
    """Return how many stored units make one displayed unit; of a ratio's numerator."""
    if goal.depends_on_money:
        return int(10 ** exponent(currency))
    return 10**_VALUE_DIGITS if goal.aggregation in ("sum", "mean", "ratio") else 1


def denominator_unit_of(goal: Goal) -> int:
    """Return how many stored units of a ratio's denominator make one."""
    return 10**_VALUE_DIGITS if goal.denominator == "items" else 1


def reading_of(question: Question, goal: Goal, counts: Counts) -> Reading:
    """Return the goal's numbers out of the counts."""
    # A goal that became a ratio has no denominator before the next count.
    needed = {goal.id, denominator_of(goal.id)} if goal.is_ratio else {goal.id}
    is_counted = counts.counted is None or needed <= counts.counted
    return Reading(
        question=question,
        goal=goal,
        counts=counts,
        caps=capped(goal, is_rate(goal), counts),
        problem=None if is_counted else "not_counted_yet",
    )
