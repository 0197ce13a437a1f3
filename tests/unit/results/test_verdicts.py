"""Verdicts of planned ends, and what of many looks a chart shows."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from abtest.contract import results as contract
from abtest.domain.autostop.settings import AutoStop
from abtest.domain.experiments.model import Experiment, Variation
from abtest.domain.goals.model import Goal
from abtest.domain.ledger.cells import GoalCount
from abtest.services.results.counts import Counts
from abtest.services.results.interval_course import POINTS, evenly
from abtest.services.results.progress import effects_by_day, progress_of
from abtest.services.results.question import Question
from abtest.services.results.rows import goal_results
from abtest.services.results.verdicts import Facts, verdict_of

NOW, LATER = "2026-03-02T09:00:00.000Z", "2026-03-04T09:00:00.000Z"
GOAL = Goal(id="g", experiment_id="e", name="Buy", type="click", is_primary=True, created_at=NOW, updated_at=NOW)
PLAN = {"goal_id": "g", "required_total_visitors": 4000, "required_sample_per_variant": 2000}


def counts_of(buyers: tuple[int, int]) -> Counts:
    counts = {("g", arm): GoalCount(x, x, x, x) for arm, x in zip("ct", buyers, strict=True)}
    return Counts(visitors={"c": 1000, "t": 1000}, goals=counts)


def facts(buyers: tuple[int, int], *, goal: Goal = GOAL, **fields: Any) -> Facts:
    variations = tuple(
        Variation(id=arm, experiment_id="e", name=name, weight=0.5, is_control=arm == "c")
        for arm, name in (("c", "Control"), ("t", "Blue"))
    )
    experiment = Experiment(
        id="e",
        shop_id="s",
        name="E",
        variations=variations,
        goals=(goal,),
        created_at=NOW,
        updated_at=NOW,
        **{"status": "running", "started_at": NOW, "measurement_started_at": NOW, **fields},
    )
    question = Question(experiment=experiment, currency="EUR", alpha=0.05, correction="holm")
    measured = counts_of(buyers)
    return Facts(
        experiment=experiment,
        visitors=2000,
        goal=goal_results(question, [goal], measured)[0],
        plan=progress_of(experiment, AutoStop(), 2000, LATER),
        srm=contract.SampleRatio(p_value=1.0, status="ok", expected={}, observed={}, sequential_p_value=1.0),
        health=[],
        coverage=contract.Coverage(mixed_populations=False, reasons=[]),
    )


BLOCKED = {**PLAN, "evaluation": {"outcome": "continue_inconclusive", "blocked_reason": "excluded_currency_residue"}}


def evaluated(outcome: str, winner: str | None = None) -> Any:
    return {**PLAN, "evaluation": {"outcome": outcome, "winning_variation_id": winner}}


@pytest.mark.parametrize(
    ("buyers", "fields", "status", "sentence"),
    [
        ((100, 150), {}, "winner", "“Blue” is better: Buy rises by 50.0% (between +18.4% and "),
        ((150, 100), {}, "loser", "“Blue” is worse: Buy falls by 33.3% (between "),
        ((100, 104), {}, "undecided", "No decision yet: no significant difference so far."),
        ((100, 104), {"planned_test": PLAN}, "undecided", "No decision yet: about 2 days to go."),
        ((100, 104), {"status": "paused"}, "undecided", "No decision yet, and the experiment is paused"),
        ((100, 104), {"status": "completed"}, "no_winner", "The experiment ended without a significant difference."),
        ((10, 104), {}, "too_early", "Too early to say: too few conversions yet: 10 of 25 in Control."),
        ((100, 150), {"started_at": None}, "not_started", "This experiment has not been started yet."),
        (
            (100, 150),
            {"planned_test": evaluated("significant_pause", "t")},
            "winner",
            "“Blue” won at the planned end: Buy rises by 50.0%",
        ),
        (
            (100, 150),
            {"planned_test": evaluated("inconclusive_pause")},
            "no_winner",
            "No difference was found: the planned end was reached without a significant change of Buy.",
        ),
        (
            (150, 100),
            {"planned_test": evaluated("continue_not_positive")},
            "loser",
            "No treatment won: at the planned end Buy differed, but not for the better.",
        ),
    ],
)
def test_verdict__in_each_situation__is_a_sentence(
    buyers: tuple[int, int], fields: Any, status: str, sentence: str
) -> None:
    found = verdict_of(facts(buyers, **fields))
    assert (found.status, found.sentence[: len(sentence)]) == (status, sentence)


def looked_at(outcome: str, ended_by: str, winner: str | None = None) -> Any:
    made = evaluated(outcome, winner)
    return {**made, "evaluation": {**made["evaluation"], "engine": "group_sequential", "ended_by": ended_by}}


@pytest.mark.parametrize(
    ("buyers", "plan", "status", "sentence", "progress"),
    [
        (
            (100, 150),
            looked_at("significant_pause", "winner", "t"),
            "winner",
            "“Blue” won at a planned look: Buy rises by 50.0%",
            "A planned look before the end had a significant result.",
        ),
        (
            (100, 150),
            looked_at("significant_pause", "planned_end", "t"),
            "winner",
            "“Blue” won at the planned end: Buy rises by 50.0%",
            "The planned end was reached with a significant result.",
        ),
        (
            (100, 95),
            looked_at("inconclusive_pause", "futility"),
            "no_winner",
            "No treatment won: at a planned look none was likely to win any more in Buy.",
            "No treatment was likely to win any more, so the test was stopped before the planned end.",
        ),
        (
            (100, 104),
            looked_at("continue_inconclusive", "planned_end"),
            "no_winner",
            "No difference was found: the planned end was reached without a significant change of Buy.",
            "The planned end was reached without a significant result; the experiment went on.",
        ),
        (
            (100, 104),
            looked_at("harm", "harm"),
            "harm",
            "No treatment won: before the planned end a guardrail was harmed.",
            "A guardrail was harmed before the planned end, so there is no winner.",
        ),
    ],
)
def test_verdict__of_planned_looks__names_what_ended_them(
    buyers: tuple[int, int], plan: Any, status: str, sentence: str, progress: str
) -> None:
    given = facts(buyers, planned_test=plan)
    assert given.plan is not None
    assert given.plan.message == progress
    verdict = verdict_of(given)
    assert (verdict.status, verdict.sentence[: len(sentence)]) == (status, sentence)


def test_progress__of_planned_looks__warns_of_a_plan_for_another_engine() -> None:
    experiment = facts((100, 104), planned_test=PLAN).experiment
    settings = AutoStop(mode="group_sequential")
    warned = progress_of(experiment, settings, 2000, LATER)
    assert warned is not None
    assert warned.message.endswith("The plan is sized for another engine than that of planned looks.")
    sized: Any = {**PLAN, "engine": "group_sequential"}
    silent = progress_of(replace(experiment, planned_test=sized), settings, 2000, LATER)
    assert silent is not None
    assert "another engine" not in silent.message


def test_verdict__of_a_goal_that_is_to_fall__is_better_when_it_falls() -> None:
    found = verdict_of(facts((150, 100), goal=replace(GOAL, direction="decrease")))
    assert (found.status, found.sentence[:40]) == ("winner", "“Blue” is better: Buy falls by 33.3% (be")


def guardrail(status: Any, variation: str = "t", goal_id: str = "o") -> contract.GuardrailFinding:
    return contract.GuardrailFinding(
        goal_id=goal_id,
        variation_id=variation,
        status=status,
        p_value=0.001 if status == "harmed" else 0.9,
        difference=-0.01,
        lift=-0.1,
        message=f"{status} {goal_id}.",
    )


@pytest.mark.parametrize(
    ("buyers", "fields", "status", "sentence"),
    [
        pytest.param((100, 180), {}, "harm", "harmed o. It is better in Buy, and no winner.", id="a winner that harms"),
        pytest.param((100, 101), {}, "harm", "harmed o.", id="undecided and harmful"),
        pytest.param(
            (100, 150), {"planned_test": evaluated("significant_pause", "t")}, "harm", "harmed o.", id="won, harms"
        ),
        pytest.param((100, 101), {"started_at": None}, "not_started", "This experiment", id="a draft"),
    ],
)
def test_verdict__with_a_harmed_guardrail__has_it_in_the_headline(
    buyers: tuple[int, int], fields: Any, status: str, sentence: str
) -> None:
    verdict = verdict_of(replace(facts(buyers, **fields), guardrails=[guardrail("harmed")]))
    assert (verdict.status, verdict.sentence[: len(sentence)]) == (status, sentence)


def test_verdict__of_a_winner_that_harms_nothing__lists_its_guardrails() -> None:
    shown = [guardrail("no_harm_shown"), guardrail("too_little_data", goal_id="r"), guardrail("harmed", "other")]
    verdict = verdict_of(replace(facts((100, 180)), guardrails=shown))
    assert (verdict.status, verdict.details[:3]) == ("winner", ["harmed o.", "no_harm_shown o.", "too_little_data r."])


def test_verdict__paused_by_auto_stop_for_harm__names_it_also_when_the_numbers_do_not_show_it() -> None:
    stopped = replace(facts((100, 180), status="paused"), is_stopped_for_harm=True)
    verdict = verdict_of(replace(stopped, guardrails=[guardrail("harmed")]))
    assert verdict.status == "stopped_for_harm"
    assert verdict.sentence == "Auto-stop paused this experiment without a winner. harmed o."
    verdict = verdict_of(replace(stopped, guardrails=[guardrail("excluded_currency_residue")]))
    assert verdict.status == "stopped_for_harm"
    assert verdict.sentence.endswith("for the harm of a guardrail, which the present numbers do not show.")


def test_verdict__stopped_for_harm_at_the_planned_end__has_the_stored_sentence() -> None:
    plan = evaluated("harm")
    plan["evaluation"]["guardrails"] = [
        {"status": "no_harm_shown", "message": "No harm."},
        {"status": "harmed", "message": "“Blue” harms “Orders”."},
    ]
    verdict = verdict_of(replace(facts((100, 150), status="paused", planned_test=plan), is_stopped_for_harm=True))
    assert (verdict.status, verdict.sentence) == (
        "stopped_for_harm",
        "Auto-stop paused this experiment without a winner. “Blue” harms “Orders”.",
    )


def test_verdict__harm_at_the_planned_end__is_the_stored_one() -> None:
    plan = evaluated("harm")
    plan["evaluation"]["guardrails"] = [{"status": "harmed", "message": "“Blue” harms “Orders”."}]
    verdict = verdict_of(facts((100, 150), planned_test=plan))
    assert (verdict.status, verdict.sentence) == (
        "harm",
        "No treatment won: at the planned end a guardrail was harmed. “Blue” harms “Orders”.",
    )


@pytest.mark.parametrize(
    ("plan", "goals", "state", "message"),
    [
        (PLAN, (GOAL,), "in_use", "2,000 of 4,000 planned visitors; about 2 days to go."),
        (PLAN, (replace(GOAL, archived_at=NOW),), "archived", "The goal of the plan, Buy, was archived"),
        (PLAN, (replace(GOAL, aggregation="ratio"),), "ratio", "The goal of the plan, Buy, became a ratio, and plans"),
        (PLAN, (), "deleted", "The goal of the plan was deleted"),
        ({"goal_id": "g"}, (GOAL,), "in_use", "The plan is of an older release and has no sample size."),
        (evaluated("continue_inconclusive"), (GOAL,), "in_use", "The planned end was reached without"),
        (
            BLOCKED,
            (GOAL,),
            "in_use",
            "The planned end was reached without a significant result; the experiment went on. Mo",
        ),
    ],
)
def test_progress__of_a_plan_whose_goal_may_be_gone__is_told(
    plan: Any, goals: tuple[Goal, ...], state: str, message: str
) -> None:
    experiment = replace(facts((1, 1)).experiment, planned_test=plan, goals=goals)
    found = progress_of(experiment, AutoStop(), 2000, LATER)
    assert found is not None
    assert (found.goal_state, found.message[: len(message)]) == (state, message)


LOOKS: Any = {"fixed": None, "sequential": None, "group_sequential": 28}
WHOLE: Any = {**PLAN, "baseline_rate": 0.03, "mde": 0.1, "alpha": 0.05, "power": 0.8, "tail": "two-sided"}


@pytest.mark.parametrize(
    ("engine", "mode", "message"),
    [
        (
            "sequential",
            "off",
            (
                "2,000 of 4,000 planned visitors, by which a test that is read at any time finds the planned effect in"
                " 80% of cases; about 2 days to go."
            ),
        ),
        (
            "group_sequential",
            "off",
            (
                "2,000 of 4,000 planned visitors, by whose last look the planned effect is found in 80% of cases; about"
                " 2 days to go."
            ),
        ),
        ("fixed", "fixed_horizon_planned_end", "2,000 of 4,000 planned visitors; about 2 days to go."),
        (
            "fixed",
            "sequential_significance",
            (
                "2,000 of 4,000 planned visitors; about 2 days to go. The plan is for one look: read at any time, it"
                " finds the planned effect in 50% of cases."
            ),
        ),
        (
            "group_sequential",
            "sequential_significance",
            (
                "2,000 of 4,000 planned visitors; about 2 days to go. The plan is for planned looks: read at any time,"
                " it finds the planned effect in 53% of cases."
            ),
        ),
        ("group_sequential", "fixed_horizon_planned_end", "2,000 of 4,000 planned visitors; about 2 days to go."),
    ],
)
def test_progress__of_an_engine__is_reported_with_what_its_sample_is_for(engine: Any, mode: Any, message: str) -> None:
    experiment = replace(
        facts((1, 1)).experiment, planned_test=WHOLE | {"engine": engine, "looks": LOOKS[engine]}, goals=(GOAL,)
    )
    progress = progress_of(experiment, AutoStop(mode=mode), 2000, LATER)
    assert progress is not None
    assert (progress.engine, progress.message) == (engine, message)


def test_effects_by_day__pace_so_far__predicts_the_days() -> None:
    experiment = replace(facts((1, 1)).experiment, planned_test=WHOLE | {"engine": "fixed"}, goals=(GOAL,))
    points = effects_by_day(experiment, 20_000, LATER)
    pace = points[0].visitors / points[0].day
    assert [point.visitors for point in points] == [pytest.approx(pace * point.day, abs=1) for point in points]
    assert points[0].mde > points[-1].mde


@pytest.mark.parametrize(
    "change",
    [{"planned_test": None}, {"goals": ()}, {"measurement_started_at": None}, {"measurement_started_at": LATER}],
)
def test_effects_by_day__nothing_to_predict_from__are_none(change: Any) -> None:
    experiment = replace(facts((1, 1)).experiment, planned_test=WHOLE, goals=(GOAL,))
    assert effects_by_day(replace(experiment, **change), 20_000, LATER) == ()


@pytest.mark.parametrize("plan", [{"goal_id": "g"}, evaluated("continue_inconclusive")])
def test_progress__of_a_plan_that_takes_no_looks_any_more__has_no_word_of_its_size(plan: Any) -> None:
    experiment = replace(facts((1, 1)).experiment, planned_test=plan, goals=(GOAL,))
    progress = progress_of(experiment, AutoStop(mode="group_sequential"), 2000, LATER)
    assert progress is not None
    assert "another engine" not in progress.message


def test_progress__of_an_older_plan__is_for_one_look() -> None:
    experiment = replace(facts((1, 1)).experiment, planned_test=WHOLE, goals=(GOAL,))
    progress = progress_of(experiment, AutoStop(), 2000, LATER)
    assert progress is not None
    assert (progress.engine, "50% of cases" in progress.message) == ("fixed", True)


@pytest.mark.parametrize("number", [0, 1, POINTS, POINTS + 1, 5 * POINTS])
def test_looks__too_many_for_a_chart__are_chosen_evenly_with_both_ends(number: int) -> None:
    looks = [{"place": place} for place in range(number)]
    found = [look["place"] for look in evenly(looks, POINTS)]
    assert len(found) == min(number, POINTS)
    assert found == sorted(set(found))
    assert not looks or (found[0], found[-1]) == (0, number - 1)
