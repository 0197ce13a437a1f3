"""Adjusted differences against least squares: statsmodels on the visitors themselves."""

from math import sqrt

import numpy as np
import pytest
import statsmodels.api as sm
from numpy.typing import NDArray

from abtest.domain.stats.cuped import CovariateSums, cuped
from abtest.domain.stats.group_sequential.observation import Observation, observe
from abtest.domain.stats.sequential import mixture_test

Values = NDArray[np.int64]
TWO_ARMS = [
    (seed, split, kind)
    for seed in range(4)
    for split in ((400, 400), (900, 100), (150, 850))
    for kind in ("money", "counts")
]


def drawn(seed: int, sizes: tuple[int, ...], kind: str) -> list[tuple[Values, Values]]:
    """Return (x, y) of each arm; visitors differ in how much they buy, before as after."""
    rng, arms = np.random.default_rng(seed), []
    for place, n in enumerate(sizes):
        liking = rng.gamma(0.5, 2.0, n)
        if kind == "counts":
            arms.append((rng.poisson(liking), rng.poisson(liking * (1 + 0.1 * place))))
        else:
            amounts = rng.lognormal(8.0, 1.0, (2, n)) * (rng.random((2, n)) < np.minimum(1.0, liking))
            arms.append((amounts[0].astype(np.int64), (amounts[1] * (1 + 0.2 * place)).astype(np.int64)))
    return arms


def sums(x: Values, y: Values) -> CovariateSums:
    return CovariateSums(n=len(x), y=int(y.sum()), yy=int(y @ y), x=int(x.sum()), xx=int(x @ x), xy=int(x @ y))


@pytest.mark.parametrize(("seed", "sizes", "kind"), TWO_ARMS)
def test_pair__of_two_arms__has_the_difference_and_the_variance_of_least_squares(
    seed: int, sizes: tuple[int, int], kind: str
) -> None:
    arms = drawn(seed, sizes, kind)
    x, y = (np.concatenate(column).astype(float) for column in zip(*arms, strict=True))
    is_treated = np.repeat([0.0, 1.0], sizes)
    fit = sm.OLS(y, np.column_stack([np.ones(len(y)), is_treated, x])).fit()

    adjusted = cuped([sums(*arm) for arm in arms])
    control, treatment = adjusted.pair(0, 1)
    pooled = mixture_test(control, treatment, alpha=0.05, variance="pooled")
    unpooled = mixture_test(control, treatment, alpha=0.05, variance="unpooled")

    assert pooled is not None
    assert unpooled is not None
    assert adjusted.theta == pytest.approx(fit.params[2], rel=1e-9)
    assert pooled.difference == pytest.approx(fit.params[1], rel=1e-8, abs=1e-9)
    assert sqrt(pooled.variance) == pytest.approx(fit.bse[1], rel=1e-9)
    observed = observe(control, treatment)
    assert isinstance(observed, Observation)
    assert 1 / observed.information == pytest.approx(max(pooled.variance, unpooled.variance), rel=1e-12)


@pytest.mark.parametrize("seed", range(4))
def test_pairs__of_four_arms__have_the_differences_of_least_squares(seed: int) -> None:
    sizes = (500, 300, 200, 400)
    arms = drawn(seed, sizes, "money")
    x, y = (np.concatenate(column).astype(float) for column in zip(*arms, strict=True))
    is_arm = [np.repeat(np.eye(4)[place], sizes) for place in range(1, 4)]
    fit = sm.OLS(y, np.column_stack([np.ones(len(y)), *is_arm, x])).fit()

    adjusted = cuped([sums(*arm) for arm in arms])

    for place in range(1, 4):
        control, treatment = adjusted.pair(0, place)
        assert treatment.mean - control.mean == pytest.approx(fit.params[place], rel=1e-8)


@pytest.mark.parametrize("seed", range(4))
def test_pair__of_rates__has_nearly_the_variance_of_least_squares(seed: int) -> None:
    arms = [(np.minimum(x, 1), np.minimum(y, 1)) for x, y in drawn(seed, (3000, 3000), "counts")]
    x, y = (np.concatenate(column).astype(float) for column in zip(*arms, strict=True))
    fit = sm.OLS(y, np.column_stack([np.ones(len(y)), np.repeat([0.0, 1.0], 3000), x])).fit()

    test = mixture_test(*cuped([sums(*arm) for arm in arms]).pair(0, 1, is_rate=True), alpha=0.05)

    assert test is not None
    # Rates are about the common mean of both arms, which adds z² / N.
    assert fit.bse[1] <= sqrt(test.variance) * (1 + 1e-3)
    assert sqrt(test.variance) == pytest.approx(fit.bse[1], rel=3e-3)
