"""Looks, inference and families of group-sequential tests; their numbers are compared in tests/oracle."""

from __future__ import annotations

import json
from dataclasses import replace
from math import inf, nan, sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from abtest.domain.stats.group_sequential.boundaries import LEAST_STEP, boundaries
from abtest.domain.stats.group_sequential.design import Design, Futility
from abtest.domain.stats.group_sequential.documents import Sides, State
from abtest.domain.stats.group_sequential.families import look_at_family, started_family
from abtest.domain.stats.group_sequential.inference import concluded, final, repeated_p_value
from abtest.domain.stats.group_sequential.looks import Kind, Outcome, look, recorded, started
from abtest.domain.stats.group_sequential.observation import Observation, Unobserved, observe, required_information
from abtest.domain.stats.samples import Conversions, Sample
from tests.unit.stats.test_group_sequential import TWO_SIDED, fractions_of


def after(design: Design, *looks: tuple[float, float], is_last: bool = False) -> tuple[State, Outcome]:
    """State and outcome after looks of (fraction, z); the planned information is 100."""
    state, outcome = started(design, 100.0), None
    for number, (fraction, z) in enumerate(looks, start=1):
        state, outcome = look(state, 100 * fraction, z, is_last=is_last and number == len(looks))
    assert outcome is not None
    return state, outcome


def test_look__in_every_state__ends_or_goes_on_as_its_boundary_has_it() -> None:
    assert after(TWO_SIDED, (0.5, 1.0))[1].kind == "goes_on"
    assert after(TWO_SIDED, (0.5, 3.0))[1].kind == "better"
    assert after(TWO_SIDED, (0.5, -3.0))[1].kind == "worse"
    assert after(replace(TWO_SIDED, sides=1), (0.5, -3.0))[1].kind == "goes_on"
    assert after(TWO_SIDED, (0.5, 1.0), (1.0, 1.9))[1].kind == "not_significant"
    assert after(TWO_SIDED, (0.5, 3.0), (1.0, 0.0))[1].kind == "ended_before"
    kinds: tuple[Kind, ...] = ("goes_on", "better", "ended_before")
    for kind in kinds:
        assert Outcome(kind).message.islower()


def test_look__below_futility__warns_and_may_go_on() -> None:
    design = replace(TWO_SIDED, futility=Futility(beta=0.2, drift=2.9))
    state, outcome = after(design, (0.6, -0.5))
    assert outcome.kind == "futile"
    assert state["ended"] is None
    assert after(design, (0.6, -0.5), (1.0, 2.5))[1].kind == "better"


def test_look__with_information_that_went_back__spends_and_tests_nothing() -> None:
    state, _ = after(TWO_SIDED, (0.5, 1.0))
    for information in (50.0, 40.0, 50.0 + 50 * LEAST_STEP, 0.0):
        assert look(state, information, 9.0) == (state, Outcome("no_new_information"))
    assert look(started(TWO_SIDED, 100.0), 0.0, 0.0)[1].kind == "no_new_information"


def test_look__repeated_with_the_same_arguments__is_the_same() -> None:
    state, _ = after(TWO_SIDED, (0.3, 1.0))
    stored = json.loads(json.dumps(state))
    assert look(state, 60.0, 2.0) == look(stored, 60.0, 2.0)
    assert stored == state


def test_look__beyond_the_plan__spends_what_is_left_at_its_fraction() -> None:
    state, outcome = after(TWO_SIDED, (0.6, 1.0), (1.2, 1.0))
    assert outcome.kind == "not_significant"
    assert outcome.boundary is not None
    assert outcome.boundary.fraction == 1.2
    assert outcome.boundary.spent == pytest.approx(0.025, rel=1e-12)
    assert outcome.boundary.upper == pytest.approx(boundaries([0.6, 1.2], TWO_SIDED)[-1].upper, abs=1e-12)
    assert look(state, 130.0, 9.0)[1].kind == "ended_before"


def test_look__the_last_one_before_the_plan__spends_all() -> None:
    _, early = after(TWO_SIDED, (0.6, 1.0), (0.9, 1.0), is_last=True)
    _, usual = after(TWO_SIDED, (0.6, 1.0), (0.9, 1.0))
    assert early.kind == "not_significant"
    assert early.boundary is not None
    assert usual.boundary is not None
    assert early.boundary.spent == pytest.approx(0.025, rel=1e-12)
    assert early.boundary.upper < usual.boundary.upper


def test_look__the_last_one_without_new_information__takes_the_place_of_the_one_before() -> None:
    state, _ = after(TWO_SIDED, (0.6, 1.0), (0.9, 2.0))
    ended, outcome = look(state, 89.0, 2.0, is_last=True)
    assert outcome.kind == "better"
    assert [one["fraction"] for one in ended["looks"]] == [0.6, 0.9]
    assert ended == after(TWO_SIDED, (0.6, 1.0), (0.9, 2.0), is_last=True)[0]


@pytest.mark.parametrize(("information", "z"), [(-1.0, 0.0), (nan, 0.0), (inf, 0.0), (10.0, nan), (10.0, inf)])
def test_look__values_that_cannot_be__are_refused(information: float, z: float) -> None:
    with pytest.raises(ValueError):
        look(started(TWO_SIDED, 100.0), information, z)


@pytest.mark.parametrize("planned", [0.0, -1.0, nan, inf])
def test_started__planned_information_that_cannot_be__is_refused(planned: float) -> None:
    with pytest.raises(ValueError):
        started(TWO_SIDED, planned)


@settings(max_examples=30, deadline=None)
@given(st.lists(st.tuples(st.floats(0.001, 0.3), st.floats(-6, 6)), min_size=1, max_size=8), st.sampled_from([1, 2]))
def test_look__on_any_path__agrees_with_its_interval_and_its_repeated_p_value(
    path: list[tuple[float, float]], sides: int
) -> None:
    design = Design(sides=1 if sides == 1 else 2)
    state, information, p_before = started(design, 100.0), 0.0, 1.0
    for step, z in path:
        information += 100 * step
        state, outcome = look(state, information, z)
        if outcome.kind == "ended_before":
            break
        p_value = repeated_p_value(state["looks"], design).p_value
        assert p_value <= p_before + 1e-9
        assert (p_value <= design.alpha + 1e-9) == (outcome.kind in ("better", "worse"))
        if outcome.interval and sides == 2:
            excludes_zero = outcome.interval.lower >= 0 or outcome.interval.upper <= 0
            assert excludes_zero == (outcome.kind in ("better", "worse"))
        p_before = p_value
    json.dumps(state, allow_nan=False)


@settings(max_examples=25, deadline=None)
@given(st.lists(st.floats(0.01, 0.4), min_size=1, max_size=5), st.floats(-5, 5), st.booleans())
def test_final__of_any_path__has_an_interval_that_agrees_and_encloses_the_estimate(
    steps: list[float], z: float, is_last: bool
) -> None:
    looks = [(fraction, 0.1) for fraction in fractions_of(steps, last=0.9)]
    state, outcome = after(TWO_SIDED, *looks[:-1], (0.9, z), is_last=is_last)
    mirrored, _ = after(TWO_SIDED, *((one, -0.1) for one, _ in looks[:-1]), (0.9, -z), is_last=is_last)
    inference, other = final(state), final(mirrored)
    assert inference.interval.lower < inference.estimate < inference.interval.upper
    assert (inference.p_value < 0.05) == (inference.interval.lower > 0 or inference.interval.upper < 0)
    assert inference.estimate == pytest.approx(-other.estimate, abs=1e-8)
    assert inference.p_value == pytest.approx(other.p_value, rel=1e-8)
    if outcome.kind in ("better", "worse"):
        assert inference.p_value <= 0.05 + 1e-12


def test_final__of_a_single_look__is_plain_normal_theory() -> None:
    state, _ = after(TWO_SIDED, (1.0, 2.5))
    inference = final(state)
    assert inference.p_value == pytest.approx(0.012419330651552265, rel=1e-12)
    assert inference.estimate == pytest.approx(0.25, abs=1e-9)
    assert inference.interval == pytest.approx((0.25 - 0.1959963984540054, 0.25 + 0.1959963984540054), abs=1e-9)


def test_final__of_a_one_sided_design__has_the_same_level_on_each_side() -> None:
    state, _ = after(replace(TWO_SIDED, alpha=0.025, sides=1), (1.0, 2.5))
    inference = final(state)
    assert inference.p_value == pytest.approx(0.006209665325776132, rel=1e-12)
    assert inference.interval == pytest.approx((0.25 - 0.1959963984540054, 0.25 + 0.1959963984540054), abs=1e-9)


def test_final__without_looks__is_refused() -> None:
    with pytest.raises(ValueError):
        final(started(TWO_SIDED, 1.0))


def test_final__of_an_early_stop__is_drawn_towards_zero() -> None:
    state, outcome = after(TWO_SIDED, (0.25, 4.5))
    later, _ = after(TWO_SIDED, (0.25, 0.5), (0.5, 4.5))
    assert outcome.kind == "better"
    assert final(state).estimate == pytest.approx(4.5 / sqrt(25), abs=1e-9)
    assert final(later).estimate < 4.5 / sqrt(50)


def test_repeated_p_value__of_extreme_evidence__is_kept_within_its_ends() -> None:
    state, _ = after(TWO_SIDED, (1.0, 50.0))
    assert 0 < repeated_p_value(state["looks"], TWO_SIDED).p_value <= 1e-12
    assert repeated_p_value([], TWO_SIDED).p_value == 1
    assert repeated_p_value(after(TWO_SIDED, (1.0, 0.1))[0]["looks"], TWO_SIDED).p_value == 1


def test_observe__of_rates_and_means__is_the_difference_over_its_error() -> None:
    rates = observe(Conversions(visitors=10_000, conversions=500), Conversions(visitors=10_000, conversions=570))
    assert isinstance(rates, Observation)
    assert rates.z == pytest.approx(0.007 * sqrt(rates.information))
    assert rates.z == pytest.approx(2.1997, abs=1e-4)
    means = observe(Sample(n=100, mean=1.0, variance=4.0), Sample(n=100, mean=2.0, variance=4.0))
    assert isinstance(means, Observation)
    assert means.information == pytest.approx(1 / 0.08)
    assert means.z == pytest.approx(1 / sqrt(0.08))


def test_observe__of_arms_that_cannot_be_compared__has_a_reason_in_words() -> None:
    empty, none = Conversions(visitors=0, conversions=0), Conversions(visitors=10, conversions=0)
    assert observe(empty, none) == observe(none, empty) == Unobserved("arm_without_visitors")
    assert observe(none, none) == Unobserved("no_variance")
    single, flat = Sample(n=1, mean=1.0, variance=0.0), Sample(n=5, mean=1.0, variance=0.0)
    assert observe(single, flat) == Unobserved("arm_without_visitors")
    outcome = observe(flat, flat)
    assert isinstance(outcome, Unobserved)
    assert "varies" in outcome.message
    with pytest.raises(TypeError):
        observe(none, flat)


def test_required_information__of_an_effect__is_where_its_z_is_the_drift() -> None:
    assert required_information(2.8, -0.01) == pytest.approx((2.8 / 0.01) ** 2)
    with pytest.raises(ValueError):
        required_information(2.8, 0.0)


def test_family__of_one_treatment__is_its_own_test() -> None:
    state = started_family(TWO_SIDED, {"a": 100.0})
    state, compared = look_at_family(state, {"a": (50.0, 3.0)})
    alone, outcome = after(TWO_SIDED, (0.5, 3.0))
    assert outcome.kind == "better"
    assert compared["a"].is_significant
    assert compared["a"].towards == 1
    assert state["treatments"]["a"]["looks"] == alone["looks"]


def test_family__of_several_treatments__steps_down_and_frees_levels_for_earlier_looks() -> None:
    state = started_family(TWO_SIDED, {"a": 100.0, "b": 100.0, "c": 100.0})
    strict, plain = (boundaries([0.5], replace(TWO_SIDED, alpha=alpha))[0].upper for alpha in (0.05 / 2, 0.05))
    state, first = look_at_family(state, {"a": (50.0, -(strict + plain) / 2), "b": (50.0, 0.5)})
    assert not any(one.is_significant for one in first.values())
    state, second = look_at_family(state, {"a": (75.0, 0.0), "b": (75.0, 6.0)})
    assert [name for name, one in second.items() if one.is_significant] == ["b"]
    state, third = look_at_family(state, {"a": (100.0, 0.0), "b": (100.0, 0.0), "c": (100.0, 6.0)})
    assert all(one.is_significant for one in third.values())
    assert [one.towards for one in third.values()] == [-1, 1, 1]
    assert all(one.has_ended for one in third.values())
    json.dumps(state, allow_nan=False)


def test_family__a_treatment_that_is_not_planned__is_refused() -> None:
    with pytest.raises(ValueError, match="not in the plan: x"):
        look_at_family(started_family(TWO_SIDED, {"a": 1.0}), {"x": (1.0, 0.0)})


@pytest.mark.parametrize("drift", [0.0, 2.5, -4.0])
def test_inference__over_many_simulated_tests__covers_and_is_median_unbiased(drift: float) -> None:
    rng, fractions, paths = np.random.default_rng(3), np.array([0.3, 0.5, 0.8, 1.1]), 500
    steps = np.diff(fractions, prepend=0)
    scores = np.cumsum(rng.normal(drift * steps, np.sqrt(steps), (paths, len(steps))), axis=1)
    above, covered, covered_at_all_looks = 0, 0, 0
    for path in scores / np.sqrt(fractions):
        state, holds = started(TWO_SIDED, 1.0), True
        for fraction, z in zip(fractions, path, strict=True):
            state, outcome = look(state, float(fraction), float(z))
            holds &= outcome.interval is None or outcome.interval.lower <= drift <= outcome.interval.upper
            if state["ended"]:
                break
        inference = final(state)
        above += inference.estimate > drift
        covered += inference.interval.lower <= drift <= inference.interval.upper
        covered_at_all_looks += holds
    # Four standard errors of a share of the paths.
    assert above / paths == pytest.approx(0.5, abs=0.09)
    assert covered / paths == pytest.approx(0.95, abs=0.039)
    assert covered_at_all_looks / paths >= 0.95 - 0.039


def family(*looks: tuple[float, float], sides: Sides = 2) -> State:
    """A treatment of a family, which is looked at beyond its boundaries."""
    state = started(Design(sides=sides), 100.0)
    for fraction, z in looks:
        state = recorded(state, 100 * fraction, z, is_last=False)
    return state


def test_concluded__at_the_designs_own_level__is_the_inference_at_the_end() -> None:
    state, _ = after(Design(), (0.3, 1.0), (0.6, 1.5), (1.0, 2.4))
    end = concluded(state, 0.05)
    assert end is not None
    assert (end.look, end.final) == (2, final(state))


def test_concluded__after_a_crossing__is_of_that_look() -> None:
    crossed = family((0.3, -5.0), (0.6, -1.0), (1.0, 0.5))
    end = concluded(crossed, 0.05)
    assert end is not None
    assert end.look == 0
    assert end.final == final(family((0.3, -5.0)))
    one_sided = concluded(family((0.3, -5.0), (1.0, 0.5), sides=1), 0.05)
    assert one_sided is not None
    assert one_sided.look == 1


def test_concluded__with_looks_left_and_no_crossing__is_none() -> None:
    assert concluded(family((0.3, 1.0), (0.6, 2.0)), 0.05) is None
    with pytest.raises(ValueError, match="must be a look"):
        concluded(family(), 0.05)


@settings(max_examples=100, deadline=None)
@given(
    zs=st.lists(st.floats(-4, 4), min_size=1, max_size=5),
    alpha=st.floats(0.005, 0.2),
    sides=st.sampled_from([1, 2]),
)
def test_concluded__p_at_any_level__is_below_it_exactly_after_a_crossing(
    zs: list[float], alpha: float, sides: Sides
) -> None:
    looks = [((number + 1) / len(zs), z) for number, z in enumerate(zs)]
    state = family(*looks, sides=sides)
    end = concluded(state, alpha)
    assert end is not None
    repeated = repeated_p_value(state["looks"], Design(alpha=alpha, sides=sides))
    if abs(repeated.p_value - alpha) > 1e-6:
        assert (end.final.p_value <= alpha) == (repeated.p_value <= alpha)
    assert end.final.interval.lower <= end.final.estimate <= end.final.interval.upper
