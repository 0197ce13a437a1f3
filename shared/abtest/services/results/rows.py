"""A goal as the contract has it: a row for each variation, with what the engine found and what may be said of it."""

from collections.abc import Sequence
from typing import Any

from abtest.contract import results as contract
from abtest.domain.experiments.model import Variation
from abtest.domain.goals.model import Goal
from abtest.domain.stats.samples import Interval
from abtest.services.results.compared import AdjustedComparison, Compared, Comparisons
from abtest.services.results.comparing import Question, Reading, reading_of
from abtest.services.results.engines import compare
from abtest.services.results.foreign_money import foreign_fields
from abtest.services.results.sayings import Saying, saying
from abtest.services.results.tallies import Tally


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
        is_archived=goal.archived_at is not None,
        not_evaluable="not_counted_yet" if reading.problem else None,
        rows=[_row(reading, variation, comparisons.get(variation.id)) for variation in reading.question.variations],
    )


def _row(reading: Reading, variation: Variation, found: Compared | None) -> contract.ResultRow:
    said = saying(reading, variation, found)
    return contract.ResultRow(
        variation_id=variation.id,
        variation_name=variation.name,
        is_control=variation.is_control,
        **_counted(reading, variation),
        **_comparison(found, said),
        state=said.state,
        message=said.message,
        cuped=_cuped(found.adjusted, said) if found and found.adjusted else None,
    )


def _counted(reading: Reading, variation: Variation) -> dict[str, Any]:
    goal, visitors = reading.goal, reading.visitors(variation)
    is_money, is_known = goal.type == "revenue", reading.problem is None
    count = reading.count(variation)
    total = count.total / reading.unit
    money = reading.tally.money_of(goal.id, variation.id) if is_money and is_known else None
    return {
        "visitors": visitors,
        "conversions": count.converters if is_known else None,
        "count": count.hits if is_known else None,
        "rate": count.converters / visitors if is_known and visitors else None,
        "mean": reading.capped(variation).total / reading.unit / visitors if is_known and visitors else None,
        "revenue": total if is_known and is_money else None,
        "value": total if is_known and not is_money and reading.unit > 1 else None,
        "currency": reading.question.currency if is_money else None,
        "excluded": reading.tally.excluded(goal.id, variation.id) if is_known and is_money else None,
        "is_winsorized": reading.caps.applied,
        "winsorized_at": None if reading.caps.ceiling is None else reading.caps.ceiling / reading.unit,
        **foreign_fields(money, reading.question.currency),
    }


def _comparison(found: Compared | None, said: Saying) -> dict[str, Any]:
    return {
        "lift": found.lift if found else None,
        "ci": interval_of(found.lift_interval if found else None),
        "difference": found.difference if found else None,
        "difference_ci": interval_of(found.difference_interval if found else None),
        "p_value": found.p_value if found else None,
        "adjusted_p_value": found.adjusted_p_value if found else None,
        "always_valid_p": found.always_valid_p if found else None,
        "prob_to_beat_control": found.probability if found else None,
        "expected_loss": found.expected_loss if found else None,
        "is_significant": found.is_significant if found and said.is_verdict else None,
    }


def _cuped(found: AdjustedComparison, said: Saying) -> contract.Cuped:
    return contract.Cuped(
        lift=found.lift,
        ci=interval_of(found.lift_interval),
        difference=found.difference,
        difference_ci=interval_of(found.difference_interval),
        p_value=found.p_value,
        adjusted_p_value=found.adjusted_p_value,
        is_significant=found.is_significant if said.is_verdict else None,
        variance_reduction=found.variance_reduction,
    )


def interval_of(found: Interval | None) -> contract.Interval | None:
    """As the contract has it."""
    return None if found is None else contract.Interval(lower=found.lower, upper=found.upper)
