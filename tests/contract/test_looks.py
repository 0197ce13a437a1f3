"""Looks: each follows the one that was read, so nobody's minimum is lost and nothing is stored twice."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest

from tests.contract.conftest import Ports
from tests.contract.records import concurrent, race

EXPERIMENT = "0192a3b4-0000-7000-8000-0000000000e1"
GOAL, TREATMENT = "0192a3b4-0000-7000-8000-0000000000d0", "0192a3b4-0000-7000-8000-0000000000c1"


def state(looks: int, generation: int, epoch: int = 1, **extra: Any) -> Any:
    identity = {"experiment_id": EXPERIMENT, "measurement_epoch": epoch, "generation": generation}
    return {**identity, "looks": looks, "minima": {GOAL: {TREATMENT: 1e-300}}, "srm_p": None, **extra}


def look(generation: int, moment: str = "2026-02-03T09:05", **extra: Any) -> Any:
    return {"generation": generation, "computed_at": f"{moment}:00.000Z", "visitors": {TREATMENT: 10}, **extra}


def test_state__before_the_first_look__is_none(ports: Ports) -> None:
    assert ports.look_store.state(EXPERIMENT, 1) is None
    assert ports.look_store.looks(EXPERIMENT, 1) == []


def test_states__of_many__have_those_that_are_stored(ports: Ports) -> None:
    others = [f"0192a3b4-0000-7000-8000-{number:012}" for number in range(150)]
    assert ports.look_store.states([]) == {}
    ports.look_store.put(state(1, 7), look(7))
    ports.look_store.put(state(1, 8, epoch=2), look(8))
    states = ports.another().look_store.states([(EXPERIMENT, 2), *((each, 1) for each in others), (EXPERIMENT, 1)])
    assert states == {(EXPERIMENT, 1): state(1, 7), (EXPERIMENT, 2): state(1, 8, epoch=2)}


def test_put__first_look__is_read_back_by_another_process(ports: Ports) -> None:
    assert ports.look_store.put(state(1, 7), look(7))
    again = ports.another().look_store
    assert again.state(EXPERIMENT, 1) == state(1, 7)
    assert again.looks(EXPERIMENT, 1) == [look(7)]


def test_put__several_in_an_hour__keeps_the_newest_of_each_hour(ports: Ports) -> None:
    moments = ["2026-02-03T09:05", "2026-02-03T09:55", "2026-02-03T10:00", "2027-01-01T00:00"]
    for number, moment in enumerate(moments, 1):
        assert ports.look_store.put(state(number, number), look(number, moment))
    assert [found["generation"] for found in ports.look_store.looks(EXPERIMENT, 1)] == [2, 3, 4]


@pytest.mark.parametrize(
    ("looks", "generation"),
    [(3, 5), (3, 4), (1, 6), (2, 6), (4, 6)],
    ids=["same generation", "older generation", "first again", "same number", "one missed"],
)
def test_put__does_not_follow_what_stands__changes_nothing(ports: Ports, looks: int, generation: int) -> None:
    store = ports.look_store
    store.put(state(1, 3), look(3))
    store.put(state(2, 5), look(5))
    assert not store.put(state(looks, generation), look(generation))
    assert store.state(EXPERIMENT, 1) == state(2, 5)
    assert store.looks(EXPERIMENT, 1) == [look(5)]


def test_put__nothing_stands_but_a_second_look__is_refused(ports: Ports) -> None:
    assert not ports.look_store.put(state(2, 5), look(5))
    assert ports.look_store.state(EXPERIMENT, 1) is None


def test_epochs__of_one_experiment__are_apart(ports: Ports) -> None:
    ports.look_store.put(state(1, 9), look(9))
    assert ports.look_store.put(state(1, 1, epoch=2), look(1))
    assert ports.look_store.state(EXPERIMENT, 1) == state(1, 9)
    assert ports.look_store.looks(EXPERIMENT, 2) == [look(1)]
    assert ports.look_store.state(EXPERIMENT, 3) is None


def test_looks__beside_a_roll_up__leave_it_as_it_is(ports: Ports) -> None:
    totals = {"experiment_id": EXPERIMENT, "measurement_epoch": 1, "generation": 4}
    ports.rollup_store.put(totals, {"2026-02-03": {**totals, "date": "2026-02-03"}}, {})
    ports.look_store.put(state(1, 4), look(4))
    assert ports.rollup_store.totals(EXPERIMENT, 1) == totals
    assert len(ports.rollup_store.days(EXPERIMENT, 1, "2026-01-01", "2026-12-31")) == 1
    assert ports.rollup_store.summary(EXPERIMENT, 1).next_generation == 5


def test_put__fifty_goals_and_nine_treatments__are_stored(ports: Ports) -> None:
    found = {"difference": 1 / 3, "ci": [-1 / 7, 2 / 3], "p": 0.123456789012345, "always_valid_p": 0.0123456789}
    goals = {f"{goal:036}": {f"{treatment:036}": found for treatment in range(9)} for goal in range(50)}
    assert ports.look_store.put(state(1, 1, goals=goals), look(1, goals=goals))
    assert ports.another().look_store.looks(EXPERIMENT, 1) == [look(1, goals=goals)]


@concurrent
def test_put__twelve_at_once__one_is_stored(ports: Ports) -> None:
    ports.look_store.put(state(1, 1), look(1))
    calls = [partial(ports.another().look_store.put, state(2, 2 + n, by=n), look(2 + n)) for n in range(12)]
    assert race(*calls).count(True) == 1
    stored = ports.look_store.state(EXPERIMENT, 1)
    assert stored is not None
    assert [found["generation"] for found in ports.look_store.looks(EXPERIMENT, 1)] == [stored["generation"]]
