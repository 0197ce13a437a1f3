"""Ratios in tests of nothing: the simulation in small, and its draws."""

from __future__ import annotations

import numpy as np
import pytest

from tools.sim.ratios import LEAST, MOST, RatioPeeking, RatioPower, RatioSize, drawn

RNG = 20_261


@pytest.mark.parametrize("treatment_share", [0.5, 0.1])
def test_size__of_revenue_per_order__is_right_where_orders_as_units_err(treatment_share: float) -> None:
    outcomes = RatioSize(treatment_share=treatment_share, buyers=100).run(np.random.default_rng(RNG), 4_000)
    # Of 4,000 tests, three standard errors are 0.010.
    assert LEAST - 0.01 <= outcomes["ours"].mean() <= MOST + 0.01
    assert outcomes["orders as units"].mean() > 0.07


@pytest.mark.parametrize("treatment_share", [0.5, 0.1])
def test_peeking__at_revenue_per_order__errs_rarely_where_naive_readers_err_often(treatment_share: float) -> None:
    outcomes = RatioPeeking(treatment_share=treatment_share).run(np.random.default_rng(RNG), 60)
    assert outcomes["ours"].mean() <= 0.05
    assert outcomes["naive"].mean() > 0.1


def test_power__at_the_computed_size__is_what_was_demanded() -> None:
    outcomes = RatioPower().run(np.random.default_rng(RNG), 300)
    # Of 300 tests, three standard errors are 0.07.
    assert 0.73 <= outcomes["ours"].mean() <= 0.87


def test_drawn__in_cells__sums_each_cells_buyers() -> None:
    buyers = np.array([[0, 3], [2, 0]])
    sums = drawn(np.random.default_rng(RNG), buyers)
    assert np.array_equal(sums.buyers, buyers)
    assert np.array_equal(sums.x == 0, buyers == 0)
    assert np.array_equal(sums.y > 0, buyers > 0)
    assert np.all(sums.xy**2 <= sums.xx * sums.yy * (1 + 1e-12))
    assert np.all(sums.values <= sums.yy)
