"""Looks go on where nothing runs any more but is still counted: the smallest p stays the smallest."""

from __future__ import annotations

from dataclasses import replace

import pytest

from abtest.kit.clock import timestamp
from abtest.ports.catalog import Commit, Put
from abtest.services.personalizations.store import PERSONALIZATIONS
from tests.support.autostopping import BEGIN, CONTROL, GOAL, TREATMENT, Shopkeeper, running, totals
from tests.support.deciding import RoundFailedError
from tests.support.delivered import personalization
from tests.support.storefronts import experiment_id, goal, variation

EVEN = {CONTROL: (2000, 200), TREATMENT: (2000, 205)}
CLEAR = {CONTROL: (2000, 200), TREATMENT: (2000, 300)}


@pytest.fixture
def keeper() -> Shopkeeper:
    return Shopkeeper()


@pytest.mark.parametrize("status", ["paused", "completed"])
def test_round__counts_of_what_does_not_run_change__looks_and_decides_nothing(keeper: Shopkeeper, status: str) -> None:
    ended = timestamp(keeper.clock.now()) if status == "completed" else None
    keeper.keep(running(status=status, ended_at=ended))
    keeper.count(1, CLEAR)
    assert keeper.round().results == {}
    surest = keeper.state()["minima"][GOAL][TREATMENT]
    assert surest < 0.05
    keeper.count(2, EVEN)
    keeper.round()
    assert keeper.state()["minima"][GOAL][TREATMENT] == surest
    assert (keeper.state()["looks"], keeper.look()["verdict"]["reason"]) == (2, "not_running")
    assert (keeper.found().status, keeper.events()) == (status, [])


def test_round__paused_and_not_counted_anew__looks_once(keeper: Shopkeeper) -> None:
    keeper.keep(running(status="paused"))
    keeper.count(1, CLEAR)
    for _ in range(3):
        keeper.round()
    assert keeper.state()["looks"] == 1


def test_round__completed_and_not_counted_any_more__is_left_alone(keeper: Shopkeeper) -> None:
    keeper.keep(running(status="completed", ended_at=timestamp(BEGIN)))
    keeper.count(1, CLEAR)
    keeper.clock.advance(days=200)
    keeper.round()
    assert keeper.state() is None


def test_round__a_personalization__is_looked_at_experience_by_experience(keeper: Shopkeeper) -> None:
    made = personalization(goals=(goal(),), activated_at=timestamp(BEGIN), measurement_started_at=timestamp(BEGIN))
    keeper.catalog.commit(Commit(puts=[Put(record=PERSONALIZATIONS.record(made), expected_version=0)]))
    experience = made.experiences[0].id
    arms = (replace(variation(0), id=made.id), replace(variation(1), id=experience))
    counted = running(id=experience, variations=arms, goals=made.goals, measurement_epoch=made.measurement_epoch)
    keeper.rollups.put(totals(counted, 1, {made.id: (2000, 200), experience: (2000, 300)}), {}, {})
    keeper.round()
    state = keeper.looks.state(experience, made.measurement_epoch)
    assert state is not None
    assert state["minima"][GOAL][experience] < 0.05


def test_round__one_paused_experiment_fails__the_others_are_looked_at_and_the_alarm_hears_of_it(
    keeper: Shopkeeper,
) -> None:
    keeper.keep(running(1, status="paused"), running(2, status="paused"))
    keeper.count(1, CLEAR, number=2)
    keeper.count(1, CLEAR, variations={}, goals=None)
    with pytest.raises(RoundFailedError) as failed:
        keeper.round()
    assert failed.value.round.failed == [experiment_id(1)]
    assert keeper.state(2)["looks"] == 1
