"""Money compared once in arms of unequal size: the simulation in small, and its draws."""

from __future__ import annotations

from math import exp

import numpy as np
import pytest

from tools.sim.orders import Buying, sizes
from tools.sim.unequal import LEAST, LEAST_POWER, MOST, MoneyPower, OtherSpread, Size

RNG = 20_260


def test_size__of_few_orders_at_90_10__is_right_where_the_peers_err() -> None:
    cell = Size(treatment_share=0.1, orders=25)
    outcomes = cell.run(np.random.default_rng(RNG), 3_000)
    pooled = {
        name: np.mean([outcomes[f"{name} {rate}"].mean() for rate in cell.RATES])
        for name in ("ours", "Welch", "larger p of both")
    }
    # Of 9,000 tests, three standard errors are 0.007.
    assert LEAST - 0.007 <= pooled["ours"] <= MOST
    assert pooled["Welch"] > 0.07
    assert pooled["larger p of both"] < 0.02


@pytest.mark.parametrize("treatment_share", [0.1, 0.9])
def test_power__of_few_orders__is_students(treatment_share: float) -> None:
    cell = MoneyPower(treatment_share=treatment_share, orders=25)
    outcomes = cell.run(np.random.default_rng(RNG), 500)
    for change in cell.treatments:
        assert outcomes[f"ours {change}"].mean() >= LEAST_POWER * outcomes[f"Student {change}"].mean(), change


def test_size__of_many_orders_and_other_variances__is_nearer_to_nominal_than_students() -> None:
    outcomes = OtherSpread(treatment_share=0.1, orders=2_000).run(np.random.default_rng(RNG), 250)
    change = "orders more scattered, σ 1.15"
    assert outcomes[f"ours {change}"].mean() < outcomes[f"Student {change}"].mean()


def test_rows__of_each_cell__have_the_aims_and_the_names_of_peers() -> None:
    size, power, spread = (kind(treatment_share=0.2, orders=25) for kind in (Size, MoneyPower, OtherSpread))
    largest, smallest = size.rows(size.run(np.random.default_rng(RNG), 50))
    assert largest.aim is not None
    assert largest.aim.limit == MOST
    assert all(name in largest.beside for name in ("Student", "Welch", "Johnson", "Chen", "Hall", "buyers"))
    assert smallest.reached <= largest.reached
    assert [row.aim is None for row in Size(treatment_share=0.5, orders=25).rows(size.run(np.random.default_rng(1), 9))]
    assert len(power.rows(power.run(np.random.default_rng(RNG), 50))) == 4
    assert all(row.aim is None for row in spread.rows(spread.run(np.random.default_rng(RNG), 50)))


def test_orders__drawn__have_the_moments_of_the_model() -> None:
    arm = Buying(rate=0.1, mean=60.0, spread=0.5).drawn(np.random.default_rng(RNG), 400, 20_000)
    square = 0.1 * 60.0**2 * exp(0.25)
    assert np.mean(arm.mean) == pytest.approx(6.0, rel=0.005)
    assert np.mean(arm.square) == pytest.approx(square, rel=0.01)
    assert np.mean(arm.variance) == pytest.approx(square - 36.0, rel=0.01)
    third = 0.1 * 60.0**3 * exp(0.75) - 3 * 6.0 * square + 2 * 6.0**3
    assert np.mean(arm.third) == pytest.approx(third, rel=0.03)
    assert np.mean(arm.buyers) == pytest.approx(2_000, rel=0.005)


def test_sizes__by_the_orders_of_the_smaller_arm__are_split_by_the_shares() -> None:
    assert sizes(25, 0.02, (0.9, 0.1)) == (11_250, 1_250)
    assert sizes(25, 0.02, (0.1, 0.9)) == (1_250, 11_250)
    assert sizes(25, 0.02, (0.5, 0.5)) == (1_250, 1_250)
