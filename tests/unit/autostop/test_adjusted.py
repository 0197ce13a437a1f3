"""Auto-stop by the estimate that is adjusted for the time before exposures."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.autostopping import CONTROL, GOAL, TREATMENT, Arm, Shopkeeper, plan, running

ARMS: dict[str, Arm] = {CONTROL: (2000, 400), TREATMENT: (2000, 460)}
"""Too little for the plain test."""


@pytest.fixture
def keeper() -> Shopkeeper:
    return Shopkeeper()


def past(both: tuple[int, int]) -> dict[str, Any]:
    """400 visitors of each arm did it before; so many of them also after."""
    arms = zip((CONTROL, TREATMENT), both, strict=True)
    return {"covariates": {GOAL: {arm: [400, "400", str(number)] for arm, number in arms}}}


REGULARS = past((340, 345))
STRANGERS = past((80, 92))


def round_of(keeper: Shopkeeper, generation: int, before: dict[str, Any], adjustment: str = "cuped") -> str:
    if generation == 1:
        keeper.keep(running(planned_test=plan(covariate_adjustment=adjustment)))
    keeper.count(generation, ARMS, **before)
    return keeper.one()


def test_round__of_a_plan_that_adjusts__pauses_for_a_winner_that_the_plain_test_does_not_see(
    keeper: Shopkeeper,
) -> None:
    assert round_of(keeper, 1, REGULARS) == "paused"

    diff, shown = keeper.audited()[0].diff, keeper.look()["goals"][GOAL][TREATMENT]
    assert (diff["winner"], diff["estimate"]) == ([None, TREATMENT], [None, "cuped"])
    assert diff["adjusted_p"][1] == shown["adjusted"]["p"] <= 0.05 < shown["p"]
    assert diff["difference"][1] == pytest.approx(shown["adjusted"]["difference"])
    assert shown["difference"] == pytest.approx(0.03)


def test_round__of_another_plan__decides_by_the_plain_test(keeper: Shopkeeper) -> None:
    assert round_of(keeper, 1, REGULARS, "none") == "no_winner"
    assert "adjusted" not in keeper.state()["goals"][GOAL]


def test_round__whose_past_explains_nothing__decides_as_the_plain_test(keeper: Shopkeeper) -> None:
    assert round_of(keeper, 1, STRANGERS) == "no_winner"

    shown = keeper.look()["goals"][GOAL][TREATMENT]
    assert shown["adjusted"]["p"] == pytest.approx(shown["p"], rel=0.02)


def test_round__without_the_past_at_the_first_look__keeps_the_plain_test(keeper: Shopkeeper) -> None:
    assert [round_of(keeper, 1, {}), round_of(keeper, 2, REGULARS)] == ["no_winner", "no_winner"]


def test_round__without_the_past_at_a_later_look__waits_for_it(keeper: Shopkeeper) -> None:
    reasons = [round_of(keeper, number, before) for number, before in ((1, STRANGERS), (2, {}), (3, REGULARS))]

    assert reasons == ["no_winner", "covariate_not_counted", "paused"]
