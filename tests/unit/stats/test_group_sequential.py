"""Spending, boundaries and sizes of group-sequential tests; their numbers are compared in tests/oracle."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import pairwise
from math import inf, isclose, nan

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from abtest.domain.stats.group_sequential.boundaries import LEAST_STEP, boundaries, crossings, regions
from abtest.domain.stats.group_sequential.design import Design, Futility, design_of
from abtest.domain.stats.group_sequential.recursion import Look, first_step
from abtest.domain.stats.group_sequential.roots import root
from abtest.domain.stats.group_sequential.spending import OBRIEN_FLEMING, POCOCK, Spending
from tools.stats.planned_sizes import power, size

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


@pytest.mark.parametrize("at", [0.0, 0.3, 1.0])
def test_root__of_a_jump_or_a_root_at_an_end__is_where_the_sign_changes(at: float) -> None:
    assert root(lambda x: x - at, 0.0, 1.0, tolerance=1e-12) == pytest.approx(at, abs=1e-11)
    assert root(lambda x: 1.0 if x > 0.3 else -1.0, 0.0, 1.0, tolerance=1e-12) == pytest.approx(0.3, abs=1e-11)


@pytest.mark.parametrize("probability", [0.5, 0.9, 1.0])
def test_bounds__for_more_than_is_left__leave_nothing_on_the_other_side(probability: float) -> None:
    step = first_step(0.5).stopped(-0.3, 0.3, 1.0)
    left = step.above(-inf)
    assert left < 0.5
    upper, lower = step.upper_bound(probability), step.lower_bound(probability)
    assert (upper > -inf, lower < inf) == (True, True)
    assert isclose(step.above(upper), left, rel_tol=1e-12)
    assert isclose(step.below(lower), left, rel_tol=1e-12)


@pytest.mark.parametrize("part", [0.5, 1 - 1e-6, 1 - 1e-9, 1 - 1e-11])
def test_bounds__for_nearly_all_that_is_left__are_reached(part: float) -> None:
    step = first_step(0.5).stopped(-0.3, 0.3, 1.0)
    left = step.above(-inf)
    assert isclose(step.above(step.upper_bound(left * part)), left * part, rel_tol=1e-10)


@pytest.mark.parametrize("drift", [5.0, 6.0, 8.0])
def test_futility__more_to_spend_than_paths_are_left__gives_all_of_them_up(drift: float) -> None:
    futility = Futility(beta=0.2, drift=drift, spending=OBRIEN_FLEMING)
    last = boundaries([0.25, 0.5, 0.75, 1.0], Design(spending=POCOCK, futility=futility))[-1]
    assert isclose(last.futility, last.upper, rel_tol=1e-12)
