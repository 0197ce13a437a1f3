"""The adjusted estimate on the report page: in words where it decides, and the reason where it does not."""

from __future__ import annotations

from typing import Literal

from abtest.contract.result_rows import CovariateAdjustment, Cuped, Interval
from abtest.services.report_page import render_report
from abtest.services.results.adjustment import DECIDES_AT_LOOKS, MESSAGES
from tests.support.reports import STATES

CUPED = Cuped(
    lift=0.123,
    ci=Interval(lower=0.012, upper=0.25),
    difference=0.004,
    difference_ci=Interval(lower=0.001, upper=0.007),
    p_value=0.01,
    adjusted_p_value=0.01,
    always_valid_p=0.01,
    is_significant=True,
    decides=True,
    variance_reduction=0.4,
)


def page(cuped: Cuped, status: Literal["decides", "not_counted"]) -> str:
    report = STATES["winner"]()
    adjustment = CovariateAdjustment(status=status, message=MESSAGES[status])
    goals = [
        goal.model_copy(
            update={
                "adjustment": adjustment,
                "rows": [row if row.is_control else row.model_copy(update={"cuped": cuped}) for row in goal.rows],
            }
        )
        for goal in report.goals
    ]
    return render_report(report.model_copy(update={"goals": goals}))


def test_page__whose_adjusted_estimate_decides__has_it_in_words() -> None:
    text = page(CUPED, "decides")

    assert "+12.3% (+1.2% to +25.0%), adjusted for what visitors did in the 14 days before. This estimate decides." in (
        text.replace("\u00a0", " ")
    )
    assert "so the plain figures decide" not in text


def test_page__whose_plain_estimate_decides_against_the_plan__has_the_reason() -> None:
    text = page(CUPED.model_copy(update={"decides": False}), "not_counted")

    assert "This estimate decides" not in text
    assert "it is not counted for this goal, so the plain figures decide" in text


def test_page__of_planned_looks_at_adjusted_rates__has_a_note_above_the_rows() -> None:
    report = STATES["winner"]()
    adjustment = CovariateAdjustment(status="decides", message=DECIDES_AT_LOOKS)
    changes = {"adjustment": adjustment, "engine": "group_sequential"}
    goals = [goal.model_copy(update=changes) for goal in report.goals]

    text = render_report(report.model_copy(update={"goals": goals}))

    assert "intervals and p-values are those of planned looks at adjusted rates" in text
    assert "This estimate decides" not in text
