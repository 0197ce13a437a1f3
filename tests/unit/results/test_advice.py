"""Next steps, measured time, and cautions: golden words for every case."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from abtest.contract import results as contract
from abtest.contract.report import Verdict, VerdictStatus
from abtest.domain.planning.duration import elapsed_words
from abtest.ports.catalog import AuditRow
from abtest.services.results.advice import is_shipped
from abtest.services.results.cautions import early_stop, implausible_lifts, percent
from abtest.services.results.measured_time import measured_until, time_of
from abtest.services.results.next_steps import Situation, next_step
from abtest.services.results.question import Question, reading_of
from abtest.services.results.rows import goal_results
from abtest.services.results.verdicts import verdict_of
from tests.unit.results.test_verdicts import GOAL, NOW, PLAN, counts_of, facts

CRITICAL = contract.HealthFinding(
    kind="broken_delivery",
    severity="critical",
    message="Blue fails in most sessions",
    action="alert",
    detected_at=NOW,
    variation_id="t",
    goal_id=None,
)


def situation(buyers: tuple[int, int], days: float = 15.0, **fields: Any) -> Situation:
    """By the verdict of the numbers; `more` replaces fields of the situation."""
    more, status = fields.pop("more", {}), fields.pop("verdict", None)
    known = facts(buyers, **fields)
    verdict = verdict_of(known)
    if status is not None:
        verdict = verdict.model_copy(update={"status": status, "variation_id": None})
    return Situation(
        experiment=known.experiment,
        verdict=verdict,
        goal=known.goal,
        plan=known.plan,
        measured=time_of(days, is_live=known.experiment.status == "running"),
        **more,
    )


ENDED: dict[str, Any] = {"status": "completed", "ended_at": NOW}
AA: dict[str, Any] = {"counting_type": "aa_test"}


@pytest.mark.parametrize(
    ("case", "code", "sentence"),
    [
        (
            situation((100, 150), verdict="not_started"),
            "launch",
            "Launch it when it is ready: nothing is measured before the start.",
        ),
        (
            situation((0, 0), verdict="no_data"),
            "check_delivery",
            (
                "Check that the page carries the snippet and that visitors match the targeting: no visitor has been "
                "counted yet."
            ),
        ),
        (
            situation((0, 0), verdict="no_data", **ENDED),
            "check_delivery",
            "Find out why no visitor was counted, before the next test starts.",
        ),
        (
            situation((100, 150), verdict="not_trusted"),
            "find_cause",
            (
                "Find out why visitors are not split as planned, repair it, and restart the measurement: no figure of "
                "this one can be trusted."
            ),
        ),
        (
            situation((100, 150), **AA),
            "check_setup",
            "Check the setup before the next test: variations that are the same must not differ.",
        ),
        (
            situation((150, 100), verdict="stopped_for_harm", status="paused", more={"is_guardians_pause": True}),
            "repair",
            "Repair what Guardian saw and resume, or end the test and keep the control.",
        ),
        (
            situation((150, 100), verdict="stopped_for_harm", more={"is_guardians_pause": True}, **ENDED),
            "stop_and_learn",
            "Keep the control, and find out why: a goal that must not suffer is harmed.",
        ),
        (
            situation((100, 150), verdict="harm"),
            "stop_and_learn",
            "End the test and keep the control, and find out why: a goal that must not suffer is harmed.",
        ),
        (
            situation((100, 150), more={"health": [CRITICAL]}),
            "check_findings",
            "Look into Guardian's finding before anything is decided: Blue fails in most sessions.",
        ),
        (
            situation((100, 150), 3.2),
            "finish_week",
            "Keep it running for about 4 days more, until a whole week is measured; then roll out “Blue”.",
        ),
        (
            situation((100, 150), 3.2, status="paused"),
            "roll_out",
            "Roll out “Blue”, and watch it for a week: less than a week was measured, and weekdays differ.",
        ),
        (
            situation((100, 150)),
            "roll_out",
            "Roll out “Blue” to all visitors: it is better, and no guardrail was watched.",
        ),
        (
            situation((100, 150), more={"has_guardrails": True}),
            "roll_out",
            "Roll out “Blue” to all visitors: it is better, and no guardrail shows harm.",
        ),
        (
            situation((100, 150), more={"is_shipped": True}, **ENDED),
            "start_next",
            "The winner is shipped: plan the next test from what this one showed.",
        ),
        (
            situation((150, 100)),
            "stop_and_learn",
            "End the test and keep the control: no treatment is better. Note what was learned.",
        ),
        (
            situation((100, 104), **ENDED),
            "stop_and_learn",
            (
                "Keep the control: no difference was shown, and lifts below −19.8% or above +34.8% are excluded. Note "
                "what was learned."
            ),
        ),
        (
            situation((100, 104), status="paused"),
            "resume_or_end",
            "Resume it, or end it: while it is paused, nothing more can be learned.",
        ),
        (
            situation((100, 104), 5.0, **AA),
            "keep_running",
            "Keep the A/A test running for about 9 days more, two weeks in all.",
        ),
        (
            situation((100, 104), **AA),
            "start_next",
            "End the A/A test: in two weeks it showed no difference, so the setup can be used.",
        ),
        (
            situation((100, 104)),
            "make_plan",
            "Make a plan: without a sample size it is not known when this test can be decided.",
        ),
        (
            situation((100, 104), planned_test=PLAN),
            "keep_running",
            "Keep it running for about 2 days more, until the planned sample is reached.",
        ),
        (
            situation((100, 104), planned_test={**PLAN, "required_total_visitors": 2000}),
            "decide",
            (
                "End it and keep the control, or plan for a smaller change: the planned sample is reached without a "
                "significant difference, and lifts below −19.8% or above +34.8% are excluded."
            ),
        ),
        (
            situation((2, 3), planned_test=PLAN, measurement_started_at="2026-03-04T08:00:00.000Z"),
            "keep_running",
            "Keep it running until the planned sample of 4,000 visitors is reached.",
        ),
    ],
)
def test_next_step__of_a_situation__is_one_sentence_with_its_reason(case: Situation, code: str, sentence: str) -> None:
    step = next_step(case)
    assert (step.code, step.sentence) == (code, sentence)


@pytest.mark.parametrize("status", VerdictStatus.__args__)  # type: ignore[attr-defined]
@pytest.mark.parametrize("fields", [{}, {"status": "paused"}, ENDED])
def test_next_step__of_any_verdict__exists(status: Any, fields: dict[str, Any]) -> None:
    case = situation((100, 104), **fields)
    bare = Verdict(status=status, sentence="", details=[], goal_id=None, variation_id=None, days_left=None)
    assert next_step(replace(case, verdict=bare)).sentence.endswith(".")
    assert next_step(replace(case, verdict=bare, goal=None, plan=None, measured=None)).sentence.endswith(".")


@pytest.mark.parametrize(
    ("days", "is_live", "warning", "message"),
    [
        (
            0.02,
            True,
            "under_a_week",
            (
                "Measured for 28 minutes, which is less than a week: people buy differently on other weekdays. About 7 "
                "days to go."
            ),
        ),
        (
            1.5,
            False,
            "under_a_week",
            "Measured for 36 hours, which is less than a week: people buy differently on other weekdays.",
        ),
        (6.6, True, None, "Measured for a whole week: all weekdays count alike."),
        (7.0, True, None, "Measured for a whole week: all weekdays count alike."),
        (
            9.2,
            True,
            "not_whole_weeks",
            (
                "Measured for 9 days, not a whole number of weeks: some weekdays count more often than others. Whole "
                "weeks end in 5 days."
            ),
        ),
        (
            17.0,
            False,
            "not_whole_weeks",
            "Measured for 17 days, not a whole number of weeks: some weekdays count more often than others.",
        ),
        (28.3, False, None, "Measured for 4 whole weeks: all weekdays count alike."),
    ],
)
def test_measured_time__warns_unless_weeks_are_whole(
    days: float, is_live: bool, warning: str | None, message: str
) -> None:
    time = time_of(days, is_live=is_live)
    assert (time.warning, time.message, time.days) == (warning, message, days)


@pytest.mark.parametrize(
    ("days", "text"),
    [
        (0.0, "0 minutes"),
        (1 / 1440, "1 minute"),
        (0.03, "43 minutes"),
        (1 / 24, "1 hour"),
        (1.0, "24 hours"),
        (1.99, "47 hours"),
        (2.0, "2 days"),
        (1200.5, "1,200 days"),
    ],
)
def test_elapsed_words__below_two_days__are_hours(days: float, text: str) -> None:
    assert elapsed_words(days) == text


def moved(action: str, moment: str) -> AuditRow:
    return AuditRow(
        id=moment,
        shop_id="s",
        user_id="u",
        action=action,
        entity_type="experiment",
        entity_id="e",
        entity_name=None,
        diff={},
        created_at=moment,
    )


PAUSED, RESUMED = moved("experiment.pause", "2026-03-05"), moved("experiment.resume", "2026-03-06")


@pytest.mark.parametrize(
    ("fields", "rows", "until"),
    [
        ({}, [PAUSED, RESUMED], "2026-03-09"),
        ({"status": "paused"}, [PAUSED], "2026-03-05"),
        ({"status": "completed", "ended_at": "2026-03-08"}, [PAUSED], "2026-03-05"),
        ({"status": "completed", "ended_at": "2026-03-08"}, [PAUSED, RESUMED], "2026-03-08"),
        ({"status": "completed", "ended_at": "2026-03-12"}, [], "2026-03-09"),
    ],
)
def test_measured_until__is_the_pause_the_end_or_the_last_count(
    fields: dict[str, Any], rows: list[AuditRow], until: str
) -> None:
    assert measured_until(facts((1, 1), **fields).experiment, "2026-03-09", rows) == until
    assert measured_until(facts((1, 1), **fields).experiment, None, rows) is None


@pytest.mark.parametrize(
    ("moment", "shipped"), [("2026-03-01T09:00:00.000Z", False), (NOW, True), ("2026-03-20T09:00:00.000Z", True)]
)
def test_shipped__before_a_restart__is_of_an_earlier_measurement(moment: str, shipped: bool) -> None:
    assert is_shipped(facts((1, 1)).experiment, [moved("experiment.ship", moment)]) == shipped
    assert not is_shipped(facts((1, 1)).experiment, [moved("experiment.pause", moment)])


def sequential(buyers: tuple[int, int], **fields: Any) -> tuple[Any, contract.GoalResult]:
    known = facts(buyers, **fields)
    question = Question(experiment=known.experiment, currency="EUR", alpha=0.05, correction="holm", engine="sequential")
    counts = counts_of(buyers)
    return reading_of(question, GOAL, counts), goal_results(question, [GOAL], counts)[0]


def test_early_stop__of_a_winner__has_the_corrected_estimate_and_golden_words() -> None:
    plan = {**PLAN, "mde": 0.4, "baseline_rate": 0.1}
    caution = early_stop(*sequential((100, 170), planned_test=plan), "t", "stopped")
    assert caution is not None
    # tau = 0.04, V = 2 x 0.135 x 0.865 / 1000: 0.0016 / (0.0016 + V) of the difference is left.
    kept = 0.0016 / (0.0016 + 2 * 0.135 * 0.865 / 1000)
    assert caution.corrected_difference == pytest.approx(kept * 0.07, rel=1e-9)
    assert caution.corrected_lift == pytest.approx(kept * 0.7, rel=1e-9)
    assert caution.message == (
        "This test stopped at a look, and such tests exaggerate: they stop when chance helps. Expect +61.1% rather "
        "than +70.0%; the interval allows for every look."
    )
    running = early_stop(*sequential((100, 170), planned_test=plan), "t", "running")
    assert running is not None
    assert running.message.startswith("If this test stops now, it stops at a look, and such tests exaggerate")


def test_early_stop__without_a_plan__takes_the_prior_of_lifts() -> None:
    caution = early_stop(*sequential((100, 170)), "t", "stopped")
    assert caution is not None
    kept = 0.005**2 / (0.005**2 + 2 * 0.135 * 0.865 / 1000)
    assert caution.corrected_difference == pytest.approx(kept * 0.07, rel=1e-9)


def test_early_stop__without_a_significant_treatment_or_at_a_planned_end__is_none() -> None:
    assert early_stop(*sequential((100, 104)), "t", "stopped") is None
    assert early_stop(*sequential((100, 170)), None, "stopped") is None
    reading, goal = sequential((100, 170))
    planned = reading_of(replace(reading.question, engine="frequentist"), GOAL, reading.counts)
    assert early_stop(planned, goal, "t", "stopped") is None


def test_implausible_lift__of_a_significant_row__states_the_prior_and_what_to_expect() -> None:
    reading, goal = sequential((100, 170))
    (mark,) = implausible_lifts([reading], [goal])
    assert (mark.goal_id, mark.variation_id, mark.prior_deviation) == ("g", "t", 0.05)
    assert mark.surprise < 0.01
    assert mark.message == (
        "Buy in “Blue” is too good to be true: a lift of +70.0% is more often an error of measurement than an effect. "
        "Most true lifts are small: 19 of 20 are taken to be within 10% either way before a test. With these data, "
        f"{percent(mark.expected_lift)} is expected. Check the measurement first."
    )
    assert 0 < mark.expected_lift < 0.1
    reading, goal = sequential((100, 104))
    assert implausible_lifts([reading], [goal]) == []


def test_winner__with_an_implausible_lift__is_checked_first() -> None:
    reading, goal = sequential((100, 170))
    case = situation((100, 170), more={"implausible": implausible_lifts([reading], [goal])})
    step = next_step(case)
    assert (step.code, step.sentence) == (
        "check_measurement",
        (
            "Check the measurement of “Blue” before it is rolled out: a lift of +70.0% is more often an error than an "
            "effect. Then repeat the test."
        ),
    )


def test_next_step__of_a_plan_whose_goal_became_a_ratio__is_another_plan() -> None:
    case = situation((100, 104), planned_test=PLAN)
    assert case.plan is not None
    assert next_step(case).code == "keep_running"
    ratio = case.plan.model_copy(update={"goal_state": "ratio"})
    assert next_step(replace(case, plan=ratio)).code == "make_plan"


def test_next_step__of_a_ratio__requests_no_plan_that_would_be_refused() -> None:
    case = situation((100, 104))
    assert case.goal is not None
    assert next_step(case).sentence.startswith("Make a plan: ")
    step = next_step(replace(case, goal=case.goal.model_copy(update={"metric": "ratio"})))
    assert (step.code, step.sentence) == (
        "make_plan",
        (
            "Calculate a sample size from this ratio and its deviation: without a sample size it is not known when "
            "this test can be decided."
        ),
    )
