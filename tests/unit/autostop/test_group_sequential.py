"""Decisions of planned looks: a winner on the way, the end of the plan, and what is not looked at."""

from __future__ import annotations

import json
from collections.abc import Mapping
from itertools import pairwise
from typing import Any

import pytest

from abtest.domain.autostop.evidence import Arms, Evidence, LeftOut, Measure
from abtest.domain.autostop.group_sequential import LOOK_STEP, begun, decide, look_at
from abtest.domain.autostop.settings import AutoStop
from abtest.domain.autostop.verdicts import Evaluated, Waiting
from abtest.domain.stats.group_sequential.boundaries import boundaries
from abtest.domain.stats.group_sequential.design import Design
from abtest.domain.stats.group_sequential.families import FamilyState
from abtest.domain.stats.samples import Conversions, Sample
from tests.support.autostopping import CONTROL, GOAL, OTHER, TREATMENT, plan

Counts = Mapping[str, tuple[int, int]]
SETTINGS, PAUSING = AutoStop(), AutoStop(pauses_inconclusive=True)


def evidence(counts: Counts, *, falls: bool = False, is_money: bool = False, excluded: int = 0) -> Evidence:
    rates = {arm: Conversions(visitors=n, conversions=x) for arm, (n, x) in counts.items()}
    measure = Measure(
        goal_id=GOAL,
        source="definition",
        falls=falls,
        is_money=is_money,
        comparisons={arm: Arms(rates[CONTROL], rates[arm]) for arm in rates if arm != CONTROL},
        rates=rates,
        samples={arm: Sample(n=n, mean=5.0 * x / max(n, 1), variance=25.0) for arm, (n, x) in counts.items()},
        left_out={arm: LeftOut(counted=x, excluded=excluded) for arm, (_, x) in counts.items()} if is_money else {},
    )
    return Evidence(
        experiment_id="experiment",
        measurement_epoch=1,
        generation=1,
        currency="EUR",
        alpha=0.05,
        control_id=CONTROL,
        visitors={arm: n for arm, (n, _) in counts.items()},
        weights=dict.fromkeys(counts, 1.0),
        measures={GOAL: measure},
    )


def state_of(looks: list[Counts], planned: Any, **changed: Any) -> FamilyState:
    state = begun(planned, evidence(looks[0], **changed))
    assert not isinstance(state, Waiting)
    for counts in looks:
        state = look_at(state, planned, evidence(counts, **changed), SETTINGS)
    return state


def decided(
    *looks: Counts, planned: Any = None, settings: AutoStop = SETTINGS, is_covered: bool = True, **changed: Any
) -> Evaluated | Waiting:
    planned = planned or plan()
    state = state_of(list(looks), planned, **changed)
    return decide(planned, state, evidence(looks[-1], **changed), settings, is_covered=is_covered)


def arms(n: int, control: int, treatment: int) -> Counts:
    return {CONTROL: (n, control), TREATMENT: (n, treatment)}


def test_decide__a_winner_on_the_way__is_paused() -> None:
    outcome = decided(arms(500, 50, 55), arms(1000, 90, 150))
    assert isinstance(outcome, Evaluated)
    assert (outcome.outcome, outcome.total_visitors) == ("significant_pause", 2000)
    assert outcome.winner is not None
    assert outcome.winner.variation_id == TREATMENT
    assert outcome.winner.p <= 0.05


def test_decide__significant_for_one_look_only__waits_on_the_way() -> None:
    # z is 2.5; the boundary at a half of the information is 2.96.
    assert decided(arms(750, 75, 106)) == Waiting("no_winner")


@pytest.mark.parametrize(
    ("counts", "settings", "outcome"),
    [
        (arms(1500, 150, 190), SETTINGS, "significant_pause"),
        (arms(1500, 150, 155), SETTINGS, "continue_inconclusive"),
        (arms(1500, 150, 155), PAUSING, "inconclusive_pause"),
        (arms(1500, 190, 150), SETTINGS, "continue_not_positive"),
    ],
)
def test_decide__at_the_planned_visitors__ends(counts: Counts, settings: AutoStop, outcome: str) -> None:
    result = decided(arms(750, 75, 78), counts, settings=settings)
    assert isinstance(result, Evaluated)
    assert result.outcome == outcome


def test_decide__a_loser_on_the_way__goes_on() -> None:
    assert decided(arms(1000, 150, 90)) == Waiting("no_winner")


def test_decide__a_goal_that_should_fall__is_won_by_falling() -> None:
    result = decided(arms(1000, 150, 90), falls=True)
    assert isinstance(result, Evaluated)
    assert result.winner is not None
    assert decided(arms(1000, 90, 150), falls=True) == Waiting("no_winner")


def test_decide__a_one_sided_plan__has_the_lower_boundary() -> None:
    planned = plan(tail="one-sided")
    result = decided(arms(1500, 150, 180), planned=planned)
    assert isinstance(result, Evaluated)
    assert result.outcome == "significant_pause"
    two_sided = decided(arms(1500, 150, 180))
    assert isinstance(two_sided, Evaluated)
    assert two_sided.winner is None


def test_decide__several_treatments__are_corrected_together() -> None:
    strong, weak = (1500, 200), (1500, 183)
    planned = plan(required_total_visitors=4500)
    both = decided({CONTROL: (1500, 145), TREATMENT: strong, OTHER: weak}, planned=planned)
    alone = decided({CONTROL: (1500, 145), TREATMENT: (1500, 146), OTHER: weak}, planned=planned)
    assert isinstance(both, Evaluated)
    assert isinstance(alone, Evaluated)
    assert both.adjusted[OTHER] <= 0.05
    assert alone.adjusted[OTHER] > 0.05


def test_decide__ahead_once_and_behind_now__has_not_won() -> None:
    result = decided(arms(750, 60, 120), arms(1500, 190, 180))
    assert isinstance(result, Evaluated)
    assert result.winner is None


def test_look_at__too_little_data_or_the_same_data__spends_nothing() -> None:
    planned = plan()
    empty = state_of([arms(0, 0, 0), arms(99, 30, 30), arms(200, 24, 60)], planned)
    assert [one["looks"] for one in empty["treatments"].values()] == [[]]
    assert decide(planned, empty, evidence(arms(200, 24, 60)), SETTINGS, is_covered=True) == Waiting("min_conversions")
    once = state_of([arms(750, 75, 78)], planned)
    assert look_at(once, planned, evidence(arms(750, 75, 78)), SETTINGS) == once
    json.dumps(once, allow_nan=False)


def test_look_at__with_little_more_information__waits_for_the_next_hundredth_of_the_plan() -> None:
    planned = plan()
    state = state_of([arms(n, n // 10, n // 10) for n in range(300, 1500, 5)], planned)
    looks = state["treatments"][TREATMENT]["looks"]
    steps = [after["fraction"] - before["fraction"] for before, after in pairwise(looks)]
    assert 40 < len(looks) < 90
    assert min(steps[:-1]) >= LOOK_STEP
    last = look_at(state, planned, evidence(arms(1500, 150, 150)), SETTINGS)["treatments"][TREATMENT]["looks"][-1]
    assert last["place"] == 1
    assert last["spent"] == pytest.approx(0.025, rel=1e-12)


def test_look_at__at_a_half_of_the_plan__has_the_boundary_of_its_information() -> None:
    state = state_of([arms(750, 86, 86)], plan())
    (latest,) = state["treatments"][TREATMENT]["looks"]
    assert latest["fraction"] == pytest.approx(0.5, abs=0.01)
    assert latest["upper"] == pytest.approx(boundaries([latest["fraction"]], Design())[0].upper)


def test_decide__money_that_is_incomplete__waits_and_does_not_win() -> None:
    won = arms(1000, 90, 150)
    assert decided(won, is_money=True, is_covered=False) == Waiting("measurement_quality_unavailable")
    assert decided(won, is_money=True, excluded=100) == Waiting("excluded_currency_residue")
    assert isinstance(decided(won, is_money=True), Evaluated)


def test_decide__without_a_plan_that_can_be_used__waits() -> None:
    seen, state = evidence(arms(1000, 90, 150)), state_of([arms(1000, 90, 150)], plan())
    assert decide(plan(evaluation={}), state, seen, SETTINGS, is_covered=True) == Waiting("already_evaluated")
    assert decide(plan(goal_id="x"), state, seen, SETTINGS, is_covered=True) == Waiting("goal_not_counted")
    assert look_at(state, plan(goal_id="x"), seen, SETTINGS) == state
    assert begun(plan(goal_id="x"), seen) == Waiting("goal_not_counted")
    assert begun(plan(required_total_visitors=None), seen) == Waiting("plan_without_size")
