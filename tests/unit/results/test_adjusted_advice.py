"""Advice and status where the adjusted estimate decides: figures are those that the verdict follows from."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

import pytest

from abtest.contract.report import Verdict
from abtest.domain.autostop.looks import look_at
from abtest.domain.planning.shapes import Snapshot
from abtest.services.results.cautions import early_stop, implausible_lifts
from abtest.services.results.counts import Counts, counts_of_totals
from abtest.services.results.interval_course import course_of
from abtest.services.results.next_steps import Situation, excluded
from abtest.services.results.question import reading_of
from abtest.services.results.rows import goal_results
from abtest.services.results.worth import Traffic, worth_of
from tests.unit.results.test_adjustment import LIFT, NOW, Measuring, N, Visitors, drawn, totals


def counts(visitors: Visitors) -> Counts:
    return counts_of_totals(totals(visitors))


def test_worth__of_an_adjusted_winner__claims_no_more_than_the_interval_that_decides() -> None:
    goal = Measuring(is_rate=False).shown(drawn(LIFT, is_rate=False))
    row = goal.rows[1]
    assert row.difference_ci.lower < 0 < row.cuped.difference_ci.lower

    worth = worth_of(goal, Traffic(visitors=2 * N, days=14.0, allocation=1.0), "EUR")

    (treatment,) = worth.treatments
    month = 2 * N / 14 * 30
    assert treatment.is_significant
    # Two digits of half of the interval are known.
    half = (row.cuped.difference_ci.upper - row.cuped.difference_ci.lower) / 2 * month
    assert treatment.lower == pytest.approx(row.cuped.difference_ci.lower * month, abs=0.05 * half)
    assert treatment.upper == pytest.approx(row.cuped.difference_ci.upper * month, abs=0.05 * half)
    assert treatment.lower >= 0


def test_early_stop__of_an_adjusted_winner__corrects_the_adjusted_estimate_by_its_own_variance() -> None:
    test, visitors = Measuring(), drawn(LIFT)
    goal, reading = test.shown(visitors), reading_of(test.question(), test.goal, counts(visitors))
    adjusted = goal.rows[1].cuped

    caution = early_stop(reading, goal, "t", "stopped")

    assert caution is not None
    assert caution.lift == adjusted.lift
    assert caution.difference == pytest.approx(adjusted.difference)
    plain = Measuring("none")
    other = reading_of(plain.question(), plain.goal, counts(visitors))
    sure = goal.model_copy(update={"rows": [row.model_copy(update={"cuped": None}) for row in goal.rows]})
    uncorrected = early_stop(other, sure, "t", "stopped")
    assert uncorrected is not None
    kept, less = (
        one.corrected_difference / one.difference if one.difference else 0.0 for one in (caution, uncorrected)
    )
    assert kept > less


def test_implausible_lift__of_an_adjusted_winner__is_the_adjusted_one() -> None:
    test, visitors = Measuring(), drawn(0.1)
    goal, reading = test.shown(visitors), reading_of(test.question(), test.goal, counts(visitors))

    (mark,) = implausible_lifts([reading], [goal])

    assert goal.rows[1].lift != pytest.approx(goal.rows[1].cuped.lift)
    assert mark.lift == pytest.approx(goal.rows[1].cuped.lift)


def test_next_step__after_adjusted_intervals__names_the_lifts_that_those_exclude() -> None:
    test = Measuring()
    goal = test.shown(drawn(0.0))
    interval = goal.rows[1].cuped.ci
    verdict = Verdict(status="no_winner", sentence="", details=[], goal_id="g", variation_id=None, days_left=None)

    words = excluded(Situation(experiment=test.experiment, verdict=verdict, goal=goal))

    assert f"below {interval.lower:+.1%}".replace("-", "−") in words
    assert f"above {interval.upper:+.1%}" in words


def test_adjustment__of_a_goal_without_planned_looks__decides_next_to_them() -> None:
    test = Measuring()
    other = replace(test.goal, id="planned", is_primary=False)
    plan: Snapshot = {"goal_id": "planned", "mde": 0.1, "baseline_rate": 0.25, "covariate_adjustment": "cuped"}
    experiment = replace(test.experiment, goals=(test.goal, other), planned_test=plan)
    question = replace(test.question("group_sequential"), experiment=experiment)
    known = replace(counts(drawn(LIFT)), counted=None)

    shown, planned = goal_results(question, [test.goal, other], known)

    assert (shown.engine, shown.rows[1].state) == ("sequential", "better")
    assert shown.adjustment is not None
    assert shown.rows[1].cuped is not None
    assert (shown.adjustment.status, shown.rows[1].cuped.decides) == ("decides", True)
    assert planned.adjustment is not None
    assert (planned.engine, planned.adjustment.status) == ("group_sequential", "not_counted")


@pytest.mark.parametrize("choice", ["cuped", "none"])
def test_course__of_looks__is_that_of_the_estimate_that_decides(choice: Literal["cuped", "none"]) -> None:
    test, visitors = Measuring(choice), drawn(LIFT)
    _, look = look_at(None, test.evidence(counts(visitors)), NOW)
    row = test.shown(visitors).rows[1]

    course = course_of(test.question(), test.goal, [look])

    assert course is not None
    (point,) = course.looks[0].treatments
    figures = row.cuped if choice == "cuped" else row
    assert point.difference == pytest.approx(figures.difference)
    assert (point.lower, point.upper) == pytest.approx((figures.difference_ci.lower, figures.difference_ci.upper))
    assert (point.always_valid_p <= 0.05) == (choice == "cuped")
