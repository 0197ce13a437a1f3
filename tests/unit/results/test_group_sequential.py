"""The group-sequential engine: verdicts, p-values and intervals agree at every look and at the end."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from abtest.domain.autostop.evidence import Arms, Evidence, Measure
from abtest.domain.autostop.planned_looks import looked
from abtest.domain.autostop.settings import AutoStop
from abtest.domain.autostop.shapes import PlannedLooks
from abtest.domain.autostop.verdicts import Waiting
from abtest.domain.goals.definition import definition_digest
from abtest.domain.ledger.cells import GoalCount
from abtest.domain.stats.group_sequential.design import design_of
from abtest.domain.stats.group_sequential.inference import final, repeated_p_value
from abtest.domain.stats.group_sequential.looks import look, started
from abtest.domain.stats.samples import Conversions
from abtest.services.results import group_sequential
from abtest.services.results.comparison import TreatmentComparison
from abtest.services.results.counts import Counts
from abtest.services.results.group_sequential import no_look_message
from abtest.services.results.messages import state_message
from abtest.services.results.planned_looks import planned_looks_of
from abtest.services.results.question import Question, Reading, reading_of
from tests.unit.results.test_sequential import ARMS, GOAL, NOW, experiment

Sizes = Sequence[tuple[int, int]]
"""Visitors and converters of the control and two treatments."""

PLAN: Any = {
    "goal_id": "g",
    "baseline_rate": 0.1,
    "mde": 0.3,
    "alpha": 0.05,
    "power": 0.8,
    "tail": "two-sided",
    "correction_method": "holm",
    "required_total_visitors": 4500,
}
MINIMUM = AutoStop(min_visitors=1, min_conversions=1)


def looks_at(series: Sequence[Sizes], plan: Any, *, falls: bool = False) -> PlannedLooks:
    after: PlannedLooks | Waiting | None = None
    for number, sizes in enumerate(series):
        rates = {arm: Conversions(visitors=n, conversions=x) for arm, (n, x) in zip(ARMS, sizes, strict=True)}
        measure = Measure(
            goal_id="g",
            source=definition_digest(GOAL, "EUR"),
            falls=falls,
            is_money=False,
            comparisons={arm: Arms(rates["c"], rates[arm]) for arm in ARMS[1:]},
            rates=rates,
            samples={},
        )
        seen = Evidence(
            experiment_id="e",
            measurement_epoch=1,
            generation=number + 1,
            currency="EUR",
            alpha=0.05,
            control_id="c",
            visitors={arm: n for arm, (n, _) in zip(ARMS, sizes, strict=True)},
            weights=dict.fromkeys(ARMS, 1 / 3),
            measures={"g": measure},
        )
        assert not isinstance(after, Waiting)
        after = looked(after, plan, seen, MINIMUM, NOW)
    assert after is not None
    assert not isinstance(after, Waiting)
    return after


def reading(
    series: Sequence[Sizes], *, plan: Any = PLAN, falls: bool = False, correction: Any = "holm", **changed: Any
) -> Reading:
    goal = replace(GOAL, direction="decrease" if falls else "increase")
    looks: Any = {"goals": {}, "planned_looks": looks_at(series, plan, falls=falls)}
    question = Question(
        experiment=replace(experiment(planned_test=plan), goals=(goal,)),
        currency="EUR",
        alpha=0.05,
        correction=correction,
        engine="group_sequential",
        looks=looks,
    )
    question = replace(question, **changed)
    counts = {("g", arm): GoalCount(x, x, x, x) for arm, (_, x) in zip(ARMS, series[-1], strict=True)}
    visitors = {arm: n for arm, (n, _) in zip(ARMS, series[-1], strict=True)}
    return reading_of(question, goal, Counts(visitors=visitors, goals=counts))


def compared(series: Sequence[Sizes], **changed: Any) -> list[TreatmentComparison]:
    rows = group_sequential.compare([reading(series, **changed)])
    assert all(row is not None for row in rows)
    return [row for row in rows if row is not None]


EARLY: Sizes = [(700, 70), (700, 72), (700, 100)]


def test_compare__on_the_way__has_repeated_p_and_interval_of_the_latest_look() -> None:
    (even, better) = compared([EARLY])
    looks = looks_at([EARLY], PLAN)["family"]["treatments"]["u"]["looks"]
    design = looks_at([EARLY], PLAN)["family"]["design"]
    assert better.p_value == pytest.approx(repeated_p_value(looks, design_of(design)).p_value)
    assert better.adjusted_p_value == pytest.approx(min(1.0, 2 * (better.p_value or 0)))
    assert better.difference == pytest.approx(30 / 700)
    assert better.lift == pytest.approx(30 / 70)
    assert better.difference_interval is not None
    assert better.difference_interval.lower < 0 < better.difference_interval.upper
    assert even.is_significant is better.is_significant is False
    assert even.note == "no significant difference at the first planned look, with 52% of the planned information"


def test_compare__one_treatment_at_the_end__is_the_stage_wise_inference() -> None:
    series: list[Sizes] = [[(700, 70), (700, 72), (10, 1)], [(2100, 210), (2300, 290), (10, 1)]]
    row = compared(series, correction="none")[0]
    state = looks_at(series, PLAN)["family"]["treatments"]["t"]
    fresh = started(design_of(state["design"]), state["planned_information"])
    for one in state["looks"]:
        fresh, _ = look(fresh, one["fraction"] * state["planned_information"], one["z"], is_last=one["place"] >= 1)
    end = final(fresh)
    assert row.p_value == row.adjusted_p_value == pytest.approx(end.p_value)
    assert row.difference == pytest.approx(end.estimate)
    assert row.difference_interval is not None
    assert row.difference_interval.lower == pytest.approx(end.interval.lower)
    assert row.is_significant is True
    # Unbiased for a test that could have stopped early: less than the difference that it stopped with.
    assert 0 < row.difference < 290 / 2300 - 210 / 2100


def test_compare__a_goal_that_should_fall__has_the_difference_of_the_goal() -> None:
    falling: Sizes = [(1400, 200), (1400, 205), (1400, 120)]
    row = compared([falling], falls=True)[1]
    assert row.is_significant is True
    assert row.difference < 0
    assert row.lift is not None
    assert row.lift < 0
    assert row.difference_interval is not None
    assert row.difference_interval.upper < 0
    message = state_message(reading([falling], falls=True), experiment().variations[2], row)
    assert message.state == "better"


def test_compare__ahead_first_and_behind_at_the_latest_look__is_contradictory() -> None:
    row = compared([[(700, 40), (700, 42), (700, 110)], [(1450, 180), (1450, 180), (1450, 150)]])[1]
    assert (row.is_significant, row.is_contradicted) == (False, True)


def test_compare__a_boundary_crossed_before_the_end__is_shown_as_of_that_look() -> None:
    behind: Sizes = [(700, 110), (700, 110), (700, 40)]
    ended: Sizes = [(1500, 160), (1500, 160), (1500, 150)]
    row = compared([behind, ended])[1]
    assert row.is_significant is True
    # 700 visitors an arm: the look at which the boundary was reached, before most of the difference was gone.
    assert row.difference == pytest.approx(-0.1, abs=0.03)


def test_compare__counts_after_the_latest_look__change_nothing() -> None:
    looks: Any = {"goals": {}, "planned_looks": looks_at([EARLY], PLAN)}
    more: Sizes = [(705, 70), (705, 90), (705, 70)]
    assert group_sequential.compare([reading([more], looks=looks)]) == group_sequential.compare([reading([EARLY])])


def test_engine_of__goals_and_parts_without_planned_looks__are_sequential() -> None:
    planned = reading([EARLY])
    assert planned.engine == "group_sequential"
    assert replace(planned, goal=replace(GOAL, id="other")).engine == "sequential"
    assert replace(planned, goal=replace(GOAL, type="custom", aggregation="sum")).engine == "sequential"
    assert replace(planned, question=replace(planned.question, engine="frequentist")).engine == "frequentist"
    sequential = group_sequential.compare([replace(planned, question=replace(planned.question, engine="sequential"))])
    assert sequential[0] is not None
    assert sequential[0].always_valid_p is not None


def test_no_look__each_reason__is_in_words() -> None:
    none: Sizes = [(700, 0), (700, 0), (700, 100)]
    without = reading([none])
    assert [row is None for row in group_sequential.compare([without])] == [True, True]
    assert "fewer conversions than the minimum" in no_look_message(without, "u")
    empty: Any = {"goals": {}}
    question = replace(without.question, looks=empty)
    assert no_look_message(replace(without, question=question), "u").startswith("no planned look yet: the first one")
    redefined = reading([EARLY], falls=False)
    goal = replace(GOAL, selector="#other")
    question = replace(redefined.question, experiment=replace(redefined.question.experiment, goals=(goal,)))
    assert "redefined" in no_look_message(replace(redefined, question=question, goal=goal), "u")
    assert group_sequential.compare([replace(redefined, question=question, goal=goal)]) == [None, None]


def test_history__of_the_looks__has_boundaries_and_the_error_spent() -> None:
    plan = {**PLAN, "futility": {"family": "pocock", "gamma": None}}
    behind: Sizes = [(700, 90), (700, 70), (700, 125)]
    shown = planned_looks_of(reading([behind], plan=plan).question)
    assert shown is not None
    first, second = shown.treatments
    assert (first.state, second.state, shown.ended_by, shown.tail) == ("futile", "goes_on", None, "two-sided")
    assert "may be given up" in first.message
    (only,) = first.looks
    assert only.difference == pytest.approx(-20 / 700)
    assert only.z < 0
    assert only.ci is not None
    assert only.ci.lower < only.difference < only.ci.upper
    assert 0 < only.spent < 0.05
    assert only.visitors == 1400
    assert planned_looks_of(replace(reading([behind]).question, looks=None)) is None


def test_history__of_a_goal_that_counts_money__names_what_the_looks_compare() -> None:
    question = reading([EARLY]).question
    of_rates = planned_looks_of(question)
    (goal,) = question.experiment.goals
    money = replace(question, experiment=replace(question.experiment, goals=(replace(goal, type="revenue"),)))
    of_money = planned_looks_of(money)
    assert of_rates is not None
    assert of_money is not None
    assert "They compare the rate" not in of_rates.message
    assert "They compare the rate of visitors who reached the goal" in of_money.message


COUNT = st.integers(150, 1600).flatmap(lambda n: st.tuples(*[st.tuples(st.just(n), st.integers(5, n // 3))] * 3))


@settings(max_examples=120, deadline=None)
@given(
    drawn=st.lists(COUNT, min_size=1, max_size=4),
    one_sided=st.booleans(),
    correction=st.sampled_from(["holm", "none"]),
    is_evaluated=st.booleans(),
    falls=st.booleans(),
)
def test_verdict__of_any_looks__agrees_with_p_and_both_intervals(
    drawn: list[Sizes], one_sided: bool, correction: str, is_evaluated: bool, falls: bool
) -> None:
    plan = {**PLAN, "tail": "one-sided" if one_sided else "two-sided"}
    series = sorted(drawn, key=lambda sizes: sizes[0][0])
    planned = {**plan, "evaluation": {"engine": "group_sequential"}} if is_evaluated else plan
    looks: Any = {"goals": {}, "planned_looks": looks_at(series, plan, falls=falls)}
    each = reading(series, plan=planned, correction=correction, falls=falls, looks=looks)
    for row in group_sequential.compare([each]):
        if row is None:
            continue
        assert row.p_value is not None
        assert row.adjusted_p_value is not None
        assert row.adjusted_p_value >= row.p_value * (1 - 1e-9)
        is_rejected = bool(row.is_significant) or row.is_contradicted
        assert is_rejected == (row.adjusted_p_value <= 0.05 * (1 + 1e-9))
        for interval in (row.difference_interval, row.lift_interval):
            if interval is None or row.is_contradicted:
                continue
            # A one-sided test rejects on the better side only.
            is_beyond = interval.lower >= 0 or interval.upper <= 0
            if one_sided:
                is_beyond = interval.upper <= 0 if falls else interval.lower >= 0
            assert is_beyond == row.is_significant
