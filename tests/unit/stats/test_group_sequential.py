"""Boundaries, looks and inference of group-sequential tests; their numbers are compared in tests/oracle."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import pairwise
from math import inf, isclose, nan, sqrt

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from abtest.domain.stats.group_sequential.boundaries import LEAST_STEP, boundaries, crossings, regions
from abtest.domain.stats.group_sequential.design import Design, Futility, design_of
from abtest.domain.stats.group_sequential.families import look_at_family, started_family
from abtest.domain.stats.group_sequential.inference import final, repeated_p_value
from abtest.domain.stats.group_sequential.looks import Kind, Outcome, State, look, started
from abtest.domain.stats.group_sequential.observation import Observation, Unobserved, observe, required_information
from abtest.domain.stats.group_sequential.recursion import Look
from abtest.domain.stats.group_sequential.roots import root
from abtest.domain.stats.group_sequential.sizes import power, size
from abtest.domain.stats.group_sequential.spending import OBRIEN_FLEMING, POCOCK, Spending
from abtest.domain.stats.samples import Conversions, Sample

HSD = Spending(family="hwang_shih_decani", gamma=-4.0)
FAMILIES = (OBRIEN_FLEMING, POCOCK, HSD, Spending(family="hwang_shih_decani", gamma=0.0))
TWO_SIDED = Design()
FIFTHS = [0.2, 0.4, 0.6, 0.8, 1.0]
STEPS = st.lists(st.floats(1e-4, 1.0), min_size=1, max_size=12)


def fractions_of(steps: list[float], last: float = 1.0) -> list[float]:
    total, so_far, fractions = sum(steps), 0.0, []
    for step in steps:
        so_far += step
        fractions.append(last * so_far / total)
    return fractions


def after(design: Design, *looks: tuple[float, float], is_last: bool = False) -> tuple[State, Outcome]:
    """State and outcome after looks of (fraction, z); the planned information is 100."""
    state, outcome = started(design, 100.0), None
    for number, (fraction, z) in enumerate(looks, start=1):
        state, outcome = look(state, 100 * fraction, z, is_last=is_last and number == len(looks))
    assert outcome is not None
    return state, outcome


@pytest.mark.parametrize("spending", FAMILIES)
def test_spending__from_nothing_to_all__rises_to_the_error_and_stays(spending: Spending) -> None:
    spent = [spending.spent(k / 50, 0.025) for k in range(61)]
    assert spent[0] == 0
    assert all(one <= other for one, other in pairwise(spent))
    assert spent[50:] == [0.025] * 11
    assert isclose(spending.spent(1 - 1e-12, 0.025), 0.025, rel_tol=1e-9)


@pytest.mark.parametrize(
    ("family", "gamma"),
    [("wang_tsiatis", None), ("pocock", 1.0), ("hwang_shih_decani", None), ("hwang_shih_decani", nan),
     ("hwang_shih_decani", 41.0)],
)  # fmt: skip
def test_spending__a_family_or_gamma_that_cannot_be__is_refused(family: str, gamma: float | None) -> None:
    with pytest.raises(ValueError):
        Spending(family=family, gamma=gamma)  # type: ignore[arg-type]


@pytest.mark.parametrize(("fraction", "error"), [(-0.1, 0.05), (nan, 0.05), (0.5, 0.0), (0.5, 1.0), (0.5, nan)])
def test_spending__an_impossible_fraction_or_error__is_refused(fraction: float, error: float) -> None:
    with pytest.raises(ValueError):
        OBRIEN_FLEMING.spent(fraction, error)


@settings(max_examples=40, deadline=None)
@given(STEPS, st.sampled_from(FAMILIES), st.sampled_from([1, 2]), st.floats(0.001, 0.4))
def test_boundaries__at_any_looks__are_crossed_with_the_errors_of_the_spending(
    steps: list[float], spending: Spending, sides: int, alpha: float
) -> None:
    design = Design(alpha=alpha, sides=1 if sides == 1 else 2, spending=spending)
    bounds = boundaries(fractions_of(steps), design)
    chances = crossings(regions(bounds, design))
    so_far = 0.0
    for bound, chance in zip(bounds, chances, strict=True):
        so_far += chance.above
        assert isclose(so_far, bound.spent, rel_tol=1e-9, abs_tol=1e-13)
        assert isclose(chance.below, chance.above if sides == 2 else 0.0, rel_tol=1e-9, abs_tol=1e-15)
    assert isclose(so_far, design.alpha_a_side, rel_tol=1e-9)


@settings(max_examples=15, deadline=None)
@given(STEPS, st.sampled_from(FAMILIES), st.sampled_from([1, 2]))
def test_boundaries__at_a_larger_alpha__are_nowhere_higher(steps: list[float], spending: Spending, sides: int) -> None:
    levels = [1e-9, 1e-5, 0.001, 0.01, 0.0125, 0.025, 0.05, 0.1, 0.3, 0.5]
    designs = [Design(alpha=level, sides=1 if sides == 1 else 2, spending=spending) for level in levels]
    for strict, lax in pairwise(boundaries(fractions_of(steps), design) for design in designs):
        assert all(lower.upper <= upper.upper + 1e-9 for upper, lower in zip(strict, lax, strict=True))


def test_boundaries__of_a_single_look__are_those_of_a_plain_test() -> None:
    (bound,) = boundaries([1.0], TWO_SIDED)
    assert isclose(bound.upper, 1.959963984540054, rel_tol=1e-12)


def test_boundaries__where_next_to_nothing_is_spent__are_infinite_and_leave_it_to_later_looks() -> None:
    bounds = boundaries([0.01, 0.02, 0.5, 1.0], TWO_SIDED)
    assert [bound.upper for bound in bounds[:2]] == [inf, inf]
    assert bounds[1].spent == 0
    assert isclose(bounds[3].spent, 0.025, rel_tol=1e-12)


@pytest.mark.parametrize("looks", [120, 400])
def test_boundaries__of_very_many_looks__spend_all(looks: int) -> None:
    fractions = [k / looks for k in range(1, looks + 1)]
    bounds = boundaries(fractions, TWO_SIDED)
    assert isclose(sum(one.above for one in crossings(regions(bounds, TWO_SIDED))), 0.025, rel_tol=1e-10)


def test_boundaries__with_tiny_steps_next_to_large_ones__spend_all() -> None:
    fractions = [1e-6, 0.3, 0.300001, 0.31, 0.310002, 0.5, 0.500001, 0.500002, 0.9, 1.0, 1.3]
    for design in (TWO_SIDED, Design(sides=1, spending=POCOCK)):
        bounds = boundaries(fractions, design)
        spent = [one.above for one in crossings(regions(bounds, design))]
        assert isclose(sum(spent), design.alpha_a_side, rel_tol=1e-10)
        assert bounds[-1].upper == inf


@pytest.mark.parametrize(
    "fractions",
    [[0.0], [-0.1, 1.0], [0.5, 0.5], [0.5, 0.4], [0.5, 0.5 + LEAST_STEP / 2], [nan], [0.5, inf],
     [k / 2000 for k in range(1, 1002)]],
)  # fmt: skip
def test_boundaries__fractions_that_cannot_be__are_refused(fractions: list[float]) -> None:
    with pytest.raises(ValueError):
        boundaries(fractions, TWO_SIDED)
    with pytest.raises(ValueError):
        crossings([Look(fraction, -1.0, 1.0) for fraction in fractions])


def test_boundaries__places_that_fall_or_are_too_few__are_refused() -> None:
    for places in ([0.5], [0.5, 0.4]):
        with pytest.raises(ValueError):
            boundaries([0.5, 0.6], TWO_SIDED, spending_at=places)


@pytest.mark.parametrize("changed", [{"alpha": 0.0}, {"alpha": 1.0}, {"alpha": nan}, {"sides": 3}])
def test_design__values_that_cannot_be__are_refused(changed: dict[str, float]) -> None:
    with pytest.raises(ValueError):
        replace(TWO_SIDED, **changed)  # type: ignore[arg-type]


@pytest.mark.parametrize(("beta", "drift"), [(0.0, 2.8), (1.0, 2.8), (0.2, 0.0), (0.2, inf), (0.2, nan)])
def test_futility__values_that_cannot_be__are_refused(beta: float, drift: float) -> None:
    with pytest.raises(ValueError):
        Futility(beta=beta, drift=drift)


@pytest.mark.parametrize("futility", [None, Futility(beta=0.2, drift=2.9, spending=HSD)])
def test_design__stored_as_json__comes_back(futility: Futility | None) -> None:
    design = Design(alpha=0.01, sides=1, spending=HSD, futility=futility)
    assert design_of(json.loads(json.dumps(design.document()))) == design


@pytest.mark.parametrize("sides", [1, 2])
def test_futility__of_any_design__leaves_the_boundaries_alone(sides: int) -> None:
    plain = Design(alpha=0.05, sides=1 if sides == 1 else 2)
    giving_up = replace(plain, futility=Futility(beta=0.2, drift=2.9))
    bounds = boundaries(FIFTHS, giving_up)
    assert [bound.upper for bound in bounds] == [bound.upper for bound in boundaries(FIFTHS, plain)]
    assert all(one.futility < other.futility for one, other in pairwise(bounds))
    assert all(bound.futility <= bound.upper for bound in bounds)


def test_size__of_one_look__is_that_of_a_plain_test() -> None:
    sized = size([1.0], TWO_SIDED)
    assert sized.inflation == pytest.approx(1, abs=1e-9)
    assert sized.drift == pytest.approx(1.959963984540054 + 0.8416212335729143, abs=1e-9)


@pytest.mark.parametrize("futility", [None, HSD])
@pytest.mark.parametrize("spending", FAMILIES)
def test_size__of_any_spending__has_the_power_and_stops_earlier_on_average(
    spending: Spending, futility: Spending | None
) -> None:
    sized = size(FIFTHS, Design(spending=spending), power=0.9, futility_spending=futility)
    assert sized.power == pytest.approx(0.9, abs=1e-8)
    assert sized.expected_effect < min(1.0, sized.inflation)
    assert 1.0 < sized.inflation < 1.4
    assert (sized.expected_null < 0.8) == (futility is not None)
    assert power(sized.design, FIFTHS, sized.drift) >= 0.9 - 1e-8
    if futility:
        assert sized.bounds[-1].futility == pytest.approx(sized.bounds[-1].upper, abs=1e-6)


def test_size__demands_that_cannot_be__are_refused() -> None:
    with pytest.raises(ValueError):
        size(FIFTHS, TWO_SIDED, power=0.04)
    with pytest.raises(ValueError):
        size([0.5, 0.9], TWO_SIDED)
    with pytest.raises(ValueError):
        size([], TWO_SIDED)
    with pytest.raises(ValueError):
        size(FIFTHS, replace(TWO_SIDED, futility=Futility(beta=0.2, drift=2.8)))


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


@pytest.mark.parametrize("at", [0.0, 0.3, 1.0])
def test_root__of_a_jump_or_a_root_at_an_end__is_where_the_sign_changes(at: float) -> None:
    assert root(lambda x: x - at, 0.0, 1.0, tolerance=1e-12) == pytest.approx(at, abs=1e-11)
    assert root(lambda x: 1.0 if x > 0.3 else -1.0, 0.0, 1.0, tolerance=1e-12) == pytest.approx(0.3, abs=1e-11)
