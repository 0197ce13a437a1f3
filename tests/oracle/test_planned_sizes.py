"""Sizes of plans in plain Python, compared with the integration by numpy, and with published designs."""

from itertools import product
from math import sqrt

import pytest

from abtest.domain.planning.any_look import ASSUMED_LOOKS, boundary, planned_z, z_by
from abtest.domain.planning.planned_looks import LooksDesign, inflation
from abtest.domain.stats.group_sequential.boundaries import crossings
from abtest.domain.stats.group_sequential.design import Design
from abtest.domain.stats.group_sequential.documents import Sides
from abtest.domain.stats.group_sequential.recursion import Look
from abtest.domain.stats.group_sequential.roots import root
from abtest.domain.stats.group_sequential.spending import OBRIEN_FLEMING, POCOCK, Spending
from abtest.domain.stats.samples import Conversions
from abtest.domain.stats.sequential import Mixture, mixture_test
from tools.stats.planned_sizes import size


def hsd(gamma: float) -> Spending:
    return Spending(family="hwang_shih_decani", gamma=gamma)


SPENDINGS = (OBRIEN_FLEMING, POCOCK, hsd(-4.0), hsd(0.0), hsd(5.0))
ERRORS: tuple[tuple[float, float, Sides], ...] = ((0.05, 0.8, 2), (0.2, 0.5, 2), (0.001, 0.99, 1), (0.01, 0.9, 2))


@pytest.mark.parametrize("looks", [2, 5, 14, 28, 60])
@pytest.mark.parametrize("spending", SPENDINGS, ids=str)
def test_inflation__by_plain_python__is_that_of_the_integration_by_numpy(looks: int, spending: Spending) -> None:
    fractions = [look / looks for look in range(1, looks + 1)]
    for alpha, power, sides in ERRORS:
        expected = size(fractions, Design(alpha=alpha, sides=sides, spending=spending), power=power).inflation
        computed = inflation(LooksDesign(alpha=alpha, power=power, sides=sides, looks=looks, spending=spending))
        assert computed == pytest.approx(expected, abs=2e-5)


# The search of numpy's futility bounds passes scores whose squares have no float.
@pytest.mark.filterwarnings("ignore:overflow encountered in multiply:RuntimeWarning")
@pytest.mark.parametrize("looks", [2, 5, 14, 28])
@pytest.mark.parametrize(("spending", "futility"), list(product((OBRIEN_FLEMING, POCOCK), (OBRIEN_FLEMING, hsd(-2.0)))))
def test_inflation__with_futility__is_that_of_the_integration_by_numpy(
    looks: int, spending: Spending, futility: Spending
) -> None:
    fractions = [look / looks for look in range(1, looks + 1)]
    for alpha, power, sides in ERRORS[:3]:
        design = Design(alpha=alpha, sides=sides, spending=spending)
        expected = size(fractions, design, power=power, futility_spending=futility).inflation
        computed = inflation(
            LooksDesign(alpha=alpha, power=power, sides=sides, looks=looks, spending=spending, futility=futility)
        )
        # With two sides futility is spent here among paths that have not ended behind: up to a hundredth more.
        assert computed == pytest.approx(expected, rel=5e-5 if sides == 1 else 8e-3)


def test_inflation__of_gs_designs_default__is_the_published_one() -> None:
    design = LooksDesign(alpha=0.025, power=0.9, sides=1, looks=3, spending=hsd(-4.0), futility=hsd(-2.0))
    assert inflation(design) == pytest.approx(1.0699, abs=1e-4)


def power_of_mixture(z: float, ratio: float, level: float, shrink: float = 1.0) -> float:
    """Chance to be significantly ahead at one of the looks, by the integration by numpy."""
    looks = []
    for look in range(1, ASSUMED_LOOKS + 1):
        fraction = look / ASSUMED_LOOKS
        score = boundary(ratio * fraction, level) / shrink * sqrt(fraction)
        looks.append(Look(fraction, -score, score))
    return sum(one.above for one in crossings(looks, z))


LEVELS, POWERS = (0.2, 0.05, 0.05 / 9, 0.001 / 9), (0.5, 0.8, 0.99)


@pytest.mark.parametrize(("level", "power", "shrink"), list(product(LEVELS, POWERS, (1.0, 0.85))))
def test_planned_z__has_the_power__by_the_integration_by_numpy(level: float, power: float, shrink: float) -> None:
    z = planned_z(level, power, shrink)
    assert power_of_mixture(z, (shrink * z) ** 2, level, shrink) == pytest.approx(power, abs=2e-5)


@pytest.mark.parametrize(("level", "power"), list(product(LEVELS, POWERS)))
def test_z_by__has_the_power__by_the_integration_by_numpy(level: float, power: float) -> None:
    for ratio in (0.07, 0.3, 1.0, 7.0, 50.0, 1000.0):
        assert power_of_mixture(z_by(ratio, level, power), ratio, level) == pytest.approx(power, abs=2e-3)


def test_z_by__hardly_any_visitors__is_little_less_than_one_look_needs() -> None:
    one_look = boundary(1e-4, 0.05) + 0.8416212335729143
    assert one_look - 1 < z_by(1e-4, 0.05, 0.8) < one_look


def test_boundary__of_the_mixture__is_where_its_p_value_is_the_level() -> None:
    control, treatment = Conversions(visitors=10_000, conversions=500), Conversions(visitors=10_000, conversions=570)
    test = mixture_test(control, treatment, alpha=0.05, mixture=Mixture(tau=0.005))
    assert test is not None
    z = test.difference / sqrt(test.variance)
    at_level = root(lambda level: boundary(0.005**2 / test.variance, level) - abs(z), 1e-6, 0.9, tolerance=1e-12)
    assert at_level == pytest.approx(test.always_valid_p, rel=1e-9)
