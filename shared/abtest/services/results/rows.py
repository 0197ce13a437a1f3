"""Goals in the contract's shape: a row for each variation with its counts, its comparison and a message."""

from collections.abc import Sequence
from math import sqrt
from typing import Any, Literal

from abtest.contract import results as contract
from abtest.domain.experiments.model import Variation
from abtest.domain.goals.model import Goal
from abtest.domain.stats.ratios import deviation_per_visitor
from abtest.domain.stats.samples import Interval
from abtest.services.results.adjustment import adjustment_message, adjustment_status
from abtest.services.results.comparison import Comparisons, TreatmentComparison
from abtest.services.results.counts import Counts
from abtest.services.results.families import compare_goals
from abtest.services.results.foreign_money import foreign_fields
from abtest.services.results.messages import StateMessage, state_message
from abtest.services.results.question import (
    Question,
    Reading,
    denominator_unit_of,
    metric_of,
    ratio_of,
)


def goal_results(question: Question, goals: Sequence[Goal], counts: Counts) -> list[contract.GoalResult]:
    """Return each goal, its comparisons corrected by the question's family."""
    return [goal_result(*compared) for (compared,) in compare_goals(question, goals, [counts])]


def goal_result(reading: Reading, comparisons: Comparisons) -> contract.GoalResult:
    """Return the goal with a row for each variation in use."""
    goal, rows = reading.goal, []
    for variation in reading.question.variations:
        comparison = comparisons.get(variation.id)
        state = state_message(reading, variation, comparison)
        rows.append(
            contract.ResultRow(
                variation_id=variation.id,
                variation_name=variation.name,
                is_control=variation.is_control,
                **counted_fields(reading, variation),
                **compared_fields(comparison, state),
                state=state.state,
                message=state.message,
            )
        )
    return contract.GoalResult(
        goal_id=goal.id,
        name=goal.name,
        type=goal.type,
        role=goal.role,
        direction=goal.direction,
        aggregation=goal.aggregation,
        numerator=goal.numerator,
        denominator=goal.denominator,
        metric=metric_of(goal),
        engine=reading.engine,
        is_archived=goal.archived_at is not None,
        not_evaluable=not_evaluable(reading),
        adjustment=adjustment_of(reading),
        rows=rows,
    )


def adjustment_of(reading: Reading) -> contract.CovariateAdjustment | None:
    """Return what the plan's adjustment does in these figures, in words; None without one."""
    status = adjustment_status(reading)
    return status and contract.CovariateAdjustment(status=status, message=adjustment_message(reading, status))


def not_evaluable(reading: Reading) -> Literal["not_counted_yet", "zero_denominator"] | None:
    """Return why no treatment has figures, or no treatment's ratio can be compared."""
    if reading.problem:
        return "not_counted_yet"
    if not reading.goal.is_ratio or not reading.pairs():
        return None
    is_zero = [0 in (reading.ratio_sums(arm).x for arm in pair) for pair in reading.pairs()]
    return "zero_denominator" if all(is_zero) else None


def counted_fields(reading: Reading, variation: Variation) -> dict[str, Any]:
    """Return the fields of a row that are counted, money in major units; None while the goal is not counted."""
    goal, visitors = reading.goal, reading.visitors(variation)
    is_money, is_known = goal.depends_on_money, reading.problem is None
    count = reading.count(variation)
    total = count.total / reading.unit
    money = reading.counts.money_of(goal.id, variation.id) if is_money and is_known else None
    return {
        "visitors": visitors,
        "conversions": count.converters if is_known else None,
        "count": count.hits if is_known else None,
        "rate": count.converters / visitors if is_known and visitors else None,
        "mean": mean_of(reading, variation) if is_known and not goal.is_ratio else None,
        **ratio_fields(reading, variation),
        "sd": deviation_of(reading, variation) if is_known else None,
        "revenue": total if is_known and is_money else None,
        "value": total if is_known and not is_money and not goal.is_ratio and reading.unit > 1 else None,
        "currency": reading.question.currency if is_money else None,
        "excluded": reading.counts.excluded(goal.id, variation.id) if is_known and is_money else None,
        "is_winsorized": reading.caps.applied,
        "winsorized_at": None if reading.caps.ceiling is None else reading.caps.ceiling / reading.unit,
        **foreign_fields(money, reading.question.currency),
    }


def mean_of(reading: Reading, variation: Variation) -> float | None:
    """Return the mean per visitor in major units, capped where a cap applies; None without visitors."""
    visitors = reading.visitors(variation)
    return reading.capped(variation).total / reading.unit / visitors if visitors else None


def deviation_of(reading: Reading, variation: Variation) -> float | None:
    """Return the standard deviation per visitor of a mean or a ratio; None for rates and of fewer than two visitors."""
    if reading.is_rate:
        return None
    sample = reading.sample(variation)
    if reading.goal.is_ratio:
        return deviation_per_visitor(sample, reading.visitors(variation))
    return sqrt(sample.variance) if sample.n > 1 else None


def ratio_fields(reading: Reading, variation: Variation) -> dict[str, float | None]:
    """Return a ratio with both of its sums, money in major units; None for other goals and before the first count."""
    goal, names = reading.goal, ("ratio", "numerator_sum", "denominator_sum")
    if not goal.is_ratio or reading.problem:
        return dict.fromkeys(names)
    sums = reading.ratio_sums(variation)
    ratio = ratio_of(sums, goal, reading.question.currency)
    return dict(zip(names, (ratio, sums.y / reading.unit, sums.x / denominator_unit_of(goal)), strict=True))


def compared_fields(comparison: TreatmentComparison | None, state: StateMessage) -> dict[str, Any]:
    """Return the fields of a row that an engine computes. Significance is None until there is enough data."""
    if comparison is None:
        names = ("lift", "ci", "difference", "difference_ci", "p_value", "adjusted_p_value", "always_valid_p")
        return dict.fromkeys((*names, "prob_to_beat_control", "expected_loss", "is_significant", "cuped"))
    adjusted = comparison.adjusted
    return {
        "lift": comparison.lift,
        "ci": interval_of(comparison.lift_interval),
        "difference": comparison.difference,
        "difference_ci": interval_of(comparison.difference_interval),
        "p_value": comparison.p_value,
        "adjusted_p_value": comparison.adjusted_p_value,
        "always_valid_p": comparison.always_valid_p,
        "prob_to_beat_control": comparison.probability,
        "expected_loss": comparison.expected_loss,
        "is_significant": comparison.is_significant if state.is_verdict else None,
        "cuped": adjusted
        and contract.Cuped(
            lift=adjusted.lift,
            ci=interval_of(adjusted.lift_interval),
            difference=adjusted.difference,
            difference_ci=interval_of(adjusted.difference_interval),
            p_value=adjusted.p_value,
            adjusted_p_value=adjusted.adjusted_p_value,
            always_valid_p=adjusted.always_valid_p,
            is_significant=adjusted.is_significant if state.is_verdict else None,
            decides=adjusted.decides,
            variance_reduction=adjusted.variance_reduction,
        ),
    }


def interval_of(interval: Interval | None) -> contract.Interval | None:
    """Return an interval in the contract's shape."""
    return None if interval is None else contract.Interval(lower=interval.lower, upper=interval.upper)
