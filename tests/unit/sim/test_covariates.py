"""Further covariates explain little of what visitors buy, and least squares find what they explain."""

from __future__ import annotations

import numpy as np
import pytest

from tools.sim.covariates import CELLS, Covariates, r_squared


def test_r_squared__of_a_known_mixture__is_its_share() -> None:
    rng = np.random.default_rng(5)
    x, z, noise = rng.standard_normal((3, 100_000))

    assert r_squared(x + z + noise, x) == pytest.approx(1 / 3, abs=0.01)
    assert r_squared(x + z + noise, x, z) == pytest.approx(2 / 3, abs=0.01)


def test_further_covariates__of_a_shop__explain_less_than_they_would_need_to() -> None:
    shop = next(cell for cell in CELLS if isinstance(cell, Covariates) and cell.shop == "half of them known")

    outcomes = shop.run(np.random.default_rng(6), 2)

    assert all(0 < outcomes[f"{name} more"].mean() < 0.05 for name in Covariates.MEASURES)
