"""Group-sequential tests against published tables to their digits, and against mpmath to 1e-8 and better."""

from __future__ import annotations

from dataclasses import replace
from itertools import accumulate
from math import inf, sqrt
from typing import NamedTuple

import pytest
from scipy.stats import multivariate_normal

from abtest.domain.stats.group_sequential.boundaries import Boundary, boundaries, crossings, regions
from abtest.domain.stats.group_sequential.design import Design
from abtest.domain.stats.group_sequential.documents import Sides
from abtest.domain.stats.group_sequential.inference import final
from abtest.domain.stats.group_sequential.looks import look, started
from abtest.domain.stats.group_sequential.recursion import Look
from abtest.domain.stats.group_sequential.roots import root
from abtest.domain.stats.group_sequential.spending import OBRIEN_FLEMING, POCOCK, Spending
from tests.oracle import exact_group_sequential as exact
from tools.stats.planned_sizes import size

NEAR = 1e-8
FAR = 9.0
"""A z that no path reaches in the digits compared, in place of infinity."""


def hsd(gamma: float) -> Spending:
    return Spending(family="hwang_shih_decani", gamma=gamma)


def equal(looks: int) -> list[float]:
    return [k / looks for k in range(1, looks + 1)]


PUBLISHED = [
    # Lan and DeMets's spending, two-sided 0.05 (DeMets, Lan: Statistics in Medicine 13 (1994) 1341-1352). Their program
    # integrates on a coarser grid: the second bound is 3.35701 by mpmath too.
    (OBRIEN_FLEMING, 2, 0.05, equal(5), [4.8769, 3.3569, 2.6803, 2.2898, 2.0310]),
    (POCOCK, 2, 0.05, equal(5), [2.4380, 2.4268, 2.4101, 2.3966, 2.3859]),
    (OBRIEN_FLEMING, 2, 0.05, equal(3), [3.7103, 2.5114, 1.9930]),
    (OBRIEN_FLEMING, 2, 0.05, equal(2), [2.9626, 1.9686]),
    # The default design of gsDesign: one-sided 0.025, three looks.
    (hsd(-4.0), 1, 0.025, equal(3), [3.0107, 2.5465, 1.9992]),
]


@pytest.mark.parametrize(("spending", "sides", "alpha", "fractions", "expected"), PUBLISHED)
def test_boundaries__of_published_designs__are_those_of_the_tables(
    spending: Spending, sides: Sides, alpha: float, fractions: list[float], expected: list[float]
) -> None:
    bounds = boundaries(fractions, Design(alpha=alpha, sides=sides, spending=spending))
    assert [bound.upper for bound in bounds] == pytest.approx(expected, abs=1.2e-4)


# Jennison and Turnbull (2000), tables 2.1 and 2.3: constants of Pocock's and of O'Brien and Fleming's two-sided tests.
POCOCK_CONSTANTS = {
    (2, 0.05): 2.178, (3, 0.05): 2.289, (4, 0.05): 2.361, (5, 0.05): 2.413, (10, 0.05): 2.555,
    (2, 0.01): 2.772, (3, 0.01): 2.873, (4, 0.01): 2.939, (5, 0.01): 2.986, (10, 0.01): 3.117,
    (2, 0.1): 1.875, (3, 0.1): 1.992, (4, 0.1): 2.067, (5, 0.1): 2.122, (10, 0.1): 2.270,
}  # fmt: skip
OBRIEN_FLEMING_CONSTANTS = {
    (2, 0.05): 1.977, (3, 0.05): 2.004, (4, 0.05): 2.024, (5, 0.05): 2.040, (10, 0.05): 2.087,
    (2, 0.01): 2.580, (3, 0.01): 2.595, (4, 0.01): 2.609, (5, 0.01): 2.621,
    (2, 0.1): 1.678, (3, 0.1): 1.710, (4, 0.1): 1.733, (5, 0.1): 1.751, (10, 0.1): 1.801,
}  # fmt: skip


def by_constant(constant: float, looks: int, power: float) -> list[Look]:
    """Bounds z = constant·fraction^power, two-sided."""
    scores = [(t, constant * t ** (power + 0.5)) for t in equal(looks)]
    return [Look(t, -score, score) for t, score in scores]


def error(looks: list[Look], drift: float = 0.0) -> float:
    return sum(one.above + one.below for one in crossings(looks, drift))


@pytest.mark.parametrize(
    ("looks", "alpha", "power", "constant"),
    [(*at, 0.0, constant) for at, constant in POCOCK_CONSTANTS.items()]
    + [(*at, -0.5, constant) for at, constant in OBRIEN_FLEMING_CONSTANTS.items()],
)
def test_crossings__of_classical_tests__have_the_error_of_their_constants(
    looks: int, alpha: float, power: float, constant: float
) -> None:
    solved = root(lambda c: alpha - error(by_constant(c, looks, power)), 1.0, 5.0, tolerance=1e-9)
    assert solved == pytest.approx(constant, abs=5.1e-4)


# The same book, tables 2.2 and 2.4: maximum information over that of one look, alpha 0.05.
INFLATIONS = [
    (0.0, 2, 0.8, 1.110), (0.0, 3, 0.8, 1.166), (0.0, 4, 0.8, 1.202), (0.0, 5, 0.8, 1.229), (0.0, 10, 0.8, 1.301),
    (0.0, 2, 0.9, 1.100), (0.0, 3, 0.9, 1.151), (0.0, 4, 0.9, 1.183), (0.0, 5, 0.9, 1.207), (0.0, 10, 0.9, 1.271),
    (-0.5, 2, 0.8, 1.008), (-0.5, 3, 0.8, 1.017), (-0.5, 4, 0.8, 1.024), (-0.5, 5, 0.8, 1.028), (-0.5, 10, 0.8, 1.040),
    (-0.5, 2, 0.9, 1.007), (-0.5, 3, 0.9, 1.016), (-0.5, 4, 0.9, 1.022), (-0.5, 5, 0.9, 1.026), (-0.5, 10, 0.9, 1.037),
]  # fmt: skip


@pytest.mark.parametrize(("power", "looks", "reached", "inflation"), INFLATIONS)
def test_crossings__of_classical_tests__have_the_power_at_their_inflation(
    power: float, looks: int, reached: float, inflation: float
) -> None:
    constant = root(lambda c: 0.05 - error(by_constant(c, looks, power)), 1.0, 5.0, tolerance=1e-9)
    bounds = by_constant(constant, looks, power)
    drift = root(lambda d: sum(one.above for one in crossings(bounds, d)) - reached, 1.0, 6.0, tolerance=1e-9)
    one_look = 1.959963984540054 + {0.8: 0.8416212335729143, 0.9: 1.2815515655446004}[reached]
    assert (drift / one_look) ** 2 == pytest.approx(inflation, abs=5.1e-4)


def test_size__of_gs_designs_default__is_the_published_one() -> None:
    design = Design(alpha=0.025, sides=1, spending=hsd(-4.0))
    sized = size(equal(3), design, power=0.9, futility_spending=hsd(-2.0))
    assert [bound.upper for bound in sized.bounds] == pytest.approx([3.0107, 2.5465, 1.9992], abs=1e-4)
    assert [bound.futility for bound in sized.bounds] == pytest.approx([-0.2387, 0.9411, 1.9992], abs=1e-4)
    assert sized.inflation == pytest.approx(1.0699, abs=1e-4)


class Case(NamedTuple):
    fractions: list[float]
    spending: Spending
    sides: Sides = 2
    alpha: float = 0.05


CASES = [
    Case(equal(3), OBRIEN_FLEMING), Case(equal(5), OBRIEN_FLEMING), Case(equal(5), POCOCK), Case(equal(5), hsd(-4.0)),
    Case(equal(4), hsd(1.0), alpha=0.01), Case(equal(4), hsd(0.0), alpha=0.2), Case(equal(5), POCOCK, sides=1),
    Case(equal(5), OBRIEN_FLEMING, sides=1, alpha=0.025), Case([0.3, 0.7, 1.3], OBRIEN_FLEMING),
    Case([0.1, 0.11, 0.5, 0.52, 1.0], POCOCK), Case([0.25, 0.26, 1.0], hsd(-2.0)), Case([0.5, 0.999], POCOCK),
    Case([0.5, 0.5001], POCOCK), Case([0.9, 0.90002], hsd(-4.0)), Case([0.001, 1.0], POCOCK, sides=1),
    Case([0.02, 0.9, 1.0], POCOCK, alpha=0.001), Case([0.9, 0.95, 1.0, 1.05], OBRIEN_FLEMING),
]  # fmt: skip


def finite(bounds: tuple[Boundary, ...], sides: Sides) -> tuple[list[float], list[float], list[float]]:
    """Fractions, lower and upper z, for mpmath."""
    uppers = [min(bound.upper, FAR) for bound in bounds]
    return [bound.fraction for bound in bounds], [-upper if sides == 2 else -FAR for upper in uppers], uppers


@pytest.mark.parametrize("case", CASES)
def test_boundaries__at_any_fractions__are_within_1e8_of_exact_ones(case: Case) -> None:
    design = Design(alpha=case.alpha, sides=case.sides, spending=case.spending)
    bounds = boundaries(case.fractions, design)
    before = 0.0
    for bound, chances in zip(bounds, exact.crossing(*finite(bounds, case.sides), margin=NEAR), strict=True):
        after = exact.spent(case.spending.family, case.spending.gamma, bound.fraction, design.alpha_a_side)
        if bound.upper < inf:
            assert chances.further < after - before < chances.nearer
        else:
            assert after - before < 6.3e-16
        before = after


@pytest.mark.parametrize("drift", [-1.0, 2.8, 4.5])
@pytest.mark.parametrize("case", [CASES[1], CASES[6], CASES[9]])
def test_crossings__with_a_drift__are_exact(case: Case, drift: float) -> None:
    design = Design(alpha=case.alpha, sides=case.sides, spending=case.spending)
    bounds = boundaries(case.fractions, design)
    expected = exact.crossing(*finite(bounds, case.sides), drift=drift)
    for one, other in zip(crossings(regions(bounds, design), drift), expected, strict=True):
        assert one.above == pytest.approx(float(other.above), rel=1e-9, abs=1e-15)
        if case.sides == 2:
            assert one.below == pytest.approx(float(other.below), rel=1e-9, abs=1e-15)


def test_futility__of_a_design__spends_beta_exactly() -> None:
    plain = Design(spending=hsd(-3.0))
    sized = size(equal(4), plain, futility_spending=OBRIEN_FLEMING)
    fractions, _, uppers = finite(sized.bounds, 2)
    lowers = [max(bound.futility, -FAR) for bound in sized.bounds]
    chances = exact.crossing(fractions, lowers, uppers, drift=sized.drift)
    expected = [float(exact.spent("obrien_fleming", None, t, 0.2)) for t in fractions]
    assert list(accumulate(float(one.below) for one in chances)) == pytest.approx(expected, abs=1e-9)
    assert sum(float(one.above) for one in chances) == pytest.approx(0.8, abs=1e-9)


PATHS = [
    [(0.2, 1.0), (0.4, 1.5), (0.6, 2.2), (0.8, 2.5)],
    [(0.3, -1.0), (0.4, -0.8), (1.1, -2.4)],
    [(0.25, 0.3), (0.5, 0.1), (1.0, 0.9)],
    [(0.5, -3.2)],
    [(0.4, 2.0), (0.7, 3.9)],
]


@pytest.mark.parametrize("sides", [1, 2])
@pytest.mark.parametrize("path", PATHS)
def test_final__of_a_path__is_exact(path: list[tuple[float, float]], sides: Sides) -> None:
    design = Design(sides=sides, alpha=0.05)
    state = started(design, 1.0)
    for fraction, z in path:
        state, _ = look(state, fraction, z)
    inference, looks = final(state), state["looks"]
    uppers = [*(one["upper"] or FAR for one in looks[:-1]), looks[-1]["z"]]
    lowers = [*(-(one["upper"] or FAR) if sides == 2 else -FAR for one in looks[:-1]), looks[-1]["z"]]

    def greater(drift: float) -> float:
        chances = exact.crossing([one["fraction"] for one in looks], lowers, uppers, drift=drift)
        return float(sum(one.above for one in chances))

    assert inference.p_greater == pytest.approx(greater(0.0), rel=1e-9)
    assert greater(inference.estimate) == pytest.approx(0.5, abs=NEAR)
    assert greater(inference.interval.lower) == pytest.approx(design.alpha_a_side, abs=NEAR)
    assert greater(inference.interval.upper) == pytest.approx(1 - design.alpha_a_side, abs=NEAR)


def test_boundaries__of_four_looks__agree_with_a_multivariate_normal_distribution() -> None:
    fractions = [0.2, 0.45, 0.8, 1.0]
    bounds = boundaries(fractions, replace(Design(), spending=POCOCK))
    correlations = [[sqrt(min(s, t) / max(s, t)) for s in fractions] for t in fractions]
    uppers = [bound.upper for bound in bounds]
    inside = multivariate_normal(cov=correlations, seed=7, abseps=1e-7, maxpts=4_000_000).cdf(
        uppers, lower_limit=[-upper for upper in uppers]
    )
    assert 1 - inside == pytest.approx(0.05, abs=1e-5)
