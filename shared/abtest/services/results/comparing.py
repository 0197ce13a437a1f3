"""Variations of a goal compared by the frequentist engine, as rows of the contract. Nothing is read here."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from abtest.contract import results as contract
from abtest.domain.experiments.model import Experiment, Goal, Variation
from abtest.domain.ledger.cells import GoalCount
from abtest.domain.stats.comparisons import Comparison, compare_mean_pairs, compare_rate_pairs
from abtest.domain.stats.sample_ratio import sample_ratio
from abtest.domain.stats.samples import Conversions, Interval, Sample
from abtest.kit.money import exponent
from abtest.services.results.foreign_money import foreign_fields
from abtest.services.results.tallies import Tally
from abtest.services.results.winsorizing import Capped, capped

MULTIPLE_EXPOSURE_SHARE, MULTIPLE_EXPOSURE_VISITORS = 0.01, 10
_VALUE_DIGITS = 2
"""Goals that sum values count hundredths."""

Comparisons = Mapping[str, Comparison | None]
"""By the treatment's id."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What the numbers are read for."""

    experiment: Experiment
    currency: str
    alpha: float
    correction: contract.Correction

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
        """Control and treatment, for each treatment."""
        control = self.question.control
        if control is None or self.problem:
            return ()
        return [(control, other) for other in self.question.variations if other is not control]

    def rate(self, variation: Variation) -> Conversions:
        """The arm of a rate."""
        return Conversions(visitors=self.visitors(variation), conversions=self.count(variation).converters)

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


def compare(readings: Sequence[Reading]) -> list[Comparisons]:
    """Readings of one goal, all their comparisons corrected together."""
    found = iter(_compared(readings))
    return [{treatment.id: next(found) for _, treatment in reading.pairs()} for reading in readings]


def _compared(readings: Sequence[Reading]) -> list[Comparison | None]:
    if not readings:
        return []
    question = readings[0].question
    alpha, correction = question.alpha, question.correction
    pairs = [(reading, *pair) for reading in readings for pair in reading.pairs()]
    if readings[0].is_rate:
        rates = [(reading.rate(control), reading.rate(treatment)) for reading, control, treatment in pairs]
        return compare_rate_pairs(rates, alpha=alpha, correction=correction)
    samples = [(reading.sample(control), reading.sample(treatment)) for reading, control, treatment in pairs]
    return compare_mean_pairs(samples, alpha=alpha, correction=correction)


def goal_results(question: Question, goals: Sequence[Goal], tally: Tally) -> list[contract.GoalResult]:
    """Each goal, its treatments corrected together."""
    readings = [reading_of(question, goal, tally) for goal in goals]
    return [goal_result(reading, compare([reading])[0]) for reading in readings]


def goal_result(reading: Reading, comparisons: Comparisons) -> contract.GoalResult:
    """The goal with a row for each variation in use."""
    goal = reading.goal
    return contract.GoalResult(
        goal_id=goal.id,
        name=goal.name,
        type=goal.type,
        role=goal.role,
        direction=goal.direction,
        aggregation=goal.aggregation,
        metric="rate" if reading.is_rate else "mean",
        not_evaluable="not_counted_yet" if reading.problem else None,
        rows=[_row(reading, variation, comparisons.get(variation.id)) for variation in reading.question.variations],
    )


def _row(reading: Reading, variation: Variation, found: Comparison | None) -> contract.ResultRow:
    goal, visitors = reading.goal, reading.visitors(variation)
    is_money, is_known = goal.type == "revenue", reading.problem is None
    count = reading.count(variation)
    total = count.total / reading.unit
    money = reading.tally.money_of(goal.id, variation.id) if is_money and is_known else None
    return contract.ResultRow(
        variation_id=variation.id,
        variation_name=variation.name,
        is_control=variation.is_control,
        visitors=visitors,
        conversions=count.converters if is_known else None,
        count=count.hits if is_known else None,
        rate=count.converters / visitors if is_known and visitors else None,
        mean=reading.capped(variation).total / reading.unit / visitors if is_known and visitors else None,
        revenue=total if is_known and is_money else None,
        value=total if is_known and not is_money and reading.unit > 1 else None,
        currency=reading.question.currency if is_money else None,
        excluded=reading.tally.excluded(goal.id, variation.id) if is_known and is_money else None,
        is_winsorized=reading.caps.applied,
        winsorized_at=None if reading.caps.ceiling is None else reading.caps.ceiling / reading.unit,
        **foreign_fields(money, reading.question.currency),
        lift=found.lift if found else None,
        ci=interval_of(found.lift_interval if found else None),
        difference=found.difference if found else None,
        difference_ci=interval_of(found.difference_interval if found else None),
        p_value=found.p_value if found else None,
        adjusted_p_value=found.adjusted_p_value if found else None,
        always_valid_p=None,
        prob_to_beat_control=None,
        is_significant=found.is_significant if found else None,
    )


def interval_of(found: Interval | None) -> contract.Interval | None:
    """As the contract has it."""
    return None if found is None else contract.Interval(lower=found.lower, upper=found.upper)


def sample_ratio_of(question: Question, tally: Tally) -> contract.SampleRatio:
    """Whether the tally's visitors are split as the weights say."""
    ids = [variation.id for variation in question.variations]
    visitors = [tally.visitors.get(variation_id, 0) for variation_id in ids]
    found = sample_ratio(visitors, [variation.weight for variation in question.variations])
    observed = dict(zip(ids, visitors, strict=True))
    if found is None:
        return contract.SampleRatio(
            p_value=None, status="not_evaluable", expected=dict.fromkeys(ids, 0.0), observed=observed
        )
    return contract.SampleRatio(
        p_value=found.p_value,
        status="mismatch" if found.is_mismatch else "ok",
        expected=dict(zip(ids, found.expected, strict=True)),
        observed=observed,
    )


def health(
    question: Question, everybody: Tally, multiple_exposure: int, srm: contract.SampleRatio
) -> list[contract.HealthFinding]:
    """What makes the numbers doubtful."""
    findings = []
    if srm.status == "mismatch":
        message = "visitors are not split as the weights say; do not trust the comparison before you know why"
        findings.append(contract.HealthFinding(kind="sample_ratio_mismatch", message=message))
    seen = multiple_exposure + question.visitors(everybody)
    if multiple_exposure >= MULTIPLE_EXPOSURE_VISITORS and multiple_exposure >= MULTIPLE_EXPOSURE_SHARE * seen:
        message = f"{multiple_exposure} visitors saw two variations; they are left out"
        findings.append(contract.HealthFinding(kind="multiple_exposure", message=message))
    return findings
