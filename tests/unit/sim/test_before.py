"""Simulated visitors with a past have the correlation, the split and the rates that were given."""

from __future__ import annotations

from typing import Literal

import numpy as np
import pytest

from tools.sim.adjusted import significant
from tools.sim.before import Past, Sums


def drawn(kind: Literal["rate", "money"], correlation: float, **changes: float) -> Sums:
    past = Past(kind=kind, rate=0.05, correlation=correlation, **changes)
    return past.seen(np.random.default_rng(3), (60, 1), a_look=20_000)


@pytest.mark.parametrize("kind", ["rate", "money"])
@pytest.mark.parametrize("correlation", [0.3, 0.5, 0.7])
def test_past__of_a_correlation__has_it(kind: Literal["rate", "money"], correlation: float) -> None:
    n, y, yy, x, xx, xy = (values[:, 0].sum() for values in drawn(kind, correlation).moments)

    covariance, spreads = xy / n - x * y / n / n, [(xx / n - (x / n) ** 2), (yy / n - (y / n) ** 2)]

    assert covariance / np.sqrt(np.prod(spreads)) == pytest.approx(correlation, abs=0.03)
    assert [x / n, y / n] == pytest.approx([0.05, 0.05], rel=0.03)


def test_past__with_a_lift__lifts_the_treatment_and_leaves_the_past() -> None:
    sums = drawn("rate", 0.5, lift=1.2, treatment_share=0.25)

    n, y, x = (getattr(sums, name)[:, 0].sum(axis=0) for name in ("n", "y", "x"))

    assert n[1] / n.sum() == pytest.approx(0.25, abs=0.005)
    assert y[1] / n[1] / (y[0] / n[0]) == pytest.approx(1.2, rel=0.03)
    assert x[1] / n[1] == pytest.approx(x[0] / n[0], rel=0.03)


def test_adjustment__of_a_correlated_past__finds_more() -> None:
    sums = drawn("rate", 0.7, lift=1.15)

    adjusted, plain = (
        significant(sums, is_rate=True, tau=0.005, is_adjusted=is_adjusted) for is_adjusted in (True, False)
    )

    assert adjusted.mean() > plain.mean() + 0.1
