"""The engine that numbers are shown by: it follows the experiment, and a requested one is taken with a caution."""

from __future__ import annotations

from pathlib import Path
from typing import Any, get_args

import pytest

from abtest.domain.autostop.default_engine import (
    REASONS,
    WARNINGS,
    Engine,
    EngineReason,
    EngineWarningCode,
    Extent,
    default_engine,
    engine_choice,
)
from abtest.domain.autostop.settings import AutoStop
from tests.support.autostopping import plan, running

FIXED, SEQUENTIAL, OFF = (
    AutoStop(mode="fixed_horizon_planned_end"),
    AutoStop(mode="sequential_significance"),
    AutoStop(),
)
LATE = [
    ("paused", 3300, "planned_end_reached"),
    ("completed", 3301, "past_planned_end"),
    ("running", 3001, "past_planned_end"),
]
TEXT = (Path(__file__).parents[3] / "docs" / "analytics.md").read_text()


def evaluated(visitors: int = 3000, outcome: str = "continue_inconclusive") -> Any:
    return plan(evaluation={"outcome": outcome, "total_visitors_at_evaluation": visitors})


@pytest.mark.parametrize(
    ("fields", "settings", "visitors", "expected"),
    [
        pytest.param({"measurement_started_at": None, "status": "draft"}, OFF, 0, "not_started", id="draft"),
        pytest.param({}, OFF, 5000, "running", id="without a plan"),
        pytest.param({}, SEQUENTIAL, 5000, "running", id="sequential"),
        pytest.param({"status": "paused"}, OFF, 5000, "paused", id="paused"),
        pytest.param({"status": "draft"}, OFF, 10, "running", id="a personalization has no status of its own"),
        pytest.param({"planned_test": plan()}, FIXED, 2999, "running", id="one visitor short"),
        pytest.param({"planned_test": plan()}, FIXED, 3000, "planned_end_reached", id="at the planned end"),
        pytest.param({"planned_test": plan()}, FIXED, 3300, "planned_end_reached", id="the look is due"),
        pytest.param({"planned_test": plan()}, FIXED, 3301, "running", id="the look was missed"),
        pytest.param({"planned_test": plan(), "status": "paused"}, FIXED, 3000, "paused", id="paused, no look"),
        pytest.param(
            {"planned_test": plan(), "status": "completed"},
            FIXED,
            3000,
            "ended_without_planned_end",
            id="no look",
        ),
        pytest.param({"planned_test": plan()}, OFF, 3000, "running", id="a size that no look is tied to"),
        pytest.param({"planned_test": plan()}, SEQUENTIAL, 3000, "running", id="a plan of a sequential test"),
        pytest.param({"planned_test": plan(), "goals": ()}, FIXED, 3000, "running", id="goal of the plan is gone"),
        pytest.param({"planned_test": evaluated()}, FIXED, 3000, "planned_end_reached", id="right after the look"),
        pytest.param({"planned_test": evaluated()}, FIXED, 3001, "past_planned_end", id="runs on after the look"),
        pytest.param({"planned_test": evaluated()}, OFF, 3001, "past_planned_end", id="runs on, mode changed"),
        pytest.param(
            {"planned_test": evaluated(), "status": "paused"}, FIXED, 3001, "past_planned_end", id="a person paused"
        ),
        pytest.param(
            {"planned_test": evaluated(outcome="continue_not_positive"), "status": "completed"},
            OFF,
            3001,
            "past_planned_end",
            id="ran on, ended",
        ),
        pytest.param(
            {"planned_test": evaluated(), "status": "completed"}, OFF, 3000, "planned_end_reached", id="ended there"
        ),
        pytest.param({"status": "completed"}, OFF, 9000, "ended_without_planned_end", id="ended without a plan"),
        pytest.param(
            {"status": "completed", "planned_test": plan()}, FIXED, 2999, "ended_without_planned_end", id="ended early"
        ),
        pytest.param(
            {"sequential_testing_enabled": True, "status": "completed"},
            OFF,
            9000,
            "sequential_testing_enabled",
            id="enabled",
        ),
        pytest.param(
            {"sequential_testing_enabled": True, "planned_test": plan()},
            FIXED,
            3000,
            "planned_end_reached",
            id="enabled, and a planned look is reached",
        ),
    ],
)
def test_default__follows_the_experiment(fields: Any, settings: AutoStop, visitors: int, expected: str) -> None:
    choice = default_engine(running(**fields), settings, Extent(visitors, 10_000))
    engine = "frequentist" if expected == "planned_end_reached" else "sequential"
    assert (choice.engine, choice.reason, choice.warning) == (engine, expected, None)


@pytest.mark.parametrize("outcome", ["significant_pause", "inconclusive_pause", "harm"])
@pytest.mark.parametrize(("status", "visitors", "reason"), LATE)
def test_default__the_look_has_paused_the_test__late_events_change_nothing(
    outcome: str, status: Any, visitors: int, reason: str
) -> None:
    experiment = running(planned_test=evaluated(outcome=outcome), status=status)
    assert default_engine(experiment, FIXED, Extent(visitors, 10_000)).reason == reason


def test_default__harm_that_pauses_nothing__new_visitors_are_past_the_look() -> None:
    settings = AutoStop(mode="fixed_horizon_planned_end", pauses_for_harm=False)
    experiment = running(planned_test=evaluated(outcome="harm"), status="paused")
    assert default_engine(experiment, settings, Extent(3001, 10_000)).reason == "past_planned_end"


@pytest.mark.parametrize("is_pausing_now", [True, False])
@pytest.mark.parametrize(("has_paused", "reason"), [(True, "planned_end_reached"), (False, "past_planned_end")])
def test_default__a_stored_pause__does_not_depend_on_settings_of_today(
    has_paused: bool, reason: str, is_pausing_now: bool
) -> None:
    settings = AutoStop(mode="fixed_horizon_planned_end", pauses_for_harm=is_pausing_now)
    planned = evaluated(outcome="harm")
    planned["evaluation"]["paused"] = has_paused
    experiment = running(planned_test=planned, status="paused")
    assert default_engine(experiment, settings, Extent(3001, 10_000)).reason == reason


@pytest.mark.parametrize(
    ("status", "outcome", "reason"),
    [
        ("running", "continue_inconclusive", "past_planned_end"),
        ("running", "significant_pause", "past_planned_end"),
        ("completed", "continue_inconclusive", "past_planned_end"),
        ("completed", "significant_pause", "planned_end_reached"),
    ],
)
def test_default__look_without_its_visitors__is_past_unless_it_stopped_the_test(
    status: Any, outcome: str, reason: str
) -> None:
    experiment = running(planned_test=plan(evaluation={"outcome": outcome}), status=status)
    assert default_engine(experiment, FIXED, Extent(3000, 10_000)).reason == reason


@pytest.mark.parametrize(("minutes", "engine"), [(59, "sequential"), (60, "frequentist")])
def test_default__minimum_runtime__is_part_of_the_planned_end(minutes: int, engine: str) -> None:
    settings = AutoStop(mode="fixed_horizon_planned_end", min_runtime_minutes=60)
    assert default_engine(running(planned_test=plan()), settings, Extent(3000, minutes)).engine == engine


@pytest.mark.parametrize(
    ("fields", "settings", "visitors", "warning"),
    [
        ({}, OFF, 5000, "no_planned_end"),
        ({"status": "completed"}, OFF, 5000, "no_planned_end"),
        ({"planned_test": plan()}, FIXED, 2999, "before_planned_end"),
        ({"planned_test": plan()}, FIXED, 3000, None),
        ({"planned_test": plan()}, FIXED, 5000, "before_planned_end"),
        ({"planned_test": plan(), "status": "completed"}, FIXED, 3000, "before_planned_end"),
        ({"planned_test": evaluated()}, FIXED, 4000, "after_planned_look"),
        ({"measurement_started_at": None}, OFF, 0, None),
    ],
)
def test_frequentist__requested__is_given_with_a_caution_unless_its_look_is_due(
    fields: Any, settings: AutoStop, visitors: int, warning: str | None
) -> None:
    choice = engine_choice(running(**fields), settings, Extent(visitors, 10_000), "frequentist")
    assert (choice.engine, choice.reason, choice.warning) == ("frequentist", "requested", warning)


@pytest.mark.parametrize(("engine", "warning"), [("sequential", None), ("bayesian", "no_error_rate")])
def test_other_engines__requested_of_a_running_test(engine: Engine, warning: str | None) -> None:
    choice = engine_choice(running(), OFF, Extent(5000, 10_000), engine)
    assert (choice.engine, choice.reason, choice.warning) == (engine, "requested", warning)


LOOKS = AutoStop(mode="group_sequential")
READ = {"planned_test": plan(engine="group_sequential")}
ENDED = {"planned_test": plan(evaluation={"outcome": "significant_pause", "engine": "group_sequential"})}


@pytest.mark.parametrize(
    ("fields", "settings", "looks", "is_whole", "expected"),
    [
        pytest.param({"planned_test": plan()}, LOOKS, "none", True, "running", id="before the first look"),
        pytest.param({"planned_test": plan()}, LOOKS, "taken", True, "planned_look_taken", id="between looks"),
        pytest.param({"planned_test": plan()}, LOOKS, "ended", True, "planned_looks_ended", id="the last look"),
        pytest.param({"planned_test": plan()}, LOOKS, "taken", False, "part_of_visitors", id="a segment"),
        pytest.param({}, LOOKS, "none", True, "running", id="without a plan"),
        pytest.param({"planned_test": plan(), "goals": ()}, LOOKS, "none", True, "running", id="its goal is gone"),
        pytest.param(READ, OFF, "taken", True, "planned_look_taken", id="looks for readers"),
        pytest.param({"planned_test": plan()}, OFF, "none", True, "running", id="a plan of another engine"),
        pytest.param(READ, FIXED, "none", True, "planned_end_reached", id="one look at a plan of more"),
        pytest.param({**ENDED, "status": "paused"}, LOOKS, "ended", True, "planned_looks_ended", id="stopped"),
        pytest.param({**ENDED, "status": "completed"}, FIXED, "ended", True, "planned_looks_ended", id="mode changed"),
        pytest.param({**ENDED, "status": "paused"}, OFF, "none", True, "paused", id="stopped, the goal redefined"),
        pytest.param({**ENDED, "status": "paused"}, FIXED, "ended", False, "part_of_visitors", id="a part, stopped"),
        pytest.param({"planned_test": evaluated()}, LOOKS, "none", True, "planned_end_reached", id="ended by one look"),
    ],
)
def test_planned_looks__follow_what_was_looked_at(
    fields: Any, settings: AutoStop, looks: Any, is_whole: bool, expected: str
) -> None:
    choice = default_engine(running(**fields), settings, Extent(3000, 10_000, looks, is_whole))
    engine = {"planned_look_taken": "group_sequential", "planned_looks_ended": "group_sequential"}.get(expected)
    assert (choice.reason, choice.warning) == (expected, None)
    assert choice.engine == (engine or ("frequentist" if expected == "planned_end_reached" else "sequential"))


@pytest.mark.parametrize(
    ("engine", "warning"),
    [
        ("group_sequential", None),
        ("sequential", None),
        ("frequentist", "error_is_shared"),
        ("bayesian", "no_error_rate"),
    ],
)
def test_engines__requested_with_planned_looks__are_given_with_a_caution(engine: Engine, warning: str | None) -> None:
    for looks in ("taken", "ended"):
        extent = Extent(3000, 10_000, looks)
        choice = engine_choice(running(planned_test=plan()), LOOKS, extent, engine)
        assert (choice.engine, choice.reason, choice.warning) == (engine, "requested", warning)


def test_engine__of_a_single_look_after_planned_ones__is_always_valid() -> None:
    settings = AutoStop(mode="fixed_horizon_planned_end")
    required = plan()["required_total_visitors"]
    assert default_engine(running(planned_test=plan()), settings, Extent(required, 10_000)).engine == "frequentist"
    after = default_engine(running(planned_test=plan()), settings, Extent(required, 10_000, "taken"))
    assert (after.engine, after.reason) == ("sequential", "running")


def test_codes__have_sentences_and_are_in_the_documentation() -> None:
    assert (list(REASONS), list(WARNINGS)) == (list(get_args(EngineReason)), list(get_args(EngineWarningCode)))
    assert [code for code in (*REASONS, *WARNINGS) if f"`{code}`" not in TEXT] == []
