"""Settings field by field; looks that rise; weekdays that count."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from abtest.domain.autostop.settings import AutoStop, resolved
from abtest.domain.ledger.cells import QUARTER_MS
from abtest.domain.stats.samples import Conversions
from abtest.domain.stats.sequential import Mixture, mixture_test
from abtest.kit.clock import to_milliseconds
from tests.support.autostopping import (
    BEGIN,
    CONTROL,
    GOAL,
    SEQUENTIAL,
    TREATMENT,
    Shopkeeper,
    running,
    totals,
)
from tests.support.storefronts import goal, variation

WON = {CONTROL: (2000, 200), TREATMENT: (2000, 300)}
EVEN = {CONTROL: (2000, 200), TREATMENT: (2000, 205)}


@pytest.mark.parametrize(
    ("override", "default", "expected"),
    [
        (None, None, AutoStop()),
        ({"mode": "inherit"}, {"mode": "off"}, AutoStop()),
        ({"mode": "inherit"}, {"mode": "inherit"}, AutoStop()),
        ({"mode": "inherit"}, SEQUENTIAL, AutoStop(mode="sequential_significance")),
        (None, SEQUENTIAL, AutoStop(mode="sequential_significance")),
        ({"mode": "off"}, SEQUENTIAL, AutoStop(mode="off")),
        (
            {"mode": "inherit", "sequential": {"min_visitors": 1}, "fixed_horizon": None},
            {
                **SEQUENTIAL,
                "min_runtime_minutes": 60,
                "sequential": {"min_visitors": 500, "min_conversions": 5},
                "fixed_horizon": {"auto_pause_on_inconclusive": True},
            },
            AutoStop(
                mode="sequential_significance",
                min_runtime_minutes=60,
                min_visitors=1,
                min_conversions=5,
                pauses_inconclusive=True,
            ),
        ),
        ({"mode": "inherit", "min_runtime_minutes": 0}, {"mode": "off", "min_runtime_minutes": 60}, AutoStop()),
        (
            {"mode": "group_sequential", "group_sequential": None},
            {"mode": "off", "group_sequential": {"action_on_futility": "continue"}},
            AutoStop(mode="group_sequential", pauses_for_futility=False),
        ),
        (
            {"mode": "inherit", "fixed_horizon": {"auto_pause_on_inconclusive": False}},
            {"mode": "off", "fixed_horizon": {"auto_pause_on_inconclusive": True}},
            AutoStop(),
        ),
    ],
)
def test_resolved__field_by_field__nearest_first(override: Any, default: Any, expected: AutoStop) -> None:
    assert resolved(override, default) == expected


def test_round__shops_default__holds_for_experiments_that_inherit() -> None:
    keeper = Shopkeeper()
    keeper.default({"auto_stop": SEQUENTIAL})
    keeper.keep(running(auto_stop_override=None))
    keeper.count(1, WON)
    assert keeper.one() == "paused"


def test_round__mode_off__looks_all_the_same_and_pauses_nothing() -> None:
    keeper = Shopkeeper()
    keeper.keep(running(auto_stop_override={"mode": "off"}))
    keeper.count(1, WON)
    assert keeper.one() == "off"
    assert keeper.state()["minima"][GOAL][TREATMENT] < 0.05
    assert keeper.found().status == "running"


def test_look__is_the_always_valid_test_of_each_goal_and_treatment() -> None:
    keeper = Shopkeeper()
    second = goal(id="0192a3b4-0000-7000-8000-000000000202", name="Second")
    keeper.keep(running(auto_stop_override={"mode": "off"}, goals=(goal(is_primary=True, role="primary"), second)))
    keeper.count(3, WON)
    keeper.round()
    found = mixture_test(
        Conversions(visitors=2000, conversions=200),
        Conversions(visitors=2000, conversions=300),
        alpha=0.05,
        mixture=Mixture(planned_visitors=5000),
    )
    assert found is not None
    assert found.interval is not None
    expected = {
        "difference": found.difference,
        "ci": [found.interval.lower, found.interval.upper],
        "p": found.always_valid_p,
        "always_valid_p": found.always_valid_p,
    }
    assert keeper.look()["goals"] == {GOAL: {TREATMENT: expected}, second.id: {TREATMENT: expected}}
    assert keeper.look()["srm"]["p"] == 1
    assert keeper.state()["srm_p"] == 1


def test_looks__of_rising_generations__keep_the_smallest_p() -> None:
    keeper = Shopkeeper()
    keeper.keep(running(auto_stop_override={"mode": "off"}))
    keeper.count(1, WON)
    keeper.round()
    lowest = keeper.state()["minima"][GOAL][TREATMENT]
    keeper.clock.advance(hours=1)
    keeper.count(5, EVEN)
    keeper.round()
    shown = keeper.look()["goals"][GOAL][TREATMENT]
    assert (shown["always_valid_p"], keeper.state()["minima"][GOAL][TREATMENT]) == (lowest, lowest)
    assert shown["p"] > lowest
    assert (keeper.state()["looks"], keeper.state()["generation"]) == (2, 5)
    assert [look["generation"] for look in keeper.looks.looks(running().id, 1)] == [1, 5]


def test_look__the_same_generation_again__is_not_repeated() -> None:
    keeper = Shopkeeper()
    keeper.keep(running(auto_stop_override={"mode": "off"}))
    keeper.count(1, WON)
    keeper.round()
    before = keeper.state()
    keeper.clock.advance(minutes=5)
    keeper.round()
    assert keeper.state() == before


def test_look__a_split_that_is_not_as_the_weights_say__is_told_for_good() -> None:
    keeper = Shopkeeper()
    keeper.keep(running(auto_stop_override={"mode": "off"}))
    keeper.count(1, {CONTROL: (3000, 300), TREATMENT: (2000, 200)})
    keeper.round()
    alarming = keeper.state()["srm_p"]
    assert alarming < 0.01
    keeper.count(2, {CONTROL: (9000, 900), TREATMENT: (9000, 900)})
    keeper.round()
    assert keeper.state()["srm_p"] == alarming
    assert keeper.look()["srm"]["p"] > 0.01


def test_look__treatment_without_visitors__is_missing_and_comes_later() -> None:
    keeper = Shopkeeper()
    keeper.keep(running(auto_stop_override={"mode": "off"}))
    keeper.count(1, {CONTROL: (10, 1), TREATMENT: (0, 0)})
    keeper.round()
    assert keeper.look()["goals"] == {GOAL: {}}
    keeper.count(2, EVEN)
    keeper.round()
    assert keeper.look()["goals"][GOAL].keys() == {TREATMENT}


def test_look__archived_goal_comes_back__keeps_what_was_found() -> None:
    keeper = Shopkeeper()
    keeper.keep(running(auto_stop_override={"mode": "off"}))
    keeper.count(1, WON)
    keeper.round()
    lowest = keeper.state()["minima"][GOAL][TREATMENT]
    keeper.keep(running(auto_stop_override={"mode": "off"}, goals=(goal(archived_at="2026-03-02T10:00:00.000Z"),)))
    keeper.count(2, EVEN)
    keeper.round()
    assert keeper.state()["minima"] == {}
    keeper.keep(running(auto_stop_override={"mode": "off"}))
    keeper.count(3, EVEN)
    keeper.round()
    assert keeper.state()["minima"][GOAL][TREATMENT] == lowest


def test_round__without_a_control__says_so() -> None:
    keeper = Shopkeeper()
    keeper.keep(running(variations=(variation(0, is_control=False), variation(1))))
    keeper.count(1, WON)
    assert keeper.one() == "not_counted_yet"


WEEKDAYS = {"days": ["monday"], "timezone": "UTC"}


def days_of(experiment: Any, generation: int, by_day: dict[int, dict[str, tuple[int, int]]]) -> Any:
    """Totals and day items: visitors of each day (by its distance from the beginning) in its first quarter."""
    items, sums = {}, {CONTROL: [0, 0], TREATMENT: [0, 0]}
    for number, arms in by_day.items():
        day = BEGIN + timedelta(days=number)
        quarter = to_milliseconds(day) // QUARTER_MS
        cells = [[arm, "quarter", quarter, "", visitors] for arm, (visitors, _) in arms.items()]
        goals = [[arm, "quarter", quarter, "", hits, hits, hits, str(hits)] for arm, (_, hits) in arms.items()]
        stamp = {"experiment_id": experiment.id, "measurement_epoch": 1, "generation": generation}
        items[f"{day:%Y-%m-%d}"] = {
            **stamp,
            "date": f"{day:%Y-%m-%d}",
            "cells": cells,
            "goals": {GOAL: goals},
            "money": {},
        }
        for arm, (visitors, hits) in arms.items():
            sums[arm] = [sums[arm][0] + visitors, sums[arm][1] + hits]
    whole = totals(experiment, generation, {arm: (both[0], both[1]) for arm, both in sums.items()})
    digests = {f"DAY#{date}": f"{generation}-{date}" for date in items}
    return {**whole, "days": sorted(items), "digests": digests}, items


def test_round__results_weekdays__only_their_visitors_decide() -> None:
    """BEGIN is a Monday: its visitors show nothing, those of Tuesday a winner."""
    by_day = {0: EVEN, 1: WON}
    keeper = Shopkeeper()
    keeper.keep(running())
    whole, items = days_of(running(), 1, by_day)
    keeper.rollups.put(whole, items, {})
    assert keeper.one() == "paused"

    other = Shopkeeper()
    other.keep(running(results_weekdays=WEEKDAYS))
    other.rollups.put(whole, items, {})
    assert other.one() == "no_winner"
    assert other.look()["visitors"] == {CONTROL: 2000, TREATMENT: 2000}


def test_round__results_weekdays_changed__waits_for_the_next_count() -> None:
    keeper = Shopkeeper()
    keeper.keep(running(auto_stop_override={"mode": "off"}))
    whole, items = days_of(running(), 1, {0: EVEN, 1: WON})
    keeper.rollups.put(whole, items, {})
    keeper.round()
    keeper.keep(running(results_weekdays=WEEKDAYS))
    assert keeper.one() == "goal_redefined"
