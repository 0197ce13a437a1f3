"""Decisions of planned looks: a winner, harm or futility on the way, and the end of the plan."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from abtest.domain.autostop.evidence import Arms, Evidence, LeftOut, Measure
from abtest.domain.autostop.group_sequential import decide, has_ended, is_futile
from abtest.domain.autostop.planned_looks import looked
from abtest.domain.autostop.settings import AutoStop
from abtest.domain.autostop.shapes import PlannedLooks
from abtest.domain.autostop.verdicts import Evaluated, GuardrailFinding, Waiting
from abtest.domain.planning.shapes import PlannedSpending
from abtest.domain.stats.samples import Conversions, Sample
from tests.support.autostopping import CONTROL, GOAL, OTHER, TREATMENT, plan

Counts = Mapping[str, tuple[int, int]]
MOMENT = "2026-03-03T00:00:00.000Z"
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


def looks_at(counts: list[Counts], planned: Any, settings: AutoStop = SETTINGS, **changed: Any) -> PlannedLooks:
    """Planned looks after these counts."""
    looks: PlannedLooks | Waiting | None = None
    for number, each in enumerate(counts):
        seen = replace(evidence(each, **changed), generation=number + 1)
        assert not isinstance(looks, Waiting)
        looks = looked(looks, planned, seen, settings, MOMENT)
    assert looks is not None
    assert not isinstance(looks, Waiting)
    return looks


def decided(
    *looks: Counts,
    planned: Any = None,
    settings: AutoStop = SETTINGS,
    is_covered: bool = True,
    guardrails: tuple[GuardrailFinding, ...] = (),
    **changed: Any,
) -> Evaluated | Waiting:
    planned = planned or plan()
    after = looks_at(list(looks), planned, settings, **changed)
    seen = evidence(looks[-1], **changed)
    return decide(planned, after, seen, settings, is_covered=is_covered, guardrails=guardrails)


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


def test_decide__money_that_is_incomplete__waits_and_does_not_win() -> None:
    won = arms(1000, 90, 150)
    assert decided(won, is_money=True, is_covered=False) == Waiting("measurement_quality_unavailable")
    assert decided(won, is_money=True, excluded=100) == Waiting("excluded_currency_residue")
    assert isinstance(decided(won, is_money=True), Evaluated)


def test_decide__without_a_plan_that_can_be_used__waits() -> None:
    seen, looks = evidence(arms(1000, 90, 150)), looks_at([arms(1000, 90, 150)], plan())

    def waits(planned: Any, after: PlannedLooks | None = looks) -> str:
        verdict = decide(planned, after, seen, SETTINGS, is_covered=True)
        assert isinstance(verdict, Waiting)
        return verdict.reason

    assert waits(plan(evaluation={})) == "already_evaluated"
    assert waits(plan(goal_id="x")) == "goal_not_counted"
    assert waits(plan(required_total_visitors=None)) == "plan_without_size"
    assert waits(plan(), None) == "no_planned_look"
    assert waits(plan(), {**looks, "source": "another"}) == "goal_redefined"
    assert waits(plan(), {**looks, "falls": True}) == "goal_redefined"


@pytest.mark.parametrize(
    ("counts", "reason"),
    [
        (arms(99, 40, 40), "min_visitors"),
        ({CONTROL: (500, 50), TREATMENT: (0, 0)}, "min_visitors"),
        (arms(500, 24, 60), "min_conversions"),
        (arms(1500, 1500, 1500), "no_variance"),
    ],
)
def test_decide__before_any_look__names_what_is_missing(counts: Counts, reason: str) -> None:
    assert decided(counts) == Waiting(reason)  # type: ignore[arg-type]


def test_decide__an_arm_without_visitors_at_the_planned_end__is_compared_as_not_significant() -> None:
    planned = plan(required_total_visitors=3000)
    result = decided({CONTROL: (1500, 145), TREATMENT: (1600, 210), OTHER: (0, 0)}, planned=planned)
    assert isinstance(result, Evaluated)
    assert (result.outcome, result.adjusted[OTHER]) == ("significant_pause", 1.0)


FINDING = GuardrailFinding(goal_id="guardrail", variation_id=TREATMENT, status="harmed", p=0.001)
WENT_ON = AutoStop(pauses_for_harm=False)


def test_decide__a_guardrail_harmed_on_the_way__pauses_with_harm_unless_the_settings_go_on() -> None:
    counts = arms(750, 75, 80)
    result = decided(counts, guardrails=(FINDING,))
    assert isinstance(result, Evaluated)
    assert (result.outcome, result.ended_by, result.winner, result.pauses) == ("harm", "harm", None, True)
    assert decided(counts, guardrails=(FINDING,), settings=WENT_ON) == Waiting("guardrail_harmed")


def test_decide__a_treatment_ahead_that_harms_a_guardrail__has_not_won() -> None:
    won = arms(1000, 90, 150)
    harmed = decided(won, guardrails=(FINDING,))
    assert isinstance(harmed, Evaluated)
    assert (harmed.outcome, harmed.winner) == ("harm", None)
    assert decided(won, guardrails=(FINDING,), settings=WENT_ON) == Waiting("guardrail_harmed")
    at_the_end = decided(arms(1500, 140, 220), guardrails=(FINDING,), settings=WENT_ON)
    assert isinstance(at_the_end, Evaluated)
    assert (at_the_end.outcome, at_the_end.ended_by, at_the_end.pauses) == ("harm", "planned_end", False)


LIKE_POCOCK: PlannedSpending = {"family": "pocock", "gamma": None}


def test_decide__futility__pauses_or_goes_on_and_needs_a_plan_that_has_it() -> None:
    planned, behind = plan(futility=LIKE_POCOCK), arms(1000, 110, 95)
    result = decided(behind, planned=planned)
    assert isinstance(result, Evaluated)
    assert (result.outcome, result.ended_by, result.winner) == ("inconclusive_pause", "futility", None)
    goes_on = AutoStop(pauses_for_futility=False)
    assert decided(behind, planned=planned, settings=goes_on) == Waiting("futility")
    assert decided(behind) == Waiting("no_winner")
    recovered = decided(behind, arms(1500, 120, 185), planned=planned, settings=goes_on)
    assert isinstance(recovered, Evaluated)
    assert recovered.outcome == "significant_pause"


def test_decide__futility_of_one_of_two_treatments__goes_on() -> None:
    planned = plan(futility=LIKE_POCOCK, required_total_visitors=4500)
    counts = {CONTROL: (1000, 110), TREATMENT: (1000, 95), OTHER: (1000, 128)}
    looks = looks_at([counts], planned)
    assert (is_futile(looks, TREATMENT), is_futile(looks, OTHER), has_ended(looks)) == (True, False, False)
    assert decided(counts, planned=planned) == Waiting("no_winner")
