"""Visitors who are not split as the weights say: nothing is decided by them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tests.support.autostopping import CONTROL, OTHER, PLANNED, TREATMENT, Shopkeeper, plan, running
from tests.support.storefronts import variation

SPLIT_OFF = {CONTROL: (2000, 200), TREATMENT: (1700, 300)}
SMALL_AND_OFF = {CONTROL: (200, 30), TREATMENT: (100, 50)}
STRAY = (variation(0), variation(1), replace(variation(2), weight=0.0))


@pytest.fixture
def keeper() -> Shopkeeper:
    return Shopkeeper()


@pytest.mark.parametrize(
    ("arms", "fields"),
    [
        pytest.param(SPLIT_OFF, {}, id="sequential"),
        pytest.param(SMALL_AND_OFF, {}, id="too few visitors for the sequential test of the split"),
        pytest.param({CONTROL: (2000, 200), TREATMENT: (2000, 300), OTHER: (1, 0)}, {"variations": STRAY}, id="stray"),
        pytest.param(
            SPLIT_OFF, {"auto_stop_override": PLANNED, "planned_test": plan()}, id="significant at the planned end"
        ),
        pytest.param(
            {CONTROL: (2000, 200), TREATMENT: (1700, 171)},
            {
                "auto_stop_override": {**PLANNED, "fixed_horizon": {"auto_pause_on_inconclusive": True}},
                "planned_test": plan(),
            },
            id="inconclusive at the planned end",
        ),
    ],
)
def test_round__split_is_broken__decides_nothing_and_says_so(
    keeper: Shopkeeper, arms: dict[str, tuple[int, int]], fields: dict[str, Any]
) -> None:
    keeper.keep(running(**fields))
    keeper.count(1, arms)
    assert keeper.one() == "sample_ratio_mismatch"
    assert (keeper.found().status, keeper.events()) == ("running", [])
    assert (keeper.found().planned_test or {}).get("evaluation") is None
    assert keeper.look()["verdict"]["reason"] == "sample_ratio_mismatch"


def test_round__split_was_broken_at_an_earlier_look__still_decides_nothing(keeper: Shopkeeper) -> None:
    keeper.keep(running())
    keeper.count(1, {CONTROL: (2000, 200), TREATMENT: (1700, 170)})
    keeper.round()
    keeper.count(2, {CONTROL: (20_000, 2000), TREATMENT: (20_000, 3000)})
    assert keeper.one() == "sample_ratio_mismatch"


def test_round__split_of_one_look_heals__decides_then(keeper: Shopkeeper) -> None:
    keeper.keep(running())
    keeper.count(1, SMALL_AND_OFF)
    assert keeper.one() == "sample_ratio_mismatch"
    keeper.count(2, {CONTROL: (2000, 200), TREATMENT: (2000, 300)})
    assert keeper.one() == "paused"


def test_round__nothing_would_be_decided__waits_for_that(keeper: Shopkeeper) -> None:
    keeper.keep(running())
    keeper.count(1, {CONTROL: (2000, 200), TREATMENT: (1700, 171)})
    assert keeper.one() == "no_winner"


def test_round__split_is_as_uneven_as_the_weights__decides(keeper: Shopkeeper) -> None:
    arms = (replace(variation(0), weight=0.9), replace(variation(1), weight=0.1))
    keeper.keep(running(variations=arms))
    keeper.count(1, {CONTROL: (9000, 900), TREATMENT: (1000, 180)})
    assert keeper.one() == "paused"
