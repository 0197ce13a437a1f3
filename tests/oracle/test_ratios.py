"""Ratios of sums against 50 digits, statsmodels' robust regression, and numpy's bootstrap and jackknife."""

from math import isclose, sqrt
from typing import Any

import numpy as np
import pytest
import statsmodels.api as sm
from mpmath import mp, mpf
from numpy.typing import NDArray

from abtest.domain.stats.comparisons import compare_mean_pairs
from abtest.domain.stats.means import welch_alone
from abtest.domain.stats.ratios import RatioSums, deviation_per_visitor, ratio_sample
from abtest.domain.stats.samples import Sample

mp.dps = 50
REL = 1e-9
Integers = NDArray[np.int64]
Visitors = tuple[Integers, Integers]
"""Numerator and denominator of each visitor with a hit."""

SHOPS = [
    (seed, buyers, repeats, spread)
    for seed, (buyers, repeats, spread) in enumerate(
        [(b, r, s) for b in (2, 3, 25, 400, 5000) for r in (0.0, 0.3, 3.0) for s in (0.1, 1.2)]
    )
]


def visitors(seed: int, buyers: int, repeats: float, spread: float) -> Visitors:
    """Cents and orders of buyers; those who order more pay more."""
    rng = np.random.default_rng(seed)
    orders = 1 + rng.poisson(repeats, buyers)
    cents = np.round(6000 * orders**1.3 * rng.lognormal(0, spread, buyers)).astype(np.int64)
    return cents, orders


def sums(y: Integers, x: Integers) -> RatioSums:
    """In Python's integers, which cannot overflow."""
    pairs = list(zip(y.tolist(), x.tolist(), strict=True))
    squares = sum(a * a for a, _ in pairs), sum(b * b for _, b in pairs), sum((a + b) ** 2 for a, b in pairs)
    return RatioSums.from_squares(
        len(pairs), sum(a for a, _ in pairs), squares[0], sum(b for _, b in pairs), squares[1], squares[2]
    )


@pytest.mark.parametrize("shop", SHOPS)
def test_ratio_sample__equals_fifty_digits(shop: Any) -> None:
    y, x = visitors(*shop)
    ours = ratio_sample(sums(y, x))
    pairs = [(mpf(int(a)), mpf(int(b))) for a, b in zip(y, x, strict=True)]
    ratio = sum(a for a, _ in pairs) / sum(b for _, b in pairs)
    mean = sum(b for _, b in pairs) / len(pairs)
    linearised = [ratio + (a - ratio * b) / mean for a, b in pairs]
    middle = sum(linearised) / len(pairs)
    variance = sum((each - middle) ** 2 for each in linearised) / (len(pairs) - 1)
    assert ours.n == len(y)
    assert isclose(ours.mean, ratio, rel_tol=REL)
    assert isclose(ours.variance, variance, rel_tol=REL, abs_tol=1e-30)


@pytest.mark.parametrize("shop", SHOPS)
def test_ratio_sample__equals_robust_regression_through_the_origin(shop: Any) -> None:
    # Weighted by 1 / x the slope is Σy / Σx, and White's variance (HC1) is that of the delta method.
    y, x = visitors(*shop)
    ours = ratio_sample(sums(y, x))
    fit = sm.WLS(y.astype(float), x.astype(float), weights=1 / x).fit(cov_type="HC1")
    assert isclose(ours.mean, fit.params[0], rel_tol=REL)
    assert isclose(sqrt(ours.variance / ours.n), fit.bse[0], rel_tol=1e-7, abs_tol=1e-9)


@pytest.mark.parametrize("shop", [shop for shop in SHOPS if shop[1] >= 400])
def test_ratio_sample__of_many_visitors__has_the_error_of_bootstrap_and_jackknife(shop: Any) -> None:
    y, x = visitors(*shop)
    ours, rng, n = ratio_sample(sums(y, x)), np.random.default_rng(7), len(y)
    times = rng.multinomial(n, np.full(n, 1 / n), size=2000)
    resampled = (times @ y) / (times @ x)
    without = (y.sum() - y) / (x.sum() - x)
    jackknife = sqrt((n - 1) / n * ((without - without.mean()) ** 2).sum())
    error = sqrt(ours.variance / ours.n)
    assert isclose(error, resampled.std(), rel_tol=0.08)
    assert isclose(error, jackknife, rel_tol=0.02)


def test_comparison__of_visitors_with_one_order_each__is_that_of_their_mean_orders() -> None:
    arms = []
    for seed in (1, 2):
        y, x = visitors(seed, 300, 0.0, 1.0)
        arms.append((ratio_sample(sums(y, x)), Sample.from_sums(300, int(y.sum()), int((y * y).sum()))))
    ours = welch_alone(arms[0][0], arms[1][0], alpha=0.05)
    expected = welch_alone(arms[0][1], arms[1][1], alpha=0.05)
    assert ours is not None
    assert expected is not None
    assert isclose(ours.t, expected.t, rel_tol=REL)
    assert isclose(ours.degrees_of_freedom or 0, expected.degrees_of_freedom or 0, rel_tol=REL)


@pytest.mark.parametrize("seed", range(5))
def test_lift__of_two_ratios__has_the_ends_that_fiellers_quadratic_has(seed: int) -> None:
    control, treatment = (ratio_sample(sums(*visitors(2 * seed + arm, 800, 0.4, 0.8))) for arm in (0, 1))
    (ours,) = compare_mean_pairs([(control, treatment)], alpha=0.05, correction="none")
    test = welch_alone(control, treatment, alpha=0.05)
    assert ours is not None
    assert test is not None
    assert ours.lift_interval is not None
    assert test.quantile is not None
    q, c, t = mpf(test.quantile), mpf(control.mean), mpf(treatment.mean)
    noise_c, noise_t = mpf(control.variance) / control.n, mpf(treatment.variance) / treatment.n
    # All ratios ρ with (t - ρ c)² <= q² (noise_t + ρ² noise_c).
    a, b, rest = c * c - q * q * noise_c, -2 * t * c, t * t - q * q * noise_t
    root = mp.sqrt(b * b - 4 * a * rest)
    assert isclose(ours.lift_interval.lower, (-b - root) / (2 * a) - 1, rel_tol=1e-8)
    assert isclose(ours.lift_interval.upper, (-b + root) / (2 * a) - 1, rel_tol=1e-8)


def test_ratio_sample__of_amounts_beyond_floats__is_exact() -> None:
    # Every order costs the same, except one by a cent: floats of these squares have no digit left for it.
    orders, price = 10**6, 10**12
    y = orders * price + 1
    yy = (orders - 1) * price**2 + (price + 1) ** 2
    ours = ratio_sample(RatioSums(orders, y, yy, orders, orders, y))
    assert isclose(ours.variance, 1 / orders, rel_tol=1e-9)


def test_ratio_sample__of_a_zero_denominator__is_empty() -> None:
    assert ratio_sample(RatioSums(0, 0, 0, 0, 0, 0)) == Sample(n=0, mean=0.0, variance=0.0)
    assert ratio_sample(RatioSums(3, 500, 90_000, 0, 0, 0)).n == 0


@pytest.mark.parametrize("shop", [shop for shop in SHOPS if shop[1] >= 400])
def test_deviation_per_visitor__of_all_visitors__is_that_of_their_linearised_values(shop: Any) -> None:
    y, x = visitors(*shop)
    sample, n = ratio_sample(sums(y, x)), 20 * len(y)
    linearised = np.zeros(n)
    linearised[: len(y)] = (y - y.sum() / x.sum() * x) / (x.sum() / n)
    # The mean of the values is known to be 0; of buyers alone one degree of freedom is lost.
    expected = sqrt((linearised**2).sum() / n * len(y) / (len(y) - 1))
    assert isclose(deviation_per_visitor(sample, n) or 0, expected, rel_tol=REL)


def test_ratio_sample__of_one_visitor__has_no_variance_and_is_not_tested() -> None:
    one = ratio_sample(RatioSums(1, 500, 250_000, 2, 4, 1000))
    assert (one.n, one.mean, one.variance) == (1, 250.0, 0.0)
    assert compare_mean_pairs([(one, one)], alpha=0.05, correction="none") == [None]


def test_ratio_sample__of_ratios_that_do_not_vary__has_the_variance_zero() -> None:
    ours = ratio_sample(RatioSums(3, 60, 1400, 6, 14, 140))
    assert (ours.mean, ours.variance) == (10.0, 0.0)
