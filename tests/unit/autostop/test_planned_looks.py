"""Planned looks: when one is taken, what it spends, and what is left out, in words."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any, get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from abtest.domain.autostop.planned_looks import (
    LOOKS,
    MESSAGES,
    begun,
    has_looks,
    looked,
    shown_look,
)
from abtest.domain.autostop.settings import AutoStop, Mode, takes_planned_looks
from abtest.domain.autostop.shapes import LeftOut, PlannedLooks
from abtest.domain.autostop.verdicts import Waiting
from abtest.domain.stats.group_sequential.boundaries import boundaries
from abtest.domain.stats.group_sequential.design import Design
from abtest.domain.stats.group_sequential.inference import repeated_p_value
from abtest.domain.stats.group_sequential.spending import POCOCK
from tests.support.autostopping import CONTROL, OTHER, TREATMENT, plan
from tests.unit.autostop.test_group_sequential import MOMENT, SETTINGS, Counts, arms, evidence, looks_at

LATER = "2026-03-05T00:00:00.000Z"


def documents(looks: PlannedLooks, arm: str = TREATMENT) -> Sequence[Any]:
    return looks["family"]["treatments"][arm]["looks"]


def after(before: PlannedLooks | None, counts: Counts, planned: Any = None, **changed: Any) -> PlannedLooks:
    looks = looked(before, planned or plan(), evidence(counts, **changed), SETTINGS, LATER)
    assert not isinstance(looks, Waiting)
    return looks


def test_messages__are_there_for_every_reason() -> None:
    assert set(MESSAGES) == set(get_args(LeftOut))


@pytest.mark.parametrize(
    ("mode", "engine", "expected"),
    [
        ("group_sequential", None, True),
        ("group_sequential", "fixed", True),
        ("off", "group_sequential", True),
        ("off", None, False),
        ("off", "sequential", False),
        ("fixed_horizon_planned_end", "group_sequential", False),
        ("sequential_significance", "group_sequential", False),
    ],
)
def test_looks__are_taken_in_the_mode_and_for_readers_of_the_plan(mode: Mode, engine: Any, expected: bool) -> None:
    planned = plan() if engine is None else plan(engine=engine)
    assert takes_planned_looks(planned, AutoStop(mode=mode)) is expected


@pytest.mark.parametrize(
    ("counts", "reason"),
    [
        (arms(0, 0, 0), "min_visitors"),
        (arms(99, 30, 30), "min_visitors"),
        ({CONTROL: (500, 50), TREATMENT: (0, 0)}, "min_visitors"),
        (arms(200, 24, 60), "min_conversions"),
        (arms(200, 200, 200), "no_variance"),
    ],
)
def test_looked__too_little_data__spends_nothing_and_names_the_reason(counts: Counts, reason: str) -> None:
    looks = looks_at([counts], plan())
    assert not has_looks(looks)
    assert looks["left_out"] == {TREATMENT: reason}
    assert shown_look(looks, 1) == {TREATMENT: {"left_out": reason}}


def test_looked__the_same_count_or_few_more__spends_nothing() -> None:
    once = looks_at([arms(750, 75, 78)], plan())
    for counts in (arms(750, 75, 78), arms(752, 75, 78)):
        assert after(once, counts) == {**once, "left_out": {TREATMENT: "step_not_reached"}}
    json.dumps(once, allow_nan=False)


def test_looked__information_that_goes_back__spends_nothing_with_the_reason() -> None:
    once = looks_at([arms(750, 75, 78)], plan())
    fewer = after(once, arms(700, 70, 75))
    assert fewer["left_out"] == {TREATMENT: "less_information"}
    assert documents(fewer) == documents(once)
    onward = after(fewer, arms(900, 90, 95))
    assert documents(onward)[0]["fraction"] == documents(once)[0]["fraction"]
    assert len(documents(onward)) == 2


def test_looked__with_each_count_of_a_long_test__takes_one_at_each_hundredth_at_most() -> None:
    counts = [arms(n, n // 10, n // 10) for n in range(300, 1500, 5)]
    looks = documents(looks_at(counts, plan()))
    assert 60 < len(looks) < LOOKS
    assert all(after["fraction"] > before["fraction"] for before, after in pairwise(looks))
    last = documents(looks_at([*counts, arms(1500, 150, 150)], plan()))[-1]
    assert (last["place"], last["spent"]) == (1, pytest.approx(0.025, rel=1e-12))


@pytest.mark.parametrize("number", [1, 2, 5])
def test_looked__a_plan_of_some_looks__takes_as_many_at_its_steps(number: int) -> None:
    counts = [arms(n, n // 10, n // 10) for n in range(260, 1505, 10)]
    looks = documents(looks_at(counts, plan(looks=number)))
    assert len(looks) == number
    for place, look in enumerate(looks[:-1]):
        assert look["fraction"] == pytest.approx((place + 1) / number, abs=0.02)


def test_looked__more_looks_than_counts__takes_one_at_a_count() -> None:
    looks = documents(looks_at([arms(n, n // 10, n // 10) for n in (500, 1000, 1500)], plan(looks=500)))
    assert len(looks) == 3


def test_looked__far_beyond_the_plan__is_the_last_look_and_spends_the_rest_at_its_information() -> None:
    over = looks_at([arms(750, 75, 80), arms(3000, 300, 330)], plan())
    last = documents(over)[-1]
    assert last["fraction"] > 1.5
    assert (last["place"], last["spent"]) == (1, pytest.approx(0.025, rel=1e-12))
    beyond = after(over, arms(4000, 400, 460))
    assert documents(beyond) == documents(over)
    assert beyond["left_out"] == {TREATMENT: "ended"}


def test_looked__at_a_half_of_the_plan__has_the_boundary_of_its_information_and_the_repeated_p() -> None:
    looks = looks_at([arms(750, 86, 110)], plan())
    (latest,) = documents(looks)
    assert latest["upper"] == pytest.approx(boundaries([latest["fraction"]], Design())[0].upper)
    assert looks["p_values"][TREATMENT]["p"] == repeated_p_value([latest], Design()).p_value
    assert looks["counts"][TREATMENT] == [
        {"computed_at": MOMENT, "generation": 1, "control": [750, 86], "treatment": [750, 110]}
    ]
    assert shown_look(looks, 1)[TREATMENT]["spent"] == 2 * latest["spent"]
    assert shown_look(looks, 2) == {}


def test_looked__spending_of_the_plan__shapes_the_boundary() -> None:
    planned = plan(spending={"family": "pocock", "gamma": None}, tail="one-sided")
    (latest,) = documents(looks_at([arms(750, 86, 86)], planned))
    design = Design(sides=1, spending=POCOCK)
    assert latest["upper"] == pytest.approx(boundaries([latest["fraction"]], design)[0].upper)


def test_looked__on_a_broken_split__spends_nothing() -> None:
    looks = looked(None, plan(), evidence(arms(750, 75, 110)), SETTINGS, MOMENT, is_split_broken=True)
    assert not isinstance(looks, Waiting)
    assert not has_looks(looks)
    assert looks["left_out"] == {TREATMENT: "sample_ratio_mismatch"}
    mended = after(looks, arms(750, 75, 110))
    assert len(documents(mended)) == 1


@pytest.mark.parametrize("changed", [{"source": "another"}, {"falls": True}])
def test_looked__a_redefined_goal__starts_over(changed: dict[str, Any]) -> None:
    once = looks_at([arms(750, 75, 110)], plan())
    seen = evidence(arms(900, 90, 120))
    (measure,) = seen.measures.values()
    seen = replace(seen, generation=2, measures={measure.goal_id: replace(measure, **changed)})
    looks = looked(once, plan(), seen, SETTINGS, LATER)
    assert not isinstance(looks, Waiting)
    assert looks["restarted_at"] == LATER
    assert [one["generation"] for one in looks["counts"][TREATMENT]] == [2]
    kept = looked(looks, plan(), replace(seen, generation=3), SETTINGS, "2026-03-09T00:00:00.000Z")
    assert not isinstance(kept, Waiting)
    assert kept["restarted_at"] == LATER


def test_looked__arms_of_unequal_information__each_have_their_own_looks() -> None:
    planned = plan(required_total_visitors=4500)
    counts = {CONTROL: (1000, 100), TREATMENT: (1000, 110), OTHER: (150, 30)}
    looks = looks_at([counts, {**counts, OTHER: (700, 75)}], planned)
    assert [len(documents(looks, arm)) for arm in (TREATMENT, OTHER)] == [1, 2]
    assert looks["left_out"] == {TREATMENT: "step_not_reached"}


@pytest.mark.parametrize(
    ("planned", "reason"),
    [
        (plan(goal_id="x"), "goal_not_counted"),
        (plan(required_total_visitors=None), "plan_without_size"),
        (plan(baseline_rate=0.9, mde=1.0), "plan_without_size"),
    ],
)
def test_begun__a_plan_that_cannot_be_used__waits(planned: Any, reason: str) -> None:
    seen = evidence(arms(1000, 90, 150))
    assert begun(planned, seen) == looked(None, planned, seen, SETTINGS, MOMENT) == Waiting(reason)  # type: ignore[arg-type]


COUNT = st.tuples(st.integers(100, 1700), st.floats(0.02, 0.4), st.floats(0.02, 0.4))


def counts_of(drawn: tuple[int, float, float]) -> Counts:
    n, control, treatment = drawn
    return arms(n, round(n * control), round(n * treatment))


@settings(max_examples=60, deadline=None)
@given(st.lists(COUNT, min_size=1, max_size=6), st.sampled_from([None, 1, 5, 28]), st.booleans())
def test_looked__every_count_replayed__spends_nothing_and_changes_nothing(
    drawn: list[tuple[int, float, float]], number: int | None, one_sided: bool
) -> None:
    planned: Any = plan(looks=number, tail="one-sided" if one_sided else "two-sided")
    series = [counts_of(each) for each in drawn]
    once: PlannedLooks | None = None
    replayed: PlannedLooks | None = None
    spent: list[float] = []
    for counts in series:
        once = after(once, counts, planned)
        stored = json.loads(json.dumps(after(replayed, counts, planned)))
        replayed = after(stored, counts, planned)
        # Only the reason of the newest count differs: the first time it was a look.
        assert {**replayed, "left_out": {}} == {**once, "left_out": {}}
        spent = [look["spent"] for look in documents(once)]
        assert spent == sorted(spent)
        assert spent[-1:] <= [0.05 / (1 if one_sided else 2) * (1 + 1e-9)]
    assert len(spent) <= (number or LOOKS)
